package capture

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
)

// Limits of the search for a fix: a command that failed longer ago was given up.
const (
	mostNotes   = 400
	mostFailing = 32
	mostFailure = 4 << 10 // bytes of an error, half from each end
)

// fixing finds commands that failed, files that were edited, the same command passing, and the
// agent's explanation of the failure. Without an explanation there is nothing to propose: every
// test written before its code failed once and passed later.
type fixing struct {
	notes []attend.Note // At is the number of the turn, which does not depend on clocks
	times []time.Time   // of the notes
	said  []saying      // explanations by the agent
	done  []fix         // fixes that may still be explained
	turns int

	failed bool // a command has failed
}

type saying struct {
	at, rank int
	text     string
}

// fix is a command that passed. Explanations between from and to are about it; those after it,
// until the next failure, may be.
type fix struct {
	outcome         attend.Outcome
	from, to, until int // turns of the failure, the pass, and the next failed command; until is 0 before one fails
	at              time.Time
}

// place encodes a turn's number as a time.
func place(n int) time.Time { return time.UnixMilli(int64(n)).UTC() }

// tool adds a tool call. It cleans the whole text before cutting it, because half a key or the end
// of a private span is not recognised.
func (f *fixing) tool(t Turn, clean func(string) string) {
	f.turns++
	if t.Edited == "" && t.Command == "" {
		return
	}
	if t.Failed && t.Command != "" {
		f.failed = true
		for i := len(f.done) - 1; i >= 0 && f.done[i].until == 0; i-- {
			f.done[i].until = f.turns
		}
	}
	n := attend.Note{At: place(f.turns), Kind: attend.KindTool, Path: t.Edited, Writes: t.Edited != "", Command: t.Command, Failed: t.Failed}
	if f.failed { // otherwise it is never proposed
		n.Command, n.Path = clean(t.Command), clean(t.Edited)
	}
	if n.Failed {
		n.Error = bothEnds(clean(t.Text), mostFailure)
	}
	f.notes, f.times = append(f.notes, n), append(f.times, t.At)
	if len(f.notes) > mostNotes {
		f.notes, f.times = slices.Delete(f.notes, 0, mostNotes/2), slices.Delete(f.times, 0, mostNotes/2)
	}
	if n.Command != "" && !n.Failed {
		f.passed(n.Command)
	}
}

// passed checks whether the command, which is the last note, failed before.
func (f *fixing) passed(command string) {
	first := slices.IndexFunc(f.notes, func(n attend.Note) bool {
		return n.Failed && n.Command != "" && programOf(n.Command) == programOf(command)
	})
	if first < 0 || !slices.ContainsFunc(f.notes[first:], func(n attend.Note) bool { return n.Writes && !n.Failed }) {
		return
	}
	last := len(f.notes) - 1
	for _, o := range attend.Outcomes(f.notes[first:]) {
		if !o.At.Equal(f.notes[last].At) {
			continue
		}
		f.done = append(f.done, fix{outcome: o, from: int(f.notes[first].At.UnixMilli()), to: f.turns, at: f.times[last]})
		// Earlier failures of the command are fixed; the next one is unrelated.
		for i := range f.notes[:last] {
			if f.notes[i].Failed && programOf(f.notes[i].Command) == programOf(command) {
				f.notes[i].Command, f.notes[i].Failed, f.notes[i].Error = "", false, ""
			}
		}
	}
}

// programOf returns a command without folder, variables, pager and redirection. It is only a quick
// check before attend.Outcomes.
func programOf(command string) string {
	if i := strings.LastIndex(command, "&&"); i >= 0 {
		command = command[i+2:]
	}
	command, _, _ = strings.Cut(command, "|")
	fields := slices.DeleteFunc(strings.Fields(command), func(w string) bool { return strings.Contains(w, ">") })
	for len(fields) > 1 && (strings.Contains(fields[0], "=") || fields[0] == "env" || fields[0] == "time") {
		fields = fields[1:]
	}
	return strings.Join(fields, " ")
}

// agent adds a message of the agent. It looks for the explanation again in the cleaned text of the
// whole turn, because a sentence alone does not show that it is private.
func (f *fixing) agent(s string, clean func(string) string) {
	f.turns++
	if !f.failed { // nothing to explain
		return
	}
	if _, _, ok := caused(s); !ok {
		return
	}
	if cause, rank, ok := caused(clean(s)); ok {
		f.said = append(f.said, saying{f.turns, rank, cause})
		if len(f.said) > mostFailing {
			f.said = slices.Delete(f.said, 0, mostFailing/2)
		}
	}
}

// flush returns the fixes that were explained since the last call, and drops the others.
func (f *fixing) flush() []Proposal {
	var all []Proposal
	for _, x := range f.done {
		cause := f.why(x)
		if cause == "" {
			continue
		}
		all = append(all, Proposal{Type: engram.TypeBugfix, Title: headline(withoutLabel(cause)), Content: "Cause: " + withoutLabel(cause) + "\n\n" + strings.TrimSpace(x.outcome.Content),
			Why: fmt.Sprintf("`%s` failed, files were edited, it passed, and the agent said why", x.outcome.Command), Importance: 0.6, At: x.at,
			Key: fmt.Sprintf("fix %s %d", x.outcome.Command, x.at.UnixMilli())})
	}
	f.done = nil
	return all
}

