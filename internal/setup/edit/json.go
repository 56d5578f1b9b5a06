package edit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/alanbuscaglia/engram"
)

// SetJSON puts a value at the path of names into an object of JSON, which may have comments
// and trailing commas (https://nigeltao.github.io/blog/2021/json-with-commas-comments.html).
// Objects on the way that are missing or null are made; a file with nothing in it, or with
// comments alone, is an empty object.
//
// CodeInvalid for what is no such object, and for a name on the way that stands for something
// else than an object.
func SetJSON(src []byte, path []string, value any) ([]byte, error) {
	return changeJSON(src, func(d *document) error {
		at, missing, err := d.walk(path[:len(path)-1])
		if err != nil {
			return err
		}
		last := path[len(path)-1]
		if len(missing) > 0 {
			return d.addMember(at, missing[0], nested(append(missing[1:], last), value))
		}
		if m := member(at.object(), last); m != nil {
			return d.replace(&m.Value, value)
		}
		return d.addMember(at, last, value)
	}, without(path))
}

// MergeJSON is SetJSON for an object that is there: it gets the members of value, but for those
// that are called first, which a new one alone has, and keeps what else it says. What is no object
// is replaced.
//
// CodeInvalid as SetJSON.
func MergeJSON(src []byte, path []string, value any, first []string) ([]byte, error) {
	return repeatJSON(src, func(d *document) error {
		if now := d.at(path); now != nil {
			return d.merge(now, value, first)
		}
		return nil
	}, without(path))
}

// RestoreJSON is RemoveJSON for a member that the file had before SetJSON: that one takes its
// place again, as it was written. before is what the file was, nil for none; what cannot be
// understood any more says nothing of what was there.
//
// CodeInvalid as SetJSON.
func RestoreJSON(src, before []byte, path []string) ([]byte, error) {
	_, was := cutBOM(before)
	old, err := parse(was)
	if err != nil {
		return RemoveJSON(src, path)
	}
	then := old.at(path)
	if then == nil {
		return RemoveJSON(src, path)
	}
	return changeJSON(src, func(d *document) error {
		if now := d.at(path); now != nil {
			d.putBack(now, old, then)
		}
		return nil
	}, without(path))
}

// putBack puts what stood in another file in the place of a value, as it was written there.
func (d *document) putBack(now *hujson.Value, old *document, then *hujson.Value) {
	text := strings.ReplaceAll(string(old.src[then.StartOffset:then.EndOffset]), "\r\n", "\n")
	d.out = splice(d.src, now.StartOffset, now.EndOffset, withNewlines(text, d.nl))
}

// at is the value at a path, with no names the whole object; nil for none.
func (d *document) at(path []string) *hujson.Value {
	if len(path) == 0 {
		return &d.root
	}
	in, missing, err := d.walk(path[:len(path)-1])
	if err != nil || len(missing) > 0 {
		return nil
	}
	if m := member(in.object(), path[len(path)-1]); m != nil {
		return &m.Value
	}
	return nil
}

// RemoveJSON takes the member at the path out of an object of JSON. What is not there is
// removed already.
//
// CodeInvalid as SetJSON.
func RemoveJSON(src []byte, path []string) ([]byte, error) {
	return changeJSON(src, func(d *document) error {
		at, missing, err := d.walk(path[:len(path)-1])
		if err != nil || len(missing) > 0 {
			return err
		}
		all := at.object().Members
		n := slices.IndexFunc(all, func(m hujson.ObjectMember) bool { return nameOf(m) == path[len(path)-1] })
		if n < 0 {
			return nil
		}
		from := all[n].Name.StartOffset
		d.cut(from, all[n].Value.EndOffset, n == 0, n == len(all)-1)
		return nil
	}, without(path))
}

