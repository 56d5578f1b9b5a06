// Package wire holds the JSON shapes of exchanged records: the complete native ones (project.go,
// memory.go, relation.go, trail.go) and those of the mem_* dialect (dialect.go). Packages jsonfile
// and gitchunks make files and chunks of them.
//
// Decode reads what Encode wrote to the same record. Input may come from anywhere: a misfit is an
// *engram.Error of CodeInvalid in plain words; the engine checks the values.
package wire

import (
	"encoding/json"
	"errors"
	"strings"

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
	switch {
	case r.Project != nil:
		return Projects, itemOf(projectShape, r.Project, trailOf(r)).Addr().Interface()
	case r.Session != nil:
		return Sessions, itemOf(sessionShape, r.Session, trailOf(r)).Addr().Interface()
	case r.Memory != nil:
		return Memories, memoryOf(*r.Memory, trailOf(r))
	case r.Prompt != nil:
		return Prompts, itemOf(promptShape, r.Prompt, trailOf(r)).Addr().Interface()
	case r.Relation != nil:
		return Relations, relationOf(*r.Relation, trailOf(r))
	case r.Erased != nil:
		return Erasures, erasedOf(*r.Erased)
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
		return decodeItem(projectShape, noun, engram.Record{Project: noun}, layers)
	case Sessions:
		noun := new(engram.Session)
		return decodeItem(sessionShape, noun, engram.Record{Session: noun}, layers)
	case Prompts:
		noun := new(engram.Prompt)
		return decodeItem(promptShape, noun, engram.Record{Prompt: noun}, layers)
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
