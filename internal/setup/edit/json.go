package edit

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tailscale/hujson"

	"github.com/alanbuscaglia/engram"
)

// SetJSON sets the value at a path of names in a JSON object, which may have comments and trailing
// commas (https://nigeltao.github.io/blog/2021/json-with-commas-comments.html). It creates objects
// on the path that are missing or null. An empty file, or one with only comments, counts as an
// empty object. CodeInvalid if the file or a value on the path is anything but an object.
func SetJSON(src []byte, path []string, value any) ([]byte, error) {
	return changeJSON(src, path, nothing, func(d *document) error {
		parents, last := path[:len(path)-1], path[len(path)-1]
		in, missing, err := d.walk(parents)
		if err != nil {
			return err
		}
		names := append(slices.Clone(missing), last)
		return d.setMember(in, names[0], nested(names[1:], value))
	})
}

// MergeJSON sets the members of value in an existing object, except those named in first, which are
// only for new objects. Other members stay. A value that is not an object is replaced. CodeInvalid
// as SetJSON.
func MergeJSON(src []byte, path []string, value any, first []string) ([]byte, error) {
	return repeatJSON(src, path, nothing, func(d *document) error {
		if now := d.at(path); now != nil {
			return d.merge(now, value, first)
		}
		return nil
	})
}

// RestoreJSON restores the member at a path to its form in before, the file before SetJSON; it
// removes the member if before is nil, invalid or without it. CodeInvalid as SetJSON.
func RestoreJSON(src, before []byte, path []string) ([]byte, error) {
	_, before = cutBOM(before)
	old, err := parse(before)
	if err != nil || old.at(path) == nil {
		return RemoveJSON(src, path)
	}
	return changeJSON(src, path, nothing, func(d *document) error {
		if now := d.at(path); now != nil {
			d.putBack(now, old.at(path))
		}
		return nil
	})
}

// RemoveJSON removes the member at a path, if there is one. CodeInvalid as SetJSON.
func RemoveJSON(src []byte, path []string) ([]byte, error) {
	return changeJSON(src, path, nothing, func(d *document) error {
		in, missing, err := d.walk(path[:len(path)-1])
		if err != nil || len(missing) > 0 {
			return err
		}
		for n, m := range in.Value.(*hujson.Object).Members {
			if nameOf(m) == path[len(path)-1] {
				cut(in, n)
				break
			}
		}
		return nil
	})
}

// ReadJSON decodes the value at a path, and reports whether there is one. CodeInvalid as SetJSON,
// and for a value of another type than into.
func ReadJSON(src []byte, path []string, into any) (bool, error) {
	_, body := cutBOM(src)
	d, err := parse(body)
	if err != nil {
		return false, err
	}
	if _, _, err := d.walk(path[:len(path)-1]); err != nil {
		return false, err
	}
	v := d.at(path)
	if v == nil {
		return false, nil
	}
	if err := json.Unmarshal(plain(*v), into); err != nil {
		return false, wrong(d.place(*v), "%q has an unexpected type", path[len(path)-1])
	}
	return true, nil
}

// document is the syntax tree of a file while it is changed.
type document struct {
	src  []byte
	root hujson.Value
	unit string // unit of indentation
	nl   string
	open bool // src has an extra line end after a final comment
}

// changeJSON applies a change, and verifies that nothing changed but the value at the path; entry
// removes that from the comparison.
func changeJSON(src []byte, path []string, entry func(any) any, change func(*document) error) ([]byte, error) {
	mark, body := cutBOM(src)
	d, err := parse(body)
	if err != nil {
		return nil, err
	}
	if err := change(d); err != nil {
		return nil, err
	}
	out := d.root.Pack()
	if bytes.Equal(out, d.src) {
		return src, nil
	}
	was, err := decoded(d.src)
	if err != nil {
		return nil, err
	}
	is, err := decoded(out)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(without(was, path, entry), without(is, path, entry)) {
		return nil, engram.Errorf(engram.CodeInvalid, "cannot change the file safely: it has a name twice").
			WithHint("remove the repeated name by hand")
	}
	if d.open {
		out = bytes.TrimSuffix(out, []byte("\n"))
	}
	return slices.Concat(mark, out), nil
}

// repeatJSON applies a change until it changes nothing.
func repeatJSON(src []byte, path []string, entry func(any) any, change func(*document) error) ([]byte, error) {
	for {
		out, err := changeJSON(src, path, entry, change)
		if err != nil || bytes.Equal(out, src) {
			return out, err
		}
		src = out
	}
}

