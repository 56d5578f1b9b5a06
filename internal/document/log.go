package document

import "github.com/alanbuscaglia/engram"

// Operation is one call of a verb, as the journal has it.
type Operation struct {
	Op       int64     `json:"op"`
	At       Timestamp `json:"at"`
	Actor    string    `json:"actor"`
	Name     string    `json:"verb"`
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
	Begins     Timestamp   `json:"begins"` // the journal knows nothing of before; null: it knows all
	Operations []Operation `json:"operations"`
}

// OperationOf is the document of e.
func OperationOf(e engram.LogEntry) Operation {
	return Operation{e.Op, Timestamp(e.At.Time()), e.Actor, e.Name, e.Project, e.Reason, e.Entries, e.Undoes, e.UndoneBy,
		Each(e.Items, func(i engram.LogItem) LogItem { return LogItem{i.Entity, i.Key, i.Title, i.Created, OrEmpty(i.Fields)} }), e.More, e.Final}
}

// Undone is the answer of an undo.
type Undone struct {
	DryRun    bool         `json:"dry_run"` // nothing was changed
	Undone    int64        `json:"undone"`  // the operation that was taken back
	Operation string       `json:"verb"`
	Op        int64        `json:"op"` // undoing this does it again; 0 when nothing was changed
	Changes   []UndoChange `json:"changes"`
	Left      []string     `json:"left"` // what stayed as it is, with the reason
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
	doc := Undone{DryRun: dry, Undone: u.Undone.Op, Operation: u.Undone.Name, Op: u.Op, Left: OrEmpty(u.Left),
		Changes: Each(u.Changes, func(c engram.UndoChange) UndoChange { return UndoChange{c.Entity, c.Key, c.What} })}
	if len(u.Projects) > 1 {
		doc.Projects = u.Projects
	}
	return doc
}

// History is a memory with all that it ever said.
type History struct {
	ID        engram.ID `json:"id"`
	Num       int64     `json:"num"`
	DeletedAt Timestamp `json:"deleted_at"`
	Versions  []Version `json:"versions"` // oldest first; the last is what it says now

	Origin engram.Origin `json:"origin"`
	// Flagged says why it reads like an order to an agent; absent where it does not, or was
	// approved.
	Flagged []string `json:"suspect,omitempty"`
}

// Version is what a memory said for a while.
type Version struct {
	Number     int         `json:"number"`
	Type       engram.Type `json:"type"`
	Title      string      `json:"title"`
	Content    string      `json:"content"`
	WrittenAt  Timestamp   `json:"written_at"`
	ReplacedAt Timestamp   `json:"replaced_at"` // null for what it says now
	Reason     string      `json:"reason"`
}

// HistoryOf is the document of h.
func HistoryOf(h engram.History) History {
	return History{h.Memory.ID, h.Memory.Num, Timestamp(h.Memory.DeletedAt), Each(h.Versions, VersionOf), h.Memory.Origin, h.Flagged}
}

// VersionOf is the document of v.
func VersionOf(v engram.Version) Version {
	return Version{v.Number, v.Type, v.Title, v.Content, Timestamp(v.WrittenAt), Timestamp(v.ReplacedAt), v.Reason}
}

// Diff is what changed from one version of a memory to another.
type Diff struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Diff string `json:"diff"` // [-gone-] and {+come+}; "" when they say the same
}

// Deleted is the answer of a deletion.
type Deleted struct {
	Hard    bool          `json:"hard"` // erased, not only forgotten
	Deleted []MemoryTitle `json:"deleted"`
	HeldBy  []Trace       `json:"held_by"` // who holds what was erased all the same
}

// Trace is a copy that an erase does not reach.
type Trace struct {
	Kind  engram.TraceKind `json:"kind"`
	Where string           `json:"where"`
}

// DeletedOf is the document of what was deleted.
func DeletedOf(gone []engram.Memory, held []engram.Trace, hard bool) Deleted {
	return Deleted{hard, Each(gone, MemoryTitleOf), Each(held, TraceOf)}
}

// TraceOf is the document of t.
func TraceOf(t engram.Trace) Trace { return Trace(t) }

// Exposure is one showing of a memory to a session.
type Exposure struct {
	At        Timestamp   `json:"at"`
	Operation string      `json:"verb"`   // search, recall, context, get or remind
	Query     string      `json:"query"`  // private spans removed; "" when nothing was asked
	Num       int64       `json:"num"`    // of the memory; 0 when nothing was shown, or it was erased
	Type      engram.Type `json:"type"`   // as it is now
	Title     string      `json:"title"`  // as it is now
	Rank      int         `json:"rank"`   // from 1; 0 when nothing was shown
	Tokens    int         `json:"tokens"` // what showing it cost, about
	Deleted   bool        `json:"gone"`   // forgotten or erased since
}

// UseOf is the document of u, whose memory is now called so; gone says that it was
// forgotten or erased since.
func UseOf(u engram.Exposure, t engram.Type, title string, gone bool) Exposure {
	return Exposure{Timestamp(u.At), u.Operation, u.Query, u.Memory, t, title, u.Rank, u.Tokens, gone}
}

// Shown is a memory as it is shown within a budget of tokens.
type Shown struct {
	Rank   int     `json:"rank"`   // from 1
	Score  float64 `json:"score"`  // greater is better; comparable within one answer
	Whole  bool    `json:"whole"`  // all of the content is shown
	Tokens int     `json:"tokens"` // what text costs, about
	Text   string  `json:"text"`
	Memory Memory  `json:"memory"`
	// Relations change how the memory should be read.
	Relations []Relation `json:"relations"`
	Why       Why        `json:"why"`
}

// ShownOf is the document of a hit of which text is shown.
func ShownOf(rank int, h engram.Hit, text string, whole bool, tokens int) Shown {
	return Shown{Rank: rank, Score: h.Score, Whole: whole, Tokens: tokens, Text: text, Memory: memoryIn(h.Memory, h.Note()),
		Relations: Each(h.Relations, RelationOf), Why: WhyOf(h.Why)}
}
