package httpapi

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/alanbuscaglia/engram/internal/document"
)

// loosened is a JSON value as a t takes it: numbers, true and false out of their quotes,
// and lists out of a string with commas, wherever t has such. What it cannot mend stays.
func loosened(value json.RawMessage, t reflect.Type) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return value
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return document.Unquoted(value)
	case reflect.Slice:
		items, ok := document.Items(value)
		if !ok || t.Elem().Kind() == reflect.Uint8 {
			return value
		}
		for i, item := range items {
			items[i] = loosened(item, t.Elem())
		}
		return rewritten(items, value)
	case reflect.Struct:
		var members map[string]json.RawMessage
		if json.Unmarshal(value, &members) != nil || members == nil {
			return value
		}
		for name, member := range members {
			for _, f := range fieldsOf(t) {
				if strings.EqualFold(f.name, name) {
					members[name] = loosened(member, f.kind)
				}
			}
		}
		return rewritten(members, value)
	}
	return value
}

// rewritten is v as JSON, or what it was made of where that cannot be.
func rewritten(v any, was json.RawMessage) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return was
	}
	return b
}
