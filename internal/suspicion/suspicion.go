// Package suspicion says whether a text reads like an instruction to an agent rather than
// like a memory: what somebody may have planted in a web page, an issue, a chunk of a
// repository or a crash report, so that it comes back as trusted context in a later session.
//
// It holds one rule, Of, and what the rule looks at: what a sentence is about, in whatever
// words (kind.go over scene.go and notion.go), words that command (order.go), commands that are
// to be run (command.go), text that hides or is dressed up (hidden.go, blob.go, cipher.go) and
// marks of roles (role.go). The rule gives reasons and no verdict on the author: whoever asks decides
// whether such a text waits for a person, is shown as quoted, or is not shown unasked.
//
// It leans to letting through. Memories of engineers are full of imperatives, commands and
// names of secrets ("always run the migrations before a deploy", "never commit .env"), and a
// review queue full of those is read by nobody. So an imperative alone is no reason; it takes
// one that is addressed past the person: to what the agent was told, to who may know of it,
// to what is asked before it acts, to secrets on their way out, to commands from a stranger, to
// what protects people. What is forbidden, told of the past or of attackers is no order.
// A text that lies in plain words is not found by this rule, nor by any other of its kind.
//
// The rule is a pure function, linear in its input, and takes microseconds for a memory of
// usual length. Texts are judged in English, and in the plainest forms in Spanish,
// Portuguese, French, German, Italian, Russian, Polish, Dutch, Turkish, Chinese, Japanese and
// Korean.
//
// Sources of the classes of attack: Greshake, Abdelnabi, Mishra, Endres, Holz, Fritz, "Not
// What You've Signed Up For: Compromising Real-World LLM-Integrated Applications with
// Indirect Prompt Injection", AISec 2023; OWASP Top 10 for LLM Applications 2025, LLM01
// (prompt injection) and LLM02 (disclosure of what is sensitive); Boucher, Anderson, "Trojan
// Source: Invisible Vulnerabilities", USENIX Security 2023 (CVE-2021-42574); Invariant Labs,
// "MCP Security Notification: Tool Poisoning Attacks", 2025; Rehberger, "SpAIware", 2024
// (instructions kept in an assistant's memory) and "ASCII Smuggler", 2024 (tag characters);
// CVE-2025-32711 (data carried out in the address of an image), CVE-2025-53773 (an agent told
// to switch its own questions off).
package suspicion

// The classes.
const (
	codeOverride = "override" // sets aside what the agent was told, or gives it another part to play
	codeRole     = "role"     // marks of a conversation: text that pretends to be the system or a turn
	codeSecrecy  = "secrecy"  // the person is not to know
	codeBypass   = "bypass"   // acting without the question that protects the person
	codeOrder    = "order"    // a standing order to fetch or run something from elsewhere
	codePlanted  = "planted"  // answers to the person are to be bent
	codeExfil    = "exfil"    // secrets, files or the conversation are to be sent somewhere
	codeCommand  = "command"  // a command that runs what a stranger sends, or opens the machine to one
	codeBlob     = "blob"     // encoded text that is to be run, or that is itself suspicious
	codeHidden   = "hidden"   // characters that hide text from the reader or turn it round
)

// Reason is one thing that a text was found suspicious for.
type Reason struct {
	Code    string // one of the codes below; stable, since it is kept with pending items
	Excerpt string // where: at most maxExcerpt bytes, with characters that act or hide written out
	Why     string // for a person, in lower case, without a full stop
}

// maxExcerpt is how many bytes the excerpt of a Reason has at most.
const maxExcerpt = 160

// maxReasons bounds what is told of a text; who reads it has seen enough by then.
const maxReasons = 12

// Of returns the reasons for which text reads like an instruction to an agent, in the order
// in which they stand in it, of each Why the first; nil when there are none. A text may be
// anything, valid UTF-8 or not; a key whose words are joined by signs is read as its words.
func Of(text string) []Reason { return judged(text, 0) }

// judged is Of; depth counts how often text was taken out of an encoding.
func judged(text string, depth int) []Reason {
	var found findings
	t := read(spoken(text))
	hidden(text, &found)
	roles(text, &found)
	orders(t, &found)
	kinds(t, &found)
	commands(text, &found)
	foreign(text, &found)
	if depth == 0 {
		blobs(text, &found)
		ciphers(text, &found)
	}
	return found.reasons(text)
}