// AddJSON makes the first element that is ours in the list at the path what value says, as
// MergeJSON does, or puts value at the end of the list; further ones that are ours stay. A list
// that is missing is made.
//
// CodeInvalid as SetJSON, and where the path leads to something else than a list.
func AddJSON(src []byte, path []string, value any, first []string, ours func(element []byte) bool) ([]byte, error) {
	return repeatJSON(src, func(d *document) error {
		list, at, missing, err := d.list(path)
		if err != nil {
			return err
		}
		if list == nil {
			return d.addMember(at, missing[0], nested(missing[1:], []any{value}))
		}
		elements := list.Value.(*hujson.Array).Elements
		for n := range elements {
			if ours(plain(elements[n])) {
				return d.merge(&elements[n], value, first)
			}
		}
		return d.addElement(list, value)
	}, withoutElements(path, ours))
}

// DropJSON takes the elements that are ours out of the list at the path.
//
// CodeInvalid as AddJSON.
func DropJSON(src []byte, path []string, ours func(element []byte) bool) ([]byte, error) {
	return repeatJSON(src, func(d *document) error {
		list, _, _, err := d.list(path)
		if err != nil || list == nil {
			return err
		}
		elements := list.Value.(*hujson.Array).Elements
		n := slices.IndexFunc(elements, func(v hujson.Value) bool { return ours(plain(v)) })
		if n >= 0 {
			d.cut(elements[n].StartOffset, elements[n].EndOffset, n == 0, n == len(elements)-1)
		}
		return nil
	}, withoutElements(path, ours))
}

// repeatJSON runs a change until it changes nothing.
func repeatJSON(src []byte, change func(*document) error, rest func(any) any) ([]byte, error) {
	for {
		out, err := changeJSON(src, change, rest)
		if err != nil || bytes.Equal(out, src) {
			return out, err
		}
		src = out
	}
}

// ReadJSON decodes what stands at the path into a value, and reports whether anything does.
//
// CodeInvalid as SetJSON, and for what does not fit into the value.
func ReadJSON(src []byte, path []string, into any) (bool, error) {
	_, body := cutBOM(src)
	d, err := parse(body)
	if err != nil {
		return false, err
	}
	at, missing, err := d.walk(path[:len(path)-1])
	if err != nil || len(missing) > 0 {
		return false, err
	}
	m := member(at.object(), path[len(path)-1])
	if m == nil {
		return false, nil
	}
	if err := json.Unmarshal(plain(m.Value), into); err != nil {
		return false, wrong(d.place(m.Value), "%q is not what it should be", path[len(path)-1])
	}
	return true, nil
}

// document is a file at work.
type document struct {
	src  []byte
	root hujson.Value
	out  []byte
	unit string // of its indentation
	nl   string
	open bool // a comment ends with the file: src has a line end after it that the file has not
}

// object is a value that is known to be one.
type object struct{ *hujson.Value }

func (o object) object() *hujson.Object { return o.Value.Value.(*hujson.Object) }

// changeJSON runs a change, and proves that nothing else than the entry was changed.
func changeJSON(src []byte, change func(*document) error, rest func(any) any) ([]byte, error) {
	mark, body := cutBOM(src)
	d, err := parse(body)
	if err != nil {
		return nil, err
	}
	if err := change(d); err != nil {
		return nil, err
	}
	if d.out == nil {
		return src, nil
	}
	was, err := decoded(d.src)
	if err != nil {
		return nil, err
	}
	is, err := decoded(d.out)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(rest(was), rest(is)) {
		return nil, engram.Errorf(engram.CodeInvalid, "the file says something twice, and cannot be changed safely").
			WithHint("take the name that stands twice out by hand")
	}
	if d.open {
		d.out = bytes.TrimSuffix(d.out, []byte("\n"))
	}
	return append(slices.Clip(mark), d.out...), nil
}

var placed = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

