package jsonfile

import (
	"encoding/json"
	"io"
	"iter"
	"time"

	"github.com/alanbuscaglia/engram"
)

// dialectVersion is what the mem_* programs of all times have written.
const dialectVersion = "0.1.0"

func dialectSections() []string { return []string{"sessions", "observations", "prompts"} }

// clock is a time as the mem_* dialect writes it, in whole seconds.
type clock struct{ moment }

// MarshalJSON implements json.Marshaler.
func (c clock) MarshalJSON() ([]byte, error) {
	return []byte(c.UTC().Format(`"` + dialectTime + `"`)), nil
}

func on(t time.Time) clock { return clock{moment{t}} }

// perhaps is a time that is left out when there is none.
func perhaps(t time.Time) *clock {
	if t.IsZero() {
		return nil
	}
	return new(on(t))
}

func (c *clock) time() time.Time {
	if c == nil {
		return time.Time{}
	}
	return c.Time
}

type dialectSession struct {
	ID        string  `json:"id"`
	Project   string  `json:"project"`
	Directory string  `json:"directory"`
	StartedAt clock   `json:"started_at"`
	EndedAt   *clock  `json:"ended_at,omitempty"`
	Summary   *string `json:"summary,omitempty"`
}

type dialectObservation struct {
	ID             int64        `json:"id"`
	SyncID         string       `json:"sync_id"`
	SessionID      string       `json:"session_id"`
	Type           engram.Type  `json:"type"`
	Title          string       `json:"title"`
	Content        string       `json:"content"`
	ToolName       *string      `json:"tool_name,omitempty"`
	Project        *string      `json:"project,omitempty"`
	Scope          engram.Scope `json:"scope"`
	TopicKey       *string      `json:"topic_key,omitempty"`
	RevisionCount  int          `json:"revision_count"`
	DuplicateCount int          `json:"duplicate_count"`
	LastSeenAt     *clock       `json:"last_seen_at,omitempty"`
	ReviewAfter    *clock       `json:"review_after,omitempty"`
	CreatedAt      clock        `json:"created_at"`
	UpdatedAt      clock        `json:"updated_at"`
	DeletedAt      *clock       `json:"deleted_at,omitempty"`
}

type dialectPrompt struct {
	ID        int64   `json:"id"`
	SyncID    string  `json:"sync_id"`
	SessionID string  `json:"session_id"`
	Content   string  `json:"content"`
	Project   *string `json:"project,omitempty"`
	CreatedAt clock   `json:"created_at"`
}

// The sections of a dialect file, in their order.
const (
	dialectSessionList = iota
	dialectObservationList
	dialectPromptList
)

// writeDialect writes what the dialect has a word for.
func writeDialect(w io.Writer, head engram.Snapshot, records iter.Seq2[engram.Record, error]) error {
	o := newObject(w, dialectSections()...)
	if err := o.begin(field{"version", dialectVersion}, field{"exported_at", on(head.At)}); err != nil {
		return err
	}
	for r, err := range records {
		if err == nil {
			err = writeDialectRecord(o, r)
		}
		if err != nil {
			return err
		}
	}
	return o.end()
}

func writeDialectRecord(o *object, r engram.Record) error {
	switch {
	case r.Session != nil:
		s := *r.Session
		return o.item(dialectSessionList, dialectSession{s.ID, s.Project, s.Directory, on(s.StartedAt), perhaps(s.EndedAt), orNil(s.Summary)})
	case r.Memory != nil:
		return o.item(dialectObservationList, observationOf(r.Memory.Memory))
	case r.Prompt != nil && !r.Prompt.Deleted():
		p := *r.Prompt
		return o.item(dialectPromptList, dialectPrompt{p.Num, p.SyncID, p.SessionID, p.Content, orNil(p.Project), on(p.CreatedAt)})
	}
	return nil
}

func observationOf(m engram.Memory) dialectObservation {
	return dialectObservation{ID: m.Num, SyncID: m.SyncID, SessionID: m.SessionID, Type: m.Type, Title: m.Title, Content: m.Content,
		ToolName: orNil(m.ToolName), Project: orNil(m.Project), Scope: m.Scope, TopicKey: orNil(m.TopicKey),
		RevisionCount: m.RevisionCount, DuplicateCount: m.DuplicateCount, LastSeenAt: perhaps(m.LastSeenAt),
		ReviewAfter: perhaps(m.ReviewAfter), CreatedAt: on(m.CreatedAt), UpdatedAt: on(m.UpdatedAt), DeletedAt: perhaps(m.DeletedAt)}
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func orNone(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// dialectItem reads an item of a section.
func dialectItem(section string, d *json.Decoder) (engram.Record, error) {
	switch section {
	case "sessions":
		n, err := item[dialectSession](d)
		return engram.Record{Session: &engram.Session{ID: n.ID, Project: n.Project, Directory: n.Directory, StartedAt: n.StartedAt.Time,
			EndedAt: n.EndedAt.time(), Summary: orNone(n.Summary)}}, err
	case "prompts":
		n, err := item[dialectPrompt](d)
		return engram.Record{Prompt: &engram.Prompt{SyncID: n.SyncID, SessionID: n.SessionID, Project: orNone(n.Project),
			Content: n.Content, CreatedAt: n.CreatedAt.Time}}, err
	}
	n, err := item[dialectObservation](d)
	m := engram.Memory{SyncID: n.SyncID, SessionID: n.SessionID, Type: n.Type, Title: n.Title, Content: n.Content,
		ToolName: orNone(n.ToolName), Project: orNone(n.Project), Scope: n.Scope, TopicKey: orNone(n.TopicKey),
		RevisionCount: n.RevisionCount, DuplicateCount: n.DuplicateCount, LastSeenAt: n.LastSeenAt.time(),
		ReviewAfter: n.ReviewAfter.time(), CreatedAt: n.CreatedAt.Time, UpdatedAt: n.UpdatedAt.Time, DeletedAt: n.DeletedAt.time(),
		Importance: engram.DefaultImportance, Strength: 1}
	return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}, err
}
