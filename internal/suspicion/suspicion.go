// Package suspicion reports text that reads like an instruction to an agent, as opposed to a
// memory: text that somebody planted in a web page, an issue, a chunk of a repository or a crash
// report so that it is injected into a later session.
//
// It exports one function, Of, and its result. Of checks what sentences say (grammar), shell
// commands (command), and hidden and encoded text and turn markers (surface). It gives reasons; the caller decides
// whether such a text becomes pending, is quoted or is left out.
//
// It prefers to miss a text over flagging an ordinary one. Memories of engineers are full of imperatives,
// commands and names of secrets ("always run the migrations before a deploy", "never commit .env"), and a full
// review queue is not read. So an imperative alone is not a reason. Prohibitions, reports of the past and
// descriptions of attacks are not flagged, and false statements in plain words are not found.
//
// The grammar is frozen: fix bugs, add no rules. A new rule gains little beyond the texts it is written for,
// and a linear model has come close. Logistic regression on hashed words, pairs, stems and notions, beside the
// detectors of commands, hidden text, blobs and roles, was trained on labelled, fitted, 7,000 generated
// instructions and 97,000 ordinary texts. Instructions found, and false flags in the public texts of
// docs/trust.md in their order:
//
//	                         heldout  unseen  public
//	grammar                  38/44    26/42   1, 3, 0, 30
//	model, 2^16 weights      22/44    23/42   2, 4, 0, 12
//	model, 2^20 weights      24/44    22/42   2, 3, 0, 7
//	the same, a lower cut    31/44    28/42   11, 6, 0, 21
//	required of a model      35/44    26/42   1, 3, 0, 30
//
// A small table suffers from collisions of the hashed features. One that stores a fingerprint beside each
// weight, trained on more instructions by other authors, may meet the requirement and would replace the
// grammar. The two lists have been used five times to compare models, so that comparison needs new ones.
//
// Of is a pure function, linear in its input, and takes microseconds for a memory of usual
// length. It covers English, and the plainest wordings in Spanish, Portuguese, French, German,
// Italian, Russian, Polish, Dutch, Turkish, Chinese, Japanese and Korean.
//
// Sources of the classes of attack: Greshake, Abdelnabi, Mishra, Endres, Holz, Fritz, "Not What You've Signed
// Up For: Compromising Real-World LLM-Integrated Applications with Indirect Prompt Injection", AISec 2023;
// OWASP Top 10 for LLM Applications 2025, LLM01 (prompt injection) and LLM02 (sensitive information
// disclosure); Boucher, Anderson, "Trojan Source: Invisible Vulnerabilities", USENIX Security 2023
// (CVE-2021-42574); Invariant Labs, "MCP Security Notification: Tool Poisoning Attacks", 2025; Rehberger,
// "SpAIware", 2024 (instructions kept in an assistant's memory) and "ASCII Smuggler", 2024 (tag characters);
// CVE-2025-32711 (data in an image address), CVE-2025-53773 (an agent told to disable its confirmations).
package suspicion

import (
	"maps"
	"sync"

	"github.com/alanbuscaglia/engram/internal/suspicion/command"
	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
	"github.com/alanbuscaglia/engram/internal/suspicion/grammar"
	"github.com/alanbuscaglia/engram/internal/suspicion/surface"
)

// Reason is one reason to flag a text.
type Reason struct {
	Code    string // the class, one of the codes in finding; stored with pending items
	Excerpt string // the place in the text, at most 160 bytes of visible characters
	Why     string // for a person, in lower case, without a full stop
}

// Of returns the reasons to flag text, in the order of their places, each Why once; nil without
// any. The text need not be valid UTF-8. A key of joined words ("never-tell-the-user") is read as
// its words. Of may be called concurrently.
func Of(text string) []Reason {
	may := triggers().In(text)
	found := judged(text, may)
	if may&finding.Decoders != 0 {
		command.Decoding(text, &found)
	}
	surface.Blobs(text, decoded, &found)
	surface.Ciphers(text, may, decoded, &found)
	return reasonsOf(found, text)
}

// triggers are the literals without which a detector need not run.
var triggers = sync.OnceValue(func() *finding.Triggers {
	all := command.Literals()
	maps.Copy(all, surface.Literals())
	return finding.NewTriggers(all)
})

// decoded returns the first reason to flag a decoded text, whose own encodings do not count; "" for none.
func decoded(text string) (why string) {
	for _, r := range reasonsOf(judged(text, triggers().In(text)), text) {
		return r.Why
	}
	return ""
}

// judged finds what is in a text as it stands.
func judged(text string, may finding.Group) (found finding.Findings) {
	t := grammar.Read(grammar.Spoken(text))
	defer t.Free()
	surface.Hidden(text, &found)
	surface.Roles(text, may, &found)
	grammar.Orders(t, &found)
	grammar.Kinds(t, &found)
	if may&finding.Commands != 0 {
		command.Find(text, &found)
	}
	grammar.Abroad(text, &found)
	return found
}
