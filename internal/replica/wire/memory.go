package wire

import (
	"encoding/binary"
	"encoding/json"
	"math"

	"github.com/alanbuscaglia/engram"
)

// Memory is a memory as a native item, complete.
type Memory struct {
	ID             engram.ID      `json:"id"`
	SyncID         string         `json:"sync_id"`
	Project        string         `json:"project"`
	Scope          engram.Scope   `json:"scope"`
	Type           engram.Type    `json:"type"`
	Title          string         `json:"title"`
	Content        string         `json:"content"`
	Summary        string         `json:"summary,omitempty"`
	Tags           []string       `json:"tags,omitempty"`
	Metadata       map[string]any `json:"metadata,omitempty"`
	Anchors        Anchors        `json:"anchors,omitempty"`
	TopicKey       string         `json:"topic_key,omitempty"`
	SessionID      string         `json:"session_id,omitempty"`
	ToolName       string         `json:"tool_name,omitempty"`
	Origin         engram.Origin  `json:"origin,omitempty"`
	Importance     *float64       `json:"importance,omitempty"`
	Strength       *float64       `json:"strength,omitempty"`
	TouchedAt      Time           `json:"touched_at,omitzero"`
	Permanent      bool           `json:"permanent,omitempty"`
	AccessCount    int            `json:"access_count,omitempty"`
	LastAccessedAt Time           `json:"last_accessed_at,omitzero"`
	CreatedAt      Time           `json:"created_at,omitzero"`
	UpdatedAt      Time           `json:"updated_at,omitzero"`
	ReviewAfter    Time           `json:"review_after,omitzero"`
	ValidFrom      Time           `json:"valid_from,omitzero"`
	ValidTo        Time           `json:"valid_to,omitzero"`
	RevisionCount  int            `json:"revision_count,omitempty"`
	DuplicateCount int            `json:"duplicate_count,omitempty"`
	LastSeenAt     Time           `json:"last_seen_at,omitzero"`
	DeletedAt      Time           `json:"deleted_at,omitzero"`
	Revisions      []Revision     `json:"revisions,omitempty"`
	Vectors        Vectors        `json:"vectors,omitempty"`
	Trail
}

// Revision is an earlier text of a memory.
type Revision struct {
	Number     int                 `json:"number"`
	Type       engram.Type         `json:"type"`
	Title      string              `json:"title"`
	Content    string              `json:"content"`
	WrittenAt  Time                `json:"written_at,omitzero"`
	ReplacedAt Time                `json:"replaced_at,omitzero"`
	Reason     string              `json:"reason,omitempty"`
	Stamp      engram.VersionStamp `json:"stamp,omitzero"` // the write that made it
}

// Vector is a vector of a memory: 32-bit floats, little-endian, in base64.
type Vector struct {
	Model  string `json:"model"`
	Values []byte `json:"values"`
}

// Vectors can be computed again, so a malformed one does not invalidate the memory: it is read
// without numbers.
type Vectors []Vector

// Anchors are those of a memory, as engram.Anchor is written. Malformed ones are dropped: they do
// not invalidate the memory.
type Anchors []engram.Anchor

