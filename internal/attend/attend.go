// Package attend holds the rules that work beside an agent: which part of a prompt is a question to
// the memory, and what is certain enough to be injected (this file); which command failed and later
// passed (fault.go); where the work happened (work.go); and when a session did much work and saved
// nothing (neglect.go).
//
// Every rule is a pure function of notes or search results. An interruption must be right: if a
// rule is in doubt, it returns nothing.
package attend

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram/internal/text"
)

// Kinds of notes.
const (
	KindPrompt = "prompt" // a prompt of the person; Text is the prompt, where the agent passes it on
	KindTool   = "tool"   // a finished tool call
	KindAsked  = "asked"  // the agent was asked what Neglect returned
)

// Note is one event in a session, as the notebook keeps it.
type Note struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Tool    string    `json:"tool,omitempty"`    // name in the agent's spelling
	Path    string    `json:"path,omitempty"`    // file read or written
	Command string    `json:"command,omitempty"` // command that ran
	Writes  bool      `json:"writes,omitempty"`  // the call changed the file
	Failed  bool      `json:"failed,omitempty"`
	Error   string    `json:"error,omitempty"` // error message of a failed call
	Text    string    `json:"text,omitempty"`
	Project string    `json:"project,omitempty"` // project of the repository in which the tool worked; "" if unknown
}

// Answers returns the finds to inject beside a prompt that is one question, most likely first; rows
// is the size of the collection.
//
// Besides Sure, which needs rare words, it counts how much of the question a find covers. A find
// with all its words is injected whatever the size of the collection; for a one-word question only
// if the title has the word and the question is about this place. In a small collection, relevance
// makes up for a missing word, and a lower relevance is enough if the question says "we". It
// returns no coverage matches at all if there are more than Most.
//
// Fitted on 63 prompts to two projects (internal/eval/session: kiosk, ferry), checked on loom.
func (c Certainty) Answers(q Inquiry, finds []Find, rows int) []Verdict {
	sure := c
	if rows < fewRows {
		sure.Least++
	}
	picked := sure.Sure(finds, rows)
	var answers []Verdict
	seen := 0
	for i, f := range finds {
		switch {
		case !c.covers(q, f) && (rows >= fewRows || !c.likely(q, f)):
		case f.Seen:
			seen++
		default:
			answers = append(answers, Verdict{i, max(f.Relevance, c.Enough)})
		}
	}
	if len(answers)+seen <= c.Most {
		for _, v := range answers {
			if !slices.ContainsFunc(picked, func(o Verdict) bool { return o.Find == v.Find }) {
				picked = append(picked, v)
			}
		}
	}
	slices.SortStableFunc(picked, func(a, b Verdict) int { return cmp.Compare(b.Chance, a.Chance) })
	return picked[:min(len(picked), c.Most)]
}

// covers reports whether a find has every word of meaning of a question.
func (c Certainty) covers(q Inquiry, f Find) bool {
	return f.Words > 0 && f.Whole && (len(q.Words) >= c.Least || f.Titled && q.Known)
}

// likely reports whether a find is relevant enough for a small collection.
func (c Certainty) likely(q Inquiry, f Find) bool {
	if f.Words <= 0 {
		return false
	}
	return f.Matched >= c.Least && f.Relevance >= c.Relevant || f.Matched > 0 && q.Ours && f.Relevance >= c.Ours
}

// Limits of the part of a prompt that is searched for.
const (
	questionBytes = 8 << 10 // bytes that are examined; a longer prompt is mostly pasted
	questionTerms = 24      // words of meaning, from the beginning, where the wish is stated
	questionLeast = 2       // fewer words of meaning are too few, except in a question ("how do we deploy?")
)

// lazily compiles an expression on first use: a program that starts for every event must not compile what it does
// not need. So each has a cheap condition without which it matches nothing.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Parts of a prompt.
var (
	// A command to the agent's program: /compact, /engram:recall x, !ls, #note.
	commandInPrompt = lazily(`^(/[a-z0-9][\w:.-]*(\s|$)|!\S|<command-)`)
	// A pasted line: a stack frame, a log, a diff, a table, a shell.
	pastedInPrompt = lazily(`^\s*(at \S+.*[(:]\d|goroutine \d+|File ".+", line \d+|\S+\.\w+:\d+(:\d+)?[: ]|\S+\(0x|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|` +
		`\[?(DEBUG|INFO|WARN|WARNING|ERROR|TRACE|FATAL)\b|[-+]{3} |@@ |[-+]\s*\S+.*[;{}()]\s*$|> |\||[$%>] |#\d+ 0x|(--- |=== )?(FAIL|PASS|ok|RUN):?\s|[{}\[\]<]|exit (status|code) \d)`)
	// What programs insert into a prompt.
	tagInPrompt = lazily(`(?s)<(system-reminder|local-command-\w+|command-\w+|environment_context|ide_\w+|file|attachment)\b[^>]*>.*?(</[\w-]+>|$)`)
	// URLs: their words are about something else.
	placeInPrompt = lazily(`https?://\S+`)
)

