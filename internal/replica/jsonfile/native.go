package jsonfile

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"iter"
	"math"
	"time"

	"github.com/alanbuscaglia/engram"
)

// nativeName is the "format" of native files, nativeVersion the newest "version" that is
// known. A field that is added does not make a new version; one that means something else
// does.
const (
	nativeName    = "engram"
	nativeVersion = 1
)

// The sections of a native file, in their order: what others refer to comes first.
const (
	sectionProjects = iota
	sectionSessions
	sectionMemories
	sectionPrompts
	sectionRelations
	sectionErased
)

func nativeSections() []string {
	return []string{"projects", "sessions", "memories", "prompts", "relations", "erased"}
}

// stamp is a time: RFC 3339 in UTC with milliseconds.
type stamp time.Time

// MarshalJSON implements json.Marshaler.
func (s stamp) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(s).UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

type nativeProject struct {
	Name      string               `json:"name"`
	Aliases   []string             `json:"aliases,omitempty"`
	Remote    string               `json:"remote,omitempty"`
	Decay     *engram.ProjectDecay `json:"decay,omitempty"`
	CreatedAt moment               `json:"created_at,omitzero"`
}

type nativeSession struct {
	ID        string `json:"id"`
	Project   string `json:"project"`
	Directory string `json:"directory,omitempty"`
	StartedAt moment `json:"started_at,omitzero"`
	EndedAt   moment `json:"ended_at,omitzero"`
	ActiveAt  moment `json:"active_at,omitzero"`
	Summary   string `json:"summary,omitempty"`
}

type nativePrompt struct {
	SyncID    string `json:"sync_id"`
	Project   string `json:"project"`
	SessionID string `json:"session_id,omitempty"`
	Content   string `json:"content"`
	CreatedAt moment `json:"created_at,omitzero"`
	DeletedAt moment `json:"deleted_at,omitzero"`
}

type nativeMemory struct {
	ID             engram.ID        `json:"id"`
	SyncID         string           `json:"sync_id"`
	Project        string           `json:"project"`
	Scope          engram.Scope     `json:"scope"`
	Type           engram.Type      `json:"type"`
	Title          string           `json:"title"`
	Content        string           `json:"content"`
	Summary        string           `json:"summary,omitempty"`
	Tags           []string         `json:"tags,omitempty"`
	Metadata       map[string]any   `json:"metadata,omitempty"`
	TopicKey       string           `json:"topic_key,omitempty"`
	SessionID      string           `json:"session_id,omitempty"`
	ToolName       string           `json:"tool_name,omitempty"`
	Origin         engram.Origin    `json:"origin,omitempty"`
	Importance     *float64         `json:"importance,omitempty"`
	Strength       *float64         `json:"strength,omitempty"`
	TouchedAt      moment           `json:"touched_at,omitzero"`
	Permanent      bool             `json:"permanent,omitempty"`
	AccessCount    int              `json:"access_count,omitempty"`
	LastAccessedAt moment           `json:"last_accessed_at,omitzero"`
	CreatedAt      moment           `json:"created_at,omitzero"`
	UpdatedAt      moment           `json:"updated_at,omitzero"`
	ReviewAfter    moment           `json:"review_after,omitzero"`
	ValidFrom      moment           `json:"valid_from,omitzero"`
	ValidTo        moment           `json:"valid_to,omitzero"`
	RevisionCount  int              `json:"revision_count,omitempty"`
	DuplicateCount int              `json:"duplicate_count,omitempty"`
	LastSeenAt     moment           `json:"last_seen_at,omitzero"`
	DeletedAt      moment           `json:"deleted_at,omitzero"`
	Revisions      []nativeRevision `json:"revisions,omitempty"`
	Vectors        []nativeVector   `json:"vectors,omitempty"`
}

type nativeRevision struct {
	Number     int         `json:"number"`
	Type       engram.Type `json:"type"`
	Title      string      `json:"title"`
	Content    string      `json:"content"`
	WrittenAt  moment      `json:"written_at,omitzero"`
	ReplacedAt moment      `json:"replaced_at,omitzero"`
	Reason     string      `json:"reason,omitempty"`
}

// nativeVector is a vector: its numbers as 32-bit floats, little-endian, in base64.
type nativeVector struct {
	Model  string `json:"model"`
	Values []byte `json:"values"`
}

