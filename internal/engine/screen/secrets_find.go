package screen

import (
	"encoding/json"
	"strings"

	"github.com/alanbuscaglia/engram/internal/secret"
)

// SecretFilter removes secrets from texts, except kept ones, and counts them.
type SecretFilter struct {
	Scanner func() *secret.Scanner
	Kept    map[string]bool // digests of kept secrets
	Kinds   map[string]int
	Cuts    int
}

// Text cleans a text without a name.
func (v *SecretFilter) Text(s string) string { return v.Named("", s) }

// Named filters a text with a field name.
func (v *SecretFilter) Named(name, s string) string {
	if len(s) < shortestSecret && name == "" {
		return s
	}
	return v.Scanner().CleanBut(name, s, func(found string, f secret.Span) bool {
		if v.Kept[textDigest(found)] {
			return false
		}
		v.Kinds[f.Rule]++
		v.Cuts++
		return true
	})
}

// CutsIn returns how many secrets run removes.
func (v *SecretFilter) CutsIn(run func()) int {
	before := v.Cuts
	run()
	return v.Cuts - before
}

// Journaled filters the JSON of a journal entry. Other data stays.
func (v *SecretFilter) Journaled(was json.RawMessage) json.RawMessage {
	if len(was) < shortestSecret {
		return was
	}
	d := json.NewDecoder(strings.NewReader(string(was)))
	d.UseNumber() // undo compares numbers as written
	var value any
	if err := d.Decode(&value); err != nil {
		return was
	}
	var out json.RawMessage
	if v.CutsIn(func() { value = v.value("", value) }) > 0 {
		if b, err := json.Marshal(value); err == nil {
			out = b
		}
	}
	if out == nil {
		return was
	}
	return out
}

// value filters a JSON value with a field name.
func (v *SecretFilter) value(name string, x any) any {
	switch x := x.(type) {
	case string:
		return v.Named(name, x)
	case []any:
		for i := range x {
			x[i] = v.value(name, x[i])
		}
	case map[string]any:
		for name := range x {
			x[name] = v.value(name, x[name])
		}
	}
	return x
}
