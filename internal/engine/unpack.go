package engine

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"

	"github.com/alanbuscaglia/engram"
)

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
