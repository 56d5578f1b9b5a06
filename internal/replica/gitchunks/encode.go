package gitchunks

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// chunkVersion is the newest version of Engram's additions to the format. A new field does not make
// a new version, a changed meaning does.
const chunkVersion = 1

// head describes a chunk and precedes its lists, so reading the beginning is enough.
type head struct {
	Version  int       `json:"version"`
	By       string    `json:"by,omitempty"`
	At       wire.Time `json:"at,omitzero"`
	Sessions int       `json:"sessions"`
	Memories int       `json:"memories"`
	Prompts  int       `json:"prompts"`
	// Records is the SHA-256 of the lists. It identifies the same records in any chunk.
	Records string `json:"records"`
	// Salt is incremented while the resulting ID is taken.
	Salt int `json:"salt,omitempty"`
}

// Lists of a chunk, in order. All programs of the format have the first three and read mutations;
// projects are Engram's.
const (
	listSessions     = wire.MemSessions
	listObservations = wire.Observations
	listPrompts      = wire.MemPrompts
	listMutations    = iota
	listProjects
)

func lists() []string {
	return []string{"sessions", "observations", "prompts", "mutations", "projects"}
}

// required is the number of lists that are written even if empty.
const required = 3

// bodyOf returns the lists of a chunk, from the first quote to the closing brace. The same records
// give the same bytes, in any order.
func bodyOf(records []engram.Record) ([]byte, error) {
	var items [5][][]byte
	known := syncIDs{}
	for _, r := range records {
		known.add(r)
	}
	for _, r := range sorted(records) {
		list, item, err := itemOf(r, known)
		if err != nil {
			return nil, err
		}
		if item != nil {
			items[list] = append(items[list], item)
		}
	}
	var b bytes.Buffer
	for list, name := range lists() {
		if list >= required && len(items[list]) == 0 {
			continue
		}
		if list > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":`)
		if len(items[list]) == 0 {
			b.WriteString("null")
			continue
		}
		b.WriteByte('[')
		b.Write(bytes.Join(items[list], []byte(",")))
		b.WriteByte(']')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func chunkOf(h head, body []byte) ([]byte, error) {
	text, err := wire.Marshal(h)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"`+wire.Extra+`":`), text, []byte(","), body), nil
}

func headOf(b engram.Batch, body []byte) head {
	sum := sha256.Sum256(body)
	return head{Version: chunkVersion, By: b.By, At: wire.At(b.At), Sessions: b.Sessions, Memories: b.Memories, Prompts: b.Prompts,
		Records: hex.EncodeToString(sum[:])}
}

// sorted sorts records by kind and name.
func sorted(records []engram.Record) []engram.Record {
	type named struct {
		engram.Record
		section int
		name    string
	}
	all := make([]named, len(records))
	for i, r := range records {
		all[i] = named{r, sectionOf(r), wire.KeyOf(r)}
	}
	slices.SortStableFunc(all, func(a, b named) int {
		return cmp.Or(cmp.Compare(a.section, b.section), cmp.Compare(a.name, b.name))
	})
	out := make([]engram.Record, len(all))
	for i, r := range all {
		out[i] = r.Record
	}
	return out
}

// sectionOf returns the rank of a record's kind: referenced things first.
func sectionOf(r engram.Record) int {
	switch {
	case r.Project != nil:
		return wire.Projects
	case r.Session != nil:
		return wire.Sessions
	case r.Memory != nil:
		return wire.Memories
	case r.Prompt != nil:
		return wire.Prompts
	case r.Relation != nil:
		return wire.Relations
	}
	return wire.Erasures
}

// itemOf returns a record as an item, and its list; nil for an empty record. What the format would
// misread as live, such as a deleted prompt, is a mutation.
func itemOf(r engram.Record, known syncIDs) (list int, item []byte, err error) {
	r = wire.Portable(r)
	if r.Project != nil {
		_, shape := wire.Encode(r)
		item, err = wire.Marshal(shape)
		return listProjects, item, err
	}
	if list, item, err = wire.EncodeExtended(r); item != nil || err != nil {
		return list, item, err // a chunk begins with the dialect's lists
	}
	item, err = mutationOf(r, known)
	return listMutations, item, err
}

// mutation is an entry of the list mutations: relations and removals in the format.
type mutation struct {
	Entity     string `json:"entity"`     // session, observation, prompt, relation
	EntityKey  string `json:"entity_key"` // ID of a session, otherwise a sync id
	Op         string `json:"op"`         // upsert, delete
	Payload    text   `json:"payload"`
	Project    string `json:"project,omitempty"`
	OccurredAt string `json:"occurred_at,omitempty"`
	// Extra is Engram's addition.
	Extra json.RawMessage `json:"engram,omitempty"`
}

// text is JSON inside a JSON string, as programs of the format write it. Plain JSON is read too.
type text []byte

// MarshalJSON implements json.Marshaler.
func (t text) MarshalJSON() ([]byte, error) { return wire.Marshal(string(t)) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = text(s)
		return nil
	}
	*t = slices.Clone(b)
	return nil
}

// relationPayload is a relation in the format. Its memories are named by sync ids.
type relationPayload struct {
	SyncID     string           `json:"sync_id"`
	SourceID   string           `json:"source_id"`
	TargetID   string           `json:"target_id"`
	Relation   string           `json:"relation"`
	Reason     *string          `json:"reason,omitempty"`
	Evidence   *string          `json:"evidence,omitempty"`
	Confidence *float64         `json:"confidence,omitempty"`
	Status     string           `json:"judgment_status"`
	Actor      *string          `json:"marked_by_actor,omitempty"`
	Kind       *string          `json:"marked_by_kind,omitempty"`
	Model      *string          `json:"marked_by_model,omitempty"`
	SessionID  *string          `json:"session_id,omitempty"`
	Project    string           `json:"project,omitempty"`
	CreatedAt  wire.DialectTime `json:"created_at"`
	UpdatedAt  wire.DialectTime `json:"updated_at"`
}

// goodbye is a removal in the format.
type goodbye struct {
	ID         string            `json:"id,omitempty"`
	SyncID     string            `json:"sync_id,omitempty"`
	SessionID  string            `json:"session_id,omitempty"`
	Content    string            `json:"content,omitempty"`
	Project    string            `json:"project,omitempty"`
	CreatedAt  *wire.DialectTime `json:"created_at,omitempty"`
	Deleted    bool              `json:"deleted"`
	DeletedAt  *wire.DialectTime `json:"deleted_at,omitempty"`
	HardDelete bool              `json:"hard_delete,omitempty"`
}

// syncIDs maps IDs of memories to sync ids, as far as a batch has them.
type syncIDs map[string]string

func (s syncIDs) add(r engram.Record) {
	if r.Memory != nil {
		s[string(r.Memory.Memory.ID)] = r.Memory.Memory.SyncID
	}
}

// of returns the format's name of a memory: its sync id, or its ID if that is unknown.
func (s syncIDs) of(ref engram.Ref) string {
	return cmp.Or(ref.SyncID, s[ref.ID], ref.ID)
}

// mutationOf returns a record as a mutation; nil for an empty record.
func mutationOf(r engram.Record, known syncIDs) ([]byte, error) {
	m := mutation{Op: "delete"}
	var payload any
	switch {
	case r.Relation != nil:
		p := relationPayloadOf(*r.Relation, known)
		m.Entity, m.EntityKey, m.Op, payload = "relation", p.SyncID, "upsert", p
	case r.Session != nil:
		m.Entity, m.EntityKey, m.Project = "session", r.Session.ID, r.Session.Project
		payload = goodbye{ID: r.Session.ID, Project: r.Session.Project, Deleted: true}
	case r.Memory != nil:
		x := r.Memory.Memory
		m.Entity, m.EntityKey, m.Project = "observation", x.SyncID, x.Project
		payload = goodbye{SyncID: x.SyncID, Project: x.Project, Deleted: true}
	case r.Prompt != nil:
		p := *r.Prompt
		m.Entity, m.EntityKey, m.Project = "prompt", p.SyncID, p.Project
		payload = goodbye{SyncID: p.SyncID, SessionID: p.SessionID, Content: p.Content, Project: p.Project,
			CreatedAt: wire.OnOrNil(p.CreatedAt), Deleted: true, DeletedAt: wire.OnOrNil(p.DeletedAt)}
	case r.Erased != nil:
		m, payload = erasureOf(*r.Erased)
	default:
		return nil, nil
	}
	said, err := wire.Marshal(payload)
	if err != nil {
		return nil, err
	}
	if m.Extra, err = wire.Rest(r, said); err != nil {
		return nil, err
	}
	m.Payload = said
	return wire.Marshal(m)
}

func erasureOf(x engram.Erased) (mutation, goodbye) {
	m := mutation{Entity: string(x.Entity), EntityKey: cmp.Or(x.SyncID, x.ID), Op: "delete", Project: x.Project}
	p := goodbye{SyncID: m.EntityKey, Project: x.Project, Deleted: true, DeletedAt: wire.OnOrNil(x.At.Time()), HardDelete: true}
	switch x.Entity {
	case engram.EntityMemory:
		m.Entity = "observation"
	case engram.EntitySession:
		m.EntityKey, p.ID, p.SyncID = x.ID, x.ID, ""
	}
	return m, p
}

func relationPayloadOf(r engram.RelationRecord, known syncIDs) relationPayload {
	x := r.Relation
	p := relationPayload{SyncID: x.ID, SourceID: known.of(r.Source), TargetID: known.of(r.Target), Relation: spelled(x),
		Reason: wire.OrNil(x.Reason), Evidence: wire.OrNil(x.Evidence), Confidence: wire.OrNil(x.Confidence), Status: string(x.Status), Actor: wire.OrNil(x.Actor),
		Kind: wire.OrNil(x.ActorKind), Model: wire.OrNil(x.Model), SessionID: wire.OrNil(x.SessionID), CreatedAt: wire.On(x.CreatedAt), UpdatedAt: wire.On(x.UpdatedAt)}
	if x.Removed() { // the format never removes a relation
		p.Status = string(engram.RelationIgnored)
	}
	return p
}

// spelled returns the verb of r in the format: "pending" until judged, related for relates_to,
// conflicts_with for contradicts.
func spelled(r engram.Relation) string {
	switch {
	case r.Status == engram.RelationPending:
		return string(engram.RelationPending)
	case r.Verb == engram.VerbRelatesTo:
		return "related"
	case r.Verb == engram.VerbContradicts:
		return "conflicts_with"
	}
	return string(r.Verb)
}

// record returns a relation of another program.
func (p relationPayload) record() engram.Record {
	x := engram.Relation{ID: p.SyncID, Verb: engram.Verb(p.Relation), Status: engram.RelationStatus(p.Status), Strength: 1, Reason: wire.Or(p.Reason, ""),
		Evidence: wire.Or(p.Evidence, ""), Confidence: wire.Or(p.Confidence, 0), Actor: wire.Or(p.Actor, ""), ActorKind: wire.Or(p.Kind, ""), Model: wire.Or(p.Model, ""),
		SessionID: wire.Or(p.SessionID, ""), CreatedAt: p.CreatedAt.Time.Time, UpdatedAt: p.UpdatedAt.Time.Time}
	switch verb, err := engram.ParseVerb(p.Relation); {
	case p.Relation == string(engram.RelationPending):
		x.Verb, x.Status = engram.VerbContradicts, engram.RelationPending
	case err == nil:
		x.Verb = verb
	}
	if x.Status == "orphaned" { // one of its memories is missing
		x.Status = engram.RelationIgnored
	}
	return engram.Record{Relation: &engram.RelationRecord{Relation: x, Source: wire.RefOf(p.SourceID), Target: wire.RefOf(p.TargetID)}}
}
