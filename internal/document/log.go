package document

import "github.com/alanbuscaglia/engram"

// Operation is one operation in the journal.
type Operation struct {
	Op       int64     `json:"op"`
	At       Timestamp `json:"at"`
	Actor    string    `json:"actor"`
	Name     string    `json:"verb"`
	Project  string    `json:"project"`
	Reason   string    `json:"reason"`
	Entries  int       `json:"entries"`   // number of changes
	Undoes   int64     `json:"undoes"`    // operation that it undid; 0: none
	UndoneBy int64     `json:"undone_by"` // operation that undid it; 0: none
	Items    []LogItem `json:"items"`     // the first changed records
	More     int       `json:"more"`      // number of further records
	Final    bool      `json:"final"`     // it cannot be undone: it erased records, or all its records were erased since
}

// LogItem is a record that an operation changed.
type LogItem struct {
	Entity  engram.Entity `json:"entity"`
	Key     string        `json:"key"`
	Title   string        `json:"title"` // current title of a memory
	Created bool          `json:"created"`
	Fields  []string      `json:"fields"` // changed fields
}

// Log is the answer of log.
type Log struct {
	Begins     Timestamp   `json:"begins"` // start of the journal; null: it is complete
	Operations []Operation `json:"operations"`
}

// OperationOf returns the document of e.
func OperationOf(e engram.LogEntry) Operation {
	return Operation{e.Op, Timestamp(e.At.Time()), e.Actor, e.Name, e.Project, e.Reason, e.Entries, e.Undoes, e.UndoneBy,
		Each(e.Items, func(i engram.LogItem) LogItem { return LogItem{i.Entity, i.Key, i.Title, i.Created, OrEmpty(i.Fields)} }), e.More, e.Final}
}

// Undone is the result of an undo.
type Undone struct {
	DryRun    bool         `json:"dry_run"` // nothing was changed
	Undone    int64        `json:"undone"`  // the undone operation
	Operation string       `json:"verb"`
	Op        int64        `json:"op"` // operation to redo it; 0 if nothing was changed
	Changes   []UndoChange `json:"changes"`
	Left      []string     `json:"left"` // records left unchanged, with the reason
	// Projects are the projects that the operation had changed, by name, if there are several.
	Projects []string `json:"projects,omitempty"`
}

// UndoChange is the result for one record.
type UndoChange struct {
	Entity engram.Entity `json:"entity"`
	Key    string        `json:"key"`
	What   string        `json:"what"`
}

// UndoneOf returns the document of u.
func UndoneOf(u engram.Undone, dry bool) Undone {
	doc := Undone{DryRun: dry, Undone: u.Undone.Op, Operation: u.Undone.Name, Op: u.Op, Left: OrEmpty(u.Left),
		Changes: Each(u.Changes, func(c engram.UndoChange) UndoChange { return UndoChange{c.Entity, c.Key, c.What} })}
	if len(u.Projects) > 1 {
		doc.Projects = u.Projects
	}
	return doc
}

// History is a memory with all its versions.
type History struct {
	ID        engram.ID `json:"id"`
	Num       int64     `json:"num"`
	DeletedAt Timestamp `json:"deleted_at"`
	Versions  []Version `json:"versions"` // oldest first; the last is the current one

	Origin engram.Origin `json:"origin"`
	// Flagged says why it is flagged as instruction-like; absent if it is not, or was approved.
	Flagged []string `json:"suspect,omitempty"`
}

// Version is one text of a memory, current or earlier.
type Version struct {
	Number     int         `json:"number"`
	Type       engram.Type `json:"type"`
	Title      string      `json:"title"`
	Content    string      `json:"content"`
	WrittenAt  Timestamp   `json:"written_at"`
	ReplacedAt Timestamp   `json:"replaced_at"` // null for the current text
	Reason     string      `json:"reason"`
}

// HistoryOf returns the document of h.
func HistoryOf(h engram.History) History {
	return History{h.Memory.ID, h.Memory.Num, Timestamp(h.Memory.DeletedAt), Each(h.Versions, VersionOf), h.Memory.Origin, h.Flagged}
}

// VersionOf returns the document of v.
func VersionOf(v engram.Version) Version {
	return Version{v.Number, v.Type, v.Title, v.Content, Timestamp(v.WrittenAt), Timestamp(v.ReplacedAt), v.Reason}
}

// Diff compares two versions of a memory.
type Diff struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Diff string `json:"diff"` // [-removed-] and {+added+}; "" for equal texts
}

// Deleted is the result of a deletion.
type Deleted struct {
	Hard    bool          `json:"hard"` // erased, not only forgotten
	Deleted []MemoryTitle `json:"deleted"`
	HeldBy  []Trace       `json:"held_by"` // copies of the erased text that could not be reached
}

// Trace is a copy of erased text that the erasure could not reach.
type Trace struct {
	Kind  engram.TraceKind `json:"kind"`
	Where string           `json:"where"`
}

// DeletedOf returns the document of a deletion.
func DeletedOf(deleted []engram.Memory, held []engram.Trace, hard bool) Deleted {
	return Deleted{hard, Each(deleted, MemoryTitleOf), Each(held, TraceOf)}
}

// TraceOf returns the document of t.
func TraceOf(t engram.Trace) Trace { return Trace(t) }

// Exposure is one memory shown to a session.
type Exposure struct {
	At        Timestamp   `json:"at"`
	Operation string      `json:"verb"`   // search, recall, context, get or remind
	Query     string      `json:"query"`  // without private spans; "" if there was no question
	Num       int64       `json:"num"`    // number of the memory; 0 if nothing was shown or it was erased
	Type      engram.Type `json:"type"`   // current type
	Title     string      `json:"title"`  // current title
	Rank      int         `json:"rank"`   // from 1; 0 if nothing was shown
	Tokens    int         `json:"tokens"` // estimated tokens
	Deleted   bool        `json:"gone"`   // forgotten or erased since
}

// ExposureOf returns the document of u with the current type and title of its memory; deleted means forgotten or
// erased since.
func ExposureOf(u engram.Exposure, t engram.Type, title string, deleted bool) Exposure {
	return Exposure{Timestamp(u.At), u.Operation, u.Query, u.Memory, t, title, u.Rank, u.Tokens, deleted}
}

// Shown is a memory shown within a token budget.
type Shown struct {
	Rank   int     `json:"rank"`   // from 1
	Score  float64 `json:"score"`  // greater is better; comparable within one answer
	Whole  bool    `json:"whole"`  // text contains all of the content
	Tokens int     `json:"tokens"` // estimated tokens of text
	Text   string  `json:"text"`
	Memory Memory  `json:"memory"`
	// Relations change how the memory should be read.
	Relations []Relation `json:"relations"`
	Why       Why        `json:"why"`
	Uncertain bool       `json:"uncertain,omitempty"` // one of the nearest, where nothing is surely relevant
}

// ShownOf returns the document of a hit that is shown as text.
func ShownOf(rank int, h engram.Hit, text string, whole bool, tokens int) Shown {
	return Shown{Rank: rank, Score: h.Score, Whole: whole, Tokens: tokens, Text: text, Memory: memoryIn(h.Memory, h.Note()),
		Relations: Each(h.Relations, RelationOf), Why: WhyOf(h.Why)}
}