// why returns the explanation of a fix: the clearest between failure and pass, of equal ones the
// last, because earlier ideas did not help. Later text, which gives reasons for other things,
// counts only if it is clearer, or, without an earlier explanation, if it is about a failure.
func (f *fixing) why(x fix) string {
	none := len(causes())
	best := saying{rank: none}
	for _, s := range f.said {
		if x.from < s.at && s.at < x.to && s.rank <= best.rank {
			best = s
		}
	}
	before := best.rank
	for _, s := range f.said {
		if s.at > x.to && (x.until == 0 || s.at < x.until) && s.rank < before && s.rank <= best.rank && (before < none || s.rank < none-1 || tellsFailure(s.text)) {
			best = s
		}
	}
	return best.text
}

func withoutLabel(s string) string {
	for _, label := range []string{"root cause:", "cause:", "the root cause:", "causa raíz:", "causa:"} {
		if len(s) > len(label) && strings.EqualFold(s[:len(label)], label) {
			return headlineCase(strings.TrimSpace(s[len(label):]))
		}
	}
	return s
}

func headlineCase(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// bothEnds returns the beginning and end of a text, at most so many bytes together.
func bothEnds(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most/2]+"\n…\n"+s[len(s)-most/2:], "")
}

// causes are the patterns for the reason of a failure, clearest first.
var causes = sync.OnceValue(func() []pattern {
	return []pattern{
		{[]string{"root cause", "causa raíz", "causa real", "culprit"}, regexp.MustCompile(`(?i)\b(?:root cause|culprit|causa raíz|causa real)\b`)},
		{[]string{
			"problem", "issue", "bug", "error", "failure", "cause", "reason", "causa", "fallo", "motivo", "fall",
		}, regexp.MustCompile(`(?i)\b(?:the|this|that|el|la|este|esta) (?:\w+ )?(?:problem|issue|bug|error|failure|cause|reason|` +
			`problema|fallo|causa|motivo)(?: here| aquí| with [^.]{3,60}| in [^.]{3,60})? (?:is|was|came from|` +
			`comes from|es|era|fue|estaba|venía)\b`)},
		{[]string{
			"caused by", "because", "turns out", "turned out", "due to", "fails since", "failed since", "porque",
			"resulta que", "debido a", "causado por",
		}, regexp.MustCompile(`(?i)\b(?:caused by|because|turns out|turned out|due to|fail(?:s|ed) since|porque|resulta(?:ba)? que|` +
			`debido a|causado por)\b`)},
	}
})

// guesses are words of a guess, or of a plan.
func guesses() []string {
	return []string{"might", "may", "maybe", "perhaps", "probably", "possibly", "likely", "could be", "let me", "let's", "i'll", "i will", "i need to", "need to find", "need to check", "need to see",
		"checking", "see if", "to find", "not sure", "unclear", "whether", "looks like", "seems", "suspect",
		"quizás", "quizá", "tal vez", "puede que", "puede ser", "probablemente", "parece", "voy a", "veamos", "déjame"}
}

// guessing reports whether a sentence, in lower case, contains a word of guesses.
func guessing(lower string) bool {
	return slices.ContainsFunc(guesses(), func(w string) bool { return hasWord(lower, w) })
}

// hasWord reports whether a text contains a word without letters next to it.
func hasWord(s, word string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(word):])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return true
		}
		from = i + len(word)
	}
}

// failures are parts of words that indicate a failure.
func failures() []string {
	return []string{"fail", "broke", "break", "crash", "panic", "error", "wrong", "hang", "hung", "timed out", "times out", "missing", "caused", "turns out", "turned out",
		"n't ", "n’t ", " not ", "never", "fall", "romp", "causado", "resulta", " no "}
}

func tellsFailure(s string) bool {
	lower := " " + strings.ToLower(s)
	return slices.ContainsFunc(failures(), func(w string) bool { return strings.Contains(lower, w) })
}

// caused returns the sentence that best explains a failure, and its rank: 0 is best. ok is false if it finds
// none. Decisions do not count: they explain what should be, and are proposed as decisions.
func caused(s string) (cause string, rank int, ok bool) {
	lower := strings.ToLower(s)
	for rank, c := range causes() {
		if !c.may(lower) {
			continue
		}
		for _, p := range prose(s) {
			for i, one := range p {
				low := strings.ToLower(one)
				if !c.may(low) || words(one) < leastCause || words(one) > mostCause || asks(one) || guessing(low) || !c.find.MatchString(one) {
					continue
				}
				if _, _, decides := ofDecisions().read(one, RoleAgent); decides {
					continue
				}
				if i+1 < len(p) && (words(one) < 8 || goesOn().MatchString(p[i+1])) && !guessing(strings.ToLower(p[i+1])) {
					one += " " + p[i+1]
				}
				return one, rank, true
			}
		}
	}
	return "", 0, false
}

const (
	leastCause = 5  // words
	mostCause  = 80 // words of a sentence that says one thing
)
