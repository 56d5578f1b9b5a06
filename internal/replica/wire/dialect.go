package wire

import (
	"bytes"
	"encoding/json"
	"slices"
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

// Extra is the field that Engram adds to items of the mem_* dialect: what the dialect cannot
// express, in the native shape and without what the item already has. Programs of the dialect
// ignore it.
const Extra = "engram"

// mostFields is the most fields of an item.
const mostFields = 1000

// EncodeExtended returns a record as a dialect item with the field Extra, and its list. It returns
// nil for records that the dialect would misread as live or has no list for: deleted sessions and
// prompts, projects, relations, erasures.
func EncodeExtended(r engram.Record) (list int, item []byte, err error) {
	switch {
	case r.Tombstone:
		return 0, nil, nil
	case r.Session != nil:
		item, err = extended(MemSessionOf(*r.Session), r)
		return MemSessions, item, err
	case r.Memory != nil:
		o := ObservationOf(r.Memory.Memory)
		if o.SessionID == "" { // the dialect requires a session
			o.SessionID = "manual-save-" + r.Memory.Memory.Project
		}
		item, err = extended(o, r)
		return Observations, item, err
	case r.Prompt != nil && !r.Prompt.Deleted():
		item, err = extended(MemPromptOf(*r.Prompt), r)
		return MemPrompts, item, err
	}
	return 0, nil, nil
}

// DecodeExtended reads a dialect item, written by EncodeExtended or another program. The item must
// be well-formed JSON, and is changed. The error is CodeInvalid.
func DecodeExtended(list int, item []byte) (engram.Record, error) {
	fields, ok := FieldsOf(item, mostFields)
	if !ok {
		return engram.Record{}, engram.Errorf(engram.CodeInvalid, "it is not an object")
	}
	rest := valueOf(fields, Extra)
	if rest == nil {
		return DecodeDialect(list, item)
	}
	if err := Ambiguous(rest); err != nil {
		return engram.Record{}, err
	}
	switch list {
	case MemSessions:
		return Decode(Sessions, item, rest)
	case MemPrompts:
		return Decode(Prompts, item, rest)
	}
	hide(fields, "id") // a number here, a string in the native shape
	return Decode(Memories, item, rest)
}

// extended returns a dialect item with the field Extra.
func extended(said any, r engram.Record) ([]byte, error) {
	item, err := Marshal(said)
	if err != nil {
		return nil, err
	}
	rest, err := Rest(r, item)
	if err != nil {
		return nil, err
	}
	return slices.Concat(item[:len(item)-1], []byte(`,"`+Extra+`":`), rest, []byte("}")), nil
}

// Rest returns the native item of a record without the fields that the object said has with the
// same value. Decode(section, said, rest) gives the record again.
func Rest(r engram.Record, said []byte) ([]byte, error) {
	long := ""
	if r.Memory != nil && !r.Tombstone { // long, and equal in both
		m := *r.Memory
		m.Memory.Content, long = "", "content"
		r.Memory = &m
	}
	_, shape := Encode(r)
	native, err := Marshal(shape)
	if err != nil {
		return nil, err
	}
	there, _ := FieldsOf(said, mostFields)
	rest := make([]byte, 1, len(native))
	rest[0] = '{'
	put := func(name string, value []byte) {
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(append(append(append(rest, '"'), name...), `":`...), value...)
	}
	fields, _ := FieldsOf(native, mostFields)
	for _, f := range fields {
		if f.Name != long && !same(valueOf(there, f.Name), f.Value) {
			put(f.Name, f.Value)
		}
	}
	// Fields that the dialect requires and the record lacks must not come back.
	if r.Memory != nil && r.Memory.Memory.SessionID == "" {
		put("session_id", []byte(`""`))
	}
	if r.Erased != nil && r.Erased.SyncID == "" {
		put("sync_id", []byte(`""`))
	}
	return append(rest, '}'), nil
}

// same reports whether a dialect value equals a native one. Times differ in form: "2026-03-01
// 10:00:00" and "2026-03-01T10:00:00.000Z".
func same(dialect, native []byte) bool {
	const day, second = len(`"2026-03-01`), len(`"2026-03-01 10:00:00`)
	if bytes.Equal(dialect, native) {
		return true
	}
	return len(dialect) == second+1 && len(native) == second+len(`.000Z"`) && dialect[day] == ' ' && native[day] == 'T' &&
		bytes.Equal(dialect[:day], native[:day]) && bytes.Equal(dialect[day+1:second], native[day+1:second]) && string(native[second:]) == `.000Z"`
}

// valueOf returns the value of a field; nil for none or null.
func valueOf(fields []Field, name string) []byte {
	for _, f := range fields {
		if f.Name == name && !bytes.Equal(f.Value, []byte("null")) {
			return f.Value
		}
	}
	return nil
}

// hide renames a field to one that no decoder reads, in place: the item may be long.
func hide(fields []Field, name string) {
	for _, f := range fields {
		if f.Name == name {
			for i := 1; i < len(f.Key)-1; i++ {
				f.Key[i] = '_'
			}
		}
	}
}

// Marshal returns JSON without HTML escapes.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "cannot write a record").WithCause(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
