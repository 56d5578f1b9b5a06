// Package memory is the memory_* dialect of MCP: the names, arguments and answers of its tools (the prose of
// each in the Markdown file of its name), and the same memories as resources, as a prompt and as completions
// (resource.go), which package mcp serves.
//
// Memories are named by their ids (mem_…); numbers, unambiguous prefixes of ids and topic:KEY are read as well.
// Storing, querying and listing concern the project in force; an id names its memory in any project.
//
// The dialect keeps no state between calls. Text of memories is quoted unchanged, as data: nothing here reads
// it for instructions.
package memory

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Prefix opens the name of every tool of the dialect.
const Prefix = "memory_"

// profile has all tools of the dialect.
const profile = "memory"

//go:embed *.md
var prose embed.FS

// Dialect is the tools and resources over one engine. It is safe for concurrent use.
type Dialect struct {
	tool.Options
	text render.Options
}

// New returns the dialect.
func New(o tool.Options) *Dialect { return &Dialect{o, render.Options{Zone: o.Zone}} }

// Tools returns the tools of the dialect, in the order of their names.
func (d *Dialect) Tools() []tool.Tool {
	return tool.Described(prose, Prefix, []tool.Tool{
		tool.New(tool.Def{Name: "memory_delete", Title: "Delete a memory", Effect: tool.Destroys, Idempotent: true, Deferred: true, Profiles: []string{profile}}, d.delete),
		tool.New(tool.Def{Name: "memory_delete_batch", Title: "Delete several memories", Effect: tool.Destroys, Idempotent: true, Deferred: true, Profiles: []string{profile}}, d.deleteBatch),
		tool.New(tool.Def{Name: "memory_export", Title: "Export the project", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{profile}, Shows: d.Shown()}, d.export),
		tool.New(tool.Def{Name: "memory_graph", Title: "Memory with what is related", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{profile}}, d.graph),
		tool.New(tool.Def{Name: "memory_import", Title: "Import an export", Effect: tool.Destroys, Idempotent: true, Deferred: true, Profiles: []string{profile}, Shows: d.Shown()}, d.importData),
		tool.New(tool.Def{Name: "memory_link", Title: "Link two memories", Effect: tool.Writes, Idempotent: true, Profiles: []string{profile}}, d.link),
		tool.New(tool.Def{Name: "memory_query", Title: "Query memories", Effect: tool.Reads, Idempotent: true, Profiles: []string{profile}, Shows: d.Shown()}, d.query),
		tool.New(tool.Def{Name: "memory_stats", Title: "Project statistics", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{profile}, Shows: d.Shown()}, d.stats),
		tool.New(tool.Def{Name: "memory_store", Title: "Store a memory", Effect: tool.Writes, Profiles: []string{profile}, Shows: d.Shown()}, d.store),
		tool.New(tool.Def{Name: "memory_store_batch", Title: "Store several memories", Effect: tool.Writes, Deferred: true, Profiles: []string{profile}, Shows: d.Shown()}, d.storeBatch),
		tool.New(tool.Def{Name: "memory_update", Title: "Update a memory", Effect: tool.Writes, Idempotent: true, Profiles: []string{profile}}, d.update),
	})
}

// reading returns the project that a tool looks in. A named one must exist.
func (d *Dialect) reading(ctx context.Context, named string) (projects.ProjectInForce, error) {
	return d.Engine.ProjectFor(ctx, projects.ProjectRequest{Explicit: named, Override: d.Project, Dir: d.Dir})
}

// writing returns the project that a tool writes to.
func (d *Dialect) writing(ctx context.Context, named string) (projects.ProjectInForce, error) {
	return d.Engine.ProjectFor(ctx, projects.ProjectRequest{Explicit: named, Override: d.Project, Dir: d.Dir, Write: true, Trusted: d.Remote})
}

