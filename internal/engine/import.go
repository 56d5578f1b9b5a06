package engine

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// ImportMode says what an import does with existing things.
type ImportMode = engram.ImportMode

// The modes.
const (
	ImportMerge   = engram.ImportMerge
	ImportReplace = engram.ImportReplace
)

// Imported is the outcome of an import.
type Imported = engram.Imported

// ImportInput says what to import, and how.
type ImportInput struct {
	Format string     // one of Options.Formats; "" is NativeFormat
	Mode   ImportMode // "" is ImportMerge
	// Project is the project that everything goes into; "": its own. Things that are in another project here stay
	// there, and come in as copies with new ids.
	Project string
	// Only is the one project that ImportReplace replaces; "": every project of the file. Records of others are
	// skipped, and a file without memories of it is refused. Project takes precedence.
	Only string
	// Mine says that the file is the person's own: memories keep the origin in the file, agent where it has none, and
	// those that came in before with the same words are raised to it. Flagged memories still wait for approval. Only
	// a person may set it, never a tool.
	Mine bool
	// MayForget is how many memories ImportReplace may forget; if it would forget more it is refused, with the count
	// in Forgets. nil: any number.
	MayForget *int
	DryRun    bool // report the outcome and change nothing
	// Progress is called with the number of records written, and of all; nil: not called.
	Progress func(done, total int)

	own bool // MigrateInput.Own
}

// Import brings in a file that Export wrote, here or elsewhere, plain or packed with gzip. It reads the file to its
// end, then writes it in one transaction: all of it comes in or nothing does, and Undo takes it back.
//
// It recognises things by their ids, so that a second import changes nothing; lifecycle.Merge decides where both
// sides have something, and the losing text stays as a revision. What was erased here stays away, and what was
// forgotten here stays forgotten unless the file has a later edit. What an undo of an import took away comes in
// again. Private spans are removed, and the origin of memories is import. A wrong item is rejected and the rest comes
// in; ImportReplace comes in whole or not at all, and returns the wrong items with the error.
//
// CodeConflict, with Forgets, when it would forget more than MayForget, and for a file of a newer version;
// CodeInvalid for any other file, a truncated one, and a replacement with wrong items; CodeUnavailable when
// ImportReplace can make no backup.
func (e *Engine) Import(ctx context.Context, r io.Reader, in ImportInput) (res Imported, err error) {
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
	file := Unpack(r)
	head, records, err := f.Read(file)
	if err == nil {
		res, err = e.importRecords(ctx, head, records, in)
	}
	if refused := file.Refused(); err != nil && refused != nil {
		return Imported{}, refused // without a place in the text, which cannot be unpacked
	}
	return res, err
}

// importRecords brings in what was read from a file or from another program, as Import does.
func (e *Engine) importRecords(ctx context.Context, head engram.Snapshot, records iter.Seq2[engram.Record, error], in ImportInput) (Imported, error) {
	in.Project = normalProject(in.Project)
	if in.Only = normalProject(in.Only); in.Mode != ImportReplace || in.Project != "" {
		in.Only = ""
	}
	res := Imported{Mode: in.Mode, From: head}
	spooled, err := e.readAll(ctx, records, in, &res)
	if err != nil {
		return Imported{}, err
	}
	defer spooled.drop()
	if in.Mode == ImportReplace && len(res.Rejected) > 0 {
		return Imported{Mode: in.Mode, From: res.From, Rejected: res.Rejected}, refusedReplace(res.Rejected)
	}
	if in.Mode == ImportReplace && slices.Contains(res.From.Lacks, engram.EntityMemory) {
		return Imported{Mode: in.Mode, From: res.From}, engram.Errorf(engram.CodeInvalid, "cannot replace: the file has no list of memories").
			WithHint("check that it is the right file; nothing was replaced")
	}
	if in.Mode == ImportReplace && !in.DryRun && e.options.Clinic == nil {
		return Imported{}, engram.Errorf(engram.CodeUnavailable, "cannot replace: no backup can be made here").
			WithHint("import with mode merge")
	}
	err = e.tryWrite(ctx, in.DryRun, "import", func(o *op) error {
		i := newImporting(e, o, in, &res)
		if err := i.run(ctx, spooled); err != nil {
			return err
		}
		if res.Pending = len(o.pending); in.DryRun {
			return nil
		}
		if res.Op = o.first; in.Mode == ImportReplace && o.first != 0 {
			// It has what was committed last, which is what was here before. Without changes a backup would only
			// displace an older one.
			res.Backup, err = e.options.Clinic.Backup(ctx, beforeReplace)
		}
		return err
	})
	if err != nil {
		return Imported{Mode: in.Mode, From: res.From, Backup: res.Backup, Rejected: res.Rejected, Forgets: res.Forgets, Memories: engram.ImportTally{Removed: res.Memories.Removed}}, err
	}
	return res, nil
}

