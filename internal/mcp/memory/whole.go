package memory

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// markdown is a memory as a text that says what its document says: who it is, its words,
// its relations and what it said before.
func (d *Dialect) markdown(m engine.Detail) string {
	about := []string{fmt.Sprintf("strength %.2f", m.Strength), render.Time(m.Memory.UpdatedAt, d.text)}
	if m.Memory.Project != "" {
		about = append(about, "project "+render.Line(m.Memory.Project, 0))
	}
	if m.Memory.TopicKey != "" {
		about = append(about, "topic "+render.Line(m.Memory.TopicKey, 0))
	}
	t := toldOf(m.Memory, m.Note())
	parts := []string{"# " + t.line(t.Title), dataNote, t.block(about...)}
	if len(m.Relations) > 0 {
		lines := []string{"Relations:"}
		for _, r := range m.Relations {
			lines = append(lines, "- "+relationLine(m.Memory, r))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	if len(m.Revisions) > 0 {
		lines := []string{"Said before, the oldest first:"}
		for _, r := range m.Revisions {
			lines = append(lines, fmt.Sprintf("- until %s: %s", render.Time(r.ReplacedAt, d.text), t.line(render.Line(r.Content, 300))))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return strings.Join(parts, "\n\n")
}

// relationLine is a relation of m with the title of the other memory.
func relationLine(m engram.Memory, r engram.RelationNote) string {
	e := edgeOf(r.Relation, m.ID, r.Other.ID)
	if !r.Outgoing {
		e.Source, e.Target = e.Target, e.Source
	}
	line := e.String()
	if e.Pending {
		line += " (suspected)"
	}
	if r.Other.Forgotten() {
		return line + " (forgotten)"
	}
	return line + ": " + toldOf(r.Other, engram.Note{}).line(render.Line(r.Other.Title, 120))
}