type nativeRelation struct {
	ID         string                `json:"id"`
	Source     string                `json:"source"`
	Relation   engram.Verb           `json:"relation"`
	Target     string                `json:"target"`
	Status     engram.RelationStatus `json:"status,omitempty"`
	Strength   *float64              `json:"strength,omitempty"`
	Reason     string                `json:"reason,omitempty"`
	Evidence   string                `json:"evidence,omitempty"`
	Confidence float64               `json:"confidence,omitempty"`
	Actor      string                `json:"actor,omitempty"`
	ActorKind  string                `json:"actor_kind,omitempty"`
	Model      string                `json:"model,omitempty"`
	SessionID  string                `json:"session_id,omitempty"`
	CreatedAt  moment                `json:"created_at,omitzero"`
	UpdatedAt  moment                `json:"updated_at,omitzero"`
	RemovedAt  moment                `json:"removed_at,omitzero"`
}

type nativeErased struct {
	Kind   engram.Entity `json:"kind"`
	ID     string        `json:"id"`
	SyncID string        `json:"sync_id,omitempty"`
	At     engram.Clock  `json:"at"`
}

func writeNative(w io.Writer, head engram.Snapshot, records iter.Seq2[engram.Record, error]) error {
	o := newObject(w, nativeSections()...)
	err := o.begin(field{"format", nativeName}, field{"version", nativeVersion}, field{"exported_at", stamp(head.At)},
		field{"program", head.Program}, field{"project", head.Project}, field{"count", head.Memories})
	if err != nil {
		return err
	}
	for r, err := range records {
		if err == nil {
			err = writeNativeRecord(o, r)
		}
		if err != nil {
			return err
		}
	}
	return o.end()
}

func writeNativeRecord(o *object, r engram.Record) error {
	switch {
	case r.Project != nil:
		p := *r.Project
		return o.item(sectionProjects, nativeProject{p.Name, p.Aliases, p.Remote, p.Decay, at(p.CreatedAt)})
	case r.Session != nil:
		s := *r.Session
		return o.item(sectionSessions, nativeSession{s.ID, s.Project, s.Directory, at(s.StartedAt), at(s.EndedAt), at(s.ActiveAt), s.Summary})
	case r.Prompt != nil:
		p := *r.Prompt
		return o.item(sectionPrompts, nativePrompt{p.SyncID, p.Project, p.SessionID, p.Content, at(p.CreatedAt), at(p.DeletedAt)})
	case r.Memory != nil:
		return o.item(sectionMemories, nativeMemoryOf(*r.Memory))
	case r.Relation != nil:
		return o.item(sectionRelations, nativeRelationOf(*r.Relation))
	case r.Erased != nil:
		x := *r.Erased
		return o.item(sectionErased, nativeErased{x.Entity, x.ID, x.SyncID, x.At})
	}
	return nil
}

func nativeMemoryOf(r engram.MemoryRecord) nativeMemory {
	m := r.Memory
	n := nativeMemory{ID: m.ID, SyncID: m.SyncID, Project: m.Project, Scope: m.Scope, Type: m.Type, Title: m.Title, Content: m.Content,
		Summary: m.Summary, Tags: m.Tags, Metadata: m.Metadata, TopicKey: m.TopicKey, SessionID: m.SessionID, ToolName: m.ToolName,
		Origin: m.Origin, Importance: &m.Importance, Strength: &m.Strength, TouchedAt: at(m.TouchedAt), Permanent: m.Permanent,
		AccessCount: m.AccessCount, LastAccessedAt: at(m.LastAccessedAt), CreatedAt: at(m.CreatedAt), UpdatedAt: at(m.UpdatedAt),
		ReviewAfter: at(m.ReviewAfter), ValidFrom: at(m.ValidFrom), ValidTo: at(m.ValidTo), RevisionCount: m.RevisionCount,
		DuplicateCount: m.DuplicateCount, LastSeenAt: at(m.LastSeenAt), DeletedAt: at(m.DeletedAt)}
	for _, v := range r.Revisions {
		n.Revisions = append(n.Revisions, nativeRevision{v.Number, v.Type, v.Title, v.Content, at(v.WrittenAt), at(v.ReplacedAt), v.Reason})
	}
	for _, v := range r.Vectors {
		n.Vectors = append(n.Vectors, nativeVector{v.Model, floats(v.Values)})
	}
	return n
}

