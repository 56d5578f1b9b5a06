// Package attend holds the rules for what happens unasked beside an agent's work: what of
// a prompt is a question to the memory and what is certain enough to be told (here), which
// command failed and later passed (fault.go), where the work was (work.go), and
// when somebody has worked much and saved nothing (neglect.go).
//
// Every rule is a pure function of what was noted or found. Whoever interrupts must be
// right: where a rule is in doubt, it says nothing.
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

// The kinds of notes.
const (
	KindPrompt = "prompt" // the person asked for something; Text is what, where it is told
	KindTool   = "tool"   // the use of a tool, after it
	KindAsked  = "asked"  // the agent was asked what Neglect returned
)

// Note is one thing that happened in a session, as the notebook keeps it.
type Note struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Tool    string    `json:"tool,omitempty"`    // its name, as the agent has it
	Path    string    `json:"path,omitempty"`    // the file that it read or wrote
	Command string    `json:"command,omitempty"` // that it ran
	Writes  bool      `json:"writes,omitempty"`  // it changed the file
	Failed  bool      `json:"failed,omitempty"`
	Error   string    `json:"error,omitempty"` // what it said when it failed
	Text    string    `json:"text,omitempty"`
	Project string    `json:"project,omitempty"` // of the repository in which a tool was at work; "" for none that is known
}

// Answers returns the finds that are told beside a prompt that is one question, from a collection
// of so many memories; the likeliest first.
//
// Besides Sure, which needs rare words, it counts how much of the question a find covers. A find
// with all its words is told in a collection of any size; of a one-word question only when the
// title has it and the question is about this place. In a small collection one that lacks a word
// is told for its relevance, less of it when the question says "we". More than Most is none.
//
// Fitted on 63 prompts to two projects (internal/eval/session: kiosk, ferry), checked on loom.
func (c Certainty) Answers(q Inquiry, finds []Find, rows int) []Verdict {
	sure := c
	if rows < fewRows {
		sure.Least++
	}
	told := sure.Sure(finds, rows)
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
			if !slices.ContainsFunc(told, func(o Verdict) bool { return o.Find == v.Find }) {
				told = append(told, v)
			}
		}
	}
	slices.SortStableFunc(told, func(a, b Verdict) int { return cmp.Compare(b.Chance, a.Chance) })
	return told[:min(len(told), c.Most)]
}

// covers reports whether a find has all that a question is about.
func (c Certainty) covers(q Inquiry, f Find) bool {
	return f.Words > 0 && f.Whole && (len(q.Words) >= c.Least || f.Titled && q.Known)
}

// likely reports whether a search would be sure of a find.
func (c Certainty) likely(q Inquiry, f Find) bool {
	if f.Words <= 0 {
		return false
	}
	return f.Matched >= c.Least && f.Relevance >= c.Relevant || f.Matched > 0 && q.Ours && f.Relevance >= c.Ours
}

// How much of a prompt is a question to the memory.
const (
	questionBytes = 8 << 10 // that are looked at; who writes more has pasted it
	questionTerms = 24      // words of meaning, from the beginning: what is wanted is said first
	questionLeast = 2       // fewer words of meaning say nothing, but in a question ("how do we deploy?")
)

// promptPatterns are what is recognised in a prompt, compiled when the first one comes: a
// program that is started for every event has no time for what it does not need.
type promptPatterns struct {
	command, pasted, tag, place *regexp.Regexp
}

var prompts = sync.OnceValue(func() promptPatterns {
	return promptPatterns{
		// An order to the agent's program: /compact, /engram:recall x, !ls, #note.
		command: regexp.MustCompile(`^(/[a-z0-9][\w:.-]*(\s|$)|!\S|<command-)`),
		// A line that nobody types: a frame of a stack, a log, a difference, a table, a shell.
		pasted: regexp.MustCompile(`^\s*(at \S+.*[(:]\d|goroutine \d+|File ".+", line \d+|\S+\.\w+:\d+(:\d+)?[: ]|\S+\(0x|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|` +
			`\[?(DEBUG|INFO|WARN|WARNING|ERROR|TRACE|FATAL)\b|[-+]{3} |@@ |[-+]\s*\S+.*[;{}()]\s*$|> |\||[$%>] |#\d+ 0x|(--- |=== )?(FAIL|PASS|ok|RUN):?\s|[{}\[\]<]|exit (status|code) \d)`),
		// What programs put into a prompt.
		tag: regexp.MustCompile(`(?s)<(system-reminder|local-command-\w+|command-\w+|environment_context|ide_\w+|file|attachment)\b[^>]*>.*?(</[\w-]+>|$)`),
		// Addresses: their words are about something else.
		place: regexp.MustCompile(`https?://\S+`),
	}
})

