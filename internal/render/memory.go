package render

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Marked returns a whole memory as Memory does, and below it a line for each of its Marks.
func Marked(m engram.Memory, n engram.Note, o Options) string {
	return strings.TrimSuffix(whole(m, n, o)+"\n"+markLines(n, ""), "\n")
}

// Headed returns the title of a memory and its Marks: what whoever has its fields cannot see in them.
func Headed(m engram.Memory, n engram.Note) string {
	return strings.TrimSuffix(fmt.Sprintf("#%d [%s] %s\n", m.Num, typeOf(m), titleOf(m, n))+markLines(n, ""), "\n")
}

// Memory returns a whole memory: its content to the byte, between its title and
// what is known about it. What nobody here wrote is quoted, below its source.
func Memory(m engram.Memory, o Options) string { return whole(m, engram.Note{}, o) }

func whole(m engram.Memory, n engram.Note, o Options) string {
	var b strings.Builder
	content := m.Content
	if Quoted(m, n) {
		content = Source(m, o) + ":\n" + Quote(m.Content)
	}
	fmt.Fprintf(&b, "#%d [%s] %s\n%s\n", m.Num, typeOf(m), titleOf(m, n), content)
	summary := m.OwnSummary() // a session is told it in the place of a long content
	if summary != "" && Quoted(m, n) {
		summary = QuoteLine(summary)
	}
	for _, f := range []struct{ name, value string }{
		{"Summary", summary}, {"Session", m.SessionID}, {"Project", m.Project}, {"Scope", string(m.Scope)}, {"Topic", m.TopicKey}, {"Tool", m.ToolName},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", f.name, Line(f.value, 0))
		}
	}
	fmt.Fprintf(&b, "Duplicates: %d\nRevisions: %d\nCreated: %s", m.DuplicateCount, m.RevisionCount, Time(m.CreatedAt, o))
	return b.String()
}
