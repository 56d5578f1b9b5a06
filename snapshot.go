package engram

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
)

// Snapshot is the head of a file in which memory travels: where its records come from.
type Snapshot struct {
	Format   string    // what wrote it: "json", "mem"; of a file that was read, what it was found to be
	At       time.Time // when it was written; zero when the file does not say
	Program  string    // the version of the program that wrote it; "" when unknown
	Project  string    // the one project it was taken from; "": every one, or unknown
	Whole    bool      // it says that it was taken from every project
	Memories int       // how many live ones it is to have, about; 0: unknown
	Lacks    []Entity  // kinds of things that the format has no room for
	// Untold are the fields of memories, by their names in a native file, that the format has
	// no room for.
	Untold []string
	Grid   time.Duration // what its times are multiples of; 0: milliseconds
}

// Record is one thing that travels. One of the pointers is set, or Flaw is.
type Record struct {
	Project  *Project
	Session  *Session
	Prompt   *Prompt
	Memory   *MemoryRecord
	Relation *RelationRecord
	Erased   *Erased

	// Causal is where the parts of it come from; nil in a format that does not tell, and of
	// what was erased. In it, Counts has every store's own.
	Causal *CausalMetadata
	// Tombstone says that it was taken away without a row being left, as a session is: it holds no
	// more than its names.
	Tombstone bool

	// Item says where in the file it stands: "memories[12]", from 0. "" for a record that
	// was in no file yet.
	Item string
	// Flaw says why what stands there is no record; the rest of the file can be read.
	Flaw error
}

// Entity is what kind of thing the record is about; "" when it could not be read.
func (r Record) Entity() Entity {
	switch {
	case r.Project != nil:
		return EntityProject
	case r.Session != nil:
		return EntitySession
	case r.Prompt != nil:
		return EntityPrompt
	case r.Memory != nil:
		return EntityMemory
	case r.Relation != nil:
		return EntityRelation
	case r.Erased != nil:
		return r.Erased.Entity
	}
	return ""
}

// MemoryRecord is a memory with all that belongs to it. Its Num, and that of its
// revisions, means nothing outside the store that it came from. An ID that is "" was
// never given; a SyncID then names it.
type MemoryRecord struct {
	Memory    Memory
	Revisions []Revision         // oldest first
	Vectors   []FingerprintedRow // nil when they were left out
}

// FingerprintedRow is a memory's vector of one model.
type FingerprintedRow struct {
	Model  string // fingerprint
	Values []float32
}

// RelationRecord is a relation whose memories are named as they are everywhere: Source and
// Target of Relation mean nothing.
type RelationRecord struct {
	Relation Relation
	Source   Ref
	Target   Ref
}

// Erased says that something was removed for good, and keeps none of its text.
type Erased struct {
	Entity Entity // memory, prompt or session
	ID     string // of a memory or a session; of a prompt, and of a memory of which it is not known, the sync id
	SyncID string // of a memory or a prompt; "" when that is not known
	// Project is the one it was in; "" when that is not known.
	Project string
	At      Clock
	// Bound says that it counts for what is in Project alone, for it came from there: who may
	// write to what one project shares has no say in another. What was erased here counts
	// everywhere. It does not travel.
	Bound bool `json:"-"`
}

// Digest tells what was erased earlier from what was erased later, as Lineage.Digest does
// of other things.
func (x Erased) Digest() int64 { return int64(x.At) }

// Name is what it is told from others of its kind by: the sync id where it has one.
func (x Erased) Name() string {
	if x.Entity == EntitySession {
		return x.ID
	}
	return cmp.Or(x.SyncID, x.ID)
}

// Key is what it is called where things are named by one: kind, a blank, Name, a tab and
// Project. Neither name has a tab.
func (x Erased) Key() string { return string(x.Entity) + " " + x.Name() + "\t" + x.Project }

// ErasedKey reads what Erased.Key wrote, as far as that tells: a memory's ID is not in it.
func ErasedKey(key string) Erased {
	kind, rest, _ := strings.Cut(key, " ")
	name, project, _ := strings.Cut(rest, "\t")
	x := Erased{Entity: Entity(kind), ID: name, Project: project}
	if x.Entity != EntitySession {
		x.SyncID = name
	}
	return x
}

