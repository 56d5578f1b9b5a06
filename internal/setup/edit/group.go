package edit

import (
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/alanbuscaglia/engram"
)

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
