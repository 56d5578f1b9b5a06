package jsonfile

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/alanbuscaglia/engram"
)

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
