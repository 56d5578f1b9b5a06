package edit

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/alanbuscaglia/engram"
)

// noteTOML is the line above our table. Nothing depends on it, since programs that rewrite a file
// drop or move comments: it is removed with the table if it is still above it.
const noteTOML = "# written by `engram setup`, and taken out by `engram setup --undo`"

// SetTOML sets keys, which are whole lines of TOML (https://toml.io/en/v1.1.0), in the table at a
// path. In a table of ours other keys stay; another table is replaced in place, with its subtables.
// A missing table is appended. The names need no quotes, and each key is on one line.
//
// CodeInvalid for invalid TOML, and if the table or a parent does not have a header of its own: `a
// = { b = {} }`, `a.b.c = 1`, `[[a]]`.
func SetTOML(file []byte, path []string, keys string, ours func(table any) bool) ([]byte, error) {
	mark, src := cutBOM(file)
	t, err := readTOML(src, path)
	if err != nil {
		return nil, err
	}
	want, err := decodeTOML([]byte(keys))
	if err != nil {
		return nil, err
	}
	was, there := at(t.says, path).(map[string]any)
	if there && has(was, want) {
		return file, nil
	}
	if err := t.barred(); err != nil {
		return nil, err
	}
	out := t.with(withNewlines(noteTOML+"\n["+strings.Join(path, ".")+"]\n"+strings.TrimRight(keys, "\n")+"\n", newline(src)))
	if there && ours(was) {
		out = t.merged(keys)
		maps.Copy(was, want) // proved ignores the table in t, so it may change here
		want = was
	}
	if err := t.proved(out, want); err != nil {
		return nil, err
	}
	return slices.Concat(mark, out), nil
}

// RemoveTOML removes the table at a path with its subtables, and the empty line or line end that
// SetTOML added. It restores a table from before SetTOML; before is nil for no file. CodeInvalid as
// SetTOML, if there is something to remove.
func RemoveTOML(file, before []byte, path []string) ([]byte, error) {
	mark, src := cutBOM(file)
	t, err := readTOML(src, path)
	if err != nil {
		return nil, err
	}
	if at(t.says, path) == nil {
		return file, nil
	}
	if err := t.barred(); err != nil {
		return nil, err
	}
	var want any
	var out []byte
	_, was := cutBOM(before)
	if old, err := readTOML(was, path); err == nil && len(old.ours) > 0 {
		want, out = at(old.says, path), t.with(old.text())
	} else {
		out = t.without()
	}
	if err := t.proved(out, want); err != nil {
		return nil, err
	}
	return slices.Concat(mark, out), nil
}

// ReadTOML returns the table at a path; nil if it is missing. CodeInvalid for invalid TOML.
func ReadTOML(file []byte, path []string) (any, error) {
	_, src := cutBOM(file)
	says, err := decodeTOML(src)
	return at(says, path), err
}

// tables is a TOML file, scanned for one table and its subtables.
type tables struct {
	src  []byte
	path []string
	says map[string]any
	all  []statement
	ours []span // in order, not adjacent
}

// span is a range of whole lines.
type span struct{ from, to int }

func readTOML(src []byte, path []string) (tables, error) {
	says, err := decodeTOML(src)
	if err != nil {
		return tables{}, err
	}
	t := tables{src: src, path: path, says: says, all: statements(src)}
	for _, s := range t.all {
		last := len(t.ours) - 1
		switch {
		case !s.in(path):
		case last >= 0 && t.ours[last].to == s.from:
			t.ours[last].to = s.to
		default:
			t.ours = append(t.ours, span{s.from, s.to})
		}
	}
	for n, s := range t.ours {
		t.ours[n].from = noteAbove(src, s.from)
	}
	return t, nil
}

// noteAbove returns where our comment begins if it is on the line above an offset, else the offset.
func noteAbove(src []byte, offset int) int {
	above := bytes.TrimSuffix(src[:offset], []byte("\n"))
	from := bytes.LastIndexByte(above, '\n') + 1
	if strings.TrimRight(string(above[from:]), " \t\r") == noteTOML {
		return from
	}
	return offset
}