// command reports a command to the agent's program.
func command(prompt string) bool {
	return prompt != "" && strings.IndexByte("/!<", prompt[0]) >= 0 && commandInPrompt().MatchString(prompt)
}

// pasted reports a pasted line. Such lines have a digit or a known beginning.
func pasted(line string) bool {
	l := strings.TrimLeft(line, " \t\n\f\r")
	may := l != "" && strings.IndexByte("[]{}<>|$%@+-=", l[0]) >= 0 || strings.ContainsAny(l, "0123456789")
	for _, w := range []string{"DEBUG", "INFO", "WARN", "ERROR", "TRACE", "FATAL", "FAIL", "PASS", "ok", "RUN"} {
		may = may || strings.HasPrefix(l, w)
	}
	return may && pastedInPrompt().MatchString(line)
}

// ownWords returns a prompt without what programs insert and without URLs.
func ownWords(prompt string) string {
	if strings.Contains(prompt, "<") {
		prompt = tagInPrompt().ReplaceAllString(prompt, " ")
	}
	if strings.Contains(prompt, "://") {
		prompt = placeInPrompt().ReplaceAllString(prompt, " ")
	}
	return prompt
}

// Question returns the part of a prompt to search for; "" if the prompt only moves the work on, is
// a command to the agent's program, or was pasted. Fenced text, program tags and pasted lines are
// left out.
func Question(prompt string) string {
	prompt = strings.TrimSpace(strings.ToValidUTF8(prompt[:min(len(prompt), questionBytes)], ""))
	if command(prompt) {
		return ""
	}
	asked := typed(ownWords(prompt))
	meaning := 0
	text.Scan(asked, func(t text.Token) {
		if !t.Stop && (t.Kind == text.Plain || t.Kind == text.Pair) && !Moves(t.Word) {
			meaning++
		}
	})
	if meaning < questionLeast {
		if _, is := AsksOne(asked); !is {
			return ""
		}
	}
	return upTo(asked, questionTerms)
}

