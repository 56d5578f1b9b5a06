package document

import "github.com/alanbuscaglia/engram"

// Operation is one call of a verb, as the journal has it.
type Operation struct {
	Op       int64     `json:"op"`
	At       Stamp     `json:"at"`
	Actor    string    `json:"actor"`
	Verb     string    `json:"verb"`
	Project  string    `json:"project"`
	Reason   string    `json:"reason"`
	Entries  int       `json:"entries"`   // what it touched, twice where it did so twice
	Undoes   int64     `json:"undoes"`    // the operation that it took back; 0: none
	UndoneBy int64     `json:"undone_by"` // the operation that took it back; 0: none
	Items    []LogItem `json:"items"`     // the first things it touched
	More     int       `json:"more"`      // how many others there were
	Final    bool      `json:"final"`     // undo cannot take it back: it erased, or all that it touched was erased since
}

// LogItem is one thing that an operation touched.
type LogItem struct {
	Entity  engram.Entity `json:"entity"`
	Key     string        `json:"key"`
	Title   string        `json:"title"` // of a memory as it is now
	Created bool          `json:"created"`
	Fields  []string      `json:"fields"` // that changed
}

// Log is the answer of the log.
type Log struct {
	Begins     Stamp       `json:"begins"` // the journal knows nothing of before; null: it knows all
	Operations []Operation `json:"operations"`
}

// OperationOf is the document of e.
func OperationOf(e engram.LogEntry) Operation {
	return Operation{e.Op, Stamp(e.At.Time()), e.Actor, e.Verb, e.Project, e.Reason, e.Entries, e.Undoes, e.UndoneBy,
		Each(e.Items, func(i engram.LogItem) LogItem { return LogItem{i.Entity, i.Key, i.Title, i.Created, OrEmpty(i.Fields)} }), e.More, e.Final}
}

// Undone is the answer of an undo.
type Undone struct {
	DryRun  bool         `json:"dry_run"` // nothing was changed
	Undone  int64        `json:"undone"`  // the operation that was taken back
	Verb    string       `json:"verb"`
	Op      int64        `json:"op"` // undoing this does it again; 0 when nothing was changed
	Changes []UndoChange `json:"changes"`
	Left    []string     `json:"left"` // what stayed as it is, with the reason
	// Projects are those in which the operation had written, by name, where there are several.
	Projects []string `json:"projects,omitempty"`
}

// UndoChange is what became of one thing.
type UndoChange struct {
	Entity engram.Entity `json:"entity"`
	Key    string        `json:"key"`
	What   string        `json:"what"`
}

// UndoneOf is the document of u.
func UndoneOf(u engram.Undone, dry bool) Undone {
	doc := Undone{DryRun: dry, Undone: u.Undone.Op, Verb: u.Undone.Verb, Op: u.Op, Left: OrEmpty(u.Left),
		Changes: Each(u.Changes, func(c engram.UndoChange) UndoChange { return UndoChange{c.Entity, c.Key, c.What} })}
	if len(u.Projects) > 1 {
		doc.Projects = u.Projects
	}
	return doc
}