// barred rejects a file that has the table in another form than with a header.
func (t tables) barred() error {
	for _, s := range t.all {
		if s.bars(t.path) {
			bars := wrong(placeOf(t.src, s.at), "%s is an inline table or a list, so [%s] cannot be added",
				strings.Join(s.path, "."), strings.Join(t.path, "."))
			bars.Hint = fmt.Sprintf("give each table its own header, as [%s.NAME]", strings.Join(t.path[:len(t.path)-1], "."))
			return bars
		}
	}
	return nil
}

// proved verifies that only the wanted table changed; t may no longer describe it.
func (t tables) proved(out []byte, want any) error {
	is, err := decodeTOML(out)
	if err == nil && alike(at(is, t.path), want) {
		if alike(without(is, t.path, nothing), without(t.says, t.path, nothing)) {
			return nil
		}
	}
	return engram.Errorf(engram.CodeInvalid, "cannot change the table %s safely", strings.Join(t.path, ".")).
		WithHint("remove it by hand").WithCause(err)
}

// alike reports whether two decoded files are equal, compared as text because NaN equals nothing.
func alike(a, b any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// text returns our tables without the text between them.
func (t tables) text() string {
	var all []string
	for _, s := range t.ours {
		text := string(t.src[s.from:s.to])
		if !strings.HasSuffix(text, "\n") {
			text += newline(t.src)
		}
		all = append(all, text)
	}
	return strings.Join(all, newline(t.src))
}

// with returns the file with a text in place of our tables, or appended.
func (t tables) with(text string) []byte {
	if len(t.ours) == 0 {
		return addTo(t.src, text)
	}
	first := t.ours[0]
	if open(t.src, first) {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return splice(t.cut(), first.from, first.to, text)
}

// merged sets the values of keys in the existing table, in place or below the header.
func (t tables) merged(keys string) []byte {
	type change struct {
		span
		with string
	}
	var all []change
	var added string
	for _, key := range statements([]byte(keys)) {
		n := slices.IndexFunc(t.all, func(s statement) bool { return !s.header && slices.Equal(s.path, slices.Concat(t.path, key.path)) })
		if n < 0 {
			added += keys[key.from:key.to]
			continue
		}
		from, to := valueOf(t.src, t.all[n])
		first, last := valueOf([]byte(keys), key)
		all = append(all, change{span{from, to}, keys[first:last]})
	}
	if n := slices.IndexFunc(t.all, func(s statement) bool { return s.header && slices.Equal(s.path, t.path) }); n >= 0 && added != "" {
		under := span{t.all[n].to, t.all[n].to}
		nl := newline(t.src)
		if added = withNewlines(added, nl); open(t.src, under) {
			added = nl + strings.TrimSuffix(added, nl)
		}
		all = append(all, change{under, added})
	}
	slices.SortFunc(all, func(a, b change) int { return b.from - a.from }) // back to front, so that no change moves another
	out := t.src
	for _, c := range all {
		out = splice(out, c.from, c.to, c.with)
	}
	return out
}

func (t tables) without() []byte { return takeOut(t.cut(), t.ours[0]) }

// cut removes all of our tables but the first.
func (t tables) cut() []byte {
	out := t.src
	for _, s := range slices.Backward(t.ours[1:]) {
		out = splice(out, s.from, s.to, "")
	}
	return out
}

// at returns the value at a path of a decoded file, or nil.
func at(says map[string]any, path []string) any {
	var v any = says
	for _, name := range path {
		inner, _ := v.(map[string]any)
		v = inner[name]
	}
	return v
}

// has reports whether a table contains all keys of another with equal values.
func has(all, part map[string]any) bool {
	for name, want := range part {
		if !reflect.DeepEqual(all[name], want) {
			return false
		}
	}
	return true
}

func decodeTOML(src []byte) (map[string]any, error) {
	if err := depthTOML(src); err != nil {
		return nil, err
	}
	all := map[string]any{}
	_, err := toml.Decode(string(src), &all)
	if bad, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, wrong(place{bad.Position.Line, max(1, bad.Position.Col)}, "invalid TOML: %s", bad.Message)
	}
	return all, err
}
