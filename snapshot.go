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

// Snapshot is the head of a file of exported records.
type Snapshot struct {
	Format   string    // the format: "json", "mem"; on reading, the detected one
	At       time.Time // when it was written; zero when unknown
	Program  string    // version of the writing program; "" when unknown
	Project  string    // the one project it was taken from; "": all, or unknown
	Whole    bool      // it says that it was taken from every project
	Memories int       // approximate number of live memories; 0: unknown
	Lacks    []Entity  // kinds of things the format cannot hold
	// Unlisted are the fields of memories, by their names in a native file, that the format cannot hold.
	Unlisted []string
	Grid     time.Duration // resolution of its times; 0: milliseconds
}

// Record is one exported thing. One of the pointers is set, or Flaw.
type Record struct {
	Project  *Project
	Session  *Session
	Prompt   *Prompt
	Memory   *MemoryRecord
	Relation *RelationRecord
	Erased   *Erased

	// Causal is its causal metadata, with every store's own Counts; nil for formats without it and for
	// erasures.
	Causal *CausalMetadata
	// Tombstone says that it was deleted without leaving a row, as sessions are: it holds only its names.
	Tombstone bool

	Item string // its place in the file: "memories[12]", from 0; "" outside files
	Flaw error  // says why this item cannot be read; the rest of the file can
}

// Entity returns the kind of the record; "" when unreadable.
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

// MemoryRecord is a memory with all that belongs to it. Num is valid only in its own store. An empty ID was
// never assigned; then SyncID names the memory.
type MemoryRecord struct {
	Memory    Memory
	Revisions []Revision         // oldest first
	Vectors   []FingerprintedRow // nil when left out
}

// FingerprintedRow is a memory's vector of one model.
type FingerprintedRow struct {
	Model  string    // fingerprint
	Values []float32 // as Vector has them
}

// RelationRecord is a relation with globally named ends: Relation's Source and Target are unused.
type RelationRecord struct {
	Relation Relation
	Source   Ref
	Target   Ref
}

// Erased records that something was erased, without its text.
type Erased struct {
	Entity  Entity // memory, prompt or session
	ID      string // of a memory or a session; the sync id of a prompt, and of a memory whose ID is unknown
	SyncID  string // of a memory or a prompt; "" when unknown
	Project string // where it was; "" when unknown
	At      Clock
	// Bound limits its effect to Project, where it came from: writers to one shared project must not affect
	// others. Local erasures apply everywhere. It is not replicated.
	Bound bool `json:"-"`
}

// Digest distinguishes earlier from later erasures, as CausalMetadata.Digest does for other things.
func (x Erased) Digest() int64 { return int64(x.At) }

// Name identifies it among its kind: the sync id where it has one.
func (x Erased) Name() string {
	if x.Entity == EntitySession {
		return x.ID
	}
	return cmp.Or(x.SyncID, x.ID)
}

// Key is a single name: kind, a blank, Name, a tab and Project. Neither name has a tab.
func (x Erased) Key() string { return string(x.Entity) + " " + x.Name() + "\t" + x.Project }

// ErasedKey reads Erased.Key, except for a memory's ID, which is not in it.
func ErasedKey(key string) Erased {
	kind, rest, _ := strings.Cut(key, " ")
	name, project, _ := strings.Cut(rest, "\t")
	x := Erased{Entity: Entity(kind), ID: name, Project: project}
	if x.Entity != EntitySession {
		x.SyncID = name
	}
	return x
}

// Format writes and reads whole stores as files, holding one record in memory at a time. It is safe for
// concurrent use.
type Format interface {
	// Write writes records in the order of Export: projects, sessions, memories, prompts, relations, erasures.
	// It omits what the format cannot hold. An error from records ends it and is returned unchanged.
	Write(w io.Writer, head Snapshot, records iter.Seq2[Record, error]) error
	// Fit returns the part of a record that Write would write; false for none. The record is not changed.
	Fit(r Record) (Record, bool)
	// Read reads a file's head and yields its records as they are read, unchecked. The last pair carries the
	// error that ended it, with the byte offset: CodeInvalid for a file that is truncated, too deep, too large
	// or of another format, CodeConflict for a newer version.
	Read(r io.Reader) (Snapshot, iter.Seq2[Record, error], error)
}

