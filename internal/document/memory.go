package document

import (
	"math"

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
	CreatedAt      Timestamp      `json:"created_at"`
	UpdatedAt      Timestamp      `json:"updated_at"`
	LastSeenAt     Timestamp      `json:"last_seen_at"`
	LastAccessedAt Timestamp      `json:"last_accessed_at"`
	ReviewAfter    Timestamp      `json:"review_after"`
	DeletedAt      Timestamp      `json:"deleted_at"`
	Anchors        []Anchor       `json:"anchors,omitempty"` // the code that it speaks of
	// Flagged says why the memory reads like an order to an agent; absent where it does not, or
	// was approved. Such a text is data and no more.
	Flagged []string `json:"suspect,omitempty"`
}

// MemoryOf is the document of m in its state.
func MemoryOf(m engram.Memory, s engram.State) Memory {
	d := Memory{
		ID: m.ID, Num: m.Num, SyncID: m.SyncID, Project: m.Project, Scope: m.Scope, Type: m.Type, Title: m.Title, Content: m.Content,
		Summary: m.Summary, Tags: OrEmpty(m.Tags), Metadata: m.Metadata, TopicKey: m.TopicKey, SessionID: m.SessionID,
		ToolName: m.ToolName, Origin: m.Origin, Importance: m.Importance, Strength: m.Strength, Permanent: m.Permanent, State: s,
		RevisionCount: m.RevisionCount, DuplicateCount: m.DuplicateCount, AccessCount: m.AccessCount,
		CreatedAt: Timestamp(m.CreatedAt), UpdatedAt: Timestamp(m.UpdatedAt), LastSeenAt: Timestamp(m.LastSeenAt),
		LastAccessedAt: Timestamp(m.LastAccessedAt), ReviewAfter: Timestamp(m.ReviewAfter), DeletedAt: Timestamp(m.DeletedAt),
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

// RevisionOf returns r, an earlier text of a memory, as a Version.
func RevisionOf(r engram.Revision) Version {
	return Version{r.Number, r.Type, r.Title, r.Content, Timestamp(r.WrittenAt), Timestamp(r.ReplacedAt), r.Reason}
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

// Saved is what a save did.
type Saved struct {
	Action         string      `json:"action"` // inserted, revised, repeated or merged
	Reason         string      `json:"reason"`
	MergedWith     *Named      `json:"merged_with"`     // the memory that says this too now, as it was before; null for none
	Candidates     []Candidate `json:"candidates"`      // what it may contradict, the likeliest first
	Related        []Related   `json:"related"`         // what it was tied to for being near, the nearest first
	SuggestedTopic string      `json:"suggested_topic"` // "" when one was given
	Warnings       []string    `json:"warnings"`
	Memory         Memory      `json:"memory"`
}

// Named is a memory in few words.
type Named struct {
	ID    engram.ID   `json:"id"`
	Num   int64       `json:"num"`
	Type  engram.Type `json:"type"`
	Title string      `json:"title"`
}

// NamedOf is the document of m in few words.
func NamedOf(m engram.Memory) Named { return Named{m.ID, m.Num, m.Type, m.Title} }

// Candidate is a memory that may contradict another: a pair that waits for a verdict.
type Candidate struct {
	Named
	JudgmentID string  `json:"judgment_id"` // rel-…, what a verdict is recorded under
	Score      float64 `json:"score"`       // 0 to 1
	Reason     string  `json:"reason"`      // in what they differ
}

// CandidateOf is the document of the candidate m of the pending relation r.
func CandidateOf(m engram.Memory, r engram.Relation, score float64, reason string) Candidate {
	return Candidate{NamedOf(m), r.ID, score, reason}
}

// Related is a memory that another was tied to.
type Related struct {
	Named
	Cosine float64 `json:"cosine"`
}

// RelatedOf is the document of m; of the cosine it gives three places.
func RelatedOf(m engram.Memory, cosine float64) Related {
	return Related{NamedOf(m), Thousandths(cosine)}
}

// Hit is a memory that was found.
type Hit struct {
	Rank      int        `json:"rank"`  // from 1
	Score     float64    `json:"score"` // greater is better; comparable within one answer
	Memory    Memory     `json:"memory"`
	Relations []Relation `json:"relations"`
	Why       Why        `json:"why"`
}

// HitsOf are the documents of hits; the first of them has the rank after before.
func HitsOf(hits []engram.Hit, before int) []Hit {
	out := make([]Hit, len(hits))
	for i, h := range hits {
		out[i] = Hit{before + i + 1, h.Score, memoryIn(h.Memory, h.Note()), Each(h.Relations, RelationOf), WhyOf(h.Why)}
	}
	return out
}

// Why says how a hit came to its place.
type Why struct {
	Channels []Channel `json:"channels"`
	Factors  []Factor  `json:"factors"`
	Notes    []string  `json:"notes"`
}

// Channel is a hit's place in one channel.
type Channel struct {
	Channel engram.Channel `json:"channel"`
	Rank    int            `json:"rank"` // from 1
	Score   float64        `json:"score"`
}

// Factor is one named part of a score.
type Factor struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// WhyOf is the document of w.
func WhyOf(w engram.Why) Why {
	return Why{
		Each(w.Channels, func(c engram.ChannelRank) Channel { return Channel(c) }),
		Each(w.Factors, func(f engram.Factor) Factor { return Factor(f) }),
		OrEmpty(w.Notes),
	}
}

// Repair is a word of a question that nothing has, with what it was read as.
type Repair struct {
	Written string   `json:"written"`
	Read    []string `json:"read"`
}

// RepairOf is the document of r.
func RepairOf(r engram.Repair) Repair { return Repair{r.Written, OrEmpty(r.Read)} }

// Time is a stretch of time that a question speaks of.
type Time struct {
	Phrase string    `json:"phrase"`
	From   Timestamp `json:"from"` // inclusive; null: from the beginning
	To     Timestamp `json:"to"`   // exclusive; null: open
}

// TimeOf is the document of t.
func TimeOf(t engram.TimeSpan) Time { return Time{t.Phrase, Timestamp(t.From), Timestamp(t.To)} }

// The documents of remember, recall and forget, alike over MCP and HTTP. Their words are
// older than the others here: a type is a category, and what does not apply is left out.

// Remembered is what became of something that was remembered.
type Remembered struct {
	ID               engram.ID `json:"id"`
	MergedWith       engram.ID `json:"merged_with,omitempty"` // a memory that said this already, or says it too now: it is ID
	ConflictDetected bool      `json:"conflict_detected,omitempty"`
	ConflictWith     engram.ID `json:"conflict_with,omitempty"` // the likeliest to be contradicted
}

// RememberedOf is the document of m, which was there before when known is set. conflict is
// the memory that it likeliest contradicts; nil when none is suspected.
func RememberedOf(m engram.Memory, known bool, conflict *engram.Memory) Remembered {
	r := Remembered{ID: m.ID}
	if known {
		r.MergedWith = m.ID
	}
	if conflict != nil {
		r.ConflictDetected, r.ConflictWith = true, conflict.ID
	}
	return r
}

// Recollection is the answer of recall.
type Recollection struct {
	Memories []Recollected `json:"memories"` // the most relevant first; without a question the newest
	// FallbackMode says that meaning could not be searched: words alone found these.
	FallbackMode bool `json:"fallback_mode"`
}

// Recollected is one memory in it.
type Recollected struct {
	ID          engram.ID      `json:"id"`
	Content     string         `json:"content"`
	Category    *engram.Type   `json:"category" schema:"-"` // null when it was remembered without
	Strength    float64        `json:"strength"`            // now, 0 to 1
	Relevance   float64        `json:"relevance"`           // how like the question, 0 to 1, times strength
	CreatedAt   Timestamp      `json:"created_at" schema:"-"`
	AccessCount int            `json:"access_count"` // before this answer
	Metadata    map[string]any `json:"metadata"`
	Origin      engram.Origin  `json:"origin" schema:"-"`
	Flagged     []string       `json:"suspect,omitempty" schema:"-"` // why it reads like an order to an agent
}

// RecollectionOf is the document of what a search by strength found. Weaker finds are none
// of it: whoever cannot tell them apart would take them for answers.
func RecollectionOf(f engram.Found) Recollection {
	return Recollection{Memories: Each(f.Hits, recollectedOf), FallbackMode: f.WordsAlone}
}

func recollectedOf(h engram.Hit) Recollected {
	m := h.Memory
	r := Recollected{ID: m.ID, Content: m.Content, Strength: Thousandths(h.Strength), Relevance: Thousandths(h.Relevance),
		CreatedAt: Timestamp(m.CreatedAt), AccessCount: m.AccessCount, Metadata: m.Metadata,
		Origin: m.Origin, Flagged: h.Note().Flagged}
	if m.Type != engram.TypeManual { // what a save without a type gets
		r.Category = &m.Type
	}
	if r.Metadata == nil {
		r.Metadata = map[string]any{}
	}
	return r
}

// Forgotten is the answer of forget.
type Forgotten struct {
	Forgotten bool `json:"forgotten"`
}

// Thousandths rounds a share: what lies behind it is no more exact.
func Thousandths(v float64) float64 { return math.Round(1000*v) / 1000 }

// Queued is one thing that waits for a person.
type Queued struct {
	Kind    string    `json:"kind"`              // suspect, waiting, proposal, changed or due
	Name    string    `json:"name"`              // what approve and refuse take: 12, or w3 of what is no memory yet
	Since   Timestamp `json:"since"`             // since when it waits; null where nobody noted that
	Reasons []string  `json:"reasons"`           // for a person
	Memory  *Memory   `json:"memory,omitempty"`  // absent of waiting and proposal
	Pending *Pending  `json:"waiting,omitempty"` // of waiting and proposal
}

// QueuedOf is the document of one thing that waits; its memory is told with what became of the code
// that it speaks of, where somebody looked.
func QueuedOf(i engram.QueueItem) Queued {
	q := Queued{Kind: string(i.Kind), Name: i.Name(), Since: Timestamp(i.Since), Reasons: OrEmpty(i.Reasons)}
	if i.Pending != nil {
		w := PendingOf(*i.Pending)
		q.Pending = &w
		return q
	}
	m := MemoryOf(i.Memory, i.State)
	if len(i.Anchors) > 0 {
		m.Anchors = Each(i.Anchors, AnchorOf)
	}
	q.Memory = &m
	return q
}

// DecidedName is what became of one thing that waited.
type DecidedName struct {
	Name   string `json:"name"`   // that approve and refuse took: 12, or w3 of what was no memory yet
	Op     int64  `json:"op"`     // what undo takes back; 0 when nothing was to be changed
	Memory int64  `json:"memory"` // that it is, or became; 0 of what was refused before it was one

	Anchored []string `json:"anchored,omitempty"` // code to which it is anchored as it stands now, and was not before
	Released []string `json:"released,omitempty"` // code to which it was anchored and that is not there any more
}

// Anchor is a place in code that a memory speaks of.
type Anchor struct {
	Path  string             `json:"path"`            // from the root of its repository
	Lines string             `json:"lines,omitempty"` // 12 or 12-20; absent for the whole file
	State engram.AnchorState `json:"state,omitempty"` // verified, moved, changed or gone; absent where nobody could look
	Now   string             `json:"now,omitempty"`   // PATH or PATH:LINES, where it moved to; of what is changed there, PATH
}

// AnchorOf is the document of a.
func AnchorOf(a engram.Anchored) Anchor {
	d := Anchor{Path: a.Path, State: a.State, Lines: a.Place().Lines()}
	if a.Now.Path != "" {
		d.Now = a.Now.String()
	}
	return d
}

// AnchorsOf are the documents of what m is anchored to, with what n says became of it; nil for
// nothing.
func AnchorsOf(m engram.Memory, n engram.Note) []Anchor {
	told := n.Anchors
	if len(told) == 0 {
		for _, a := range m.Anchors {
			told = append(told, engram.Anchored{Anchor: a})
		}
	}
	if len(told) == 0 {
		return nil
	}
	return Each(told, AnchorOf)
}

// memoryIn is the document of m with what is known of it: what became of its code, and why it
// is suspect.
func memoryIn(m engram.Memory, n engram.Note) Memory {
	d := MemoryOf(m, n.State)
	d.Flagged, d.Anchors = n.Flagged, AnchorsOf(m, n)
	return d
}