// ref reads a memory's name from the argument of that name. A topic is one of the project in force; without a
// project, of any.
func (d *Dialect) ref(ctx context.Context, argument, id string) (engram.Ref, error) {
	r, err := engram.ParseRef(id)
	if err != nil {
		return r, engram.Errorf(engram.CodeOf(err), "%s: %v", argument, err).WithHintOf(err)
	}
	if r.Topic != "" {
		if at, err := d.reading(ctx, ""); err == nil {
			r.Project = at.Name
		}
	}
	return r, nil
}

func (d *Dialect) refs(ctx context.Context, argument string, ids []string) ([]engram.Ref, error) {
	var rs []engram.Ref
	for i, id := range ids {
		r, err := d.ref(ctx, fmt.Sprintf("%s[%d]", argument, i), id)
		if err != nil {
			return nil, err
		}
		rs = append(rs, r)
	}
	return rs, nil
}

// warnings joins lists of warnings without empty ones; never nil.
func warnings(lists ...[]string) []string {
	all := []string{}
	for _, list := range lists {
		for _, w := range list {
			if w != "" {
				all = append(all, w)
			}
		}
	}
	return all
}

// whole is how many characters of each content an answer with several memories has. Longer ones are cut;
// memory_graph returns them whole.
const whole = 4000

// shown is a memory in an answer. Self-explanatory fields are not in the schema, which costs every agent tokens
// in each session.
type shown struct {
	ID          string             `json:"id"`
	Type        string             `json:"type"`
	Title       string             `json:"title" schema:"-"`
	Content     string             `json:"content"`
	Cut         bool               `json:"cut,omitempty" doc:"content is longer: memory_graph has all of it"`
	Summary     string             `json:"summary,omitempty" schema:"-"`
	Tags        []string           `json:"tags"`
	Importance  float64            `json:"importance"`
	Project     string             `json:"project" schema:"-"`
	CreatedAt   document.Timestamp `json:"created_at" schema:"-"`
	UpdatedAt   document.Timestamp `json:"updated_at" schema:"-"`
	AccessCount int                `json:"access_count" schema:"-"`
	// Notes say what changes how the memory should be read: what it contradicts, that it is due for review.
	Notes   []string      `json:"notes,omitempty" schema:"-"`
	Origin  engram.Origin `json:"origin" schema:"-"`
	Flagged []string      `json:"suspect,omitempty" schema:"-"` // why it is flagged as instruction-like
	source  string        // where a quotation comes from; "" for one's own memory
}

func shownOf(m engram.Memory, n engram.Note) shown {
	t := shown{ID: string(m.ID), Type: string(m.Type), Title: m.Title, Content: m.Content, Summary: m.Summary, Tags: document.OrEmpty(m.Tags),
		Importance: m.Importance, Project: m.Project, CreatedAt: document.Timestamp(m.CreatedAt), UpdatedAt: document.Timestamp(m.UpdatedAt),
		AccessCount: m.AccessCount, Notes: render.MarksByID(n), Origin: m.Origin, Flagged: n.Flagged}
	if render.Quoted(m, n) {
		t.source = render.Source(m, render.Options{})
	}
	return t
}

// clipped returns t with at most most characters of its content.
func (t shown) clipped(most int) shown {
	if r := []rune(t.Content); len(r) > most {
		t.Content, t.Cut = string(r[:most])+"…", true
	}
	return t
}

// block is a memory as text: a line about it, then its content, indented so that no line of it can pass as the
// line of another memory.
func (t shown) block(about ...string) string {
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

// line is a line of a memory's own words, quoted where its content is.
func (t shown) line(s string) string {
	if t.source != "" {
		return render.QuoteLine(s)
	}
	return render.Line(s, 0)
}

// origin says in a list where a quoted memory comes from, and why it is flagged.
func (t shown) origin() string {
	if t.source == "" {
		return ""
	}
	return " | " + strings.Join(append([]string{"quoted, " + t.source}, t.Notes...), " | ")
}

// nothing is the sentence of an answer in which nothing, or nothing certain, was found.
func (d *Dialect) nothing(ctx context.Context, by tool.Caller, project string, uncertain bool) (string, error) {
	n, err := d.As(by).Nothing(ctx, project)
	n.Nearest = uncertain
	return render.Nothing(n, "ask with the project of one of them", "memory_store"), err
}
