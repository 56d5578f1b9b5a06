package engine

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// ImportMode says what an import does with what is here already.
type ImportMode = engram.ImportMode

// The modes.
const (
	ImportMerge   = engram.ImportMerge
	ImportReplace = engram.ImportReplace
)

// Imported says what an import did.
type Imported = engram.Imported

// ImportInput says how a file comes in.
type ImportInput struct {
	Format string     // one of Options.Formats, which finds out by itself what it is given; "" is NativeFormat
	Mode   ImportMode // "" is ImportMerge
	// Project is what everything goes into, whatever the file says; "": where it was. What is
	// in another project here is left alone, and comes in as a copy under a new id.
	Project string
	// Only is, with ImportReplace, the one project that is replaced: what the file has of others
	// is passed over, and nothing outside of it changes. A file that has nothing of it is refused.
	// "" is every project of the file. Project goes before it.
	Only string
	// Mine says that the person knows the file as their own: its memories keep the origin that it
	// says, agent where it says none, and those that came in before with the same words are lifted to
	// that. What reads like an order still waits for approval. It is for a person to say, never for
	// a tool.
	Mine bool
	// MayForget is how many memories ImportReplace may forget; one that would forget more is
	// refused, with the count in Forgets. nil: any number.
	MayForget *int
	DryRun    bool // tells what would become of it, and changes nothing
	// Progress is told how many records were written, of how many; nil: nobody.
	Progress func(done, total int)

	own bool // MigrateInput.Own
}

