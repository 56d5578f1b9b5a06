package render

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// previewRunes is how much of a memory a list of hits shows.
const previewRunes = 300

// SearchFooter returns what follows a list of hits in which a preview was cut. It
// begins with the line breaks that part it from the list.
func SearchFooter() string {
	return "\n\n---\nResults above are previews (300 chars). To read the full content of a specific memory, call mem_get_observation(id: <ID>)."
}

// Search returns the list of what was found for query, in the order of f.Hits. cut
// says that at least one memory is longer than its preview.
func Search(query string, f engram.Found, o Options) (text string, cut bool) {
	if len(f.Hits) == 0 {
		return `No memories found for: "` + query + `"`, false
	}
	var b strings.Builder
	if len(f.Hits) == 1 {
		b.WriteString("Found 1 memory:")
	} else {
		fmt.Fprintf(&b, "Found %d memories:", len(f.Hits))
	}
	for i, h := range f.Hits {
		b.WriteString("\n\n")
		if writeHit(&b, i+1, h, o) {
			cut = true
		}
	}
	return b.String(), cut
}

// writeHit writes one block of the list and reports whether its preview was cut.
func writeHit(b *strings.Builder, place int, h engram.Hit, o Options) (cut bool) {
	m := h.Memory
	preview := Preview(m.Content, previewRunes)
	cut = preview != m.Content
	fmt.Fprintf(b, "[%d] #%d (%s) — %s\n    %s", place, m.Num, Line(string(m.Type), 0), Line(m.Title, 0), indented(preview))
	// In bytes, unlike the cut itself: clients know this mark so.
	if len(m.Content) > previewRunes {
		b.WriteString(" [preview]")
	}
	fmt.Fprintf(b, "\n    %s", Time(m.CreatedAt, o))
	if m.Project != "" {
		fmt.Fprintf(b, " | project: %s", Line(m.Project, 0))
	}
	fmt.Fprintf(b, " | scope: %s", m.Scope)
	if h.State == engram.StateNeedsReview {
		fmt.Fprintf(b, " | state: %s", h.State)
	}
	for _, n := range h.Relations {
		if s := annotation(n); s != "" {
			b.WriteString("\n    " + s)
		}
	}
	return cut
}

// indented sets the further lines of a text in a list off like its first one, so that
// no text can pass for an entry of the list.
func indented(s string) string { return strings.ReplaceAll(s, "\n", "\n    ") }

// annotation returns what a relation says about reading its memory, "" when nothing.
func annotation(n engram.RelationNote) string {
	r := n.Relation
	if r.Status == engram.RelationPending {
		return "conflict: contested by #" + n.Other.SyncID + " (pending)"
	}
	if r.Status != engram.RelationJudged {
		return ""
	}
	label := ""
	switch {
	case r.Verb == engram.VerbContradicts:
		label = "conflicts"
	case r.Verb == engram.VerbSupersedes && n.Outgoing:
		label = "supersedes"
	case r.Verb == engram.VerbSupersedes:
		label = "superseded_by"
	default:
		return ""
	}
	num, title := n.Other.Num, Line(n.Other.Title, 0)
	if num == 0 { // the other memory was not read
		if num = r.Source; n.Outgoing {
			num = r.Target
		}
	}
	if n.Other.Num == 0 || n.Other.Forgotten() {
		title = "deleted"
	}
	return fmt.Sprintf("%s: #%d (%s)", label, num, title)
}
