package engine

import (
	"context"
	"errors"
	"io"

	"github.com/alanbuscaglia/engram"
)

// ImportMode says what an import does with what is here already.
type ImportMode string

// The modes.
const (
	ImportMerge   ImportMode = "merge"   // the later edit of each thing holds; nothing that is here alone changes
	ImportReplace ImportMode = "replace" // afterwards there is what is in the file: what is here alone is forgotten
)

// ImportInput says how a file comes in.
type ImportInput struct {
	Format  string     // one of Options.Formats, which finds out by itself what it is given; "" is NativeFormat
	Mode    ImportMode // "" is ImportMerge
	Project string     // everything goes into this project, whatever the file says; "": where it was
	DryRun  bool       // tells what would become of it, and changes nothing
	// Progress is told how many records were written, of how many; nil: nobody.
	Progress func(done, total int)
}

// Imported says what an import did.
type Imported struct {
	From   engram.Snapshot // the head of the file
	Mode   ImportMode
	Op     int64  // what undo takes back; 0 when nothing was changed
	Backup string // the copy of the database that was made before; "" when none was

	Projects  Tally
	Sessions  Tally
	Prompts   Tally
	Memories  Tally
	Relations Tally
	Erased    Tally // things that were removed for good elsewhere: Changed are those that were forgotten here for it

	Rejected []ImportNote // what did not come in, and why, in the order of the file; the first MostImportNotes
	Notes    []ImportNote // what came in otherwise than it stood there; the first MostImportNotes
}

// Tally counts the things of one kind in a file by what became of them.
type Tally struct {
	Added     int
	Changed   int
	Unchanged int
	Rejected  int // those that could not even be read count as memories
	Gone      int // not in the file, and forgotten or taken away for it: ImportReplace
}

// MostImportNotes is how many notes of a kind an import keeps.
const MostImportNotes = 1000

// ImportNote is about one item of a file.
type ImportNote struct {
	Item   string // where it stands: "memories[12]"
	Name   string // its id; "" when it has none
	Reason string
}

// All adds the tallies of every kind.
func (i Imported) All() Tally {
	var sum Tally
	for _, t := range []Tally{i.Projects, i.Sessions, i.Prompts, i.Memories, i.Relations, i.Erased} {
		sum.Added += t.Added
		sum.Changed += t.Changed
		sum.Unchanged += t.Unchanged
		sum.Rejected += t.Rejected
		sum.Gone += t.Gone
	}
	return sum
}

// Import brings a file in that an export wrote, here or elsewhere. It is read to its end
// before anything is written, and written in one transaction: it comes in or it does not,
// and Undo takes it back. Other writers wait while it is written.
//
// What is here is known again by its ids, so that importing twice changes nothing. Where
// both have something, lifecycle.Reconciled decides, and the text that lost stays as a
// revision. What was erased here stays away, and what was forgotten here stays forgotten
// unless it was edited later. Private spans are taken out, and the origin of memories is
// import. An item that is wrong is rejected and the rest comes in.
//
// CodeInvalid for what is no such file or was cut off, CodeConflict for one of a newer
// version, CodeUnavailable where ImportReplace can make no backup.
func (e *Engine) Import(ctx context.Context, r io.Reader, in ImportInput) (Imported, error) {
	f, err := e.format(in.Format)
	if err != nil {
		return Imported{}, err
	}
	switch in.Mode {
	case "":
		in.Mode = ImportMerge
	case ImportMerge, ImportReplace:
	default:
		return Imported{}, engram.Errorf(engram.CodeInvalid, "mode %q does not exist", in.Mode).WithHint("merge or replace")
	}
	in.Project = normalProject(in.Project)
	res := Imported{Mode: in.Mode}
	waiting, err := e.readAll(ctx, f, r, in, &res)
	if err != nil {
		return Imported{}, err
	}
	defer waiting.drop()
	if in.Mode == ImportReplace && !in.DryRun {
		if res.Backup, err = e.backup(ctx); err != nil {
			return Imported{}, err
		}
	}
	err = e.write(ctx, "import", func(o *op) error {
		i := newImporting(o, in, &res)
		if err := i.run(ctx, waiting); err != nil {
			return err
		}
		res.Op = o.first
		if in.DryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		res.Op, err = 0, nil
	}
	if err != nil {
		return Imported{}, err
	}
	return res, nil
}

// backup copies the database before it is replaced.
func (e *Engine) backup(ctx context.Context) (string, error) {
	if e.clinic == nil {
		return "", engram.Errorf(engram.CodeUnavailable, "no backup can be made here, and nothing is replaced without one").
			WithHint("import with mode merge")
	}
	return e.clinic.Backup(ctx)
}

// reject notes that an item does not come in.
func (i *Imported) reject(t *Tally, n ImportNote) {
	t.Rejected++
	if len(i.Rejected) < MostImportNotes {
		i.Rejected = append(i.Rejected, n)
	}
}

// note notes that an item comes in otherwise than it stood there.
func (i *Imported) note(n ImportNote) {
	if len(i.Notes) < MostImportNotes {
		i.Notes = append(i.Notes, n)
	}
}

// tally is that of a kind of record.
func (i *Imported) tally(r engram.Record) *Tally {
	switch {
	case r.Project != nil:
		return &i.Projects
	case r.Session != nil:
		return &i.Sessions
	case r.Prompt != nil:
		return &i.Prompts
	case r.Relation != nil:
		return &i.Relations
	case r.Erased != nil:
		return &i.Erased
	}
	return &i.Memories
}