// Import brings in a file that Export wrote, here or elsewhere, plain or packed with gzip. It reads the file to its
// end, then writes it in one transaction: all of it comes in or nothing does, and Undo takes it back.
//
// It recognises what is here by its ids, so that importing twice changes nothing; where both sides have something,
// lifecycle.Merge decides, and the losing text stays as a revision. What was erased here stays away, and what was
// forgotten here stays forgotten unless the file has a later edit. What an undo of an import took away comes in again.
// Private spans are removed, and the origin of memories is import. A wrong item is rejected and the rest comes in;
// ImportReplace comes in whole or not at all, and returns the wrong items with the error.
//
// CodeConflict, with Forgets, when it would forget more than MayForget, and for a file of a newer version; CodeInvalid for
// anything that is no such file or was cut off, and for a replacement with wrong items; CodeUnavailable when ImportReplace
// can make no backup.
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
	if in.Only = normalProject(in.Only); in.Mode != ImportReplace || in.Project != "" {
		in.Only = ""
	}
	res := Imported{Mode: in.Mode}
	file := Unpack(r)
	waiting, err := e.readAll(ctx, f, file, in, &res)
	if refused := file.Refused(); err != nil && refused != nil {
		err = refused // without where in the text it stood: there is none
	}
	if err != nil {
		return Imported{}, err
	}
	defer waiting.drop()
	if in.Mode == ImportReplace && len(res.Rejected) > 0 {
		return Imported{Mode: in.Mode, From: res.From, Rejected: res.Rejected}, refusedReplace(res.Rejected)
	}
	if in.Mode == ImportReplace && slices.Contains(res.From.Lacks, engram.EntityMemory) {
		return Imported{Mode: in.Mode, From: res.From}, engram.Errorf(engram.CodeInvalid, "the file has no list of memories, and would leave none").
			WithHint("see whether it is the right file; nothing was replaced")
	}
	if in.Mode == ImportReplace && !in.DryRun && e.options.Clinic == nil {
		return Imported{}, engram.Errorf(engram.CodeUnavailable, "no backup can be made here, and nothing is replaced without one").
			WithHint("import with mode merge")
	}
	err = e.write(ctx, "import", func(o *op) error {
		i := newImporting(o, in, &res)
		if err := i.run(ctx, waiting); err != nil {
			return err
		}
		res.Op, res.Pending = o.first, len(o.pending)
		switch {
		case in.DryRun:
			return errDryRun
		case in.Mode == ImportReplace && o.first != 0:
			// Of what was committed last, which is what was here before. Nobody needs a copy
			// when nothing changes, and it would take the place of one that matters.
			res.Backup, err = e.options.Clinic.Backup(ctx, beforeReplace)
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		res.Op, err = 0, nil
	}
	if err != nil {
		return Imported{Mode: in.Mode, From: res.From, Backup: res.Backup, Rejected: res.Rejected, Forgets: res.Forgets, Memories: engram.ImportTally{Removed: res.Memories.Removed}}, err
	}
	return res, nil
}

// refusedReplace is why nothing is replaced: what stands here for an item that is wrong would
// be forgotten as if the file did not have it.
func refusedReplace(wrong []engram.ImportNote) error {
	first := wrong[0].Item
	if wrong[0].Name != "" {
		first += " (" + wrong[0].Name + ")"
	}
	return engram.Errorf(engram.CodeInvalid, "wrong items in the file: %d; the first is %s: %s", len(wrong), first, wrong[0].Reason).
		WithHint("mend them, or use mode merge, which leaves them out; nothing was replaced")
}

// Limits of what a packed file may become: a few KiB of gzip can hold gigabytes of nothing,
// which somebody would have to read.
const (
	maxUnpacked = 4 << 30  // bytes; a store of millions of memories has less
	freeOfRatio = 64 << 20 // bytes that are unpacked whatever the ratio
	maxRatio    = 200      // of plain to packed bytes beyond that; JSON comes to 5 to 50
)

// Unpacked reads a file plain, whether or not it is packed with gzip: its first bytes say so.
// The zero value is not usable; see Unpack.
type Unpacked struct {
	packed metered
	in     *bufio.Reader
	plain  io.Reader
	z      *gzip.Reader // plain, of a packed file
	got    int64
	err    error
}

// Unpack returns a reader of what r has. What is packed and cut off, damaged, or becomes more
// than maxUnpacked bytes or maxRatio times what was read, ends in an error of CodeInvalid,
// which Refused has, too; an error of r itself is passed on.
func Unpack(r io.Reader) *Unpacked {
	u := &Unpacked{packed: metered{r: r}}
	u.in = bufio.NewReaderSize(&u.packed, 64<<10)
	return u
}

// Refused is why the file cannot be unpacked; nil when it was not for that.
func (u *Unpacked) Refused() error { return u.err }

// Read implements io.Reader.
func (u *Unpacked) Read(p []byte) (int, error) {
	if u.err != nil {
		return 0, u.err
	}
	if u.plain == nil {
		if err := u.begin(); err != nil {
			return 0, err
		}
	}
	n, err := u.plain.Read(p)
	if u.plain == u.in {
		return n, err
	}
	first := u.got == 0
	u.got += int64(n)
	if u.z != nil && errors.Is(err, io.EOF) {
		err = u.member()
	}
	switch {
	case first && n > 1 && gzipped(p[:n]):
		u.err = engram.Errorf(engram.CodeInvalid, "the file is packed twice").WithHint("unpack it once, as with gunzip")
	case u.err != nil:
		return n, u.err
	case u.got > maxUnpacked:
		u.err = engram.Errorf(engram.CodeInvalid, "the file is packed, and unpacks to more than %d GiB", maxUnpacked>>30).WithHint("take it apart, or unpack it first")
	case u.got > freeOfRatio && u.got/maxRatio > u.packed.n:
		u.err = engram.Errorf(engram.CodeInvalid, "the file is packed, and unpacks to more than %d times its size", maxRatio).WithHint("no memories do; if it is meant, unpack it first")
	case u.packed.err != nil:
		return n, u.packed.err
	case err != nil && !errors.Is(err, io.EOF):
		u.err = u.explain(err)
	default:
		return n, err
	}
	return n, u.err
}

// begin finds out whether the file is packed.
func (u *Unpacked) begin() error {
	magic, err := u.in.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	u.plain = u.in
	if gzipped(magic) {
		z, err := gzip.NewReader(u.in)
		if u.packed.err != nil {
			return u.packed.err
		}
		if err != nil {
			u.err = u.explain(err)
			return u.err
		}
		z.Multistream(false) // or what follows the last one could not be told from one cut off
		u.plain, u.z = z, z
	}
	return nil
}

// gzipped reports whether something begins as a packed file does.
func gzipped(head []byte) bool { return len(head) > 1 && head[0] == 0x1f && head[1] == 0x8b }

// member goes on with the packed file that follows one which has ended, for two in one file are
// what both say; io.EOF when none does.
func (u *Unpacked) member() error {
	magic, err := u.in.Peek(2)
	switch {
	case len(magic) == 0:
		return err // the end, or an error of the disk
	case gzipped(magic):
		if err := u.z.Reset(u.in); err != nil {
			return err
		}
		u.z.Multistream(false)
		return nil
	}
	u.err = engram.Errorf(engram.CodeInvalid, "something follows the packed file, near byte %d", u.packed.n-int64(u.in.Buffered())).
		WithHint("pack it anew, or copy it once more")
	return u.err
}

// explain tells what is wrong with the file from what is wrong with reading it.
func (u *Unpacked) explain(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return engram.Errorf(engram.CodeInvalid, "the packed file ends at byte %d, before its end", u.packed.n).WithHint("it was cut off; copy it again")
	}
	return engram.Errorf(engram.CodeInvalid, "the packed file is damaged before byte %d", u.packed.n).WithHint("copy it again").WithCause(err)
}

// metered counts what is read, and keeps the error that is not the end.
type metered struct {
	r   io.Reader
	n   int64
	err error
}

// Read implements io.Reader.
func (c *metered) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}
