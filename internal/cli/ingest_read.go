package cli

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
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// drafts reads memories from a list of JSON objects, or from objects that follow each
// other.
type drafts struct {
	in   *bufio.Reader
	json *json.Decoder
	list bool
	over bool // the list has ended
}

const byteOrderMark = "\xef\xbb\xbf"

func newDrafts(in io.Reader) *drafts {
	b := bufio.NewReader(in)
	return &drafts{in: b, json: json.NewDecoder(b)}
}

// next returns the next memories, at most so many; none at the end.
func (d *drafts) next(most int) ([]document.Draft, error) {
	if err := d.begin(); err != nil {
		return nil, err
	}
	var all []document.Draft
	for len(all) < most && !d.over {
		if d.list && !d.json.More() {
			d.over = true
			if _, err := d.json.Token(); err != nil {
				return nil, invalidf("the list does not end").WithHint("is the file whole?")
			}
			break
		}
		var raw json.RawMessage
		err := d.json.Decode(&raw)
		if errors.Is(err, io.EOF) && !d.list {
			break
		}
		if err != nil {
			return nil, engine.OfItem(len(all), invalidf("the text is no JSON here").WithHint("a list of objects, or one object a line").WithCause(err))
		}
		one, err := draftOf(raw)
		if err != nil {
			return nil, engine.OfItem(len(all), err)
		}
		all = append(all, one)
	}
	return all, nil
}

// begin finds out whether it is a list, by its first character. A mark of the byte order,
// which editors of Windows put first, is none.
func (d *drafts) begin() error {
	if d.json.InputOffset() == 0 {
		if mark, err := d.in.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
			if _, err := d.in.Discard(len(mark)); err != nil {
				return err
			}
		}
	}
	for !d.list && d.json.InputOffset() == 0 {
		c, err := d.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return engram.Errorf(engram.CodeUnavailable, "the memories cannot be read").WithCause(err)
		}
		if bytes.IndexByte([]byte(" \t\r\n"), c) >= 0 {
			continue
		}
		if err := d.in.UnreadByte(); err != nil || c != '[' {
			return err
		}
		d.list = true
		_, err = d.json.Token()
		return err
	}
	return nil
}

// draftOf reads one memory strictly: what a person misspelt would be lost unseen.
func draftOf(raw json.RawMessage) (document.Draft, error) {
	var one document.Draft
	if !utf8.Valid(raw) {
		return one, invalidf("the text is not valid UTF-8").WithHint("convert it to UTF-8 first")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&one); err != nil {
		return one, invalidf("%s", unreadable(err)).
			WithHint("an object with content, title, type, scope, project, topic_key, session_id, tool_name, tags, metadata, importance, permanent, related")
	}
	return one, nil
}

// unreadable says why an object is no memory, without the names of Go's types.
func unreadable(err error) string {
	mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return strings.TrimPrefix(err.Error(), "json: ")
	case mistyped.Field == "":
		return "it is no object but a " + mistyped.Value
	}
	return fmt.Sprintf("%s cannot be a %s", mistyped.Field, mistyped.Value)
}
