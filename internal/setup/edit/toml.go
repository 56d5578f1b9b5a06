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

// statement is a table header or a key with its value in a TOML file.
type statement struct {
	from, to int // its lines, including the last line end
	at       int // where it begins in its first line
	header   bool
	list     bool     // an array-of-tables header: [[…]]
	table    []string // the table it belongs to; a header's own
	path     []string // full path of what it defines
}

// in reports whether it belongs to the table at a path, or to a subtable.
func (s statement) in(path []string) bool { return begins(s.table, path) }

// bars reports whether it defines the table at a path in a form that excludes a header or cannot be
// replaced by one: inline, by a dotted key, or as a list.
func (s statement) bars(path []string) bool {
	return !s.in(path) && (!s.header || s.list) && (begins(path, s.path) || begins(s.path, path))
}

// begins reports whether a path starts with another one.
func begins(path, with []string) bool {
	return len(path) >= len(with) && slices.Equal(path[:len(with)], with)
}

// statements splits a valid TOML file (https://toml.io/en/v1.1.0).
func statements(src []byte) []statement {
	var all []statement
	var table []string
	for sc := (scanner{src: src}); sc.n < len(src); {
		s := statement{from: sc.n}
		sc.blanks()
		s.at = sc.n
		switch sc.here() {
		case 0, '\r', '\n', '#':
			sc.line()
			continue
		case '[':
			s.header, s.list = true, strings.HasPrefix(string(src[sc.n:min(sc.n+2, len(src))]), "[[")
			for sc.here() == '[' {
				sc.n++
			}
			table = sc.key()
			s.path = table
			sc.line()
		default:
			s.path = slices.Concat(table, sc.key())
			sc.value()
		}
		s.table, s.to = table, sc.n
		all = append(all, s)
	}
	return all
}

// scanner scans a TOML file from byte n.
type scanner struct {
	src []byte
	n   int
}

// here returns the next byte, 0 at the end.
func (s *scanner) here() byte {
	if s.n < len(s.src) {
		return s.src[s.n]
	}
	return 0
}

func (s *scanner) blanks() {
	for s.here() == ' ' || s.here() == '\t' {
		s.n++
	}
}

func (s *scanner) line() {
	if n := bytes.IndexByte(s.src[s.n:], '\n'); n >= 0 {
		s.n += n + 1
		return
	}
	s.n = len(s.src)
}

// key reads dotted names up to their end.
func (s *scanner) key() []string {
	from := s.n
	for s.n < len(s.src) && !strings.ContainsRune("=]\n", rune(s.here())) {
		if c := s.here(); c == '"' || c == '\'' {
			s.text()
		} else {
			s.n++
		}
	}
	// Names have quotes and escapes like values, so the decoder reads them.
	meta, err := toml.Decode(string(s.src[from:s.n])+" = 0", new(map[string]any))
	if keys := meta.Keys(); err == nil && len(keys) > 0 {
		return keys[len(keys)-1]
	}
	return nil
}

// valueOf returns the position of a key's value, without a comment after it.
func valueOf(src []byte, of statement) (from, to int) {
	s := scanner{src: src, n: of.at}
	s.key()
	s.n++ // the equals sign
	s.blanks()
	from = s.n
	return from, s.value()
}

// value skips a value and the rest of its last line, across strings, lists, tables and comments,
// and returns where the value itself ends.
func (s *scanner) value() (end int) {
	for depth := 0; s.n < len(s.src); {
		switch c := s.here(); c {
		case '"', '\'':
			s.text()
			end = s.n
			continue
		case '#':
			s.line()
			if depth <= 0 {
				return end
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		s.n++
		switch last := s.src[s.n-1]; {
		case last == '\n' && depth <= 0:
			return end
		case strings.IndexByte(" \t\r\n", last) < 0:
			end = s.n
		}
	}
	return end
}

// text skips a string of one of the four kinds.
func (s *scanner) text() {
	quote := s.src[s.n : s.n+1]
	if long := bytes.Repeat(quote, 3); bytes.HasPrefix(s.src[s.n:], long) {
		quote = long
	}
	for s.n += len(quote); s.n < len(s.src); s.n++ {
		switch {
		case s.here() == '\\' && quote[0] == '"':
			s.n++
		case bytes.HasPrefix(s.src[s.n:], quote):
			s.n += len(quote)
			for more := 0; len(quote) == 3 && more < 2 && s.here() == quote[0]; more++ {
				s.n++ // the string may end in one or two quotes
			}
			return
		}
	}
	s.n = min(s.n, len(s.src))
}
