package memory

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
)

const byteOrderMark = "\xef\xbb\xbf"

// draftItem is one memory of the input, or why it is invalid.
type draftItem struct {
	place int // from 1
	line  int // from 1
	draft document.Draft
	err   error
}

// drafts reads memories from a JSON list, or from a sequence of JSON objects.
type drafts struct {
	split *splitter
	count int
	over  bool
}

func newDrafts(in io.Reader) *drafts {
	return &drafts{split: &splitter{in: bufio.NewReaderSize(in, 64<<10), line: 1}}
}

// next returns at most so many items; none at the end. Invalid items have an error of their own; the error
// returned is for input that cannot be read.
func (d *drafts) next(most int) ([]draftItem, error) {
	var all []draftItem
	for len(all) < most && !d.over {
		raw, err := d.split.next()
		if errors.Is(err, io.EOF) {
			d.over = true
			break
		}
		if _, known := errors.AsType[*engram.Error](err); known {
			return nil, err
		}
		if err != nil {
			return nil, engram.Errorf(engram.CodeUnavailable, "cannot read the memories").WithCause(err)
		}
		d.count++
		d.over = raw.end
		one := draftItem{place: d.count, line: raw.line}
		if raw.flaw != "" {
			one.err = command.Invalidf("%s", raw.flaw).WithHint("give a list of objects, or one object per line")
		} else {
			one.draft, one.err = draftOf(raw.text)
		}
		all = append(all, one)
	}
	return all, nil
}

// draftOf parses one memory strictly, because a misspelt or repeated field would be lost silently.
func draftOf(raw []byte) (document.Draft, error) {
	var one document.Draft
	switch {
	case !utf8.Valid(raw):
		return one, command.Invalidf("the text is not valid UTF-8").WithHint("convert it to UTF-8 first")
	case len(raw) == 0 || raw[0] != '{':
		if json.Valid(raw) {
			return one, command.Invalidf("it is not an object but a %s", jsonKind(raw)).WithHint("give a list of objects, or one object per line")
		}
		return one, command.Invalidf("the text is not valid JSON here").WithHint("give a list of objects, or one object per line")
	case !json.Valid(raw):
		return one, command.Invalidf("the text is not valid JSON here").WithHint("give a list of objects, or one object per line").WithCause(json.Unmarshal(raw, &struct{}{}))
	}
	if name := twice(raw); name != "" {
		return one, command.Invalidf("field %s occurs twice", name).WithHint("remove one of the two")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&one); err != nil {
		if wholeExport(raw) {
			return one, command.Invalidf("it is an export, not a list of memories: use engram import")
		}
		return one, command.Invalidf("%s", unreadable(err)).
			WithHint("give an object with content, title, type, scope, project, topic_key, session_id, tool_name, tags, metadata, importance, permanent, related")
	}
	return one, nil
}

func wholeExport(object []byte) bool {
	var x struct {
		Format                           string
		Memories, Observations, Sessions []json.RawMessage
	}
	// An object that does not match is not an export.
	return json.Unmarshal(object, &x) == nil && (x.Format == "engram" || x.Memories != nil || x.Observations != nil && x.Sessions != nil)
}

// twice returns the first field that an object repeats, in any case; "" for none. JSON leaves open which
// value applies.
func twice(object []byte) string {
	dec := json.NewDecoder(bytes.NewReader(object))
	seen := map[string]bool{}
	if _, err := dec.Token(); err != nil {
		return ""
	}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return ""
		}
		fold := strings.ToLower(name)
		if seen[fold] {
			return fold
		}
		seen[fold] = true
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return ""
		}
	}
	return ""
}

// jsonKind names the kind of a JSON value that is not an object.
func jsonKind(raw []byte) string {
	switch raw[0] {
	case '[':
		return "list"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
}

// unreadable explains a decoding error without names of Go types.
func unreadable(err error) string {
	mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return strings.TrimPrefix(err.Error(), "json: ")
	case mistyped.Field == "":
		return "it is not an object but a " + mistyped.Value
	}
	return fmt.Sprintf("%s cannot be a %s", mistyped.Field, mistyped.Value)
}

// Limits of the input.
const (
	maxIngestItem  = 8 << 20 // bytes per memory: 1 MiB of content, every character escaped, and some more
	maxIngestDepth = 1000    // nesting of lists and objects
)

// rawItem is one JSON value of the input, or an error in its place.
type rawItem struct {
	line int    // line where it begins, from 1
	text []byte // valid until the next call
	flaw string // why it is invalid; "" if it may be valid
	end  bool   // the input cannot be read any further
}

// splitter splits a JSON list, or a sequence of values, without parsing them: an invalid value does not
// affect the next one. It holds one value at a time.
type splitter struct {
	in   *bufio.Reader
	item []byte
	line int // line of the next byte
	list bool
	any  bool // the list has a value
	comma,
	begun bool
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
			s.list = false // report it once
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

// skipMark skips a byte order mark: editors on Windows write one, and concatenated files have some in the
// middle.
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

// afterList returns the end of the input, or an error for text behind the list.
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

// junk reads a value that is neither a list nor an object, up to the end of its line or list element.
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

// maxJunk is as much of an invalid value as its error needs.
const maxJunk = 1 << 10

// value reads the rest of a list or object whose first byte is in item. A line break inside a string ends it,
// and so does an object at the start of a line: the value was cut off.
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
