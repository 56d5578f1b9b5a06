package engram

import (
	"encoding/json"
	"time"
)

// Clock is a hybrid logical clock: milliseconds since 1970 in the upper 48 bits, a counter in the lower 16. It
// orders the writes of one store even when the wall clock stands still or runs backwards, and stays close to
// real time.
//
// Source: Kulkarni, Demirbas, Madappa, Avva, Leone, "Logical Physical Clocks and Consistent Snapshots in
// Globally Distributed Databases", OPODIS 2014.
type Clock int64

// Tick returns the next reading after c at the wall time now: greater than c, and equal to now when now is
// ahead.
func (c Clock) Tick(now time.Time) Clock {
	return max(c+1, Clock(now.UnixMilli()<<16))
}

// Time returns the wall part of c in UTC.
func (c Clock) Time() time.Time { return time.UnixMilli(int64(c) >> 16).UTC() }

// Entity is the kind of thing a mutation changed.
type Entity string

// The entities.
const (
	EntityMemory   Entity = "memory"
	EntityRelation Entity = "relation"
	EntitySession  Entity = "session"
	EntityPrompt   Entity = "prompt"
	EntityProject  Entity = "project"
	EntityErased   Entity = "erased"  // an erasure elsewhere, to be respected here
	EntityPending  Entity = "waiting" // a pending item that was approved or rejected
)

// Mutation is one journal entry: what one operation did to one thing, written in the same transaction.
//
// The journal keeps what a thing was; what it became is the next entry's Was, or the current state. So no text
// is kept twice, and erasing a memory means erasing its row, its revisions and its entries' Was. See
// docs/adr/0003.
type Mutation struct {
	Seq       int64 // per store, from 1, rising; not a cursor for replicas
	Op        int64 // Seq of the operation's first entry: the unit of undo
	At        Clock
	Device    string // which store wrote it
	Actor     string // who asked: "cli", "http", "mcp:claude-code"
	Operation string // the engine's operation: "save", "update", "forget", …
	Entity    Entity
	Key       string // number of a memory, prompt or relation; id of a session; name of a project; Erased.Key; w and the number of a pending item
	Project   string // where the thing was; moving it to another project moves its entries
	Reason    string // why the operation did this: "topic key", "exact repeat", …
	// Was is a JSON object of the changed fields with their old values; nil when the thing did not exist. It
	// omits title and content of a memory: the field "revision" names their Revision.
	Was json.RawMessage
	// Undoes, on the first entry of an operation, is the Op that it undoes; else 0.
	Undoes int64
}

// Operation is one call of an operation, as journaled.
type Operation struct {
	Op       int64
	At       Clock // of its first entry
	Actor    string
	Name     string
	Project  string // of its first entry
	Entries  int
	Undoes   int64 // the operation that it undid; 0: none
	UndoneBy int64 // the latest operation that undid it; 0: none
}

// LogEntry is an operation with the things it touched.
type LogEntry struct {
	Operation
	Reason string // of its first entry about a memory, else of its first entry
	// Items are the things it touched, each once, those of its first entries first. More says how many others;
	// for operations of hundreds of entries it counts entries, several of which may concern one thing.
	Items []LogItem
	More  int
	// Final says that undo cannot reverse it: it erased, or all it touched has been erased since.
	Final bool
}

// LogItem is one thing that an operation touched.
type LogItem struct {
	Entity  Entity
	Key     string
	ID      ID     // of a memory; "" when erased
	Title   string // of a memory as it is now, or both ends of a relation; "" when erased
	Created bool   // it did not exist before
	// Fields are the changes, sorted; "text" stands for title and content, "taken away" and "brought back" for
	// deletion and its reversal, "erased", and of a project "moved to NAME" and "removed".
	Fields []string
}

// Undone says what an undo did.
type Undone struct {
	Undone   Operation    // the undone operation
	Op       int64        // the undo's own operation, which can be undone; 0 when nothing changed
	Changes  []UndoChange // in the order of the journal, latest first
	Left     []string     // what was not undone, with the reason
	Projects []string     // those the operation wrote to, by name, without deleted ones
}

// UndoChange is the change of one thing.
type UndoChange struct {
	Entity Entity
	Key    string // as in the journal
	What   string // for a person: "restored text, tags", "forgotten: Auth model"
}

// JournalFilter narrows a list of operations. The zero value matches all.
type JournalFilter struct {
	Project     string // of the first entry; for an import or a pull of any entry
	WithDeleted bool   // with Project: operations on deleted projects too
	Entity      Entity // with Key: operations on this thing, moves between projects included
	Key         string
	Actor       string // or its part before a colon: "mcp" is every MCP client
	Operation   string
	Since       time.Time
	Until       time.Time
	After       int64 // only greater numbers
	OldestFirst bool  // reverses the list
	Op          int64 // only this operation; 0 is any
}

// JournalSpan is a part of the journal. The zero value is all of it.
type JournalSpan struct {
	Entity      Entity // of its entries; "" is any
	Key         string // with Entity: of one thing
	Op          int64  // of one operation; 0 is any
	After       int64  // exclusive lower bound of Seq
	Before      int64  // exclusive upper bound; 0: none
	Changes     bool   // only entries with Was, that is changes of existing things
	OldestFirst bool   // reverses the list
}
