package edit

import (
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/alanbuscaglia/engram"
)

// elements selects our elements in a list: its own or, with inner, those in the list of that name
// in each of its elements, which are groups.
type elements struct {
	path  []string
	inner string
	ours  func(element []byte) bool
}

// AddJSON merges value into our elements of a list, as MergeJSON does, or appends it. It creates a
// missing list. CodeInvalid as SetJSON, and if the path leads to anything but a list.
func AddJSON(src []byte, path []string, value any, first []string, ours func(element []byte) bool) ([]byte, error) {
	return elements{path, "", ours}.add(src, value, value, first)
}

// AddGroupedJSON is AddJSON for a list of groups: objects with their elements in a list named
// inner. group has one element; only that is merged into ours, because its group may belong to
// someone else. CodeInvalid as AddJSON.
func AddGroupedJSON(src []byte, path []string, inner string, group any, first []string, ours func(element []byte) bool) ([]byte, error) {
	var says map[string]any
	b, err := json.Marshal(group)
	if err == nil {
		err = json.Unmarshal(b, &says)
	}
	all, ok := says[inner].([]any)
	if !ok || len(all) != 1 {
		return nil, engram.Errorf(engram.CodeInternal, "a group has not one element").WithCause(err)
	}
	return elements{path, inner, ours}.add(src, group, all[0], first)
}

// DropJSON removes our elements from the list at the path. CodeInvalid as AddJSON.
func DropJSON(src []byte, path []string, ours func(element []byte) bool) ([]byte, error) {
	return elements{path, "", ours}.drop(src)
}

// DropGroupedJSON removes our elements from the groups of the list at the path, and groups without
// others. CodeInvalid as AddJSON.
func DropGroupedJSON(src []byte, path []string, inner string, ours func(element []byte) bool) ([]byte, error) {
	return elements{path, inner, ours}.drop(src)
}

func (e elements) add(src []byte, value, element any, first []string) ([]byte, error) {
	return repeatJSON(src, e.path, e.without, func(d *document) error {
		list, err := e.list(d)
		if err != nil {
			return err
		}
		if list == nil {
			in, missing, _ := d.walk(e.path)
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

func (e elements) drop(src []byte) ([]byte, error) {
	return repeatJSON(src, e.path, e.without, func(d *document) error {
		list, err := e.list(d)
		if err != nil || list == nil {
			return err
		}
		for n, in := range e.lists(list) {
			ours := e.found(in)
			if k := slices.Index(ours, true); k >= 0 {
				if e.inner != "" && !slices.Contains(ours, false) {
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
func (e elements) list(d *document) (*hujson.Value, error) {
	last := len(e.path) - 1
	in, missing, err := d.walk(e.path[:last])
	if err != nil || len(missing) > 0 {
		return nil, err
	}
	v := member(in, e.path[last])
	if v == nil || isNull(*v) {
		return nil, nil
	}
	if v.Value.Kind() != '[' {
		return nil, wrong(d.place(*v), "%q is no list, and nothing can be put into it", e.path[last])
	}
	return v, nil
}

// lists returns the lists with the elements: one per group, nil for a group without one.
func (e elements) lists(list *hujson.Value) (all []*hujson.Value) {
	if e.inner == "" {
		return []*hujson.Value{list}
	}
	for _, group := range entries(list) {
		all = append(all, member(group.start, e.inner))
	}
	return all
}

// found reports which elements of a list are ours.
func (e elements) found(in *hujson.Value) (ours []bool) {
	if in != nil && in.Value.Kind() == '[' {
		for _, v := range in.Value.(*hujson.Array).Elements {
			ours = append(ours, e.ours(plain(v)))
		}
	}
	return ours
}

// without returns a decoded list without our elements and the groups that had no others.
func (e elements) without(list any) any {
	all, ok := list.([]any)
	if !ok {
		return list
	}
	isOurs := func(v any) bool {
		b, err := json.Marshal(v)
		return err == nil && e.ours(b)
	}
	return slices.DeleteFunc(all, func(v any) bool {
		if e.inner == "" {
			return isOurs(v)
		}
		group, _ := v.(map[string]any)
		inner, _ := group[e.inner].([]any)
		if len(inner) == 0 {
			return false
		}
		inner = slices.DeleteFunc(inner, isOurs)
		group[e.inner] = inner
		return len(inner) == 0
	})
}