func (n nativeMemory) record() engram.Record {
	m := engram.Memory{ID: n.ID, SyncID: n.SyncID, Project: n.Project, Scope: n.Scope, Type: n.Type, Title: n.Title, Content: n.Content,
		Summary: n.Summary, Tags: n.Tags, Metadata: n.Metadata, TopicKey: n.TopicKey, SessionID: n.SessionID, ToolName: n.ToolName,
		Origin: n.Origin, Importance: or(n.Importance, engram.DefaultImportance), Strength: or(n.Strength, 1), TouchedAt: n.TouchedAt.Time,
		Permanent: n.Permanent, AccessCount: n.AccessCount, LastAccessedAt: n.LastAccessedAt.Time, CreatedAt: n.CreatedAt.Time,
		UpdatedAt: n.UpdatedAt.Time, ReviewAfter: n.ReviewAfter.Time, ValidFrom: n.ValidFrom.Time, ValidTo: n.ValidTo.Time,
		RevisionCount: n.RevisionCount, DuplicateCount: n.DuplicateCount, LastSeenAt: n.LastSeenAt.Time, DeletedAt: n.DeletedAt.Time}
	r := &engram.MemoryRecord{Memory: m}
	for _, v := range n.Revisions {
		r.Revisions = append(r.Revisions, engram.Revision{Number: v.Number, Type: v.Type, Title: v.Title, Content: v.Content,
			WrittenAt: v.WrittenAt.Time, ReplacedAt: v.ReplacedAt.Time, Reason: v.Reason})
	}
	for _, v := range n.Vectors {
		r.Vectors = append(r.Vectors, engram.FingerprintedRow{Model: v.Model, Values: numbers(v.Values)})
	}
	return engram.Record{Memory: r}
}

func nativeRelationOf(r engram.RelationRecord) nativeRelation {
	x := r.Relation
	return nativeRelation{ID: x.ID, Source: nameOf(r.Source), Relation: x.Verb, Target: nameOf(r.Target), Status: x.Status,
		Strength: &x.Strength, Reason: x.Reason, Evidence: x.Evidence, Confidence: x.Confidence, Actor: x.Actor, ActorKind: x.ActorKind,
		Model: x.Model, SessionID: x.SessionID, CreatedAt: at(x.CreatedAt), UpdatedAt: at(x.UpdatedAt), RemovedAt: at(x.RemovedAt)}
}

func (n nativeRelation) record() engram.Record {
	x := engram.Relation{ID: n.ID, Verb: n.Relation, Status: n.Status, Strength: or(n.Strength, 1), Reason: n.Reason, Evidence: n.Evidence,
		Confidence: n.Confidence, Actor: n.Actor, ActorKind: n.ActorKind, Model: n.Model, SessionID: n.SessionID,
		CreatedAt: n.CreatedAt.Time, UpdatedAt: n.UpdatedAt.Time, RemovedAt: n.RemovedAt.Time}
	return engram.Record{Relation: &engram.RelationRecord{Relation: x, Source: refOf(n.Source), Target: refOf(n.Target)}}
}

// nativeItem reads an item of a section.
func nativeItem(section string, d *json.Decoder) (engram.Record, error) {
	switch section {
	case "projects":
		n, err := item[nativeProject](d)
		return engram.Record{Project: &engram.Project{Name: n.Name, Aliases: n.Aliases, Remote: n.Remote, Decay: n.Decay, CreatedAt: n.CreatedAt.Time}}, err
	case "sessions":
		n, err := item[nativeSession](d)
		return engram.Record{Session: &engram.Session{ID: n.ID, Project: n.Project, Directory: n.Directory, StartedAt: n.StartedAt.Time,
			EndedAt: n.EndedAt.Time, ActiveAt: n.ActiveAt.Time, Summary: n.Summary}}, err
	case "prompts":
		n, err := item[nativePrompt](d)
		return engram.Record{Prompt: &engram.Prompt{SyncID: n.SyncID, Project: n.Project, SessionID: n.SessionID, Content: n.Content,
			CreatedAt: n.CreatedAt.Time, DeletedAt: n.DeletedAt.Time}}, err
	case "relations":
		n, err := item[nativeRelation](d)
		return n.record(), err
	case "erased":
		n, err := item[nativeErased](d)
		return engram.Record{Erased: &engram.Erased{Entity: n.Kind, ID: n.ID, SyncID: n.SyncID, At: n.At}}, err
	}
	n, err := item[nativeMemory](d)
	return n.record(), err
}

// nameOf is how a file names a memory: by its ID, or its sync id.
func nameOf(r engram.Ref) string {
	if r.ID != "" {
		return r.ID
	}
	return r.SyncID
}

// refOf is the memory of a name.
func refOf(name string) engram.Ref {
	if len(name) > 4 && name[:4] == "obs-" {
		return engram.Ref{SyncID: name}
	}
	return engram.Ref{ID: name}
}

func or(v *float64, otherwise float64) float64 {
	if v == nil {
		return otherwise
	}
	return *v
}

// floats are the bytes of a vector.
func floats(values []float32) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// numbers are the values of a vector; bytes that are left over are none.
func numbers(b []byte) []float32 {
	values := make([]float32, len(b)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return values
}