// beforeReplace is the reason for a copy of the database.
const beforeReplace = "replace"

// refusedReplace is the error of a replacement with wrong items: it would forget what they stand for.
func refusedReplace(wrong []engram.ImportNote) error {
	first := wrong[0].Item
	if wrong[0].Name != "" {
		first += " (" + wrong[0].Name + ")"
	}
	return engram.Errorf(engram.CodeInvalid, "invalid items in the file: %d; the first is %s: %s", len(wrong), first, wrong[0].Reason).
		WithHint("fix them, or use mode merge, which skips them; nothing was replaced")
}

// Limits of unpacking: a few KiB of gzip can hold gigabytes of zeros.
const (
	maxUnpacked = 4 << 30  // bytes; a store of millions of memories is smaller
	freeOfRatio = 64 << 20 // bytes that are unpacked whatever the ratio
	maxRatio    = 200      // plain to packed bytes beyond that; JSON has 5 to 50
)

// Unpacked reads a file plain, whether or not it is packed with gzip. The zero value is not usable; see Unpack.
type Unpacked struct {
	packed metered
	in     *bufio.Reader
	plain  io.Reader
	z      *gzip.Reader // plain, of a packed file
	got    int64
	err    error
}

// Unpack returns a reader of r, unpacked. A packed file that is truncated, damaged or too large ends in an error of
// CodeInvalid, which Refused returns too; errors of r are passed on.
func Unpack(r io.Reader) *Unpacked {
	u := &Unpacked{packed: metered{r: r}}
	u.in = bufio.NewReaderSize(&u.packed, 64<<10)
	return u
}

// Refused returns why the file cannot be unpacked; nil if it can.
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
		u.err = engram.Errorf(engram.CodeInvalid, "the file is packed, and unpacks to more than %d GiB", maxUnpacked>>30).WithHint("split it, or unpack it first")
	case u.got > freeOfRatio && u.got/maxRatio > u.packed.n:
		u.err = engram.Errorf(engram.CodeInvalid, "the file is packed, and unpacks to more than %d times its size", maxRatio).WithHint("if that is intended, unpack it first")
	case u.packed.err != nil:
		return n, u.packed.err
	case err != nil && !errors.Is(err, io.EOF):
		u.err = u.explain(err)
	default:
		return n, err
	}
	return n, u.err
}

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
		z.Multistream(false) // or data after the last member would look like a truncated one
		u.plain, u.z = z, z
	}
	return nil
}

func gzipped(head []byte) bool { return len(head) > 1 && head[0] == 0x1f && head[1] == 0x8b }

// member continues with the gzip member that follows one which has ended; io.EOF at the end.
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
	u.err = engram.Errorf(engram.CodeInvalid, "unexpected data after the packed file, near byte %d", u.packed.n-int64(u.in.Buffered())).
		WithHint("pack it again, or copy it again")
	return u.err
}

func (u *Unpacked) explain(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return engram.Errorf(engram.CodeInvalid, "the packed file is truncated at byte %d", u.packed.n).WithHint("copy it again")
	}
	return engram.Errorf(engram.CodeInvalid, "the packed file is damaged before byte %d", u.packed.n).WithHint("copy it again").WithCause(err)
}

// metered counts bytes read, and keeps the error that is not the end.
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