// Format writes and reads whole stores as files, record by record: neither side keeps
// more than one of them in memory. It may be used by many goroutines.
type Format interface {
	// Write writes records, which come as Export gives them: projects, sessions, memories,
	// prompts, relations, what was erased. What the format has no room for is left out. An
	// error of records ends it, and is returned as it is.
	Write(w io.Writer, head Snapshot, records iter.Seq2[Record, error]) error
	// Fit returns what of a record Write would write; false when that is nothing. The record
	// is not changed.
	Fit(r Record) (Record, bool)
	// Read reads a file's head, and gives its records as they are read; what they hold was
	// not looked at, and may be anything. The last pair carries the error that ended it,
	// with the byte at which the file could not be read any further: CodeInvalid for a file
	// that is cut off, too deep, too large or none of this format, CodeConflict for one of
	// a newer version.
	Read(r io.Reader) (Snapshot, iter.Seq2[Record, error], error)
}

// SnapshotReader reads all there is of a kind, page by page, in an order that what is
// written meanwhile does not change: each page may be of a later state. A project of "" is
// every one, and there is nothing in one that does not exist. limit is at least 1.
type SnapshotReader interface {
	// MemoriesAfter returns memories with a greater number, by number, forgotten ones too.
	MemoriesAfter(ctx context.Context, project string, after int64, limit int) ([]Memory, error)
	// PromptsAfter returns prompts with a greater number, by number, deleted ones too.
	PromptsAfter(ctx context.Context, project string, after int64, limit int) ([]Prompt, error)
	// SessionsAfter returns sessions with a greater id, by id.
	SessionsAfter(ctx context.Context, project, after string, limit int) ([]Session, error)
	// RelationsAfter returns relations with a greater number, by number, removed ones too;
	// of a project are those whose memories are both in it.
	RelationsAfter(ctx context.Context, project string, after int64, limit int) ([]Relation, error)
	// ErasedAfter returns what was erased of a kind with a greater Erased.Key, by that; "" is
	// before every one.
	ErasedAfter(ctx context.Context, entity Entity, after string, limit int) ([]Erased, error)
	// Named returns the numbers and ids of the memories that have one of these IDs or sync
	// ids, forgotten ones too.
	Named(ctx context.Context, names []string) ([]MemoryName, error)
	// PromptBySyncID is the prompt of that name, deleted or not; found is false when there
	// is none.
	PromptBySyncID(ctx context.Context, syncID string) (p Prompt, found bool, err error)
}

// MemoryName is what a memory is called, and where it belongs.
type MemoryName struct {
	Num     int64
	ID      ID
	SyncID  string
	Project string
	Scope   Scope
}

// SnapshotWriter is what an import needs beside the other roles.
type SnapshotWriter interface {
	// PutErased remembers that something was erased. With what is known of the same Key it is
	// brought together as lifecycle.MergeErased does it. What waits of it is removed.
	PutErased(ctx context.Context, x Erased) error
	// DropErased takes that back, and returns what was remembered under an Erased.Key; found
	// is false when nothing was.
	DropErased(ctx context.Context, key string) (x Erased, found bool, err error)
}

// ImportMode says what an import does with what is here already.
type ImportMode string

// The modes.
const (
	ImportMerge   ImportMode = "merge"   // the later edit of each thing holds; nothing that is here alone changes
	ImportReplace ImportMode = "replace" // afterwards there is what is in the file: what is here alone is forgotten
)