// typed returns the lines that a person typed, outside fences.
func typed(prompt string) string {
	var b strings.Builder
	fenced := false
	for l := range strings.Lines(prompt) {
		l = strings.TrimRight(l, "\r\n")
		if mark := strings.TrimSpace(l); strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced || pasted(l) {
			continue
		}
		b.WriteString(l)
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}

// upTo returns the beginning of s with at most so many words of meaning.
func upTo(s string, most int) string {
	meaning := 0
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && !blank(s[end]) {
			end++
		}
		text.Scan(s[i:end], func(t text.Token) {
			if !t.Stop && (t.Kind == text.Plain || t.Kind == text.Pair) {
				meaning++
			}
		})
		for end < len(s) && blank(s[end]) {
			end++
		}
		if meaning >= most {
			return strings.TrimSpace(s[:end])
		}
		i = end
	}
	return s
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

// Moves reports whether a word in lower case only moves the work on, or is too common in requests.
func Moves(word string) bool {
	switch word {
	case "ok", "okay", "yes", "yep", "yeah", "yup", "sure", "no", "nope", "nah", "right", "correct", "exactly", "good", "great", "nice", "perfect",
		"cool", "fine", "awesome", "excellent", "thanks", "thank", "thx", "please", "pls", "lgtm", "done", "go", "ahead", "continue", "proceed",
		"keep", "going", "next", "again", "retry", "redo", "try", "stop", "wait", "hold", "cancel", "undo", "revert", "looks", "look", "like", "sounds",
		"fix", "make", "change", "update", "add", "remove", "delete", "run", "rerun", "test", "tests", "check", "commit", "push", "build", "lint",
		"explain", "show", "tell", "help", "let", "lets", "want", "need", "use", "one", "two", "three", "first", "second", "last", "step", "rest", "everything", "all",
		"option", "it", "that", "this", "them", "now", "then", "so", "hi", "hello", "hey", "file", "code", "write", "work", "works", "working", "thing", "things",
		"sí", "si", "vale", "dale", "sigue", "continua", "continúa", "gracias", "por", "favor", "listo", "bien", "ja", "nein", "weiter", "danke", "bitte", "gut",
		"oui", "non", "merci", "continuez", "sim", "obrigado", "segue":
		return true
	}
	return false
}

// Find is the evidence for injecting a memory.
type Find struct {
	Words   float64 // BM25 score against the prompt; 0: no common word
	Matched int     // number of different words of meaning in common
	Near    int     // rank by vector similarity, from 1; 0: not among the nearest
	Seen    bool    // the session has seen it: not injected again, but others are measured against it

	// For a prompt that is one question (AsksOne):

	Relevance float64 // likelihood that it answers, as a search estimates it; 0: not computed
	Whole     bool    // it has every word of meaning of the question
	Titled    bool    // its title has them too
}

// Certainty decides when a find is injected: the log odds that each piece of evidence adds, and the
// likelihood a find must reach.
type Certainty struct {
	Start  float64 // before any evidence
	Rarity float64 // for each e-fold of Words over the score of one word that a single memory has
	Lead   float64 // for each e-fold by which Words of the find, or of the last of its group, exceeds that of the next find
	Near   float64 // for being one of the three nearest by vector similarity
	Crowd  float64 // for each find before it in such a group
	Enough float64 // likelihood from which on it is injected; 0 to 1
	Least  int     // minimum of Matched
	Most   int     // maximum number of finds

	// Relevance from which on a find in a small collection answers a question despite a missing
	// word, 0 to 1: for any question, and for one about the work here.
	Relevant, Ours float64
}

// DefaultCertainty is the threshold for injecting memories beside a prompt: an injection costs
// attention, so four in five should help. The evidence is that a find stands out by rare words, by
// its lead over the next find, and by vector similarity.
//
// The weights are a logistic regression on the first three finds of 88 prompts in two scripted
// sessions (internal/eval/session: harbor, lumen). Relevance and cosine added nothing.
func DefaultCertainty() Certainty {
	return Certainty{Start: -1.66, Rarity: 2.28, Lead: 0.89, Near: 0.77, Crowd: -1.13, Enough: 0.5, Least: 2, Most: 3, Relevant: 0.9, Ours: 0.7}
}

// Verdict is a find to inject: its index in the argument of Sure, and the likelihood that it helps.
type Verdict struct {
	Find   int
	Chance float64
}

// fewRows is the assumed minimum size of a collection: in a collection of five, every word is rare.
const fewRows = 30

// Sure returns the finds to inject, most likely first; rows is the size of the collection.
func (c Certainty) Sure(finds []Find, rows int) []Verdict {
	// The highest BM25 score of one word (internal/retrieval).
	rare := math.Log(1 + (float64(max(rows, fewRows))-0.5)/1.5)
	var order []int
	for i, f := range finds {
		if f.Words > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(finds[b].Words, finds[a].Words) })
	var picked []Verdict
	for place, i := range order[:min(len(order), c.Most)] {
		f := finds[i]
		chance := c.chance(finds, order, place, rare)
		if !f.Seen && f.Matched >= c.Least && chance >= c.Enough {
			picked = append(picked, Verdict{i, chance})
		}
	}
	slices.SortStableFunc(picked, func(a, b Verdict) int { return cmp.Compare(b.Chance, a.Chance) })
	return picked
}

// chance returns the likelihood that the find at a place in the order helps.
func (c Certainty) chance(finds []Find, order []int, place int, rare float64) float64 {
	const noise = 0.3 // share of a rare word's score below which scores count as equal
	words := func(place int) float64 {
		if place >= len(order) {
			return noise * rare
		}
		return max(finds[order[place]].Words, noise*rare)
	}
	lead, end := 1.0, place
	for at := place; at < min(len(order), c.Most); at++ {
		if l := words(at) / words(at+1); l > lead {
			lead, end = l, at
		}
	}
	f := finds[order[place]]
	odds := c.Start + c.Rarity*math.Log(f.Words/rare) + c.Lead*math.Log(lead) + c.Crowd*float64(end)
	if f.Near >= 1 && f.Near <= 3 {
		odds += c.Near
	}
	return 1 / (1 + math.Exp(-odds))
}

// Kinds of pending items.
const (
	PendingPrompt  = "prompt"  // Text is the person's prompt
	PendingOutcome = "outcome" // Title and Text are those of an Outcome, Topic its key
	PendingCapture = "capture" // Text is what the agent said, to extract learnings from
	PendingSummary = "summary" // Text is the session summary
	PendingEnd     = "end"     // the session ended
)

// Pending is an item that could not be written at once because the store was busy or missing. Key
// makes sure that it is written once, however often and by whichever process it is tried.
type Pending struct {
	Key       string    `json:"key"` // unique among all pending items
	At        time.Time `json:"at"`
	What      string    `json:"what"`
	Session   string    `json:"session"`
	Project   string    `json:"project,omitempty"` // "" is that of the session
	Directory string    `json:"directory,omitempty"`
	Agent     string    `json:"agent,omitempty"` // agent of the session
	Title     string    `json:"title,omitempty"`
	Topic     string    `json:"topic,omitempty"`
	Text      string    `json:"text,omitempty"`
}
