package wire

import (
	"encoding/json"
	"time"

	"github.com/alanbuscaglia/engram"
)

// DialectTime is a time in the mem_* dialect, in whole seconds; it is read like Time.
type DialectTime struct{ Time }

// MarshalJSON implements json.Marshaler.
func (c DialectTime) MarshalJSON() ([]byte, error) {
	return []byte(c.UTC().Format(`"` + dialectTime + `"`)), nil
}

// On returns a time for the mem_* dialect.
func On(t time.Time) DialectTime { return DialectTime{Time{t}} }

// OnOrNil returns On(t); nil for the zero time.
func OnOrNil(t time.Time) *DialectTime {
	if t.IsZero() {
		return nil
	}
	return new(On(t))
}

func (c *DialectTime) time() time.Time {
	if c == nil {
		return time.Time{}
	}
	return c.Time.Time
}

// MemSession is a session in the mem_* dialect.
type MemSession struct {
	ID        string       `json:"id"`
	Project   string       `json:"project"`
	Directory string       `json:"directory"`
	StartedAt DialectTime  `json:"started_at"`
	EndedAt   *DialectTime `json:"ended_at,omitempty"`
	Summary   *string      `json:"summary,omitempty"`
}

// Observation is a memory in the mem_* dialect.
type Observation struct {
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
	LastSeenAt     *DialectTime `json:"last_seen_at,omitempty"`
	ReviewAfter    *DialectTime `json:"review_after,omitempty"`
	CreatedAt      DialectTime  `json:"created_at"`
	UpdatedAt      DialectTime  `json:"updated_at"`
	DeletedAt      *DialectTime `json:"deleted_at,omitempty"`
}

// MemPrompt is a prompt in the mem_* dialect.
type MemPrompt struct {
	ID        int64       `json:"id"`
	SyncID    string      `json:"sync_id"`
	SessionID string      `json:"session_id"`
	Content   string      `json:"content"`
	Project   *string     `json:"project,omitempty"`
	CreatedAt DialectTime `json:"created_at"`
}

// Lists of the mem_* dialect, in order; DialectSections names them.
const (
	MemSessions = iota
	Observations
	MemPrompts
)

// DialectSections returns the names of the dialect's lists, in order.
func DialectSections() []string { return []string{"sessions", "observations", "prompts"} }

// MemSessionOf returns the part of a session that the dialect can express.
func MemSessionOf(s engram.Session) MemSession {
	return MemSession{s.ID, s.Project, s.Directory, On(s.StartedAt), OnOrNil(s.EndedAt), OrNil(s.Summary)}
}

// ObservationOf returns the part of a memory that the dialect can express.
func ObservationOf(m engram.Memory) Observation {
	return Observation{ID: m.Num, SyncID: m.SyncID, SessionID: m.SessionID, Type: m.Type, Title: m.Title, Content: m.Content,
		ToolName: OrNil(m.ToolName), Project: OrNil(m.Project), Scope: m.Scope, TopicKey: OrNil(m.TopicKey),
		RevisionCount: m.RevisionCount, DuplicateCount: m.DuplicateCount, LastSeenAt: OnOrNil(m.LastSeenAt),
		ReviewAfter: OnOrNil(m.ReviewAfter), CreatedAt: On(m.CreatedAt), UpdatedAt: On(m.UpdatedAt), DeletedAt: OnOrNil(m.DeletedAt)}
}

// MemPromptOf returns the part of a prompt that the dialect can express.
func MemPromptOf(p engram.Prompt) MemPrompt {
	return MemPrompt{p.Num, p.SyncID, p.SessionID, p.Content, OrNil(p.Project), On(p.CreatedAt)}
}

func (n MemSession) record() engram.Record {
	return engram.Record{Session: &engram.Session{ID: n.ID, Project: n.Project, Directory: n.Directory, StartedAt: n.StartedAt.Time.Time,
		EndedAt: n.EndedAt.time(), Summary: Or(n.Summary, "")}}
}

func (n Observation) record() engram.Record {
	m := engram.Memory{SyncID: n.SyncID, SessionID: n.SessionID, Type: n.Type, Title: n.Title, Content: n.Content,
		ToolName: Or(n.ToolName, ""), Project: Or(n.Project, ""), Scope: n.Scope, TopicKey: Or(n.TopicKey, ""),
		RevisionCount: n.RevisionCount, DuplicateCount: n.DuplicateCount, LastSeenAt: n.LastSeenAt.time(),
		ReviewAfter: n.ReviewAfter.time(), CreatedAt: n.CreatedAt.Time.Time, UpdatedAt: n.UpdatedAt.Time.Time, DeletedAt: n.DeletedAt.time(),
		Importance: engram.DefaultImportance, Strength: 1}
	return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}
}

func (n MemPrompt) record() engram.Record {
	return engram.Record{Prompt: &engram.Prompt{SyncID: n.SyncID, SessionID: n.SessionID, Project: Or(n.Project, ""),
		Content: n.Content, CreatedAt: n.CreatedAt.Time.Time}}
}

// DecodeDialect reads an item of one of the dialect's lists. The error is CodeInvalid.
func DecodeDialect(section int, item []byte) (engram.Record, error) {
	switch section {
	case MemSessions:
		return decode[MemSession]([][]byte{item})
	case MemPrompts:
		return decode[MemPrompt]([][]byte{item})
	}
	return decode[Observation]([][]byte{item})
}

var _ json.Marshaler = DialectTime{}

// OrNil returns a pointer to v; nil for its zero value.
func OrNil[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// Or returns *v, or otherwise for nil.
func Or[T any](v *T, otherwise T) T {
	if v == nil {
		return otherwise
	}
	return *v
}
