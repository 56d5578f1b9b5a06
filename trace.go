package engram

// TraceKind is what kind of place holds a copy.
type TraceKind string

// The kinds.
const (
	TraceBackup TraceKind = "backup" // a copy of the database
	TraceChunk  TraceKind = "chunk"  // a file that is shared through git
	TraceMemory TraceKind = "memory" // a memory into which the text was merged
	// TraceLog is the database's own log, which somebody who reads the database keeps from
	// being emptied. It goes when they leave.
	TraceLog TraceKind = "log"
)

// Trace is a copy of a text that erasing the text does not reach.
type Trace struct {
	Kind  TraceKind
	Where string // its path; of a memory its number: #12
}