// NameReader looks up memories by their names elsewhere.
type NameReader interface {
	// Named returns the names of memories with one of these IDs or sync ids, forgotten ones included.
	Named(ctx context.Context, names []string) ([]MemoryName, error)
}

// MemoryName is the names of a memory, and where it belongs.
type MemoryName struct {
	Num     int64
	ID      ID
	SyncID  string
	Project string
	Scope   Scope
}

// ImportMode says what an import does with existing data.
type ImportMode string

// The modes.
const (
	ImportMerge   ImportMode = "merge"   // the later edit of each thing wins; things only here do not change
	ImportReplace ImportMode = "replace" // the file replaces what is here: memories only here are forgotten
)

// Imported is the result of an import.
type Imported struct {
	From   Snapshot // the head of the file
	Mode   ImportMode
	Op     int64  // for undo; 0 when nothing changed
	Backup string // the copy of the database made before; "" for none
	// Forgets is how many memories an ImportReplace forgets, or would forget, by project name: the Removed of
	// Memories.
	Forgets []ProjectMemories
	// Elsewhere counts things of the file that belong to other projects than the replaced one and were skipped.
	Elsewhere int

	Projects  ImportTally
	Sessions  ImportTally
	Prompts   ImportTally
	Memories  ImportTally
	Relations ImportTally
	Erased    ImportTally // erasures elsewhere; Changed are those forgotten here for it

	// Pending counts imported memories flagged as instruction-like: they are not injected until a person
	// approves them.
	Pending int

	Rejected []ImportNote // what was rejected and why, in the order of the file; the first MostImportNotes
	Notes    []ImportNote // what was changed on import; the first MostImportNotes
}

// ProjectMemories is a number of memories of a project.
type ProjectMemories struct {
	Project  string
	Memories int
}

// ImportTally counts the things of one kind in a file by outcome.
type ImportTally struct {
	Added     int
	Changed   int
	Unchanged int
	Forgotten int // of these, those forgotten or deleted here since, which stay so
	Rejected  int // unreadable ones count as memories
	Removed   int // not in the file, and forgotten or removed by ImportReplace
}

// MostImportNotes limits the notes of a kind that an import keeps.
const MostImportNotes = 1000

// ImportNote is about one item of a file or a batch.
type ImportNote struct {
	Item   string // its place: "memories[12]"
	Name   string // its id; "" for none
	Batch  string // its batch, for a pull; else ""
	Reason string
}

// All adds the tallies of every kind.
func (i Imported) All() ImportTally {
	var sum ImportTally
	for _, t := range i.tallies() {
		sum.add(*t)
	}
	return sum
}

func (i *Imported) tallies() []*ImportTally {
	return []*ImportTally{&i.Projects, &i.Sessions, &i.Prompts, &i.Memories, &i.Relations, &i.Erased}
}

func (t *ImportTally) add(o ImportTally) {
	t.Added += o.Added
	t.Changed += o.Changed
	t.Unchanged += o.Unchanged
	t.Forgotten += o.Forgotten
	t.Rejected += o.Rejected
	t.Removed += o.Removed
}

// Add adds the tallies and notes of another import.
func (i *Imported) Add(o Imported) {
	for kind, t := range i.tallies() {
		t.add(*o.tallies()[kind])
	}
	i.Pending += o.Pending
	i.Rejected = firstNotes(append(i.Rejected, o.Rejected...))
	i.Notes = firstNotes(append(i.Notes, o.Notes...))
}

func firstNotes(all []ImportNote) []ImportNote { return all[:min(len(all), MostImportNotes)] }

// Reject notes that an item is rejected.
func (i *Imported) Reject(r Record, n ImportNote) {
	i.Of(r).Rejected++
	if len(i.Rejected) < MostImportNotes {
		i.Rejected = append(i.Rejected, n)
	}
}

// Note notes that an item was changed on import.
func (i *Imported) Note(n ImportNote) {
	if len(i.Notes) < MostImportNotes {
		i.Notes = append(i.Notes, n)
	}
}

// Of returns the tally for the kind of r. An unreadable record is classified by the list it stands in, else as
// a memory.
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
