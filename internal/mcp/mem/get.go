package mem

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

type getArgs struct {
	ID      tool.ID `json:"id" required:"true"`
	History bool    `json:"history" doc:"with earlier versions"`
	AsOf    string  `json:"as_of" doc:"a past date"`
}

// got is the answer of mem_get_observation.
type got struct {
	message
	State     string    `json:"state,omitempty" schema:"-"`
	Relations []related `json:"relations,omitempty" schema:"-"` // those that change how it should be read
	// Observation is the memory itself; Result adds what its fields do not say.
	Observation *observation `json:"observation,omitempty"`

	whole string // the memory in words
}

// PlainText returns the memory in words when there is no envelope.
func (r got) PlainText() (string, bool) { return r.whole, r.bare }

// InText returns the answer with the memory in words only.
func (r got) InText() any {
	r.Result, r.Observation = r.whole, nil
	return r
}

// related is a relation as seen from the memory that was read.
type related struct {
	Relation   string `json:"relation"` // as mem_judge spells it, or pending
	Outgoing   bool   `json:"outgoing"` // the memory is the source
	ID         int64  `json:"id"`       // of the other memory
	Title      string `json:"title"`
	Deleted    bool   `json:"deleted,omitempty"`
	JudgmentID string `json:"judgment_id"` // the argument of mem_judge
}

func relatedOf(n engram.RelationNote) related {
	return related{document.VerbOf(n.Relation), n.Outgoing, n.Other.Num, n.Other.Title, n.Other.Num == 0 || n.Other.Forgotten(), n.Relation.ID}
}

func (d *dialect) get(ctx context.Context, by tool.Caller, a getArgs) (got, error) {
	past, err := d.when("as_of", a.AsOf)
	if err != nil {
		return got{}, err
	}
	ref := engram.ByNum(int64(a.ID))
	var detail read.Detail
	if past.IsZero() {
		detail, err = d.As(by).GetIn(ctx, d.asking.now(), ref)
	} else {
		detail, err = d.Engine.GetAsOf(ctx, ref, past)
	}
	if engram.CodeOf(err) == engram.CodeNotFound {
		return got{}, &tool.Failure{Text: fmt.Sprintf("Observation #%d not found", a.ID), Err: err}
	}
	if err != nil {
		return got{}, err
	}
	note := detail.Note()
	whole := render.Marked(detail.Memory, note, d.text)
	brief := render.Headed(detail.Memory, note)
	if a.History {
		before := "\n\n" + strings.TrimSpace(render.History(detail.History(), d.text))
		whole, brief = whole+before, brief+before
	}
	it := d.observationOf(detail.Memory, note, 0)
	out := got{d.here(ctx, brief), string(note.State), document.Each(note.Relations, relatedOf), &it, whole}
	out.Warning = joined(out.Warning, strings.Join(detail.Degraded, "; "))
	return out, nil
}

// when reads the argument of that name, a time; "" is the zero time.
func (d *dialect) when(name, date string) (time.Time, error) {
	if strings.TrimSpace(date) == "" {
		return time.Time{}, nil
	}
	zone := d.text.Zone
	if zone == nil {
		zone = time.UTC
	}
	at, ok := text.When(date, d.Engine.Now().In(zone))
	if !ok {
		return at, invalid(fmt.Sprintf("%s %q is not a time: %s", name, echo(date), text.WhenForms))
	}
	return at, nil
}

// here wraps text in the project of the working folder. Where that has none, the text, which does not depend on
// it, stands alone.
func (d *dialect) here(ctx context.Context, text string) message {
	at, err := d.reading(ctx, "")
	if err != nil {
		return message{envelope: envelope{Result: text}, bare: true}
	}
	return message{envelope: enveloped(at, text)}
}

// observation is a memory in structured answers, so that clients need not read prose. Its fields are those of
// the HTTP routes; self-explanatory ones are not in the schema.
type observation struct {
	ID             int64        `json:"id"`
	SyncID         string       `json:"sync_id" schema:"-"`
	SessionID      string       `json:"session_id,omitempty" schema:"-"`
	Type           string       `json:"type"`
	Title          string       `json:"title"`
	Content        string       `json:"content,omitempty"`
	Cut            bool         `json:"cut,omitempty" schema:"-"` // Content is only the beginning
	ToolName       string       `json:"tool_name,omitempty" schema:"-"`
	Project        string       `json:"project,omitempty" schema:"-"`
	Scope          string       `json:"scope" schema:"-"`
	TopicKey       string       `json:"topic_key,omitempty" schema:"-"`
	Tags           []string     `json:"tags,omitempty" schema:"-"`
	State          engram.State `json:"state,omitempty" schema:"-"`
	RevisionCount  int          `json:"revision_count" schema:"-"`
	DuplicateCount int          `json:"duplicate_count" schema:"-"`
	ReviewAfter    string       `json:"review_after,omitempty" schema:"-"`
	LastSeenAt     string       `json:"last_seen_at,omitempty" schema:"-"`
	CreatedAt      string       `json:"created_at" schema:"-"`
	UpdatedAt      string       `json:"updated_at" schema:"-"`
	Origin         string       `json:"origin" schema:"-"`
	Source         string       `json:"source,omitempty" schema:"-"`    // of a quotation, which was not written here
	Flagged        []string     `json:"suspect,omitempty" schema:"-"`   // why it is flagged as instruction-like
	Uncertain      bool         `json:"uncertain,omitempty" schema:"-"` // one of the nearest finds of a search, where nothing is surely relevant
}

