package mem

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
)

// observation is a memory in the structured answers of tools that read, so that no client
// has to read prose. Its fields are those of the dialect's HTTP routes; what needs no
// explaining stays out of the schema.
type observation struct {
	ID             int64        `json:"id"`
	SyncID         string       `json:"sync_id" schema:"-"`
	SessionID      string       `json:"session_id,omitempty" schema:"-"`
	Type           string       `json:"type"`
	Title          string       `json:"title"`
	Content        string       `json:"content,omitempty"`
	Cut            bool         `json:"cut,omitempty" schema:"-"` // Content is only its beginning
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
	Source         string       `json:"source,omitempty" schema:"-"`  // of what nobody here wrote: a quotation
	Suspect        []string     `json:"suspect,omitempty" schema:"-"` // why it reads like an order to an agent
}

// observationOf is the document of m with the first most characters of its content; 0 is
// all of it, less than 0 nothing.
func (d *dialect) observationOf(m engram.Memory, n engram.Note, most int) observation {
	o := observation{ID: m.Num, SyncID: m.SyncID, SessionID: m.SessionID, Type: string(m.Type), Title: m.Title, ToolName: m.ToolName,
		Project: m.Project, Scope: string(m.Scope), TopicKey: m.TopicKey, Tags: m.Tags, State: n.State, RevisionCount: m.RevisionCount,
		DuplicateCount: m.DuplicateCount, ReviewAfter: stamp(m.ReviewAfter), LastSeenAt: stamp(m.LastSeenAt),
		CreatedAt: stamp(m.CreatedAt), UpdatedAt: stamp(m.UpdatedAt), Origin: string(m.Origin), Suspect: n.Suspect}
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
