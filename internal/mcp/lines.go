package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine is the longest line that is taken in, in bytes: a memory of the greatest
// length fits even when every character of it is escaped.
const maxLine = 8 << 20

// errTooLong says that a line was longer than maxLine.
var errTooLong = errors.New("line too long")

// lineReader reads lines and drops what is past maxLine, so that nobody can fill the
// memory with a line that never ends.
type lineReader struct {
	r     *bufio.Reader
	begun bool
	tail  []byte // the end of a line that was too long
}

// byteOrderMark is what shells of Windows put before what they pipe.
var byteOrderMark = []byte("\xef\xbb\xbf")

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(in, 64<<10)}
}

// next returns the next line, with its end. The last one may have none. After
// errTooLong it has returned the beginning of the line, and tail is the end of it.
func (l *lineReader) next() ([]byte, error) {
	if !l.begun {
		l.begun = true
		if mark, err := l.r.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
			_, _ = l.r.Discard(len(byteOrderMark))
		}
	}
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return line, l.skip(part, err)
		}
		line = append(line, part...)
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// skip reads to the end of a line of which part was read with err.
func (l *lineReader) skip(part []byte, err error) error {
	l.tail = append(l.tail[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = l.r.ReadSlice('\n')
		l.tail = append(l.tail, part...)
		l.tail = l.tail[max(0, len(l.tail)-1024):]
	}
	// An end of input shows itself again at the next line.
	return errTooLong
}

// valuesOf returns the messages of a line: one as a rule, several where a client wrote
// them without a line break, or as an array, as one revision of the protocol had it.
// What follows a value that is broken is lost; the error says so.
func valuesOf(line []byte) ([]json.RawMessage, error) {
	var all []json.RawMessage
	d := json.NewDecoder(bytes.NewReader(line))
	for {
		var v json.RawMessage
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		var batch []json.RawMessage
		if v[0] == '[' && json.Unmarshal(v, &batch) == nil && len(batch) > 0 {
			all = append(all, batch...)
			continue
		}
		all = append(all, v)
	}
}

// idOf returns the id of a message that is otherwise no message; nil when it has none
// that an answer could carry.
func idOf(v json.RawMessage) json.RawMessage {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(v, &m) != nil || len(m.ID) == 0 {
		return nil
	}
	if c := m.ID[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		return nil
	}
	return m.ID
}

// faithful reports whether an answer to the message v, which was read as one with this id,
// would carry the id that was sent. Of a number that is not whole, or too large to tell from
// its neighbours, the SDK makes another, and that may be another call's.
func faithful(v json.RawMessage, id jsonrpc.ID) bool {
	n, ok := id.Raw().(int64)
	return !ok || string(idOf(v)) == strconv.FormatInt(n, 10)
}

// idAround looks for the id of a message that was too long to be read, at its two ends,
// where clients write it. Without it the client would wait for an answer until it gives up.
func idAround(start, end []byte) json.RawMessage {
	const id = `"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,18})`
	first := regexp.MustCompile(`^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*){0,2}` + id + `\s*,`)
	if m := first.FindSubmatch(start[:min(len(start), 1024)]); m != nil {
		return m[1]
	}
	// Only the last brace of the line closes the message: an id before two is an argument.
	last := regexp.MustCompile(id + `\s*\}\s*$`)
	if m := last.FindSubmatch(end); m != nil {
		return m[1]
	}
	return nil
}
