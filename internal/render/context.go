package render

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Context returns what a new session should know, "" when there is nothing. It ends
// in an empty line. Sections with nothing in them are left out.
func Context(c engram.Context, o Options) string {
	if c.Empty() {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Memory from Previous Sessions\n\n")
	if len(c.Sessions) > 0 {
		b.WriteString("### Recent Sessions\n")
		for _, s := range c.Sessions {
			fmt.Fprintf(&b, "- **%s** (%s)", sessionName(s.Session), Time(s.StartedAt, o))
			if summary := Line(s.Summary, 200); summary != "" {
				b.WriteString(": " + summary)
			}
			fmt.Fprintf(&b, " [%d observations]\n", s.Memories)
		}
		b.WriteByte('\n')
	}
	if len(c.Prompts) > 0 {
		b.WriteString("### Recent User Prompts\n")
		for _, p := range c.Prompts {
			fmt.Fprintf(&b, "- %s: %s\n", Time(p.CreatedAt, o), Line(p.Content, 200))
		}
		b.WriteByte('\n')
	}
	if len(c.Memories) > 0 {
		b.WriteString("### Recent Observations\n")
		for _, m := range c.Memories {
			fmt.Fprintf(&b, "- [%s] **%s**: %s\n", Line(string(m.Type), 0), Line(m.Title, 0), Line(m.Content, 300))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
