package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Limits of what ingest reads.
const (
	maxIngestItem  = 8 << 20 // bytes of one memory: 1 MiB of content, each character of it escaped, and some
	maxIngestDepth = 1000    // of lists and objects in each other
)

// rawItem is one JSON value of the input, or what stands in its place.
type rawItem struct {
	line int    // where it begins, from 1
	text []byte // good until the next call
	flaw string // why it cannot be a memory; "" when it may be one
	end  bool   // the rest of the input cannot be read after it
}

// splitter cuts a list of JSON values, or values that follow each other, without parsing
// them: what is wrong with one leaves the next alone. It holds one value at a time.
type splitter struct {
	in   *bufio.Reader
	item []byte
	line int // that of the next byte
	list bool
	any  bool // something of the list was read
	comma,
	begun bool
}

func newSplitter(in io.Reader) *splitter {
	return &splitter{in: bufio.NewReaderSize(in, 64<<10), line: 1}
}

// next returns the next value, io.EOF at the end of the input, or why it cannot be read.
func (s *splitter) next() (rawItem, error) {
	s.item = s.item[:0]
	for {
		if err := s.skipMark(); err != nil {
			return rawItem{}, err
		}
		c, err := s.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF) && s.list:
			s.list = false // once
			return rawItem{line: s.line, flaw: "the list does not end; the file may be incomplete", end: true}, nil
		case err != nil:
			return rawItem{}, err
		case c == '\n':
			s.line++
		case c == ' ' || c == '\t' || c == '\r':
		case c == '[' && !s.begun:
			s.begun, s.list = true, true
		case c == ',' && s.list && s.any && !s.comma:
			s.comma = true
		case c == ']' && s.list:
			s.list = false
			return s.afterList()
		case s.list && s.any && !s.comma:
			s.list = false
			return rawItem{line: s.line, flaw: "the text is not valid JSON here: a comma is missing", end: true}, nil
		default:
			s.begun, s.any, s.comma = true, true, false
			s.item = append(s.item, c)
			if c == '{' || c == '[' {
				return s.value()
			}
			return s.junk(c)
		}
	}
}

// skipMark passes over a mark of the byte order, which editors of Windows put first, and which
// stands in the middle where files were put together.
func (s *splitter) skipMark() error {
	mark, err := s.in.Peek(len(byteOrderMark))
	if err == nil && string(mark) == byteOrderMark {
		_, err = s.in.Discard(len(mark))
		return err
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// afterList is the end of the input, unless something stands behind the list.
func (s *splitter) afterList() (rawItem, error) {
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return rawItem{}, err
		}
		if c == '\n' {
			s.line++
		}
		if bytes.IndexByte([]byte(" \t\r\n"), c) < 0 {
			return rawItem{line: s.line, flaw: "there is text after the end of the list", end: true}, nil
		}
	}
}

// junk reads a value that is neither a list nor an object: to the end of its line, or of the
// element of a list.
func (s *splitter) junk(c byte) (rawItem, error) {
	at := s.line
	quoted, escaped := c == '"', false
	for {
		c, err := s.in.ReadByte()
		if err != nil && !errors.Is(err, io.EOF) {
			return rawItem{}, err
		}
		if err != nil || c == '\n' || s.list && !quoted && (c == ',' || c == ']') {
			if err == nil {
				if err := s.in.UnreadByte(); err != nil {
					return rawItem{}, err
				}
			}
			return rawItem{line: at, text: s.item}, nil
		}
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = quoted
		case c == '"':
			quoted = !quoted
		}
		if len(s.item) < maxJunk {
			s.item = append(s.item, c)
		}
	}
}

// maxJunk is as much of what is no memory as is needed to say so.
const maxJunk = 1 << 10

// value reads the rest of a list or an object, whose first byte is in item. A line break within
// a text ends it: JSON has none there. So does an object that begins a line while another one
// is open, where no list holds them: the open one was cut off.
func (s *splitter) value() (rawItem, error) {
	v := rawItem{line: s.line}
	depth, quoted, escaped, fresh := 1, false, false, false
	for depth > 0 {
		c, err := s.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			v.flaw, v.end, s.list = "it is incomplete: the text ends inside it", true, false
			return v, nil
		case err != nil:
			return v, err
		case quoted && c == '\n', fresh && c == '{' && !s.list:
			v.flaw = "it is incomplete: its line ends inside it"
			if v.end = s.list; s.list {
				v.flaw, s.list = "the text is not valid JSON here: a line break inside a string", false
			}
			return v, s.in.UnreadByte()
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxIngestDepth && v.flaw == "" {
				v.flaw = "its lists and objects are nested more than 1000 deep"
			}
		case c == '}' || c == ']':
			depth--
		}
		if fresh = c == '\n'; fresh {
			s.line++
		}
		if len(s.item) >= maxIngestItem && v.flaw == "" {
			v.flaw = "it is longer than 8 MiB"
		}
		if v.flaw == "" {
			s.item = append(s.item, c)
		}
	}
	v.text = s.item
	return v, nil
}
