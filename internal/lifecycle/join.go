package lifecycle

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/alanbuscaglia/engram"
)

// Addition is what a text adds to another one.
type Addition string

// The additions.
const (
	AddsNothing Addition = "nothing" // the other text has it already, in these words
	AddsAround  Addition = "around"  // it has the other text in it, and more
	AddsBeside  Addition = "beside"  // each has something that the other lacks
)

// What stands between and around texts.
const (
	paragraphs   = "\n\n"     // between the texts of two memories
	listMarks    = "-*+#>•– " // what a line may begin with beside its words
	sentenceEnds = ".!?;。！？；"
	trailing     = ".,;:! 。，；：！" // not "?": a question does not say what it asks
)

// Joined is the text of old with what m adds to it, under the title of old: by that it is
// known. Nothing of either is lost: what is not in the new text word for word, but for
// case, white space and marks of lists, is in that of old, which stays as a revision.
func Joined(old, m engram.Memory) (content string, adds Addition) {
	mine, theirs := sayings(m.Content), sayings(old.Content)
	titled := func(in string) bool {
		return m.Title == old.Title || mentions(old.Title, m.Title) || mentions(in, m.Title)
	}
	switch {
	case within(theirs, mine) && titled(old.Content):
		return old.Content, AddsNothing
	case within(theirs, mine):
		return old.Content + paragraphs + m.Title, AddsBeside
	case within(mine, theirs) && titled(m.Content):
		return m.Content, AddsAround
	case within(mine, theirs):
		return m.Content + paragraphs + m.Title, AddsAround
	case titled(old.Content) || titled(m.Content):
		return old.Content + paragraphs + m.Content, AddsBeside
	}
	return old.Content + paragraphs + m.Title + "\n" + m.Content, AddsBeside
}

// Merged is old saying also what m says, at now: tags and metadata of both, the greater
// importance, permanent if one of them is, stronger by p.MergeBoost. Of the origins the
// less trusted one counts. It is still the memory that old was, of its topic and session, and
// of its type unless that was manual: nobody had named one.
//
// Whether the two may become one is MayMerge's and Admit's to say.
func Merged(old, m engram.Memory, now time.Time, p Policy) engram.Memory {
	r := old
	r.Content, _ = Joined(old, m)
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
