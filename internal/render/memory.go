package render

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Marked returns a whole memory as Memory does, and below it a line for each of its Marks.
func Marked(m engram.Memory, n engram.Note, o Options) string {
	return strings.TrimSuffix(Memory(m, o)+"\n"+markLines(n, ""), "\n")
}

// Memory returns a whole memory: its content to the byte, between its title and
// what is known about it.
func Memory(m engram.Memory, o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d [%s] %s\n%s\n", m.Num, Line(string(m.Type), 0), Line(m.Title, 0), m.Content)
	for _, f := range []struct{ name, value string }{
		{"Session", m.SessionID}, {"Project", m.Project}, {"Scope", string(m.Scope)}, {"Topic", m.TopicKey}, {"Tool", m.ToolName},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", f.name, Line(f.value, 0))
		}
	}
	fmt.Fprintf(&b, "Duplicates: %d\nRevisions: %d\nCreated: %s", m.DuplicateCount, m.RevisionCount, Time(m.CreatedAt, o))
	return b.String()
}
