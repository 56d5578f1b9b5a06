package engram

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Verb is what a relation says of its two memories: source verb target.
type Verb string

// The verbs, as every face says them. Other programs have spellings of their own (related,
// conflicts_with), which ParseVerb reads; of what is written, the chunks alone have them, whose
// format is another program's.
const (
	VerbRelatesTo   Verb = "relates_to"
	VerbDerivedFrom Verb = "derived_from"
	VerbEvolvedFrom Verb = "evolved_from"
	VerbCausedBy    Verb = "caused_by"
	VerbSupersedes  Verb = "supersedes"
	VerbContradicts Verb = "contradicts"
	VerbCompatible  Verb = "compatible"
	VerbScoped      Verb = "scoped"
	VerbNotConflict Verb = "not_conflict"
)

// RelationStatus says how far a relation has been looked at.
type RelationStatus string

// The statuses.
const (
	RelationPending RelationStatus = "pending" // a candidate, waiting for a verdict
	RelationJudged  RelationStatus = "judged"  // somebody said so
	RelationIgnored RelationStatus = "ignored" // looked at and set aside
)

// Verbs lists the verbs in the order in which help shows them.
func Verbs() []Verb {
	return []Verb{VerbRelatesTo, VerbDerivedFrom, VerbEvolvedFrom, VerbCausedBy, VerbSupersedes, VerbContradicts,
		VerbCompatible, VerbScoped, VerbNotConflict}
}

// ParseVerb reads a verb as people and dialects write it: in any case, with hyphens or
// blanks for underscores, related and related_to for relates_to, conflicts_with for
// contradicts. What is none is CodeInvalid, and the hint lists the verbs.
func ParseVerb(s string) (Verb, error) {
	v := Verb(strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(s))))
	switch v {
	case "related", "related_to", "relates":
		return VerbRelatesTo, nil
	case "conflicts_with", "conflicts", "conflict":
		return VerbContradicts, nil
	}
	var names []string
	for _, known := range Verbs() {
		if v == known {
			return v, nil
		}
		names = append(names, string(known))
	}
	return "", Errorf(CodeInvalid, "relation %q does not exist", s).WithHint("one of %s", strings.Join(names, ", "))
}

// RelationIDPrefix opens every relation ID.
const RelationIDPrefix = "rel-"

// Relation is a typed, directed tie between two memories. A pending one is a candidate
// for a contradiction: its verb says what is suspected, not what is so.
type Relation struct {
	Num        int64  // per database, from 1
	ID         string // RelationIDPrefix and 16 hex digits
	Source     int64  // Num of the memory that relates
	Target     int64  // Num of the memory it relates to
	Verb       Verb
	Status     RelationStatus
	Strength   float64 // 0 to 1
	Reason     string
	Evidence   string
	Confidence float64 // 0 to 1; 0 when nobody said
	Actor      string  // who judged: "agent", "engram", a person
	ActorKind  string  // agent, system, human
	Model      string  // the model that judged; "" when none did
	SessionID  string
	CreatedAt  time.Time
	UpdatedAt  time.Time
	RemovedAt  time.Time // when it was taken away; its row stays, for the journal
}

// Removed reports whether the relation was taken away.
func (r Relation) Removed() bool { return !r.RemovedAt.IsZero() }

// Supersedes reports whether it is settled that the source takes the target's place.
func (r Relation) Supersedes() bool {
	return r.Verb == VerbSupersedes && r.Status == RelationJudged && !r.Removed()
}

// Automatic reports whether Engram made the tie by itself, because the two memories are
// near in meaning. Nobody has confirmed it.
func (r Relation) Automatic() bool {
	return r.Verb == VerbRelatesTo && r.ActorKind == "system" && r.Confidence == 0
}

// Judgment reports whether the relation is a candidate for a contradiction or a verdict on
// one, be it that there is none: between two memories there is one such relation at most.
// A relates_to is a verdict when somebody was confident of it, else a tie like others.
func (r Relation) Judgment() bool {
	switch r.Verb {
	case VerbContradicts, VerbSupersedes, VerbCompatible, VerbScoped, VerbNotConflict:
		return !r.Removed()
	case VerbRelatesTo:
		return !r.Removed() && r.Confidence > 0
	}
	return false
}

