package redact

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// Metadata returns a copy of m with Private applied to every key and text (see Members).
func Metadata(m map[string]any) map[string]any {
	return Members(m, func(_, text string) string { return Private(text) })
}

// Members returns a copy of m in which every key and text, at any depth, has passed through clean.
// clean gets the key of a text, also within a list, and "" for a key itself. It returns nil for
// nil; the copy shares nothing mutable with m, which is not changed.
//
// A value that is not of a JSON type is converted through JSON, or becomes Mark if that fails. Keys
// that become equal are numbered: "[REDACTED]", "[REDACTED] 2".
func Members(m map[string]any, clean func(key, text string) string) map[string]any {
	if m == nil {
		return nil
	}
	all := make(map[string]any, len(m))
	var hidden []string
	for k, v := range m {
		if clean("", k) != k {
			hidden = append(hidden, k)
		} else {
			all[k] = value(v, k, clean)
		}
	}
	// Sorted, so that the numbers do not depend on map order.
	slices.Sort(hidden)
	next := map[string]int{}
	for _, k := range hidden {
		name := clean("", k)
		if n := next[name]; n > 0 {
			next[name], name = n+1, name+" "+strconv.Itoa(n)
		} else {
			next[name] = 2
		}
		// A key that existed with this name keeps it.
		for _, taken := all[name]; taken; _, taken = all[name] {
			name += "'"
		}
		all[name] = value(m[k], name, clean)
	}
	return all
}

func value(v any, key string, clean func(key, text string) string) any {
	switch v := v.(type) {
	case nil, bool, float64, float32, int, int64, int32, int16, int8, uint, uint64, uint32, uint16, uint8:
		return v
	case string:
		return clean(key, v)
	case map[string]any:
		return Members(v, clean)
	case []any:
		list := slices.Clone(v)
		for i := range list {
			list[i] = value(list[i], key, clean)
		}
		return list
	case []string:
		list := slices.Clone(v)
		for i := range list {
			list[i] = clean(key, list[i])
		}
		return list
	case map[string]string:
		texts := make(map[string]any, len(v))
		for k, s := range maps.All(v) {
			texts[k] = s
		}
		return Members(texts, clean)
	}
	return viaJSON(v, key, clean)
}

// viaJSON cleans a value of any other type.
func viaJSON(v any, key string, clean func(key, text string) string) any {
	text, err := json.Marshal(v)
	if err != nil {
		return Mark
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return Mark
	}
	return value(plain, key, clean)
}