func parse(src []byte) (*document, error) {
	d := &document{src: src, nl: newline(src)}
	if err := depthJSON(src); err != nil {
		return nil, err
	}
	if skip(src) == len(src) { // agents take what has only comments for empty, too
		d.src = slices.Concat(src, []byte("{}"+d.nl))
		if text := bytes.TrimSpace(src); len(text) == 0 {
			d.src = []byte("{}" + d.nl)
		} else if !bytes.HasSuffix(src, []byte("\n")) {
			d.src = slices.Concat(src, []byte(d.nl+"{}"+d.nl))
		}
	}
	var err error
	d.root, err = hujson.Parse(d.src)
	if err != nil && !bytes.HasSuffix(d.src, []byte("\n")) { // a comment may end with the file, but not for hujson
		if ended, again := hujson.Parse(append(slices.Clip(d.src), '\n')); again == nil {
			d.root, d.src, d.open, err = ended, append(slices.Clip(d.src), '\n'), true, nil
		}
	}
	if err != nil {
		at, why := place{1, 1}, err.Error()
		if told := placed.FindStringSubmatch(why); told != nil {
			at.line, _ = strconv.Atoi(told[1]) // digits, says the expression
			at.column, _ = strconv.Atoi(told[2])
			why = why[len(told[0]):]
		}
		return nil, wrong(at, "this is no JSON: %s", strings.TrimPrefix(why, "hujson: "))
	}
	if _, ok := d.root.Value.(*hujson.Object); !ok {
		return nil, wrong(place{1, 1}, "this is no object of JSON")
	}
	d.unit = unitOf(d.src, d.root)
	return d, nil
}

func decoded(src []byte) (v any, err error) {
	standard, err := hujson.Standardize(bytes.Clone(src)) // which works in place
	if err == nil {
		err = json.Unmarshal(standard, &v)
	}
	return v, err
}

// plain is a value without comments.
func plain(v hujson.Value) []byte {
	v = v.Clone()
	v.BeforeExtra, v.AfterExtra = nil, nil
	v.Minimize()
	return v.Pack()
}

func (d *document) place(v hujson.Value) place { return placeOf(d.src, v.StartOffset) }

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// member is the member of a name; of several the last, as every decoder has it.
func member(o *hujson.Object, name string) *hujson.ObjectMember {
	for n := len(o.Members) - 1; n >= 0; n-- {
		if nameOf(o.Members[n]) == name {
			return &o.Members[n]
		}
	}
	return nil
}

// isNull reports whether a value is null, which agents take for nothing.
func isNull(v hujson.Value) bool {
	l, ok := v.Value.(hujson.Literal)
	return ok && l.Kind() == 'n'
}

// walk goes down a path as far as there are objects; missing are the names that are not there,
// or stand for null.
func (d *document) walk(path []string) (at object, missing []string, err error) {
	at = object{&d.root}
	for n, name := range path {
		m := member(at.object(), name)
		if m == nil || isNull(m.Value) {
			return at, path[n:], nil
		}
		if _, ok := m.Value.Value.(*hujson.Object); !ok {
			return at, nil, wrong(d.place(m.Value), "%q is no object, and nothing can be put into it", name)
		}
		at = object{&m.Value}
	}
	return at, nil, nil
}

// list is the list at a path; nil when there is none, with where it is to be made.
func (d *document) list(path []string) (list *hujson.Value, at object, missing []string, err error) {
	at, missing, err = d.walk(path[:len(path)-1])
	last := path[len(path)-1]
	if err != nil || len(missing) > 0 {
		return nil, at, append(slices.Clone(missing), last), err
	}
	m := member(at.object(), last)
	if m == nil || isNull(m.Value) {
		return nil, at, []string{last}, nil
	}
	if _, ok := m.Value.Value.(*hujson.Array); !ok {
		return nil, at, nil, wrong(d.place(m.Value), "%q is no list, and nothing can be put into it", last)
	}
	return &m.Value, at, nil, nil
}

// nested is a value in objects of these names.
func nested(names []string, value any) any {
	for _, name := range slices.Backward(names) {
		value = map[string]any{name: value}
	}
	return value
}
