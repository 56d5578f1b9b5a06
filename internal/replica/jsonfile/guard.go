package jsonfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
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

// maxGap is the longest run of white space kept between two JSON tokens, in bytes.
const maxGap = 4 << 10

// gaps shortens white space in JSON, piece by piece. The zero value is at the start.
type gaps struct {
	text    bool // inside a string, where white space is content
	escaped bool // after a backslash
	run     int  // length of the current run of white space
}

// shorten removes white space beyond maxGap outside of strings from p, in place, and returns the
// remaining length.
func (g *gaps) shorten(p []byte) int {
	kept := 0
	for at := 0; at < len(p); {
		if g.text {
			n := g.toEnd(p[at:])
			kept += copy(p[kept:], p[at:at+n])
			at += n
			continue
		}
		c := p[at]
		at++
		switch c {
		case ' ', '\t', '\r', '\n':
			if g.run++; g.run > maxGap {
				continue
			}
		case '"':
			g.text, g.run = true, 0
		default:
			g.run = 0
		}
		p[kept] = c
		kept++
	}
	return kept
}

// toEnd returns how much of p belongs to the current string, with the closing quote.
func (g *gaps) toEnd(p []byte) int {
	at := 0
	if g.escaped {
		at, g.escaped = 1, false
	}
	for at < len(p) {
		n := bytes.IndexAny(p[at:], "\"\\")
		if n < 0 {
			return len(p)
		}
		if at += n + 1; p[at-1] == '"' {
			g.text = false
			return at
		}
		if at == len(p) {
			g.escaped = true
			return at
		}
		at++
	}
	return len(p)
}

// sniffed looks at the beginning of a file and rejects other kinds by name. The returned reader
// gives the whole file.
func sniffed(r io.Reader) (io.Reader, error) {
	const enough = 512
	in := bufio.NewReaderSize(r, 1<<16)
	// Use what arrives first: do not wait for a slow sender. An error shows again when the file is
	// read.
	_, _ = in.Peek(1)
	head, _ := in.Peek(min(in.Buffered(), enough))
	if code := encoding(head); code != "" {
		return nil, engram.Errorf(engram.CodeInvalid, "the file is %s, but an export is UTF-8", code).
			WithHint("convert it first, for example with iconv -f %s -t UTF-8", code)
	}
	switch {
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return nil, engram.Errorf(engram.CodeInvalid, "the file is a SQLite database, not an export").
			WithHint("import another memory program's database with {migrate --from SYSTEM FILE}; export one of Engram with {export FILE} and --data-dir")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil, engram.Errorf(engram.CodeInvalid, "the file is a zip archive, not an export").
			WithHint("unpack it and name the file in it")
	case markdown(head):
		return nil, engram.Errorf(engram.CodeInvalid, "the file looks like Markdown, not an export").
			WithHint("import Markdown with {migrate --from markdown FILE}, and a folder written by obsidian-export with {import FOLDER --format obsidian}")
	}
	return in, nil
}

// encoding names a multi-byte text encoding; "" for none. Without a byte order mark the zeros tell,
// because JSON begins with ASCII.
func encoding(head []byte) string {
	if len(head) < 4 {
		return ""
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe\x00\x00")), head[0] != 0 && head[1] == 0 && head[2] == 0 && head[3] == 0:
		return "UTF-32LE"
	case bytes.HasPrefix(head, []byte("\x00\x00\xfe\xff")), head[0] == 0 && head[1] == 0 && head[2] == 0 && head[3] != 0:
		return "UTF-32BE"
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "UTF-16"
	case head[0] != 0 && head[1] == 0 && head[3] == 0:
		return "UTF-16LE"
	case head[0] == 0 && head[1] != 0 && head[2] == 0:
		return "UTF-16BE"
	}
	return ""
}

// markdown reports whether a text begins like a page of notes: with front matter, a heading or a
// list.
func markdown(head []byte) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(string(head), byteOrderMark)), "\n")
	first = strings.TrimRight(first, "\r ")
	for _, opens := range []string{"# ", "## ", "### ", "- ", "* ", "> "} {
		if strings.HasPrefix(first, opens) {
			return true
		}
	}
	return first == "---"
}