// RelationRef names a relation: by number or by ID. Exactly one field is set.
type RelationRef struct {
	Num int64
	ID  string
}

// RelationFilter narrows a list of relations. The zero value lets every live relation
// pass.
type RelationFilter struct {
	Project  string // of the source; "" is every project
	Statuses []RelationStatus
	Verbs    []Verb
	Since    time.Time // created at or after
	// Judgments lets only those pass whose Judgment is true.
	Judgments bool
	// Ends asks whether the memories are still there.
	Ends RelationEnds
}

// RelationEnds says which relations are wanted by whether their memories were forgotten.
type RelationEnds int

// The kinds of ends.
const (
	EndsAny       RelationEnds = iota
	EndsLive                   // neither was forgotten
	EndsForgotten              // at least one of them was
)

// Graph is what relations lead to from one memory.
type Graph struct {
	Nodes []GraphNode // the nearest first, the memory that was asked about at the head
	Edges []Relation  // between nodes, each once, in the order in which they were come upon
	Cut   bool        // there may be more than was asked for at most
}

// GraphNode is a memory in a graph.
type GraphNode struct {
	Memory Memory
	State  State
	Depth  int // relations between it and the memory that was asked about
	// Superseded says that a live memory stands in its place, be that one in the graph or
	// not.
	Superseded bool
	Flagged    []string // why it reads like an order to an agent, in words; nil: it does not, or was approved
}

// Superseded returns the numbers of the memories of g in whose place another one stands.
func (g Graph) Superseded() map[int64]bool {
	over := map[int64]bool{}
	for _, n := range g.Nodes {
		if n.Superseded {
			over[n.Memory.Num] = true
		}
	}
	for _, r := range g.Edges {
		if r.Supersedes() {
			over[r.Target] = true
		}
	}
	return over
}

// QueueKind says why something waits for a person.
type QueueKind string

// The kinds, in the order in which they are listed.
const (
	QueueFlagged  QueueKind = "suspect"  // it reads like an order to an agent, and is not told unasked
	QueuePending  QueueKind = "waiting"  // it came from others, and is no memory yet
	QueueProposal QueueKind = "proposal" // it was read out of transcripts or commits, and is no memory yet
	QueueChanged  QueueKind = "changed"  // the code that it speaks of is another one, or gone
	QueueDue      QueueKind = "due"      // the time to check it has come
)

// QueueKinds returns all kinds, in their order.
func QueueKinds() []QueueKind {
	return []QueueKind{QueueFlagged, QueuePending, QueueProposal, QueueChanged, QueueDue}
}

// ParseQueueKinds reads kinds as people write them, each once; none is every one. What is no
// kind is CodeInvalid.
func ParseQueueKinds(names []string) ([]QueueKind, error) {
	var kinds []QueueKind
	for _, name := range names {
		k := QueueKind(strings.ToLower(strings.TrimSpace(name)))
		if !slices.Contains(QueueKinds(), k) {
			return nil, Errorf(CodeInvalid, "%q is no kind of review", name).WithHint("suspect, waiting, proposal, changed or due")
		}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
}

// QueueItem is one thing that waits for a person.
type QueueItem struct {
	Kind    QueueKind
	Memory  Memory    // the zero Memory of waiting and proposal
	State   State     // of Memory
	Pending *Deferred // of waiting and proposal; else nil
	// Anchors is the code that a changed memory speaks of, with what became of it; nil of others.
	Anchors []Anchored
	Reasons []string  // for a person
	Since   time.Time // since when it waits; zero where nobody noted that
}

// Name is by what a person decides on it: the number of a memory, or the PendingName of a record.
func (i QueueItem) Name() string {
	if i.Pending != nil {
		return PendingName(i.Pending.Num)
	}
	return strconv.FormatInt(i.Memory.Num, 10)
}

// PendingName is what something that waits and is no memory yet is called by a person: w and its number.
func PendingName(num int64) string { return "w" + strconv.FormatInt(num, 10) }

// ParsePendingName reads a PendingName, in any case; is reports whether it is one.
func ParsePendingName(name string) (num int64, is bool) {
	digits, is := strings.CutPrefix(strings.ToLower(name), "w")
	num, err := strconv.ParseInt(digits, 10, 64)
	return num, is && err == nil && num > 0
}
