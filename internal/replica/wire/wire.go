// Package wire holds the JSON shapes of exchanged records: the complete native ones (record.go,
// memory.go) and those of the mem_* dialect (dialect.go). Packages jsonfile
// and gitchunks make files and chunks of them.
//
// Decode reads what Encode wrote to the same record. Input may come from anywhere: a misfit is an
// *engram.Error of CodeInvalid in plain words; the engine checks the values.
package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Lists of native items, in order: referenced things first. Sections names them.
const (
	Projects = iota
	Sessions
	Memories
	Prompts
	Relations
	Erasures
)

// Sections returns the names of the native lists, in order.
func Sections() []string {
	return []string{"projects", "sessions", "memories", "prompts", "relations", "erased"}
}

// Encode returns a record as a native item for package json, and its list; -1 for an empty record.
func Encode(r engram.Record) (section int, item any) {
	t := Trail{Causal: r.Causal, Tombstone: r.Tombstone}
	switch {
	case r.Project != nil:
		return Projects, itemOf(projectShape(), r.Project, t).Addr().Interface()
	case r.Session != nil:
		return Sessions, itemOf(sessionShape(), r.Session, t).Addr().Interface()
	case r.Memory != nil:
		return Memories, memoryOf(*r.Memory, t)
	case r.Prompt != nil:
		return Prompts, itemOf(promptShape(), r.Prompt, t).Addr().Interface()
	case r.Relation != nil:
		return Relations, relationOf(*r.Relation, t)
	case r.Erased != nil:
		x := r.Erased
		return Erasures, Erased{x.Entity, x.ID, x.SyncID, x.Project, x.At}
	}
	return -1, nil
}

// shape is a decoded native item.
type shape interface{ record() engram.Record }

// Decode reads a native item. Layers are decoded over each other, so a field missing in a later one
// keeps its value. The error is CodeInvalid.
func Decode(section int, layers ...[]byte) (engram.Record, error) {
	switch section {
	case Projects:
		noun := new(engram.Project)
		return decodeItem(projectShape(), noun, engram.Record{Project: noun}, layers)
	case Sessions:
		noun := new(engram.Session)
		return decodeItem(sessionShape(), noun, engram.Record{Session: noun}, layers)
	case Prompts:
		noun := new(engram.Prompt)
		return decodeItem(promptShape(), noun, engram.Record{Prompt: noun}, layers)
	case Relations:
		return decode[Relation](layers)
	case Erasures:
		return decode[Erased](layers)
	}
	return decodeMemory(layers)
}

func decode[T shape](layers [][]byte) (engram.Record, error) {
	var v T
	return decodeInto(&v, func() engram.Record { return v.record() }, layers)
}

// decodeInto decodes layers into item, of which record makes a record then.
func decodeInto(item any, record func() engram.Record, layers [][]byte) (engram.Record, error) {
	for _, layer := range layers {
		if err := json.Unmarshal(layer, item); err != nil {
			return engram.Record{}, Misfit(err)
		}
	}
	r := record()
	if r.Causal != nil {
		if err := checkCausal(*r.Causal); err != nil {
			return engram.Record{}, err
		}
	}
	return r, nil
}

// Misfit says why JSON does not fit a shape, without names of Go types. The error is CodeInvalid.
func Misfit(err error) error {
	if known, ok := errors.AsType[*engram.Error](err); ok {
		return known
	}
	bad, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return engram.Errorf(engram.CodeInvalid, "%v", err)
	case bad.Field == "":
		return engram.Errorf(engram.CodeInvalid, "it is %s, not an object", withArticle(bad.Value))
	}
	return engram.Errorf(engram.CodeInvalid, "%s cannot be %s", bad.Field, withArticle(bad.Value))
}

// withArticle puts an article before the kind of a JSON value.
func withArticle(kind string) string {
	if strings.HasPrefix(kind, "a") || strings.HasPrefix(kind, "o") {
		return "an " + kind
	}
	return "a " + kind
}

// Time is a time in a file. It is written in RFC 3339 in UTC with milliseconds, zero as null. It is
// read in RFC 3339, in the form of the mem_* dialect (2026-06-12 09:00:00, UTC), or as seconds or
// milliseconds since 1970; null and "" are zero.
type Time struct{ time.Time }

// At returns a time for a native item.
func At(t time.Time) Time { return Time{t} }

// MarshalJSON implements json.Marshaler.
func (m Time) MarshalJSON() ([]byte, error) {
	if m.IsZero() {
		return []byte("null"), nil
	}
	return Instant(m.Time).MarshalJSON()
}

// Instant is a time that is written even if it is zero: RFC 3339 in UTC with milliseconds.
type Instant time.Time

// MarshalJSON implements json.Marshaler.
func (s Instant) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(s).UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// dialectTime is the layout of times in the mem_* dialect.
const dialectTime = "2006-01-02 15:04:05"

// UnmarshalJSON implements json.Unmarshaler.
func (m *Time) UnmarshalJSON(b []byte) error {
	text := string(b)
	if text == "null" || text == `""` {
		return nil
	}
	if b[0] != '"' {
		return m.count(text)
	}
	text = Unquote(b)
	layouts := [...]string{time.RFC3339Nano, dialectTime, "2006-01-02T15:04:05", "2006-01-02"}
	if !strings.Contains(text, "T") { // an attempt that fails takes longest
		layouts[0], layouts[1] = layouts[1], layouts[0]
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			m.Time = t.UTC()
			return nil
		}
	}
	return m.count(text)
}

// count reads seconds, or milliseconds if the number is too large for seconds.
func (m *Time) count(text string) error {
	const tooManySeconds = 100_000_000_000 // the year 5138
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > -tooManySeconds*1000 && n < tooManySeconds*1000) { // false for NaN
		return fmt.Errorf("%.40q is not a time", text)
	}
	if n < tooManySeconds && n > -tooManySeconds {
		n *= 1000
	}
	m.Time = time.UnixMilli(int64(n)).UTC()
	return nil
}
