package document

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
)

// Memory is a whole memory.
type Memory struct {
	ID             engram.ID      `json:"id"`  // mem_…, for ever
	Num            int64          `json:"num"` // in this database
	SyncID         string         `json:"sync_id"`
	Project        string         `json:"project"`
	Scope          engram.Scope   `json:"scope"`
	Type           engram.Type    `json:"type"`
	Title          string         `json:"title"`
	Content        string         `json:"content"`
	Summary        string         `json:"summary"`
	Tags           []string       `json:"tags"`
	Metadata       map[string]any `json:"metadata"`
	TopicKey       string         `json:"topic_key"`
	SessionID      string         `json:"session_id"`
	ToolName       string         `json:"tool_name"`
	Origin         engram.Origin  `json:"origin"`
	Importance     float64        `json:"importance"` // 0 to 1
	Strength       float64        `json:"strength"`   // 0 to 1, as it was when last touched
	Permanent      bool           `json:"permanent"`
	State          engram.State   `json:"state"` // active or needs_review
	RevisionCount  int            `json:"revision_count"`
	DuplicateCount int            `json:"duplicate_count"`
	AccessCount    int            `json:"access_count"`
	CreatedAt      Stamp          `json:"created_at"`
	UpdatedAt      Stamp          `json:"updated_at"`
	LastSeenAt     Stamp          `json:"last_seen_at"`
	LastAccessedAt Stamp          `json:"last_accessed_at"`
	ReviewAfter    Stamp          `json:"review_after"`
	DeletedAt      Stamp          `json:"deleted_at"`
	Anchors        []Anchor       `json:"anchors,omitempty"` // the code that it speaks of
	// Suspect says why the memory reads like an order to an agent; absent where it does not, or
	// was approved. Such a text is data and no more.
	Suspect []string `json:"suspect,omitempty"`
}

// MemoryOf is the document of m in its state.
func MemoryOf(m engram.Memory, s engram.State) Memory {
	d := Memory{
		ID: m.ID, Num: m.Num, SyncID: m.SyncID, Project: m.Project, Scope: m.Scope, Type: m.Type, Title: m.Title, Content: m.Content,
		Summary: m.Summary, Tags: OrEmpty(m.Tags), Metadata: m.Metadata, TopicKey: m.TopicKey, SessionID: m.SessionID,
		ToolName: m.ToolName, Origin: m.Origin, Importance: m.Importance, Strength: m.Strength, Permanent: m.Permanent, State: s,
		RevisionCount: m.RevisionCount, DuplicateCount: m.DuplicateCount, AccessCount: m.AccessCount,
		CreatedAt: Stamp(m.CreatedAt), UpdatedAt: Stamp(m.UpdatedAt), LastSeenAt: Stamp(m.LastSeenAt),
		LastAccessedAt: Stamp(m.LastAccessedAt), ReviewAfter: Stamp(m.ReviewAfter), DeletedAt: Stamp(m.DeletedAt),
	}
	if d.Summary == "" {
		d.Summary = gist.Summary(m)
	}
	d.Anchors = AnchorsOf(m, engram.Note{})
	if d.Metadata == nil {
		d.Metadata = map[string]any{}
	}
	return d
}

// Marked is a memory with the relations that change how it should be read.
type Marked struct {
	Memory
	Relations []Relation `json:"relations"`
}

// MarkedOf is the document of m with what n says of it.
func MarkedOf(m engram.Memory, n engram.Note) Marked {
	return Marked{memoryIn(m, n), Each(n.Relations, RelationOf)}
}

// MarkedOfAll are the documents of memories, each with its note.
func MarkedOfAll(ms []engram.Memory, notes engram.Notes) []Marked {
	return Each(ms, func(m engram.Memory) Marked { return MarkedOf(m, notes[m.Num]) })
}

// Relation is a relation as seen from one of its memories.
type Relation struct {
	Relation engram.Verb           `json:"relation"`
	Outgoing bool                  `json:"outgoing"` // the memory is the source
	Status   engram.RelationStatus `json:"status"`
	Reason   string                `json:"reason"`
	Num      int64                 `json:"num"` // of the other memory
	ID       engram.ID             `json:"id"`
	Title    string                `json:"title"`

	RelationID string  `json:"relation_id"` // rel-…
	Strength   float64 `json:"strength"`    // 0 to 1
	Forgotten  bool    `json:"forgotten"`   // the other memory was
	Via        int64   `json:"via"`         // number of the superseded memory whose relation it is; 0: the memory's own
}

// RelationOf is the document of n.
func RelationOf(n engram.RelationNote) Relation {
	r := n.Relation
	return Relation{Relation: r.Verb, Outgoing: n.Outgoing, Status: r.Status, Reason: r.Reason, Num: n.Other.Num, ID: n.Other.ID,
		Title: n.Other.Title, RelationID: r.ID, Strength: r.Strength, Forgotten: n.Other.Forgotten(), Via: n.Via}
}

// Revision is what a memory said before.
type Revision struct {
	Number     int         `json:"number"`
	Type       engram.Type `json:"type"`
	Title      string      `json:"title"`
	Content    string      `json:"content"`
	WrittenAt  Stamp       `json:"written_at"`
	ReplacedAt Stamp       `json:"replaced_at"`
	Reason     string      `json:"reason"`
}

// RevisionOf is the document of r.
func RevisionOf(r engram.Revision) Revision {
	return Revision{r.Number, r.Type, r.Title, r.Content, Stamp(r.WrittenAt), Stamp(r.ReplacedAt), r.Reason}
}

// LeftOut is a memory that was found and is not shown.
type LeftOut struct {
	ID     engram.ID   `json:"id"`
	Num    int64       `json:"num"`
	Type   engram.Type `json:"type"`
	Title  string      `json:"title"`
	Reason string      `json:"reason"`
}

// LeftOutOf is the document of l.
func LeftOutOf(l engram.LeftOut) LeftOut {
	return LeftOut{l.Memory.ID, l.Memory.Num, l.Memory.Type, l.Memory.Title, l.Reason}
}
