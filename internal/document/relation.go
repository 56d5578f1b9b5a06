package document

import (
	"cmp"
	"math"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Judged is a verdict in the mem_* dialect, over MCP and HTTP: memories by sync id, times to the second,
// empty fields absent.
type Judged struct {
	ID         int64                 `json:"id"`
	SyncID     string                `json:"sync_id"`
	SourceID   string                `json:"source_id"`
	TargetID   string                `json:"target_id"`
	Relation   string                `json:"relation"`
	Reason     string                `json:"reason,omitempty"`
	Evidence   string                `json:"evidence,omitempty"`
	Confidence float64               `json:"confidence,omitempty"`
	Status     engram.RelationStatus `json:"judgment_status"`
	Actor      string                `json:"marked_by_actor"`
	ActorKind  string                `json:"marked_by_kind"`
	Model      string                `json:"marked_by_model,omitempty"`
	SessionID  string                `json:"session_id,omitempty"`
	CreatedAt  string                `json:"created_at"`
	UpdatedAt  string                `json:"updated_at"`
}

// JudgedOf returns the document of r between source and target.
func JudgedOf(r engram.Relation, source, target engram.Memory) Judged {
	return Judged{ID: r.Num, SyncID: r.ID, SourceID: source.SyncID, TargetID: target.SyncID, Relation: VerbOf(r), Reason: r.Reason,
		Evidence: r.Evidence, Confidence: r.Confidence, Status: r.Status, Actor: r.Actor, ActorKind: r.ActorKind, Model: r.Model,
		SessionID: r.SessionID, CreatedAt: seconds(r.CreatedAt), UpdatedAt: seconds(r.UpdatedAt)}
}

// Conflict is a candidate or a verdict in a list of the mem_* dialect.
type Conflict struct {
	ID          int64                 `json:"id"`
	SyncID      string                `json:"sync_id"`
	Relation    string                `json:"relation"`
	Status      engram.RelationStatus `json:"judgment_status"` // pending, judged, ignored or orphaned
	SourceID    string                `json:"source_id"`
	SourceTitle string                `json:"source_title"`
	TargetID    string                `json:"target_id"`
	TargetTitle string                `json:"target_title"`
	CreatedAt   string                `json:"created_at"`
	UpdatedAt   string                `json:"updated_at"`
}

// ConflictOf returns the document of r between source and target; status may differ from that of r.
func ConflictOf(r engram.Relation, status engram.RelationStatus, source, target engram.Memory) Conflict {
	return Conflict{r.Num, r.ID, VerbOf(r), status, source.SyncID, source.Title, target.SyncID, target.Title,
		seconds(r.CreatedAt), seconds(r.UpdatedAt)}
}

// ConflictShown is one candidate or verdict of the mem_* dialect, whose snippets are titles.
type ConflictShown struct {
	ID          int64                 `json:"relation_id"`
	SyncID      string                `json:"sync_id"`
	Relation    string                `json:"relation"`
	Status      engram.RelationStatus `json:"judgment_status"`
	SourceID    string                `json:"source_id"`
	SourceTitle string                `json:"source_snippet"`
	TargetID    string                `json:"target_id"`
	TargetTitle string                `json:"target_snippet"`
	CreatedAt   string                `json:"created_at"`
	UpdatedAt   string                `json:"updated_at"`
}

// ConflictShownOf returns the document of r between source and target.
func ConflictShownOf(r engram.Relation, status engram.RelationStatus, source, target engram.Memory) ConflictShown {
	return ConflictShown(ConflictOf(r, status, source, target))
}

// seconds formats a time as the mem_* dialect does.
func seconds(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Graph is the surroundings of a memory in the graph of relations.
type Graph struct {
	Nodes []GraphNode `json:"nodes"` // nearest first, beginning with the requested memory
	Edges []Edge      `json:"edges"`
	Cut   bool        `json:"cut"` // the limit was reached, and there may be more
}

// GraphNode is a memory in a graph.
type GraphNode struct {
	ID      engram.ID    `json:"id"`
	Num     int64        `json:"num"`
	Type    engram.Type  `json:"type"`
	Title   string       `json:"title"`
	Project string       `json:"project"`
	Scope   engram.Scope `json:"scope"`
	State   engram.State `json:"state"`
	Depth   int          `json:"depth"` // number of relations from the requested memory
	// Superseded says that a live memory supersedes it, in the graph or not.
	Superseded bool `json:"superseded"`
}

// Edge is a relation with the numbers of its memories.
type Edge struct {
	ID        string                `json:"id"`
	Source    int64                 `json:"source"`
	Relation  engram.Verb           `json:"relation"`
	Target    int64                 `json:"target"`
	Status    engram.RelationStatus `json:"status"`
	Strength  float64               `json:"strength"` // 0 to 1
	Reason    string                `json:"reason"`
	Actor     string                `json:"actor"`
	CreatedAt Timestamp             `json:"created_at"`
	UpdatedAt Timestamp             `json:"updated_at"`
}

// GraphOf returns the document of g.
func GraphOf(g engram.Graph) Graph {
	over := g.Superseded()
	node := func(n engram.GraphNode) GraphNode {
		m := n.Memory
		return GraphNode{m.ID, m.Num, m.Type, m.Title, m.Project, m.Scope, n.State, n.Depth, over[m.Num]}
	}
	return Graph{Each(g.Nodes, node), Each(g.Edges, EdgeOf), g.Cut}
}

// EdgeOf returns the document of r.
func EdgeOf(r engram.Relation) Edge {
	return Edge{r.ID, r.Source, r.Verb, r.Target, r.Status, r.Strength, r.Reason, r.Actor, Timestamp(r.CreatedAt), Timestamp(r.UpdatedAt)}
}

// Linked is a relation with its memories.
type Linked struct {
	Action   string      `json:"action"` // linked, changed, known or removed
	Relation Edge        `json:"relation"`
	Source   MemoryTitle `json:"source"`
	Target   MemoryTitle `json:"target"`
}

// Unlinked lists the removed relations of two memories.
type Unlinked struct {
	Removed []Linked `json:"removed"` // oldest first
}

// MemoryTitle is a memory of a relation, or one that was deleted.
type MemoryTitle struct {
	ID    engram.ID `json:"id"`
	Num   int64     `json:"num"`
	Title string    `json:"title"`
}

// MemoryTitleOf returns the short document of m.
func MemoryTitleOf(m engram.Memory) MemoryTitle { return MemoryTitle{m.ID, m.Num, m.Title} }

// LinkedOf returns the document of a relation; action is what was done with it.
func LinkedOf(action string, r engram.Relation, source, target engram.Memory) Linked {
	return Linked{action, EdgeOf(r), MemoryTitleOf(source), MemoryTitleOf(target)}
}

// FlaggedCandidate is a memory that a new one may contradict, in the mem_* dialect over MCP and HTTP. The
// newer routes have CandidateOf.
type FlaggedCandidate struct {
	ID         int64       `json:"id"`
	SyncID     string      `json:"sync_id"`
	Title      string      `json:"title"`
	Type       engram.Type `json:"type"`
	Score      float64     `json:"score"`       // 0 to 1
	JudgmentID string      `json:"judgment_id"` // rel-…, the id to judge
	TopicKey   string      `json:"topic_key,omitempty"`
	Reason     string      `json:"reason"` // the difference
}

// FlaggedCandidateOf returns the document of the candidate m of the pending relation r.
func FlaggedCandidateOf(m engram.Memory, r engram.Relation, score float64, reason string) FlaggedCandidate {
	return FlaggedCandidate{m.Num, m.SyncID, m.Title, m.Type, score, r.ID, m.TopicKey, reason}
}

// Share rounds a share to four decimals; beyond that, a strength changes between two reads.
func Share(v float64) float64 { return math.Round(v*10_000) / 10_000 }

// Faded is the strength of a memory now and later.
type Faded struct {
	ID        engram.ID    `json:"id"`
	Num       int64        `json:"num"`
	Project   string       `json:"project"`
	Type      engram.Type  `json:"type"`
	Title     string       `json:"title"`
	Permanent bool         `json:"permanent"`
	Strength  float64      `json:"strength"` // now, 0 to 1
	Later     float64      `json:"later"`    // in the given number of days, without access
	Curve     engram.Curve `json:"curve"`
	Reason    string       `json:"reason"` // for a person
}

// FadedOf returns the document of m with its strengths now and later.
func FadedOf(m engram.Memory, now, later float64, curve engram.Curve, reason string) Faded {
	return Faded{m.ID, m.Num, m.Project, m.Type, m.Title, m.Permanent, Share(now), Share(later), curve, reason}
}

// Decay describes how memories fade.
type Decay struct {
	Curve    engram.Curve `json:"curve"`
	Rate     float64      `json:"rate"`      // 0 is the default of the curve
	MaxBoost float64      `json:"max_boost"` // 0 means 2
}

// DecayOf returns the document of d.
func DecayOf(d engram.Decay) Decay {
	return Decay{cmp.Or(d.Curve, engram.CurveImportance), d.Rate, d.MaxBoost}
}

// ProjectDecay describes how the memories of a project fade.
type ProjectDecay struct {
	Project string                `json:"project"`
	InForce Decay                 `json:"in_force"`
	Own     *Decay                `json:"own"`   // the project's own setting; null for none
	Types   map[engram.Type]Decay `json:"types"` // own settings for single types
}

// ProjectDecayOf returns the document of a project's own decay, nil for none, and of that in force.
func ProjectDecayOf(project string, own *engram.ProjectDecay, inForce engram.Decay) ProjectDecay {
	doc := ProjectDecay{Project: project, InForce: DecayOf(inForce), Types: map[engram.Type]Decay{}}
	if own == nil {
		return doc
	}
	if own.Curve != "" {
		d := DecayOf(own.Decay)
		doc.Own = &d
	}
	for t, d := range own.Types {
		doc.Types[t] = DecayOf(d)
	}
	return doc
}

// Sleep is the plan or the result of a sleep.
type Sleep struct {
	Project    string        `json:"project"` // "" is every project
	DryRun     bool          `json:"dry_run"` // nothing was changed
	At         Timestamp     `json:"at"`
	Memories   int           `json:"memories"` // live memories considered
	Fading     int           `json:"fading"`   // memories that lose strength over time
	Plan       []Step        `json:"plan"`     // in order of execution
	Spared     []Spared      `json:"spared"`   // why memories were not boosted or pruned
	Applied    int           `json:"applied"`  // steps applied
	Skipped    []SkippedStep `json:"skipped"`  // steps not applied because something changed meanwhile
	Made       []int64       `json:"made"`     // numbers of new patterns
	Operations []int64       `json:"operations"`
	FirstOp    int64         `json:"first_op"`  // first of operations, for undo; 0 for none
	LastOp     int64         `json:"last_op"`   // last of operations
	Compacted  int           `json:"compacted"` // old entries removed from the journal
	Degraded   []string      `json:"degraded"`  // what could not be done, and why
}

// Step is one step of a sleep, with its reason.
type Step struct {
	Action   lifecycle.StepAction `json:"action"`   // fade, boost, merge, prune or extract
	Memories []int64              `json:"memories"` // numbers; of a merge the kept memory first
	Title    string               `json:"title"`    // of the first memory; "" for a fade
	Into     int64                `json:"into"`     // the kept memory of a merge, else 0
	From     float64              `json:"from"`     // strength before
	To       float64              `json:"to"`       // strength after
	Reason   string               `json:"reason"`
}

// Spared counts memories that were not boosted or pruned for one reason.
type Spared struct {
	Action   lifecycle.StepAction `json:"action"`   // boost or prune
	Reason   string               `json:"reason"`   // follows the number: "read fewer than 3 times"
	Memories int                  `json:"memories"` // number of memories
}

// SkippedStep is a step that was not applied.
type SkippedStep struct {
	Action   lifecycle.StepAction `json:"action"`
	Memories []int64              `json:"memories"`
	Reason   string               `json:"reason"`
}

// SleepOf returns the document of s.
func SleepOf(s lifecycle.Slept, dryRun bool) Sleep {
	first, last := s.Span()
	return Sleep{
		Project: s.Project, DryRun: dryRun, At: Timestamp(s.At), Memories: s.Memories, Fading: s.Fading,
		Plan: Each(s.Plan, func(step lifecycle.Step) Step {
			return Step{step.Action, step.Memories, s.Titles[step.Memories[0]], step.Into, Thousandths(step.From), Thousandths(step.To), step.Reason}
		}),
		Spared:  Each(s.Spared, func(k lifecycle.Spared) Spared { return Spared{k.Action, k.Reason, k.Memories} }),
		Applied: s.Applied,
		Skipped: Each(s.Skipped, func(k lifecycle.SkippedStep) SkippedStep {
			return SkippedStep{k.Step.Action, k.Step.Memories, k.Reason}
		}),
		Made: OrEmpty(s.Made), Operations: OrEmpty(s.Ops), FirstOp: first, LastOp: last, Compacted: s.Compacted, Degraded: OrEmpty(s.Degraded),
	}
}