// observationOf returns the document of m with the first most characters of its content; 0 is all, less than 0
// none.
func (d *dialect) observationOf(m engram.Memory, n engram.Note, most int) observation {
	o := observation{ID: m.Num, SyncID: m.SyncID, SessionID: m.SessionID, Type: string(m.Type), Title: m.Title, ToolName: m.ToolName,
		Project: m.Project, Scope: string(m.Scope), TopicKey: m.TopicKey, Tags: m.Tags, State: n.State, RevisionCount: m.RevisionCount,
		DuplicateCount: m.DuplicateCount, ReviewAfter: timestamp(m.ReviewAfter), LastSeenAt: timestamp(m.LastSeenAt),
		CreatedAt: timestamp(m.CreatedAt), UpdatedAt: timestamp(m.UpdatedAt), Origin: string(m.Origin), Flagged: n.Flagged}
	switch {
	case most == 0:
		o.Content = m.Content
	case most > 0:
		o.Content = render.Preview(m.Content, most)
		o.Cut = o.Content != m.Content
	}
	if render.Quoted(m, n) {
		o.Source = render.Source(m, d.text)
	}
	return o
}

type timelineArgs struct {
	ID      tool.ID `json:"observation_id" required:"true"`
	Before  int     `json:"before" default:"5" min:"0" max:"100" lax:"true"`
	After   int     `json:"after" default:"5" min:"0" max:"100" lax:"true"`
	Project string  `json:"project"`
}

// around is the answer of mem_timeline: in words, and as memories.
type around struct {
	message
	Focus  *observation  `json:"focus,omitempty" schema:"-"`
	Before []observation `json:"before,omitempty" schema:"-"` // oldest first, like After; without content
	After  []observation `json:"after,omitempty" schema:"-"`
}

// InText returns only the words.
func (a around) InText() any { return a.message }

func (d *dialect) timeline(ctx context.Context, by tool.Caller, a timelineArgs) (around, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return around{}, err
	}
	t, err := d.As(by).Timeline(ctx, engram.ByNum(int64(a.ID)), a.Before, a.After)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return around{}, &tool.Failure{Text: fmt.Sprintf("Timeline error: timeline: observation #%d not found", a.ID), Err: err}
	}
	one := func(m engram.Memory) observation { return d.observationOf(m, t.Notes[m.Num], -1) }
	focus := one(t.Focus)
	return around{message{envelope: enveloped(at, render.Timeline(t, d.text))}, &focus, document.Each(t.Before, one), document.Each(t.After, one)}, worded("Timeline error", err)
}

type historyArgs struct {
	ID      tool.ID `json:"id" required:"true"`
	Version *int    `json:"version" doc:"show this one whole" min:"1"`
	From    *int    `json:"from" doc:"version" min:"1"`
	To      *int    `json:"to" doc:"version; default: now" min:"1"`
	Restore *int    `json:"restore" doc:"version to restore" min:"1"`
}

func (d *dialect) history(ctx context.Context, by tool.Caller, a historyArgs) (message, error) {
	ref := engram.ByNum(int64(a.ID))
	if a.Restore != nil {
		m, err := d.As(by).Restore(ctx, ref, *a.Restore)
		if err != nil {
			return message{}, err
		}
		return d.here(ctx, fmt.Sprintf("Memory restored: #%d %q is at version %d again", m.Num, m.Title, *a.Restore)), nil
	}
	h, err := d.As(by).History(ctx, ref)
	if err != nil {
		return message{}, err
	}
	if a.Version != nil {
		v, err := h.Version(*a.Version)
		if err != nil {
			return message{}, err
		}
		return d.here(ctx, render.VersionText(v)), nil
	}
	if a.From == nil && a.To == nil {
		return d.here(ctx, strings.TrimSpace(render.History(h, d.text))), nil
	}
	var versions [2]engram.Version
	for i, given := range []*int{a.From, a.To} {
		number := i - 1 // -1 is the one before now, 0
		if given != nil {
			number = *given
		}
		if versions[i], err = h.Version(number); err != nil {
			return message{}, err
		}
	}
	return d.here(ctx, strings.TrimSpace(render.VersionDiff(versions[0], versions[1]))), nil
}
