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

// noteTOML is the line above a table of ours. Nothing depends on it, for programs that write a
// file anew drop comments or move them: it goes with the table where it stands above it still.
const noteTOML = "# written by `engram setup`, and taken out by `engram setup --undo`"

// SetTOML sets keys, which are whole lines of TOML (https://toml.io/en/v1.1.0), in the table at a path.
// In a table of ours other keys stay; another one is replaced in its place, with the tables below it.
// A missing table goes to the end. The names need no quotes, and each key is on one line.
//
// CodeInvalid for a file that is no TOML, and for one that has the table, or one on the path, in
// another form than with a header of its own: `a = { b = {} }`, `a.b.c = 1`, `[[a]]`.
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
		maps.Copy(was, want) // t says nothing of the table afterwards, as after proved
		want = was
	}
	if err := t.proved(out, want); err != nil {
		return nil, err
	}
	return slices.Concat(mark, out), nil
}

// RemoveTOML removes the table at a path with the tables below it, and the empty line above or the line
// end that SetTOML added. A table that the file had before SetTOML is put back; before is nil for no
// file. CodeInvalid as SetTOML, if there is something to remove.
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

// ReadTOML is what the table at a path says; nil for one that is not there.
//
// CodeInvalid for a file that is no TOML.
func ReadTOML(file []byte, path []string) (any, error) {
	_, src := cutBOM(file)
	says, err := decodeTOML(src)
	return at(says, path), err
}

// tables is a file of TOML, looked at for one table and those below it.
type tables struct {
	src  []byte
	path []string
	says map[string]any
	all  []statement
	ours []span // in their order, none beside another
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

// noteAbove is where our comment begins if it is the line above an offset, or the offset.
func noteAbove(src []byte, offset int) int {
	above := bytes.TrimSuffix(src[:offset], []byte("\n"))
	from := bytes.LastIndexByte(above, '\n') + 1
	if strings.TrimRight(string(above[from:]), " \t\r") == noteTOML {
		return from
	}
	return offset
}

// barred refuses what says the table in another form than by a header.
func (t tables) barred() error {
	for _, s := range t.all {
		if s.bars(t.path) {
			bars := wrong(placeOf(t.src, s.at), "%s is written in one line or as a list, and [%s] cannot stand beside it",
				strings.Join(s.path, "."), strings.Join(t.path, "."))
			bars.Hint = fmt.Sprintf("write each table with a header of its own, as [%s.NAME]", strings.Join(t.path[:len(t.path)-1], "."))
			return bars
		}
	}
	return nil
}

// proved makes sure that a file says what is wanted of the table, and otherwise what it said;
// t says nothing of the table afterwards.
func (t tables) proved(out []byte, want any) error {
	is, err := decodeTOML(out)
	if err == nil && alike(at(is, t.path), want) {
		if alike(without(is, t.path, nothing), without(t.says, t.path, nothing)) {
			return nil
		}
	}
	return engram.Errorf(engram.CodeInvalid, "the table %s cannot be changed safely", strings.Join(t.path, ".")).
		WithHint("take it out by hand").WithCause(err)
}

// alike reports whether two decoded files say the same: as text, because NaN is nothing's equal.
func alike(a, b any) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) }

// text is our tables without what stands between them.
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

// with is the file with a text in the place of our tables, or else at its end.
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

// merged is the file with the values of keys in the table that is there: each in the place of the
// old value, or below the header.
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
	slices.SortFunc(all, func(a, b change) int { return b.from - a.from }) // none shifts another
	out := t.src
	for _, c := range all {
		out = splice(out, c.from, c.to, c.with)
	}
	return out
}

func (t tables) without() []byte { return takeOut(t.cut(), t.ours[0]) }

// cut takes all of our tables out but the first.
func (t tables) cut() []byte {
	out := t.src
	for _, s := range slices.Backward(t.ours[1:]) {
		out = splice(out, s.from, s.to, "")
	}
	return out
}

// at is what stands at a path of a decoded file, nil when nothing does.
func at(says map[string]any, path []string) any {
	var v any = says
	for _, name := range path {
		inner, _ := v.(map[string]any)
		v = inner[name]
	}
	return v
}

// has reports whether a table has all that another one has.
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
		return nil, wrong(place{bad.Position.Line, max(1, bad.Position.Col)}, "this is no TOML: %s", bad.Message)
	}
	return all, err
}
