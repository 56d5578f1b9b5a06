package engram

import (
	"slices"
	"strings"
)

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

	// Waiting is how many memories of those that were written wait for a person, since they read
	// like an order to an agent: until that one approves them they are not told unasked.
	Waiting int

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
	Gone      int // not in the file, and forgotten or taken away for it: ImportReplace
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
	t.Gone += o.Gone
}

// Add adds the tallies and notes of another import: what several did together.
func (i *Imported) Add(o Imported) {
	i.Projects.add(o.Projects)
	i.Sessions.add(o.Sessions)
	i.Prompts.add(o.Prompts)
	i.Memories.add(o.Memories)
	i.Relations.add(o.Relations)
	i.Erased.add(o.Erased)
	i.Waiting += o.Waiting
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
