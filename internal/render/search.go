package render

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// previewRunes is how many characters of a memory a list of hits shows, and previewTokens what
// they cost.
const (
	previewRunes  = 300
	previewTokens = previewRunes / 4
)

// SearchFooter returns what follows a list of hits in which a preview was cut. It
// begins with the line breaks that part it from the list.
func SearchFooter() string {
	return "\n\n---\nResults above are previews (300 chars). To read the full content of a specific memory, call mem_get_observation(id: <ID>)."
}

// listIndent sets what a memory says off below its line in a list.
const listIndent = "    "

// Search returns the list of what was found for query: f.Hits with previews, then, set
// apart and by their titles alone, f.Weak; numbered through. cut says that at least one
// memory is longer than its preview.
func Search(query string, f engram.Found, o Options) (text string, cut bool) {
	var b strings.Builder
	b.WriteString(heading(query, f))
	var sources Sources
	for i, h := range f.Hits {
		b.WriteString("\n\n")
		cut = writeHit(&b, i+1, query, h, &sources, o) || cut
	}
	writeWeak(&b, f)
	return b.String(), cut
}

// Titles is the compact list: what there is, without what it says.
func Titles(query string, f engram.Found) string {
	var b strings.Builder
	b.WriteString(heading(query, f))
	if len(f.Hits) > 0 {
		b.WriteByte('\n')
	}
	for i, h := range f.Hits {
		writeTitle(&b, i+1, h, h.Note())
	}
	writeWeak(&b, f)
	return b.String()
}

// writeWeak adds what is too far from the question to be shown like an answer.
func writeWeak(b *strings.Builder, f engram.Found) {
	if len(f.Weak) == 0 {
		return
	}
	noun := "candidates"
	if len(f.Weak) == 1 {
		noun = "candidate"
	}
	b.WriteString("\n\n")
	if len(f.Hits) == 0 {
		b.WriteString("Nothing relevant is stored. ")
	}
	fmt.Fprintf(b, "%d %s below the relevance threshold, probably not relevant:\n", len(f.Weak), noun)
	for i, h := range f.Weak {
		writeTitle(b, len(f.Hits)+i+1, h, Settled(h.Note()))
	}
}

func writeTitle(b *strings.Builder, place int, h engram.Hit, told engram.Note) {
	fmt.Fprintf(b, "\n[%d] #%d (%s) — %s", place, h.Memory.Num, typeOf(h.Memory), titleOf(h.Memory, h.Note()))
	for _, mark := range Marks(told) {
		b.WriteString("\n    " + mark)
	}
}

// heading is the line over a list of finds.
func heading(query string, f engram.Found) string {
	switch n := len(f.Hits); {
	case n == 1:
		return "Found 1 memory:"
	case n > 1:
		return fmt.Sprintf("Found %d memories:", n)
	}
	return `No memories found for: "` + query + `"`
}

// preview is what a list of finds shows of a memory: the content where that is short, else its
// gist, or the passage of it that has more of the words asked for.
func preview(query string, m engram.Memory) (text string, cut bool) {
	if utf8.RuneCountInString(m.Content) <= previewRunes {
		return m.Content, false
	}
	c := retrieval.Candidate{Body: m.Content, Summary: gist.Line(m, previewRunes)}
	return Preview(retrieval.Excerpt(c, retrieval.AskedWords(query), previewTokens), previewRunes), true
}

// writeHit writes one block of the list and reports whether its preview was cut.
func writeHit(b *strings.Builder, place int, query string, h engram.Hit, sources *Sources, o Options) (cut bool) {
	m := h.Memory
	said, cut := preview(query, m)
	title, said := once(m.Title, said)
	if Quoted(m, h.Note()) {
		title = QuoteLine(title)
	}
	fmt.Fprintf(b, "[%d] #%d (%s) — %s", place, m.Num, typeOf(m), title)
	if said = strings.TrimSpace(said); said != "" {
		if Quoted(m, h.Note()) {
			said = Quote(said)
		}
		b.WriteString("\n" + listIndent + SetOff(said, listIndent))
	}
	// In bytes, unlike the cut itself: clients know this mark so.
	if len(m.Content) > previewRunes {
		b.WriteString(" [preview]")
	}
	fmt.Fprintf(b, "\n    %s", Time(m.CreatedAt, o))
	if m.Project != "" {
		fmt.Fprintf(b, " | project: %s", Line(m.Project, 0))
	}
	fmt.Fprintf(b, " | scope: %s", m.Scope)
	if Quoted(m, h.Note()) {
		b.WriteString(" | " + sources.Mark(m, o))
	}
	if h.State == engram.StateNeedsReview {
		b.WriteString(" | " + stateMark(h.State))
	}
	if len(h.Suspect) > 0 {
		b.WriteString("\n    " + suspectMark(h.Suspect))
	}
	if mark := codeMark(h.Anchors); mark != "" {
		b.WriteString("\n    " + mark)
	}
	for _, n := range h.Relations {
		if s := annotation(n); s != "" {
			b.WriteString("\n    " + s)
		}
	}
	return cut
}
