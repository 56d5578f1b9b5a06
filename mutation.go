package engram

import (
	"encoding/json"
	"time"
)

// Clock is a hybrid logical clock: milliseconds since 1970 in the upper 48 bits,
// a counter in the lower 16. It orders what one store wrote even when the wall
// clock stands still or runs backwards, and stays close to real time.
//
// Source: Kulkarni, Demirbas, Madappa, Avva, Leone, "Logical Physical Clocks and
// Consistent Snapshots in Globally Distributed Databases", OPODIS 2014.
type Clock int64

// Tick returns the next reading after c at the wall time now: always greater than
// c, and now itself when now is ahead of c.
func (c Clock) Tick(now time.Time) Clock {
	return max(c+1, Clock(now.UnixMilli()<<16))
}

// Time returns the wall part of c in UTC.
func (c Clock) Time() time.Time { return time.UnixMilli(int64(c) >> 16).UTC() }

// Entity is what kind of thing a mutation changed.
type Entity string

// The entities.
const (
	EntityMemory   Entity = "memory"
	EntityRelation Entity = "relation"
	EntitySession  Entity = "session"
	EntityPrompt   Entity = "prompt"
	EntityProject  Entity = "project"
	EntityErased   Entity = "erased"  // that something was erased elsewhere, and is to stay away
	EntityPending  Entity = "waiting" // what waits for a person, and was taken or refused
)

// Mutation is one journal entry: what one verb did to one thing. It is written in
// the transaction that writes the state.
//
// The journal keeps what a thing was; what it became is the next entry's Was, or
// the state itself. So no text is kept twice, and erasing one memory means erasing
// its row, its revisions and its entries' Was. docs/adr/0003 says more.
type Mutation struct {
	Seq       int64 // per store, from 1, rising; not a cursor for replicas
	Op        int64 // Seq of the first entry of the same verb: what undo takes back at once
	At        Clock
	Device    string // which store wrote it
	Actor     string // who asked: "cli", "http", "mcp:claude-code"
	Operation string // the engine's verb: "save", "update", "forget", …
	Entity    Entity
	Key       string // number of a memory, prompt or relation; id of a session; name of a project; Erased.Key of what was erased elsewhere; w and the number of what waits
	Project   string // where the thing was; a move between projects takes its entries along
	Reason    string // why the verb did this: "topic key", "exact repeat", …
	// Was is a JSON object of the fields that changed, with their old values; nil
	// when the thing did not exist. Title and content of a memory are not in it: the
	// field "revision" names the Revision that holds them.
	Was json.RawMessage
	// Undoes is the Op that this entry's op takes back; on the first entry of an op
	// alone, 0 when it takes nothing back.
	Undoes int64
}

// Operation is one call of a verb, as the journal has it.
type Operation struct {
	Op       int64
	At       Clock // of its first entry
	Actor    string
	Name     string
	Project  string // of its first entry
	Entries  int
	Undoes   int64 // the operation that it took back; 0: none
	UndoneBy int64 // the latest operation that took it back; 0: none
}

// LogEntry is an operation with what it touched.
type LogEntry struct {
	Operation
	Reason string // of its first entry about a memory, else of its first
	// Items are the things it touched, those of its first entries first, each once. More
	// says how many others there were; of an operation of hundreds of entries it counts
	// entries, of which a thing may have several.
	Items []LogItem
	More  int
	// Final says that undo cannot take it back: it erased, or all that it touched was erased
	// since.
	Final bool
}

// LogItem is one thing that an operation touched.
type LogItem struct {
	Entity  Entity
	Key     string
	ID      ID     // of a memory; "" when it was erased
	Title   string // of a memory as it is now, of a relation what it ties; "" when it was erased
	Created bool   // it did not exist before
	// Fields are what changed, sorted; "text" stands for title and content, "taken away" and
	// "brought back" for being forgotten, deleted or removed, and coming back, "erased",
	// and of a project "moved to NAME" and "removed".
	Fields []string
}

// Undone says what an undo did.
type Undone struct {
	Undone  Operation    // what was taken back
	Op      int64        // the undo's own operation: undoing it does it again; 0 when nothing was changed
	Changes []UndoChange // in the order of the journal, the latest first
	Left    []string     // what stayed as it is, with the reason
	// Projects are those in which the operation had written, by name; those that are gone are
	// not among them.
	Projects []string
}

// UndoChange is what became of one thing.
type UndoChange struct {
	Entity Entity
	Key    string // as in the journal
	What   string // for a person: "restored text, tags", "forgotten: Auth model"
}

// JournalFilter narrows a list of operations. The zero value lets all pass.
type JournalFilter struct {
	Project     string // of the first entry; of any entry of an import or a pull
	WithDeleted bool   // with Project: what was done to projects that are gone, too
	Entity      Entity // with Key: operations that touched this thing, moves between projects too
	Key         string
	Actor       string // or its beginning up to a colon: "mcp" is every MCP client
	Operation   string
	Since       time.Time
	Until       time.Time
	After       int64 // operations of greater numbers
	// OldestFirst turns the list around.
	OldestFirst bool
}

// JournalSpan is a part of the journal.
type JournalSpan struct {
	Entity  Entity // what its entries are about
	After   int64  // a smaller Seq than any of them
	Before  int64  // a greater one; 0: up to the newest
	Changes bool   // only what changed of things that were there: entries with Was
}
