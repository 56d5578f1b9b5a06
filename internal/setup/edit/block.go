package edit

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/alanbuscaglia/engram"
)

// markers are the lines between which a file is ours.
type markers struct{ begin, end string }

const byWhom = "engram: written by `engram setup`, and taken out by `engram setup --undo`"

func markdownMarkers() markers {
	return markers{begin: "<!-- begin " + byWhom + " -->", end: "<!-- end engram -->"}
}

func tomlMarkers() markers {
	return markers{begin: "# begin " + byWhom, end: "# end engram"}
}

// SetMarkdown puts a text into a file of Markdown, between two comments: in the place of what
// stands between them, or else at the end.
//
// CodeInvalid when one of the comments stands there without the other, or twice.
func SetMarkdown(src []byte, text string) ([]byte, error) { return markdownMarkers().set(src, text) }

// RemoveMarkdown takes out what SetMarkdown put in, and leaves what was there before to the
// byte.
//
// CodeInvalid as SetMarkdown.
func RemoveMarkdown(src []byte) ([]byte, error) { return markdownMarkers().remove(src) }

// SetTOML puts a text of TOML (https://toml.io/en/v1.1.0) into a file of it, between two
// comments, and as SetMarkdown does. The text consists of whole tables.
//
// CodeInvalid for a file that is no TOML, CodeConflict when it has one of the tables already,
// outside of the comments, and what is there would say something else afterwards.
func SetTOML(src []byte, text string) ([]byte, error) {
	_, body := cutBOM(src)
	was, err := decodeTOML(body)
	if err != nil {
		return nil, err
	}
	m := tomlMarkers()
	bare, err := m.remove(src)
	if err != nil {
		return nil, err
	}
	_, body = cutBOM(bare)
	rest, err := decodeTOML(body)
	if err != nil {
		return nil, err
	}
	ours, err := decodeTOML([]byte(text))
	if err != nil {
		return nil, err
	}
	if bytes.Equal(bare, src) && has(was, ours) {
		return src, nil // by hand, and the same
	}
	out, err := m.set(src, text)
	if err != nil {
		return nil, err
	}
	_, body = cutBOM(out)
	is, err := decodeTOML(body)
	if err != nil || !reflect.DeepEqual(is, joined(rest, ours)) {
		return nil, engram.Errorf(engram.CodeConflict, "the file has this table already, and says something else in it").
			WithHint("take that table out by hand").WithCause(err)
	}
	return out, nil
}

// RemoveTOML takes out what SetTOML put in.
//
// CodeInvalid as SetMarkdown.
func RemoveTOML(src []byte) ([]byte, error) { return tomlMarkers().remove(src) }

func decodeTOML(src []byte) (map[string]any, error) {
	all := map[string]any{}
	_, err := toml.Decode(string(src), &all)
	if bad, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, wrong(place{bad.Position.Line, max(1, bad.Position.Col)}, "this is no TOML: %s", bad.Message)
	}
	return all, err
}

// has reports whether a table has all that another one has.
func has(all, part map[string]any) bool {
	for name, want := range part {
		inner, isTable := want.(map[string]any)
		there, alike := all[name].(map[string]any)
		switch {
		case isTable && alike:
			if !has(there, inner) {
				return false
			}
		case !reflect.DeepEqual(all[name], want):
			return false
		}
	}
	return true
}

// joined is what two tables say together; the second one where both say something.
func joined(a, b map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range a {
		out[name] = v
	}
	for name, v := range b {
		inner, isTable := v.(map[string]any)
		there, alike := out[name].(map[string]any)
		if isTable && alike {
			v = joined(there, inner)
		}
		out[name] = v
	}
	return out
}

// find is where the block stands, with its line ends; from is -1 when there is none.
func (m markers) find(src []byte) (from, to int, err error) {
	from, to = -1, -1
	offset := 0
	for line := range bytes.Lines(src) {
		switch strings.TrimRight(string(line), " \t\r\n") {
		case m.begin:
			if from >= 0 {
				return -1, -1, wrong(placeOf(src, offset), "the block of engram begins a second time")
			}
			from = offset
		case m.end:
			if from < 0 || to >= 0 {
				return -1, -1, wrong(placeOf(src, offset), "the block of engram ends, and did not begin")
			}
			to = offset + len(line)
		}
		offset += len(line)
	}
	if from >= 0 && to < 0 {
		return -1, -1, wrong(placeOf(src, from), "the block of engram begins, and does not end: put %q after it", m.end)
	}
	return from, to, nil
}

func (m markers) set(file []byte, text string) ([]byte, error) {
	mark, src := cutBOM(file)
	from, to, err := m.find(src)
	if err != nil {
		return nil, err
	}
	nl := newline(src)
	block := withNewlines(m.begin+"\n"+strings.TrimRight(text, "\n")+"\n"+m.end+"\n", nl)
	if from >= 0 {
		if !bytes.HasSuffix(src[from:to], []byte("\n")) {
			block = strings.TrimSuffix(block, nl)
		}
		if string(src[from:to]) == block {
			return file, nil
		}
		return slices.Concat(mark, splice(src, from, to, block)), nil
	}
	if len(src) > 0 { // an empty line, or the line end that is missing, which both go with the block
		block = nl + block
	}
	return slices.Concat(mark, src, []byte(block)), nil
}

// remove takes the block out with the line end before it, which set put there.
func (m markers) remove(file []byte) ([]byte, error) {
	mark, src := cutBOM(file)
	from, to, err := m.find(src)
	if err != nil || from < 0 {
		return file, err
	}
	return slices.Concat(mark, bytes.TrimSuffix(src[:from], []byte(newline(src))), src[to:]), nil
}
