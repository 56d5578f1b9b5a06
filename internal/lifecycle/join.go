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

// Addition is what a text adds to another one.
type Addition string

// The additions.
const (
	AddsNothing Addition = "nothing" // the other text has it already, in these words
	AddsWording Addition = "wording" // the other text says the same, in other words
	AddsLess    Addition = "less"    // the other text says it, in other words, and more
	AddsAround  Addition = "around"  // it says all that the other text does, and more
	AddsBeside  Addition = "beside"  // each has something that the other lacks, or may: they are two
)

// What stands around texts.
const (
	listMarks    = "-*+#>•– " // what a line may begin with beside its words
	sentenceEnds = ".!?;。！？；"
	trailing     = ".,;:! 。，；：！" // not "?": a question does not say what it asks
)

// Adds says what m adds to old, word by word. Of two that each have something in the place
// of what the other has, be it a name, a number or the order of the words, neither adds to
// the other: written into one memory they would say both.
func Adds(old, m engram.Memory) Addition {
	bearing := wording.Compare(wordingOf(old), wordingOf(m))
	switch bearing {
	case wording.More:
		return AddsAround
	case wording.Other:
		return AddsBeside
	}
	titled := m.Title == old.Title || mentions(old.Title, m.Title) || mentions(old.Content, m.Title)
	if titled && within(sayings(old.Content), sayings(m.Content)) {
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

// Merged is old saying also what m says, at now: tags and metadata of both, the greater
// importance, permanent if one of them is, stronger by p.MergeBoost. Of the origins the
// less trusted one counts. It is still the memory that old was, of its topic and session, and
// of its type unless that was manual: nobody had named one.
//
// Its text is that of the two which says more, under the title of old: by that it is known,
// unless the title of m stands nowhere else. Whether the two may become one is MayMerge's,
// Adds' and Admit's to say.
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
		r.Summary = "" // of what it said
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

// Reworded is old in the words of m, which say the same. A title of its own stays, unless
// that of m would then stand nowhere.
func Reworded(old, m engram.Memory) engram.Memory {
	r := old
	r.Content, r.NormalizedHash = m.Content, Hash(m.Content)
	if !wording.Read(wordingOf(old)).Titled() || !mentions(old.Title+"\n"+m.Content, m.Title) {
		r.Title = m.Title
	}
	r.RevisionCount++
	return r
}

// fits reports whether m is no more than a memory may be.
func fits(m engram.Memory) bool {
	b, err := json.Marshal(m.Metadata)
	return err == nil && len(b) <= engram.MaxMetadata && m.Validate() == nil
}

// LessTrusted returns that of two origins of which less may be shown unasked: a text does
// not become a person's by standing beside one.
func LessTrusted(a, b engram.Origin) engram.Origin {
	order := []engram.Origin{engram.OriginHuman, engram.OriginAgent, engram.OriginTool, engram.OriginImport, engram.OriginSync}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// sayings takes a text apart into its lines and sentences, in lower case and without the
// marks around them: what is compared are whole ones, because "use Redis" is not what
// "never use Redis" says.
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

// unmarked is a saying without the marks around it. A mark of a list is followed by a
// space: in -5 it is none. What is nothing but marks stays.
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

// within reports whether part stands in whole as it is, one saying after the other.
func within(whole, part []string) bool { return strings.Contains(marked(whole), marked(part)) }

// mentions reports whether the words of a title stand in a text one after the other.
func mentions(text, title string) bool {
	words := wordsIn(title)
	if strings.TrimSpace(words) == "" {
		return strings.Contains(text, title)
	}
	return strings.Contains(wordsIn(text), words)
}
