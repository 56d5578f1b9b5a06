package engram

import "time"

// Verb is what a relation says of its two memories: source verb target.
type Verb string

// The verbs. Dialects have spellings of their own (related, conflicts_with) and
// translate at their edge.
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

// Relation is a typed, directed tie between two memories.
type Relation struct {
	Num        int64  // per database, from 1
	ID         string // "rel-" and 16 hex digits
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
}
