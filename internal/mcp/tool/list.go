package tool

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
)

// isList reports whether a schema counts the items of t. Raw JSON is a slice only to Go.
func isList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t != reflect.TypeFor[json.RawMessage]()
}

// listsObjects reports whether t is a list of objects with fields to check.
func listsObjects(t reflect.Type) bool { return isList(t) && t.Elem().Kind() == reflect.Struct }

func isObject(raw json.RawMessage) bool { return raw[0] == '{' }

// setList reads a list item by item, so that an error names the item: "memories[3].content is required". Items
// count from 0, as in JSON.
func (p param) setList(field reflect.Value, raw json.RawMessage) error {
	given, ok := document.Items(raw)
	if !ok || p.items != nil && raw[0] == '"' && !slices.ContainsFunc(given, isObject) {
		return p.mistyped(raw, plural(p.kind))
	}
	if err := p.counted(len(given)); err != nil {
		return err
	}
	list := reflect.MakeSlice(p.kind, len(given), len(given))
	for i, raw := range given {
		item := param{name: fmt.Sprintf("%s[%d]", p.name, i), kind: p.kind.Elem(), items: p.items, ref: p.ref}
		var err error
		switch {
		case absent(raw):
			err = engram.Errorf(engram.CodeInvalid, "%s is null", item.name).WithHint("leave it out")
		case p.items != nil:
			err = item.setObject(list.Index(i), raw)
		default:
			err = item.set(list.Index(i), raw)
		}
		if err != nil {
			return err
		}
	}
	field.Set(list)
	return nil
}

func (p param) setObject(field reflect.Value, raw json.RawMessage) error {
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return engram.Errorf(engram.CodeInvalid, "%s must be an object, not %s", p.name, kindOf(raw))
	}
	return fill(p.name+".", given, p.items, field)
}

func (p param) counted(n int) error {
	if p.unchecked || (p.min == nil || float64(n) >= *p.min) && (p.max == nil || float64(n) <= *p.max) {
		return nil
	}
	return p.outOfRange("%s has %d items", n)
}
