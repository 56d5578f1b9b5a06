package memory

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/render"
)

// whole is how many characters of a content an answer with several memories has of each.
// What is longer is cut, and memory_graph has all of it.
const whole = 4000

// told is a memory in an answer. Fields that need no explaining stay out of the schema:
// every agent pays for it in each session.
type told struct {
	ID          string         `json:"id"`
	Type        string         `json:"type"`
	Title       string         `json:"title" schema:"-"`
	Content     string         `json:"content"`
	Cut         bool           `json:"cut,omitempty" doc:"content is longer: memory_graph has all of it"`
	Summary     string         `json:"summary,omitempty" schema:"-"`
	Tags        []string       `json:"tags"`
	Importance  float64        `json:"importance"`
	Project     string         `json:"project" schema:"-"`
	CreatedAt   document.Stamp `json:"created_at" schema:"-"`
	UpdatedAt   document.Stamp `json:"updated_at" schema:"-"`
	AccessCount int            `json:"access_count" schema:"-"`
	// Notes say what changes how the memory should be read: what it contradicts, that it is
	// due for review.
	Notes   []string      `json:"notes,omitempty" schema:"-"`
	Origin  engram.Origin `json:"origin" schema:"-"`
	Suspect []string      `json:"suspect,omitempty" schema:"-"` // why it reads like an order to an agent
	source  string        // of what is a quotation in a text; "" is none
}

func toldOf(m engram.Memory, n engram.Note) told {
	t := told{ID: string(m.ID), Type: string(m.Type), Title: m.Title, Content: m.Content, Summary: m.Summary, Tags: document.OrEmpty(m.Tags),
		Importance: m.Importance, Project: m.Project, CreatedAt: document.Stamp(m.CreatedAt), UpdatedAt: document.Stamp(m.UpdatedAt),
		AccessCount: m.AccessCount, Notes: render.MarksByID(n), Origin: m.Origin, Suspect: n.Suspect}
	if render.Quoted(m, n) {
		t.source = render.Source(m, render.Options{})
	}
	return t
}

// clipped is t with at most most characters of its content.
func (t told) clipped(most int) told {
	if r := []rune(t.Content); len(r) > most {
		t.Content, t.Cut = string(r[:most])+"…", true
	}
	return t
}

// block is a memory as text: a line about it, then its content, set off so that no line of
// it can pass for the line of another memory.
func (t told) block(about ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s [%s]", t.ID, render.Line(t.Type, 0))
	if len(about) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(about, ", "))
	}
	for _, tag := range t.Tags {
		b.WriteString(" #" + render.Tame(render.Line(tag, 0)))
	}
	if title := render.Line(t.Title, 0); !strings.HasPrefix(render.Line(t.Content, 0), strings.TrimSuffix(title, "…")) {
		b.WriteString(" " + t.line(title))
	}
	for _, note := range t.Notes {
		b.WriteString(" | " + note)
	}
	content := t.Content
	if t.source != "" {
		content = t.source + ":\n" + render.Quote(content)
	}
	b.WriteString("\n  " + render.SetOff(content, "  "))
	return b.String()
}

// line is a line of a memory's own words: a quotation where its content is one.
func (t told) line(s string) string {
	if t.source != "" {
		return render.QuoteLine(s)
	}
	return render.Line(s, 0)
}

// origin says in a list where a memory that is quoted comes from, and why it is suspect.
func (t told) origin() string {
	if t.source == "" {
		return ""
	}
	return " | " + strings.Join(append([]string{"quoted, " + t.source}, t.Notes...), " | ")
}
