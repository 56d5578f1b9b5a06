package edit

import (
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/alanbuscaglia/engram"
)

// AddGroupedJSON is AddJSON for a list of groups, which are objects that have their elements in
// a list of their own, named inner. group is one with a single element, which is put at the end
// where none is ours; else that one is merged alone: its group may be somebody else's.
//
// CodeInvalid as AddJSON.
func AddGroupedJSON(src []byte, path []string, inner string, group any, first []string, ours func(element []byte) bool) ([]byte, error) {
	value, err := onlyElement(group, inner)
	if err != nil {
		return nil, err
	}
	return repeatJSON(src, func(d *document) error {
		list, at, missing, err := d.list(path)
		if err != nil {
			return err
		}
		if list == nil {
			return d.addMember(at, missing[0], nested(missing[1:], []any{group}))
		}
		groups := list.Value.(*hujson.Array).Elements
		for n := range groups {
			elements := elementsOf(groups[n], inner)
			for k := range elements {
				if ours(plain(elements[k])) {
					return d.merge(&elements[k], value, first)
				}
			}
		}
		return d.addElement(list, group)
	}, withoutGrouped(path, inner, ours))
}

// onlyElement is that of a group, which has one.
func onlyElement(group any, inner string) (any, error) {
	var says map[string]any
	b, err := json.Marshal(group)
	if err == nil {
		err = json.Unmarshal(b, &says)
	}
	if all, ok := says[inner].([]any); ok && len(all) == 1 {
		return all[0], err
	}
	return nil, engram.Errorf(engram.CodeInternal, "a group has not one element").WithCause(err)
}

// DropGroupedJSON takes the elements that are ours out of the groups of the list at the path,
// and with them the groups in which there is nothing else.
//
// CodeInvalid as AddJSON.
func DropGroupedJSON(src []byte, path []string, inner string, ours func(element []byte) bool) ([]byte, error) {
	return repeatJSON(src, func(d *document) error {
		list, _, _, err := d.list(path)
		if err != nil || list == nil {
			return err
		}
		isOurs := func(v hujson.Value) bool { return ours(plain(v)) }
		groups := list.Value.(*hujson.Array).Elements
		for n, group := range groups {
			elements := elementsOf(group, inner)
			k := slices.IndexFunc(elements, isOurs)
			switch {
			case k < 0:
				continue
			case !slices.ContainsFunc(elements, func(v hujson.Value) bool { return !isOurs(v) }):
				d.cut(group.StartOffset, group.EndOffset, n == 0, n == len(groups)-1)
			default:
				d.cut(elements[k].StartOffset, elements[k].EndOffset, k == 0, k == len(elements)-1)
			}
			return nil
		}
		return nil
	}, withoutGrouped(path, inner, ours))
}

// elementsOf are those of a group; nil for what is none.
func elementsOf(group hujson.Value, inner string) []hujson.Value {
	o, ok := group.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	m := member(o, inner)
	if m == nil {
		return nil
	}
	list, ok := m.Value.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	return list.Elements
}

// withoutGrouped takes what is ours out of the groups at a path of a decoded file, and the
// groups that had nothing else.
func withoutGrouped(path []string, inner string, ours func([]byte) bool) func(any) any {
	bare := func(group map[string]any) (empty bool) {
		all, ok := group[inner].([]any)
		if !ok {
			return false
		}
		had := len(all)
		all = slices.DeleteFunc(all, func(e any) bool {
			b, err := json.Marshal(e)
			return err == nil && ours(b)
		})
		group[inner] = all
		return len(all) == 0 && had > 0
	}
	return atList(path, func(groups []any) []any {
		return slices.DeleteFunc(groups, func(g any) bool {
			group, ok := g.(map[string]any)
			return ok && bare(group)
		})
	})
}
