package redact

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// Metadata returns a copy of m in which every key and every text, at any depth, has
// gone through Private. It returns nil for nil; m is not changed, and nothing in
// the result that can be changed is shared with it.
//
// A value that is none of JSON's own kinds becomes what its JSON says, or Mark when
// it has none. Keys that become equal get a number: "[REDACTED]", "[REDACTED] 2".
func Metadata(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	clean := make(map[string]any, len(m))
	var hidden []string
	for k, v := range m {
		if Has(k) {
			hidden = append(hidden, k)
		} else {
			clean[k] = value(v)
		}
	}
	// In order, so that the numbers do not depend on how a map is walked.
	slices.Sort(hidden)
	next := map[string]int{}
	for _, k := range hidden {
		name := Private(k)
		if n := next[name]; n > 0 {
			next[name], name = n+1, name+" "+strconv.Itoa(n)
		} else {
			next[name] = 2
		}
		// A key that was there in this very spelling stays what it was.
		for _, taken := clean[name]; taken; _, taken = clean[name] {
			name += "'"
		}
		clean[name] = value(m[k])
	}
	return clean
}

func value(v any) any {
	switch v := v.(type) {
	case nil, bool, float64, float32, int, int64, int32, int16, int8, uint, uint64, uint32, uint16, uint8:
		return v
	case string:
		return Private(v)
	case map[string]any:
		return Metadata(v)
	case []any:
		list := slices.Clone(v)
		for i := range list {
			list[i] = value(list[i])
		}
		return list
	case []string:
		list := slices.Clone(v)
		for i := range list {
			list[i] = Private(list[i])
		}
		return list
	case map[string]string:
		texts := make(map[string]any, len(v))
		for k, s := range maps.All(v) {
			texts[k] = s
		}
		return Metadata(texts)
	}
	return viaJSON(v)
}

// viaJSON cleans a value of a kind that value does not know.
func viaJSON(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return Mark
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return Mark
	}
	return value(plain)
}