// Imported says what an import did.
type Imported struct {
	From   Snapshot // the head of the file
	Mode   ImportMode
	Op     int64  // what undo takes back; 0 when nothing was changed
	Backup string // the copy of the database that was made before; "" when none was
	// Forgets is how many memories an ImportReplace forgets, or would forget, of which projects, by
	// name. They are the Gone of Memories.
	Forgets []ProjectMemories
	// Elsewhere is how many things of the file were passed over because they are of other projects
	// than the one that is replaced.
	Elsewhere int

	Projects  ImportTally
	Sessions  ImportTally
	Prompts   ImportTally
	Memories  ImportTally
	Relations ImportTally
	Erased    ImportTally // things that were removed for good elsewhere: Changed are those that were forgotten here for it

	// Pending is how many memories of those that were written wait for a person, since they read
	// like an order to an agent: until that one approves them they are not told unasked.
	Pending int

	Rejected []ImportNote // what did not come in, and why, in the order of the file; the first MostImportNotes
	Notes    []ImportNote // what came in otherwise than it stood there; the first MostImportNotes
}

// ProjectMemories is how many memories of a project something is about.
type ProjectMemories struct {
	Project  string
	Memories int
}

// ImportTally counts the things of one kind in a file by what became of them.
type ImportTally struct {
	Added     int
	Changed   int
	Unchanged int
	Forgotten int // of these, those that were forgotten or deleted here since, and stay so
	Rejected  int // those that could not even be read count as memories
	Removed   int // not in the file, and forgotten or taken away for it: ImportReplace
}

// MostImportNotes is how many notes of a kind an import keeps.
const MostImportNotes = 1000

// ImportNote is about one item of a file or a batch.
type ImportNote struct {
	Item   string // where it stands: "memories[12]"
	Name   string // its id; "" when it has none
	Batch  string // that it came with, of a pull; else ""
	Reason string
}

// All adds the tallies of every kind.
func (i Imported) All() ImportTally {
	var sum ImportTally
	for _, t := range []ImportTally{i.Projects, i.Sessions, i.Prompts, i.Memories, i.Relations, i.Erased} {
		sum.add(t)
	}
	return sum
}

func (t *ImportTally) add(o ImportTally) {
	t.Added += o.Added
	t.Changed += o.Changed
	t.Unchanged += o.Unchanged
	t.Forgotten += o.Forgotten
	t.Rejected += o.Rejected
	t.Removed += o.Removed
}

// Add adds the tallies and notes of another import: what several did together.
func (i *Imported) Add(o Imported) {
	i.Projects.add(o.Projects)
	i.Sessions.add(o.Sessions)
	i.Prompts.add(o.Prompts)
	i.Memories.add(o.Memories)
	i.Relations.add(o.Relations)
	i.Erased.add(o.Erased)
	i.Pending += o.Pending
	i.Rejected = firstNotes(append(i.Rejected, o.Rejected...))
	i.Notes = firstNotes(append(i.Notes, o.Notes...))
}

func firstNotes(all []ImportNote) []ImportNote { return all[:min(len(all), MostImportNotes)] }

// Reject notes that an item does not come in.
func (i *Imported) Reject(r Record, n ImportNote) {
	i.Of(r).Rejected++
	if len(i.Rejected) < MostImportNotes {
		i.Rejected = append(i.Rejected, n)
	}
}

// Note notes that an item comes in otherwise than it stood there.
func (i *Imported) Note(n ImportNote) {
	if len(i.Notes) < MostImportNotes {
		i.Notes = append(i.Notes, n)
	}
}

// Of is the tally of the kind of r. Of one that could not be read the list in which it stands
// says the kind; where that says nothing it counts as a memory.
func (i *Imported) Of(r Record) *ImportTally {
	list := ""
	if r.Flaw != nil { // "memories[12]" of a file, "memories 12" of a table
		list = r.Item[:len(r.Item)-len(strings.TrimLeft(r.Item, "abcdefghijklmnopqrstuvwxyz_"))]
	}
	switch {
	case r.Project != nil || list == "projects":
		return &i.Projects
	case r.Session != nil || list == "sessions":
		return &i.Sessions
	case r.Prompt != nil || list == "prompts" || list == "user_prompts":
		return &i.Prompts
	case r.Relation != nil || slices.Contains([]string{"relations", "relationships", "memory_relations", "links", "memory_links"}, list):
		return &i.Relations
	case r.Erased != nil || list == "erased":
		return &i.Erased
	}
	return &i.Memories
}
