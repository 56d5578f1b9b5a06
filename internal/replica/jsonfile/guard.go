package jsonfile

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxItem is the longest item, in bytes, and so bounds a reader's memory. The longest memory with
// many revisions fits.
const maxItem = 64 << 20

// errLong reports an item that is too long.
var errLong = errors.New("an item is longer than 64 MiB")

// errEncoding reports text in another encoding.
var errEncoding = errors.New("the text is not valid UTF-8")

// guarded reads a file for a JSON decoder, which by itself replaces invalid UTF-8 silently and
// buffers an item of any length. It drops a byte order mark and long runs of white space, which the
// decoder would buffer and rescan with each read.
type guarded struct {
	r    io.Reader
	read int64  // bytes handed out
	mark int64  // of these, in finished items
	skip int64  // bytes left out: byte order mark and white space
	part []byte // of an incomplete character at the end
	gaps gaps
	err  error
	// foreign reports that err is a read error, not about the text.
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

// readSome reads once; it may leave out everything it read.
func (g *guarded) readSome(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	if g.read-g.mark > 2*maxItem { // the decoder reads ahead, up to what it needed before
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

// check validates more text; a character may be split over two pieces.
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
