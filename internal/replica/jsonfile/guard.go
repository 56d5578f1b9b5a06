package jsonfile

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxItem is how long an item may be, in bytes, and with it what a reader has in memory:
// the longest memory with a good many revisions fits.
const maxItem = 64 << 20

// errLong is said of an item that is longer.
var errLong = errors.New("an item is longer than 64 MiB")

// errEncoding is said of text in another encoding.
var errEncoding = errors.New("the text is not valid UTF-8")

// guarded reads a file for a decoder, which would replace broken text in silence and keep
// an item of any length in memory. A mark of the byte order is left out, and most of a long run
// of white space: the decoder would keep all of it, and look at it again with each read.
type guarded struct {
	r    io.Reader
	read int64  // bytes handed out
	mark int64  // of these were in items that are done
	skip int64  // bytes that were left out: of a mark of the byte order, and of white space
	part []byte // of a letter, at the end of what was read
	gaps gaps
	err  error
	// foreign says that err is not about the text: it could not be had.
	foreign bool
}

const byteOrderMark = "\xef\xbb\xbf"

// Read implements io.Reader.
func (g *guarded) Read(p []byte) (int, error) {
	for {
		n, err := g.readSome(p)
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// readSome reads once; all of what was read may have been left out.
func (g *guarded) readSome(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	if g.read-g.mark > 2*maxItem { // a decoder reads ahead, up to what it needed before
		g.err = errLong
		return 0, g.err
	}
	n, err := g.r.Read(p)
	if bad := g.check(p[:n]); bad != nil {
		g.err = bad
		return 0, bad
	}
	g.foreign = err != nil && !errors.Is(err, io.EOF)
	if errors.Is(err, io.EOF) && len(g.part) > 0 {
		err = g.broken(g.read + g.skip)
	}
	if g.read == 0 && g.skip == 0 && n >= len(byteOrderMark) && string(p[:len(byteOrderMark)]) == byteOrderMark {
		n = copy(p, p[len(byteOrderMark):n])
		g.skip = int64(len(byteOrderMark))
	}
	kept := g.gaps.shorten(p[:n])
	g.read += int64(kept)
	g.skip += int64(n - kept)
	g.err = err
	return kept, err
}

// check looks at more text; a letter may be in two pieces of it.
func (g *guarded) check(p []byte) error {
	if len(g.part) == 0 && utf8.Valid(p) {
		return nil
	}
	text := append(g.part, p...)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size <= 1 {
			if !utf8.FullRune(text) {
				break
			}
			return g.broken(g.read + g.skip + int64(len(p)-len(text)))
		}
		text = text[size:]
	}
	g.part = append([]byte(nil), text...)
	return nil
}

func (g *guarded) broken(at int64) error {
	return fmt.Errorf("%w at byte %d", errEncoding, at)
}
