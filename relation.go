package engram

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Verb is the verb of a relation: source verb target.
type Verb string

// The verbs, as all frontends spell them. ParseVerb also reads the spellings of other programs (related,
// conflicts_with); of what is written only chunks use them, whose format is another program's.
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

// RelationStatus is the state of a verdict.
type RelationStatus string

// The statuses.
const (
	RelationPending RelationStatus = "pending" // a candidate without a verdict
	RelationJudged  RelationStatus = "judged"  // with a verdict
	RelationIgnored RelationStatus = "ignored" // dismissed
)

// Verbs lists the verbs in the order of the help.
func Verbs() []Verb {
	return []Verb{VerbRelatesTo, VerbDerivedFrom, VerbEvolvedFrom, VerbCausedBy, VerbSupersedes, VerbContradicts,
		VerbCompatible, VerbScoped, VerbNotConflict}
}

// ParseVerb reads a verb in any case, with hyphens or blanks for underscores, related and related_to for
// relates_to, conflicts_with for contradicts. Others are CodeInvalid, and the hint lists the verbs.
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
	return "", Errorf(CodeInvalid, "relation %q does not exist", s).WithHint("use one of %s", strings.Join(names, ", "))
}

// RelationIDPrefix opens every relation ID.
const RelationIDPrefix = "rel-"

// Relation is a typed, directed link between two memories. A pending one is a candidate for a contradiction:
// its verb is only suspected.
type Relation struct {
	Num        int64          // per database, from 1
	ID         string         `field:"id,nojournal,nopart"`     // RelationIDPrefix and 16 hex digits
	Source     int64          `field:"source,nojournal,nopart"` // Num of the memory that relates
	Target     int64          `field:"target,nojournal,nopart"` // Num of the memory it relates to
	Verb       Verb           `field:"verb,part=verdict"`
	Status     RelationStatus `field:"status,part=verdict"`
	Strength   float64        `field:"strength,part=verdict"` // 0 to 1
	Reason     string         `field:"reason,part=verdict"`
	Evidence   string         `field:"evidence,part=verdict"`
	Confidence float64        `field:"confidence,part=verdict"` // 0 to 1; 0 when not given
	Actor      string         `field:"actor,part=verdict"`      // the judge: "agent", "engram", a person
	ActorKind  string         `field:"actor_kind,part=verdict"` // agent, system, human
	Model      string         `field:"model,part=verdict"`      // the model that judged; "" for none
	SessionID  string         `field:"session_id,part=verdict"`
	CreatedAt  time.Time      `field:"created_at,nojournal,nopart"`
	UpdatedAt  time.Time      `field:"updated_at,nopart"`
	RemovedAt  time.Time      `field:"removed_at,nopart"` // when it was removed; its row stays, for the journal
}

// Removed reports whether the relation was removed.
func (r Relation) Removed() bool { return !r.RemovedAt.IsZero() }

// Supersedes reports whether a verdict says that the source supersedes the target.
func (r Relation) Supersedes() bool {
	return r.Verb == VerbSupersedes && r.Status == RelationJudged && !r.Removed()
}

// Automatic reports whether Engram made the relation itself from similarity in meaning, unconfirmed.
func (r Relation) Automatic() bool {
	return r.Verb == VerbRelatesTo && r.ActorKind == "system" && r.Confidence == 0
}

// Judgment reports whether the relation is a candidate for a contradiction or a verdict on one, not_conflict
// included: two memories have at most one. A relates_to is a verdict if it has a confidence, else an ordinary
// relation.
func (r Relation) Judgment() bool {
	switch r.Verb {
	case VerbContradicts, VerbSupersedes, VerbCompatible, VerbScoped, VerbNotConflict:
		return !r.Removed()
	case VerbRelatesTo:
		return !r.Removed() && r.Confidence > 0
	}
	return false
}

// RelationRef names a relation by number or by ID. Exactly one field is set.
type RelationRef struct {
	Num int64
	ID  string
}

