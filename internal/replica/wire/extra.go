package wire

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Extra is the field that Engram adds to items of the mem_* dialect: what the dialect cannot
// express, in the native shape and without what the item already has. Programs of the dialect
// ignore it.
const Extra = "engram"

// mostFields is the most fields of an item.
const mostFields = 1000

// EncodeExtended returns a record as a dialect item with the field Extra, and its list. It returns
// nil for records that the dialect would misread as live or has no list for: deleted sessions and
// prompts, projects, relations, erasures.
func EncodeExtended(r engram.Record) (list int, item []byte, err error) {
	switch {
	case r.Tombstone:
		return 0, nil, nil
	case r.Session != nil:
		item, err = extended(MemSessionOf(*r.Session), r)
		return MemSessions, item, err
	case r.Memory != nil:
		o := ObservationOf(r.Memory.Memory)
		if o.SessionID == "" { // the dialect requires a session
			o.SessionID = "manual-save-" + r.Memory.Memory.Project
		}
		item, err = extended(o, r)
		return Observations, item, err
	case r.Prompt != nil && !r.Prompt.Deleted():
		item, err = extended(MemPromptOf(*r.Prompt), r)
		return MemPrompts, item, err
	}
	return 0, nil, nil
}

// DecodeExtended reads a dialect item, written by EncodeExtended or another program. The item must
// be well-formed JSON, and is changed. The error is CodeInvalid.
func DecodeExtended(list int, item []byte) (engram.Record, error) {
	fields, ok := FieldsOf(item, mostFields)
	if !ok {
		return engram.Record{}, engram.Errorf(engram.CodeInvalid, "it is not an object")
	}
	rest := valueOf(fields, Extra)
	if rest == nil {
		return DecodeDialect(list, item)
	}
	if err := Ambiguous(rest); err != nil {
		return engram.Record{}, err
	}
	switch list {
	case MemSessions:
		return Decode(Sessions, item, rest)
	case MemPrompts:
		return Decode(Prompts, item, rest)
	}
	hide(fields, "id") // a number here, a string in the native shape
	return Decode(Memories, item, rest)
}

// extended returns a dialect item with the field Extra.
func extended(said any, r engram.Record) ([]byte, error) {
	item, err := Marshal(said)
	if err != nil {
		return nil, err
	}
	rest, err := Rest(r, item)
	if err != nil {
		return nil, err
	}
	return slices.Concat(item[:len(item)-1], []byte(`,"`+Extra+`":`), rest, []byte("}")), nil
}

// Rest returns the native item of a record without the fields that the object said has with the
// same value. Decode(section, said, rest) gives the record again.
func Rest(r engram.Record, said []byte) ([]byte, error) {
	long := ""
	if r.Memory != nil && !r.Tombstone { // long, and equal in both
		m := *r.Memory
		m.Memory.Content, long = "", "content"
		r.Memory = &m
	}
	_, shape := Encode(r)
	native, err := Marshal(shape)
	if err != nil {
		return nil, err
	}
	there, _ := FieldsOf(said, mostFields)
	rest := make([]byte, 1, len(native))
	rest[0] = '{'
	put := func(name string, value []byte) {
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(append(append(append(rest, '"'), name...), `":`...), value...)
	}
	fields, _ := FieldsOf(native, mostFields)
	for _, f := range fields {
		if f.Name != long && !same(valueOf(there, f.Name), f.Value) {
			put(f.Name, f.Value)
		}
	}
	// Fields that the dialect requires and the record lacks must not come back.
	if r.Memory != nil && r.Memory.Memory.SessionID == "" {
		put("session_id", []byte(`""`))
	}
	if r.Erased != nil && r.Erased.SyncID == "" {
		put("sync_id", []byte(`""`))
	}
	return append(rest, '}'), nil
}

// same reports whether a dialect value equals a native one. Times differ in form: "2026-03-01
// 10:00:00" and "2026-03-01T10:00:00.000Z".
func same(dialect, native []byte) bool {
	const day, second = len(`"2026-03-01`), len(`"2026-03-01 10:00:00`)
	if bytes.Equal(dialect, native) {
		return true
	}
	return len(dialect) == second+1 && len(native) == second+len(`.000Z"`) && dialect[day] == ' ' && native[day] == 'T' &&
		bytes.Equal(dialect[:day], native[:day]) && bytes.Equal(dialect[day+1:second], native[day+1:second]) && string(native[second:]) == `.000Z"`
}

// valueOf returns the value of a field; nil for none or null.
func valueOf(fields []Field, name string) []byte {
	for _, f := range fields {
		if f.Name == name && !bytes.Equal(f.Value, []byte("null")) {
			return f.Value
		}
	}
	return nil
}

// hide renames a field to one that no decoder reads, in place: the item may be long.
func hide(fields []Field, name string) {
	for _, f := range fields {
		if f.Name == name {
			for i := 1; i < len(f.Key)-1; i++ {
				f.Key[i] = '_'
			}
		}
	}
}

// Marshal returns JSON without HTML escapes.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "cannot write a record").WithCause(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
