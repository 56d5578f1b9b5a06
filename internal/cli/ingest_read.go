package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
)

const byteOrderMark = "\xef\xbb\xbf"

// draftItem is one memory of the input, or why it is none.
type draftItem struct {
	place int // from 1
	line  int // from 1
	draft document.Draft
	err   error
}

// drafts reads memories from a list of JSON objects, or from objects that follow each other.
type drafts struct {
	split *splitter
	count int
	over  bool
}

func newDrafts(in io.Reader) *drafts { return &drafts{split: newSplitter(in)} }

// next returns the next memories, at most so many; none at the end. What is no memory is
// among them, with the reason; the error is for an input that cannot be read.
func (d *drafts) next(most int) ([]draftItem, error) {
	var all []draftItem
	for len(all) < most && !d.over {
		raw, err := d.split.next()
		if errors.Is(err, io.EOF) {
			d.over = true
			break
		}
		if _, told := errors.AsType[*engram.Error](err); told {
			return nil, err
		}
		if err != nil {
			return nil, engram.Errorf(engram.CodeUnavailable, "cannot read the memories").WithCause(err)
		}
		d.count++
		d.over = raw.end
		one := draftItem{place: d.count, line: raw.line}
		if raw.flaw != "" {
			one.err = invalidf("%s", raw.flaw).WithHint("give a list of objects, or one object per line")
		} else {
			one.draft, one.err = draftOf(raw.text)
		}
		all = append(all, one)
	}
	return all, nil
}

// draftOf reads one memory strictly: what a person misspelt, or wrote twice, would be lost
// unseen.
func draftOf(raw []byte) (document.Draft, error) {
	var one document.Draft
	switch {
	case !utf8.Valid(raw):
		return one, invalidf("the text is not valid UTF-8").WithHint("convert it to UTF-8 first")
	case len(raw) == 0 || raw[0] != '{':
		if json.Valid(raw) {
			return one, invalidf("it is not an object but a %s", jsonKind(raw)).WithHint("give a list of objects, or one object per line")
		}
		return one, invalidf("the text is not valid JSON here").WithHint("give a list of objects, or one object per line")
	case !json.Valid(raw):
		return one, invalidf("the text is not valid JSON here").WithHint("give a list of objects, or one object per line").WithCause(json.Unmarshal(raw, &struct{}{}))
	}
	if name := twice(raw); name != "" {
		return one, invalidf("field %s is there twice", name).WithHint("remove one of the two")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&one); err != nil {
		if wholeExport(raw) {
			return one, invalidf("it is an export, not a list of memories: use engram import")
		}
		return one, invalidf("%s", unreadable(err)).
			WithHint("give an object with content, title, type, scope, project, topic_key, session_id, tool_name, tags, metadata, importance, permanent, related")
	}
	return one, nil
}

// wholeExport reports whether an object is what an export writes.
func wholeExport(object []byte) bool {
	var x struct {
		Format                           string
		Memories, Observations, Sessions []json.RawMessage
	}
	// One that does not fit is none.
	return json.Unmarshal(object, &x) == nil && (x.Format == "engram" || x.Memories != nil || x.Observations != nil && x.Sessions != nil)
}

// twice is the first field that an object has more than once, in whatever case; "" for none.
// JSON leaves open which of them holds.
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
		if fold := strings.ToLower(name); seen[fold] {
			return fold
		} else {
			seen[fold] = true
		}
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return ""
		}
	}
	return ""
}

// jsonKind names what a JSON text is that is no object.
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

// unreadable says why an object is no memory, without the names of Go's types.
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