// without replaces the value at a path of a decoded file by entry(value). It removes empty or null
// values on the path, because a change may have created them.
func without(v any, path []string, entry func(any) any) any {
	if len(path) == 0 {
		return entry(v)
	}
	o, ok := v.(map[string]any)
	if !ok {
		return v
	}
	inner := without(o[path[0]], path[1:], entry)
	if r := reflect.ValueOf(inner); inner == nil || (r.Kind() == reflect.Map || r.Kind() == reflect.Slice) && r.Len() == 0 {
		delete(o, path[0])
	} else {
		o[path[0]] = inner
	}
	return o
}

func nothing(any) any { return nil }

var placed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^hujson: line (\d+), column (\d+): `) })

func parse(src []byte) (*document, error) {
	d := &document{src: src, nl: newline(src), unit: "  "}
	if err := depthJSON(src); err != nil {
		return nil, err
	}
	if skip(src) == len(src) { // agents also treat a file with only comments as empty
		d.src = slices.Concat(src, []byte("{}"+d.nl))
		if text := bytes.TrimSpace(src); len(text) == 0 {
			d.src = []byte("{}" + d.nl)
		} else if !bytes.HasSuffix(src, []byte("\n")) {
			d.src = slices.Concat(src, []byte(d.nl+"{}"+d.nl))
		}
	}
	var err error
	d.root, err = hujson.Parse(d.src)
	if err != nil && !bytes.HasSuffix(d.src, []byte("\n")) { // hujson needs a line end after a comment
		if ended, again := hujson.Parse(append(slices.Clip(d.src), '\n')); again == nil {
			d.root, d.src, d.open, err = ended, append(slices.Clip(d.src), '\n'), true, nil
		}
	}
	if err != nil {
		at, why := place{1, 1}, err.Error()
		if match := placed().FindStringSubmatch(why); match != nil {
			at.line, _ = strconv.Atoi(match[1]) // the expression matches only digits
			at.column, _ = strconv.Atoi(match[2])
			why = why[len(match[0]):]
		}
		return nil, wrong(at, "invalid JSON: %s", strings.TrimPrefix(why, "hujson: "))
	}
	if _, ok := d.root.Value.(*hujson.Object); !ok {
		return nil, wrong(place{1, 1}, "this is not a JSON object")
	}
	if in, own := indentAt(d.src, firstEntry(d.root)); own && in != "" {
		d.unit = in
	}
	return d, nil
}

func decoded(src []byte) (v any, err error) {
	standard, err := hujson.Standardize(bytes.Clone(src)) // works in place
	if err == nil {
		err = json.Unmarshal(standard, &v)
	}
	return v, err
}

// plain returns a value without comments.
func plain(v hujson.Value) []byte {
	v = v.Clone()
	v.Minimize()
	return v.Pack()
}

func (d *document) place(v hujson.Value) place { return placeOf(d.src, v.StartOffset) }

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// member returns the value of the last member with a name, which decoders use, or nil.
func member(v *hujson.Value, name string) *hujson.Value {
	if o, ok := v.Value.(*hujson.Object); ok {
		for n := range slices.Backward(o.Members) {
			if nameOf(o.Members[n]) == name {
				return &o.Members[n].Value
			}
		}
	}
	return nil
}

// isNull reports whether a value is null, which agents treat as missing.
func isNull(v hujson.Value) bool { return v.Value.Kind() == 'n' }

// at returns the value at a path, or nil.
func (d *document) at(path []string) *hujson.Value {
	v := &d.root
	for _, name := range path {
		if v = member(v, name); v == nil {
			return nil
		}
	}
	return v
}

// walk follows a path as far as there are objects; missing are the remaining names, from the first
// that is missing or null.
func (d *document) walk(path []string) (in *hujson.Value, missing []string, err error) {
	in = &d.root
	for n, name := range path {
		v := member(in, name)
		if v == nil || isNull(*v) {
			return in, path[n:], nil
		}
		if v.Value.Kind() != '{' {
			return in, nil, wrong(d.place(*v), "%q is not an object", name)
		}
		in = v
	}
	return in, nil, nil
}

// merge sets the first member of value that an object lacks or has with another value; repeatJSON
// sets the others, because each change moves what follows.
func (d *document) merge(old *hujson.Value, value any, first []string) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var members map[string]any
	if json.Unmarshal(b, &members) != nil || old.Value.Kind() != '{' {
		return d.replace(old, value)
	}
	before := text(*old)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if slices.Contains(first, name) {
			continue
		}
		if err := d.setMember(old, name, members[name]); err != nil || text(*old) != before {
			return err
		}
	}
	return nil
}

// nested wraps a value in objects of these names.
func nested(names []string, value any) any {
	for _, name := range slices.Backward(names) {
		value = map[string]any{name: value}
	}
	return value
}

// Elements selects our elements in a list of JSON: its own or, with Inner, those in the list of that
// name in each of its elements, which are groups.
type Elements struct {
	Path  []string
	Inner string
	Ours  func(element []byte) bool
}

// Add merges value into our element, as MergeJSON does, or appends it to the list, which it creates
// if it is missing. With Inner, value is a group with one element; only that is merged into ours,
// because its group may belong to someone else. CodeInvalid as SetJSON, and if the path leads to
// anything but a list.
func (e Elements) Add(src []byte, value any, first []string) ([]byte, error) {
	element := value
	if e.Inner != "" {
		var group map[string]any
		b, err := json.Marshal(value)
		if err == nil {
			err = json.Unmarshal(b, &group)
		}
		all, ok := group[e.Inner].([]any)
		if !ok || len(all) != 1 {
			return nil, engram.Errorf(engram.CodeInternal, "a group must have one element").WithCause(err)
		}
		element = all[0]
	}
	return repeatJSON(src, e.Path, e.without, func(d *document) error {
		list, err := e.list(d)
		if err != nil {
			return err
		}
		if list == nil {
			in, missing, _ := d.walk(e.Path)
			return d.setMember(in, missing[0], nested(missing[1:], []any{value}))
		}
		for _, in := range e.lists(list) {
			if k := slices.Index(e.found(in), true); k >= 0 {
				return d.merge(entries(in)[k].start, element, first)
			}
		}
		return d.addElement(list, value)
	})
}

// Drop removes our elements, and with Inner groups without others. CodeInvalid as Add.
func (e Elements) Drop(src []byte) ([]byte, error) {
	return repeatJSON(src, e.Path, e.without, func(d *document) error {
		list, err := e.list(d)
		if err != nil || list == nil {
			return err
		}
		for n, in := range e.lists(list) {
			ours := e.found(in)
			if k := slices.Index(ours, true); k >= 0 {
				if e.Inner != "" && !slices.Contains(ours, false) {
					in, k = list, n
				}
				cut(in, k)
				return nil
			}
		}
		return nil
	})
}

// list returns the list at the path; nil if it is missing or null.
func (e Elements) list(d *document) (*hujson.Value, error) {
	last := len(e.Path) - 1
	in, missing, err := d.walk(e.Path[:last])
	if err != nil || len(missing) > 0 {
		return nil, err
	}
	v := member(in, e.Path[last])
	if v == nil || isNull(*v) {
		return nil, nil
	}
	if v.Value.Kind() != '[' {
		return nil, wrong(d.place(*v), "%q is not a list", e.Path[last])
	}
	return v, nil
}

// lists returns the lists with the elements: one per group, nil for a group without one.
func (e Elements) lists(list *hujson.Value) (all []*hujson.Value) {
	if e.Inner == "" {
		return []*hujson.Value{list}
	}
	for _, group := range entries(list) {
		all = append(all, member(group.start, e.Inner))
	}
	return all
}

// found reports which elements of a list are ours.
func (e Elements) found(in *hujson.Value) (ours []bool) {
	if in != nil && in.Value.Kind() == '[' {
		for _, v := range in.Value.(*hujson.Array).Elements {
			ours = append(ours, e.Ours(plain(v)))
		}
	}
	return ours
}

// without returns a decoded list without our elements and the groups that had no others.
func (e Elements) without(list any) any {
	all, ok := list.([]any)
	if !ok {
		return list
	}
	isOurs := func(v any) bool {
		b, err := json.Marshal(v)
		return err == nil && e.Ours(b)
	}
	return slices.DeleteFunc(all, func(v any) bool {
		if e.Inner == "" {
			return isOurs(v)
		}
		group, _ := v.(map[string]any)
		inner, _ := group[e.Inner].([]any)
		if len(inner) == 0 {
			return false
		}
		inner = slices.DeleteFunc(inner, isOurs)
		group[e.Inner] = inner
		return len(inner) == 0
	})
}
