package lifecycle

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/wording"
)

// Addition is what one text adds to another.
type Addition string

// The additions.
const (
	AddsNothing Addition = "nothing" // the other text has it in these words
	AddsWording Addition = "wording" // the other text says the same in other words
	AddsLess    Addition = "less"    // the other text says this in other words, and more
	AddsAround  Addition = "around"  // it says all of the other text, and more
	AddsBeside  Addition = "beside"  // each may say something that the other does not
)

// Marks around texts.
const (
	listMarks    = "-*+#>•– " // at the start of a line
	sentenceEnds = ".!?;。！？；"
	trailing     = ".,;:! 。，；：！" // not "?": a question does not assert its words
)

// Adds compares m with old word by word. If each has something in place of the other's (a name, a
// number, the order of words), neither adds to the other: merged, they would say both.
func Adds(old, m engram.Memory) Addition {
	bearing := wording.Compare(wordingOf(old), wordingOf(m))
	switch bearing {
	case wording.More:
		return AddsAround
	case wording.Other:
		return AddsBeside
	}
	titled := m.Title == old.Title || mentions(old.Title, m.Title) || mentions(old.Content, m.Title)
	if titled && strings.Contains(marked(sayings(old.Content)), marked(sayings(m.Content))) {
		return AddsNothing
	}
	if bearing == wording.Less {
		return AddsLess
	}
	return AddsWording
}

func wordingOf(m engram.Memory) wording.Text {
	return wording.Text{Title: m.Title, Content: m.Content}
}

// Merged returns old with m merged in at now: tags and metadata of both, the greater importance,
// permanent if either is, stronger by p.MergeBoost, the less trusted origin. It keeps old's
// identity, topic and session, and its type unless that was manual.
//
// The text is the one that says more, under old's title unless m's title appears nowhere else.
// MayMerge, Adds and Admit decide whether the two may be merged.
func Merged(old, m engram.Memory, now time.Time, p Policy) engram.Memory {
	r := old
	if Adds(old, m) == AddsAround {
		if r.Content = m.Content; !mentions(old.Title+"\n"+m.Content, m.Title) {
			r.Title = m.Title
		}
	}
	if old.Type == engram.TypeManual {
		r.Type = m.Type
	}
	if r.NormalizedHash = Hash(r.Content); r.Content != old.Content {
		r.Summary = "" // it summarized the old text
	}
	r.Tags = union(old.Tags, m.Tags)
	r.Metadata = merged(old.Metadata, m.Metadata)
	r.Anchors = anchorsOfBoth(old.Anchors, m.Anchors)
	r.Importance = max(old.Importance, m.Importance)
	r.Permanent = old.Permanent || m.Permanent
	r.Origin = LessTrusted(old.Origin, m.Origin)
	r.Strength, r.TouchedAt = clamp(old.Strength+p.MergeBoost, 0, 1), now
	r.RevisionCount++
	r.DuplicateCount++
	r.LastSeenAt, r.UpdatedAt = now, now
	r.ReviewAfter = ReviewAfter(r, now, p)
	return r
}

// Reworded returns old with m's words for the same content. old's own title stays unless m's title
// would be lost.
func Reworded(old, m engram.Memory) engram.Memory {
	r := old
	r.Content, r.NormalizedHash = m.Content, Hash(m.Content)
	if !wording.Read(wordingOf(old)).Titled() || !mentions(old.Title+"\n"+m.Content, m.Title) {
		r.Title = m.Title
	}
	r.RevisionCount++
	return r
}

// Worded reports whether an earlier text has the words of m, those of its title too.
func Worded(r engram.Revision, m engram.Memory) bool {
	return Hash(r.Content) == m.NormalizedHash && mentions(r.Title+"\n"+r.Content, m.Title)
}

// fits reports whether m is within the limits of a memory.
func fits(m engram.Memory) bool {
	b, err := json.Marshal(m.Metadata)
	return err == nil && len(b) <= engram.MaxMetadata && m.Validate() == nil
}

// LessTrusted returns the less trusted of two origins: a text does not become a person's by being
// merged with one.
func LessTrusted(a, b engram.Origin) engram.Origin {
	order := []engram.Origin{engram.OriginHuman, engram.OriginAgent, engram.OriginTool, engram.OriginImport, engram.OriginSync}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// sayings splits a text into lines and sentences, in lower case and without surrounding marks.
// Whole sentences are compared, because "never use Redis" does not say "use Redis".
func sayings(text string) []string {
	var all []string
	add := func(s string) {
		if s = unmarked(strings.TrimSpace(s)); s != "" {
			all = append(all, s)
		}
	}
	for l := range strings.Lines(strings.ToLower(text)) {
		l = strings.Join(strings.Fields(l), " ")
		begin := 0
		for i, r := range l {
			after := i + len(string(r))
			ends := strings.ContainsRune(sentenceEnds, r) && (r > unicode.MaxASCII || after < len(l) && l[after] == ' ')
			if ends {
				add(l[begin:after])
				begin = after
			}
		}
		add(l[begin:])
	}
	return all
}

// unmarked strips the marks around a sentence. A list mark needs a space behind it: -5 has none. A
// sentence of marks alone is unchanged.
func unmarked(s string) string {
	t := strings.TrimLeft(s, listMarks)
	if cut := len(s) - len(t); cut == 0 || s[cut-1] != ' ' {
		t = s
	}
	if t = strings.TrimRight(t, trailing); t == "" {
		return s
	}
	return t
}

// mentions reports whether a text contains the words of a title in a row.
func mentions(text, title string) bool {
	words := wordsIn(title)
	if strings.TrimSpace(words) == "" {
		return strings.Contains(text, title)
	}
	return strings.Contains(wordsIn(text), words)
}

// Said is a text prepared for comparisons. The zero value is no text: nothing holds it.
type Said struct {
	plain, sayings, words string
	wording               wording.Reading
}

// SaidIn prepares a text once, for many comparisons.
func SaidIn(text string) Said {
	return Said{strings.TrimSpace(text), marked(sayings(text)), wordsIn(text), wording.Read(wording.Text{Content: text})}
}

// Holds reports whether s contains all of part, in order, even in other case, white space and list
// marks, or inside a sentence. It finds where a text survives, so it errs toward yes: that "never
// use Redis" is not "use Redis" does not matter here.
func (s Said) Holds(part Said) bool {
	if part.plain == "" {
		return false
	}
	if strings.Contains(s.plain, part.plain) || s.Says(part) ||
		strings.TrimSpace(part.words) != "" && strings.Contains(s.words, part.words) {
		return true
	}
	bearing := s.wording.Against(part.wording) // a restatement keeps the first's words
	return bearing == wording.Same || bearing == wording.Less
}

// Says reports whether s contains part as whole lines or sentences.
func (s Said) Says(part Said) bool {
	return part.plain != "" && strings.Contains(s.sayings, part.sayings)
}

// marked joins sentences so that only whole ones match. No text has a NUL, and the search is linear.
func marked(all []string) string { return "\x00" + strings.Join(all, "\x00") + "\x00" }

// wordsIn returns the words of a text without marks, each with a space before and after. The
// ellipsis of a title cut from a content is not a word.
func wordsIn(s string) string {
	fields := strings.Fields(strings.ToLower(s))
	for i, f := range fields {
		fields[i] = strings.TrimRight(strings.TrimLeft(f, listMarks), trailing+"…")
	}
	return " " + strings.Join(slices.DeleteFunc(fields, func(f string) bool { return f == "" }), " ") + " "
}
