package httpapi

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// The documents below are what the newer routes answer. They are a contract: every
// key is always there, lists are [] and objects {} when empty.

// memoryDoc is a whole memory.
type memoryDoc struct {
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
	State          engram.State   `json:"state"`
	RevisionCount  int            `json:"revision_count"`
	DuplicateCount int            `json:"duplicate_count"`
	AccessCount    int            `json:"access_count"`
	CreatedAt      stamp          `json:"created_at"`
	UpdatedAt      stamp          `json:"updated_at"`
	LastSeenAt     stamp          `json:"last_seen_at"`
	LastAccessedAt stamp          `json:"last_accessed_at"`
	ReviewAfter    stamp          `json:"review_after"`
	DeletedAt      stamp          `json:"deleted_at"`
}

func memoryOf(m engram.Memory, s engram.State) memoryDoc {
	d := memoryDoc{
		ID: m.ID, Num: m.Num, SyncID: m.SyncID, Project: m.Project, Scope: m.Scope, Type: m.Type, Title: m.Title, Content: m.Content,
		Summary: m.Summary, Tags: orEmpty(m.Tags), Metadata: m.Metadata, TopicKey: m.TopicKey, SessionID: m.SessionID,
		ToolName: m.ToolName, Origin: m.Origin, Importance: m.Importance, Strength: m.Strength, Permanent: m.Permanent, State: s,
		RevisionCount: m.RevisionCount, DuplicateCount: m.DuplicateCount, AccessCount: m.AccessCount,
		CreatedAt: stamp(m.CreatedAt), UpdatedAt: stamp(m.UpdatedAt), LastSeenAt: stamp(m.LastSeenAt),
		LastAccessedAt: stamp(m.LastAccessedAt), ReviewAfter: stamp(m.ReviewAfter), DeletedAt: stamp(m.DeletedAt),
	}
	if d.Metadata == nil {
		d.Metadata = map[string]any{}
	}
	return d
}

// savedDoc is the answer of POST /memories.
type savedDoc struct {
	Action         engine.Action `json:"action"` // inserted, revised or repeated
	Reason         string        `json:"reason"`
	SuggestedTopic string        `json:"suggested_topic"` // "" when one was given
	Warnings       []string      `json:"warnings"`
	Memory         memoryDoc     `json:"memory"`
}

func savedOf(s engine.SaveResult) savedDoc {
	return savedDoc{s.Action, s.Reason, s.SuggestedTopic, orEmpty(s.Warnings), memoryOf(s.Memory, s.State)}
}

// listDoc is the answer of GET /memories.
type listDoc struct {
	Limit    int         `json:"limit"`
	Offset   int         `json:"offset"`
	Memories []memoryDoc `json:"memories"` // newest first
}

func (a *API) listOf(list []engram.Memory, page engram.Page) listDoc {
	return listDoc{page.Limit, page.Offset, each(list, func(m engram.Memory) memoryDoc { return memoryOf(m, a.Engine.StateOf(m)) })}
}

// foundDoc is the answer of GET /memories with q.
type foundDoc struct {
	Query string   `json:"query"`
	Hits  []hitDoc `json:"hits"` // what is relevant, best first; empty: nothing relevant
	Weak  []hitDoc `json:"weak"` // below the floor, best first; their ranks go on
	// How the question was read: words that nothing has, expressions of time.
	Repaired []repairDoc `json:"repaired"`
	Times    []timeDoc   `json:"times"`
	Degraded []string    `json:"degraded"`
}

type repairDoc struct {
	Written string   `json:"written"`
	Read    []string `json:"read"`
}

type timeDoc struct {
	Phrase string `json:"phrase"`
	From   stamp  `json:"from"` // inclusive; null: from the beginning
	To     stamp  `json:"to"`   // exclusive; null: open
}

type hitDoc struct {
	Rank      int           `json:"rank"`  // from 1
	Score     float64       `json:"score"` // greater is better; comparable within one answer
	Memory    memoryDoc     `json:"memory"`
	Relations []relationDoc `json:"relations"`
	Why       *why          `json:"why"`
}

func foundOf(f engram.Found) foundDoc {
	d := foundDoc{Query: f.Query, Hits: []hitDoc{}, Weak: []hitDoc{}, Degraded: orEmpty(f.Degraded),
		Repaired: each(f.Repaired, repairOf),
		Times:    each(f.Times, timeOf)}
	for i, h := range f.Hits {
		d.Hits = append(d.Hits, hitDocOf(i+1, h))
	}
	for i, h := range f.Weak {
		d.Weak = append(d.Weak, hitDocOf(len(f.Hits)+i+1, h))
	}
	return d
}

func repairOf(r engram.Repair) repairDoc { return repairDoc{r.Written, orEmpty(r.Read)} }

func timeOf(t engram.TimeSpan) timeDoc { return timeDoc{t.Phrase, stamp(t.From), stamp(t.To)} }

func hitDocOf(rank int, h engram.Hit) hitDoc {
	return hitDoc{rank, h.Score, memoryOf(h.Memory, h.State), each(h.Relations, relationOf), whyOf(h.Why)}
}

// detailDoc is the answer of GET /memories/{ref}.
type detailDoc struct {
	Memory    memoryDoc     `json:"memory"`
	Relations []relationDoc `json:"relations"`
	Revisions []revisionDoc `json:"revisions"` // oldest first, without the current text
}

// relationDoc is a relation as seen from one of its memories.
type relationDoc struct {
	Relation engram.Verb           `json:"relation"`
	Outgoing bool                  `json:"outgoing"` // the memory is the source
	Status   engram.RelationStatus `json:"status"`
	Reason   string                `json:"reason"`
	Num      int64                 `json:"num"` // of the other memory
	ID       engram.ID             `json:"id"`
	Title    string                `json:"title"`
}

func relationOf(n engram.RelationNote) relationDoc {
	return relationDoc{n.Relation.Verb, n.Outgoing, n.Relation.Status, n.Relation.Reason, n.Other.Num, n.Other.ID, n.Other.Title}
}

type revisionDoc struct {
	Number     int         `json:"number"`
	Type       engram.Type `json:"type"`
	Title      string      `json:"title"`
	Content    string      `json:"content"`
	WrittenAt  stamp       `json:"written_at"`
	ReplacedAt stamp       `json:"replaced_at"`
	Reason     string      `json:"reason"`
}

func revisionOf(r engram.Revision) revisionDoc {
	return revisionDoc{r.Number, r.Type, r.Title, r.Content, stamp(r.WrittenAt), stamp(r.ReplacedAt), r.Reason}
}

func detailOf(d engine.Detail) detailDoc {
	return detailDoc{memoryOf(d.Memory, d.State), each(d.Relations, relationOf), each(d.Revisions, revisionOf)}
}

// changedDoc is the answer of PATCH /memories/{ref}.
type changedDoc struct {
	Memory memoryDoc `json:"memory"`
}

// deletedDoc is the answer of DELETE /memories/{ref}.
type deletedDoc struct {
	Hard    bool         `json:"hard"` // erased, not only forgotten
	Deleted []deletedRow `json:"deleted"`
}

type deletedRow struct {
	ID    engram.ID `json:"id"`
	Num   int64     `json:"num"`
	Title string    `json:"title"`
}

func deletedOf(gone []engram.Memory, hard bool) deletedDoc {
	return deletedDoc{hard, each(gone, func(m engram.Memory) deletedRow { return deletedRow{m.ID, m.Num, m.Title} })}
}