// Question is the part of a prompt to look up; "" for one that only moves the work on, is an order
// to the agent's program, or was pasted. Fenced text, program tags and pasted lines are left out.
func Question(prompt string) string {
	prompt = strings.TrimSpace(strings.ToValidUTF8(prompt[:min(len(prompt), questionBytes)], ""))
	p := prompts()
	if p.command.MatchString(prompt) {
		return ""
	}
	asked := typed(p.place.ReplaceAllString(p.tag.ReplaceAllString(prompt, " "), " "))
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

// typed are the lines that a person has typed, outside fences.
func typed(prompt string) string {
	var b strings.Builder
	fenced := false
	for l := range strings.Lines(prompt) {
		l = strings.TrimRight(l, "\r\n")
		if mark := strings.TrimSpace(l); strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced || prompts().pasted.MatchString(l) {
			continue
		}
		b.WriteString(l)
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}

// upTo is s with its first words of meaning, at most so many.
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

// Moves reports whether a word, in lower case, only moves the work on, or is so common in
// what people ask of agents that it says nothing of what it is about.
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

// Find is what speaks for telling a memory to somebody who did not ask for it.
type Find struct {
	Words   float64 // BM25 of what was said; 0: no word was found
	Matched int     // different words of meaning that both have
	Near    int     // its rank by meaning, from 1; 0: not among the nearest
	Seen    bool    // the session was shown it before: it is not told, but others are measured by it

	// Of a prompt that is one question (AsksOne):

	Relevance float64 // how likely it answers, as the floor of a search has it; 0: nobody asked
	Whole     bool    // it has every word that says what the question is about
	Titled    bool    // and so has its title
}

// Certainty says when a find is told unasked: the log odds that each piece of evidence adds,
// and how likely a find must be to help.
type Certainty struct {
	Start  float64 // before any evidence
	Rarity float64 // for each e-fold of Words over what one word is worth that a single memory has
	Lead   float64 // for each e-fold by which it, or the group at whose end it stands, has more Words than what follows
	Near   float64 // for being one of the three nearest by meaning
	Crowd  float64 // for each find that goes before it in such a group
	Enough float64 // likelihood from which on it is told; 0 to 1
	Least  int     // Matched that it needs in any case
	Most   int     // finds that are told

	// Relevance from which on a find in a small collection answers a question of which it
	// lacks a word, 0 to 1: any question, and one about what is done here.
	Relevant, Ours float64
}

// DefaultCertainty is how certain must be what is told beside a prompt: what nobody asked for costs
// attention, so four in five should help. What tells is that a find stands out, by rare words, more
// of them than the next find has, and nearness in meaning.
//
// The weights are a logistic regression on the first three finds of 88 prompts in two scripted
// sessions (internal/eval/session: harbor, lumen). Relevance and cosine added nothing.
func DefaultCertainty() Certainty {
	return Certainty{Start: -1.66, Rarity: 2.28, Lead: 0.89, Near: 0.77, Crowd: -1.13, Enough: 0.5, Least: 2, Most: 3, Relevant: 0.9, Ours: 0.75}
}

// Verdict is a find that is told: its place in what Sure was given, and how likely it helps.
type Verdict struct {
	Find   int
	Chance float64
}

// fewRows is how many memories a collection is taken to have at least: in one of five every
// word is rare.
const fewRows = 30

// Sure returns what is told of finds from a collection of so many memories, the likeliest
// first.
func (c Certainty) Sure(finds []Find, rows int) []Verdict {
	// What one word is worth at the most, as retrieval's BM25 has it.
	rare := math.Log(1 + (float64(max(rows, fewRows))-0.5)/1.5)
	var order []int
	for i, f := range finds {
		if f.Words > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(finds[b].Words, finds[a].Words) })
	var told []Verdict
	for place, i := range order[:min(len(order), c.Most)] {
		f := finds[i]
		chance := c.chance(finds, order, place, rare)
		if !f.Seen && f.Matched >= c.Least && chance >= c.Enough {
			told = append(told, Verdict{i, chance})
		}
	}
	slices.SortStableFunc(told, func(a, b Verdict) int { return cmp.Compare(b.Chance, a.Chance) })
	return told
}

// chance is how likely the find at a place in the order helps.
func (c Certainty) chance(finds []Find, order []int, place int, rare float64) float64 {
	const noise = 0.3 // of a rare word: less is the same as nothing
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

// What waits to be written.
const (
	PendingPrompt  = "prompt"  // Text is what the person asked
	PendingOutcome = "outcome" // Title and Text are those of an Outcome, Topic its key
	PendingCapture = "capture" // Text is what the agent said; its learnings are kept
	PendingSummary = "summary" // Text is what the session came to
	PendingEnd     = "end"     // the session ended
)

// Pending is what a session wanted to keep and could not at once: the store was busy, or
// away. Each is written once, whoever writes it and however often it is tried.
type Pending struct {
	Key       string    `json:"key"` // names it among all there are
	At        time.Time `json:"at"`
	What      string    `json:"what"`
	Session   string    `json:"session"`
	Project   string    `json:"project,omitempty"` // "" is that of the session
	Directory string    `json:"directory,omitempty"`
	Agent     string    `json:"agent,omitempty"` // whose session it is
	Title     string    `json:"title,omitempty"`
	Topic     string    `json:"topic,omitempty"`
	Text      string    `json:"text,omitempty"`
}