// UnmarshalJSON implements json.Unmarshaler; it accepts any JSON.
func (a *Anchors) UnmarshalJSON(b []byte) error {
	var items []json.RawMessage
	*a = nil
	if json.Unmarshal(b, &items) != nil {
		return nil
	}
	for _, item := range items {
		var one engram.Anchor
		if json.Unmarshal(item, &one) == nil {
			*a = append(*a, one)
		}
	}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler; it accepts any JSON.
func (v *Vectors) UnmarshalJSON(b []byte) error {
	var items []json.RawMessage
	if json.Unmarshal(b, &items) != nil {
		items = []json.RawMessage{b}
	}
	*v = nil
	for _, item := range items {
		var one Vector
		if json.Unmarshal(item, &one) != nil || len(one.Values)%bytesPerNumber != 0 {
			one.Values = nil
		}
		*v = append(*v, one)
	}
	return nil
}

// bytesPerNumber is the size of a 32-bit float.
const bytesPerNumber = 4

func memoryOf(r engram.MemoryRecord, t Trail) Memory {
	m := r.Memory
	n := Memory{ID: m.ID, SyncID: m.SyncID, Project: m.Project, Scope: m.Scope, Type: m.Type, Title: m.Title, Content: m.Content,
		Summary: m.Summary, Tags: m.Tags, Metadata: m.Metadata, Anchors: m.Anchors, TopicKey: m.TopicKey, SessionID: m.SessionID, ToolName: m.ToolName,
		Origin: m.Origin, Importance: &m.Importance, Strength: &m.Strength, TouchedAt: At(m.TouchedAt), Permanent: m.Permanent,
		AccessCount: m.AccessCount, LastAccessedAt: At(m.LastAccessedAt), CreatedAt: At(m.CreatedAt), UpdatedAt: At(m.UpdatedAt),
		ReviewAfter: At(m.ReviewAfter), ValidFrom: At(m.ValidFrom), ValidTo: At(m.ValidTo), RevisionCount: m.RevisionCount,
		DuplicateCount: m.DuplicateCount, LastSeenAt: At(m.LastSeenAt), DeletedAt: At(m.DeletedAt), Trail: t}
	for _, v := range r.Revisions {
		n.Revisions = append(n.Revisions, Revision{v.Number, v.Type, v.Title, v.Content, At(v.WrittenAt), At(v.ReplacedAt), v.Reason, v.Stamp})
	}
	for _, v := range r.Vectors {
		n.Vectors = append(n.Vectors, Vector{v.Model, floats(v.Values)})
	}
	return n
}

func (n Memory) record() engram.Record {
	m := engram.Memory{ID: n.ID, SyncID: n.SyncID, Project: n.Project, Scope: n.Scope, Type: n.Type, Title: n.Title, Content: n.Content,
		Summary: n.Summary, Tags: n.Tags, Metadata: n.Metadata, Anchors: n.Anchors, TopicKey: n.TopicKey, SessionID: n.SessionID, ToolName: n.ToolName,
		Origin: n.Origin, Importance: Or(n.Importance, engram.DefaultImportance), Strength: Or(n.Strength, 1), TouchedAt: n.TouchedAt.Time,
		Permanent: n.Permanent, AccessCount: n.AccessCount, LastAccessedAt: n.LastAccessedAt.Time, CreatedAt: n.CreatedAt.Time,
		UpdatedAt: n.UpdatedAt.Time, ReviewAfter: n.ReviewAfter.Time, ValidFrom: n.ValidFrom.Time, ValidTo: n.ValidTo.Time,
		RevisionCount: n.RevisionCount, DuplicateCount: n.DuplicateCount, LastSeenAt: n.LastSeenAt.Time, DeletedAt: n.DeletedAt.Time}
	r := &engram.MemoryRecord{Memory: m}
	for _, v := range n.Revisions {
		r.Revisions = append(r.Revisions, engram.Revision{Number: v.Number, Type: v.Type, Title: v.Title, Content: v.Content,
			WrittenAt: v.WrittenAt.Time, ReplacedAt: v.ReplacedAt.Time, Reason: v.Reason, Stamp: v.Stamp})
	}
	for _, v := range n.Vectors {
		r.Vectors = append(r.Vectors, engram.FingerprintedRow{Model: v.Model, Values: numbers(v.Values)})
	}
	return n.on(engram.Record{Memory: r})
}

// floats encodes a vector.
func floats(values []float32) []byte {
	b := make([]byte, 0, bytesPerNumber*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// numbers decodes a vector.
func numbers(b []byte) []float32 {
	values := make([]float32, len(b)/bytesPerNumber)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[bytesPerNumber*i:]))
	}
	return values
}