// RelationFilter narrows a list of relations. The zero value matches every live relation.
type RelationFilter struct {
	Project   string // of the source; "" is every project
	Statuses  []RelationStatus
	Verbs     []Verb
	Since     time.Time    // created at or after
	Judgments bool         // matches only relations whose Judgment is true
	Ends      RelationEnds // restricts by whether the memories were forgotten

	Inside bool    // with Project: the target is in it too
	Of     []int64 // with one of these memories as an end; nil is any, an empty list none
	With   []int64 // with Of of one memory: one of these is the other end; nil is any
	// Most limits, for each memory of Of, verb and direction, the relations to the newest, so that a memory with
	// many costs no more than others. Only Of and Verbs go with it; 0 is all.
	Most int
	// Incoming, with Most, leaves out relations whose target is not in Of.
	Incoming     bool
	Removed      bool      // only removed ones instead of live ones
	RemovedSince time.Time // with Removed: removed at or after; the zero time is any
	WithRemoved  bool      // removed ones too
	OldestFirst  bool      // reverses the list
	After        int64     // only greater numbers
}

// RelationEnds selects relations by whether their memories were forgotten.
type RelationEnds int

// The kinds of ends.
const (
	EndsAny       RelationEnds = iota
	EndsLive                   // both memories are live
	EndsForgotten              // at least one was forgotten
)

// Graph is what relations lead to from one memory.
type Graph struct {
	Nodes []GraphNode // nearest first, starting with the memory itself
	Edges []Relation  // between nodes, each once, in the order of discovery
	Cut   bool        // a limit was reached: there may be more
}

// GraphNode is a memory in a graph.
type GraphNode struct {
	Memory     Memory
	State      State
	Depth      int      // number of relations from the start
	Superseded bool     // says that a live memory, in the graph or not, supersedes it
	Flagged    []string // why it is flagged as instruction-like, in words; nil: not flagged, or approved
}

// Superseded returns the numbers of superseded memories of g.
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

// QueueKind says why an item is pending for a person.
type QueueKind string

// The kinds, in the order of lists.
const (
	QueueFlagged  QueueKind = "suspect"  // a memory that is instruction-like, and not injected
	QueuePending  QueueKind = "waiting"  // a record from another store, not a memory yet
	QueueProposal QueueKind = "proposal" // read from transcripts or commits, not a memory yet
	QueueChanged  QueueKind = "changed"  // a memory whose code changed or disappeared
	QueueDue      QueueKind = "due"      // a memory due for review
)

// QueueKinds returns all kinds, in their order.
func QueueKinds() []QueueKind {
	return []QueueKind{QueueFlagged, QueuePending, QueueProposal, QueueChanged, QueueDue}
}

// ParseQueueKinds reads kinds in any case, each once; empty names mean all. Others are CodeInvalid.
func ParseQueueKinds(names []string) ([]QueueKind, error) {
	var kinds []QueueKind
	for _, name := range names {
		k := QueueKind(strings.ToLower(strings.TrimSpace(name)))
		if !slices.Contains(QueueKinds(), k) {
			return nil, Errorf(CodeInvalid, "review kind %q does not exist", name).WithHint("use suspect, waiting, proposal, changed or due")
		}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
}

// QueueItem is one item pending for a person.
type QueueItem struct {
	Kind    QueueKind
	Memory  Memory     // zero for waiting and proposal
	State   State      // of Memory
	Pending *Deferred  // for waiting and proposal; else nil
	Anchors []Anchored // the code of a changed memory, with its state; nil for others
	Reasons []string   // for a person
	Since   time.Time  // since when it is pending; zero when unknown
}

// Name is the name for a decision: the number of a memory, or the PendingName of a record.
func (i QueueItem) Name() string {
	if i.Pending != nil {
		return PendingName(i.Pending.Num)
	}
	return strconv.FormatInt(i.Memory.Num, 10)
}

// PendingName names a pending record that is not a memory yet: w and its number.
func PendingName(num int64) string { return "w" + strconv.FormatInt(num, 10) }

// ParsePendingName reads a PendingName, in any case; is reports whether it is one.
func ParsePendingName(name string) (num int64, is bool) {
	digits, is := strings.CutPrefix(strings.ToLower(name), "w")
	num, err := strconv.ParseInt(digits, 10, 64)
	return num, is && err == nil && num > 0
}
