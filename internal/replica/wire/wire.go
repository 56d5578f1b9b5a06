// Package wire holds the JSON shapes in which records travel: the native ones, which keep
// everything (project.go, memory.go, relation.go, with the lineage of trail.go), and those
// of the mem_* dialect (dialect.go). Files and chunks are made of them; what stands around
// them is for package jsonfile and package gitchunks.
//
// Whatever Encode gives, Decode reads to the same record. What is read may come from
// anywhere: a shape that does not fit is an *engram.Error of CodeInvalid in words for a
// person, and what it says is for the engine to check.
package wire

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// The lists that native items stand in, in their order: what others refer to comes first.
// Sections names them.
const (
	Projects = iota
	Sessions
	Memories
	Prompts
	Relations
	Erasures
)

// Sections returns the names of the native lists, in their order.
func Sections() []string {
	return []string{"projects", "sessions", "memories", "prompts", "relations", "erased"}
}

// Encode is a record as a native item, for package json, and the list that it belongs to;
// -1 when the record is nothing.
func Encode(r engram.Record) (section int, item any) {
	switch {
	case r.Project != nil:
		return Projects, projectOf(*r.Project, trailOf(r))
	case r.Session != nil:
		return Sessions, sessionOf(*r.Session, trailOf(r))
	case r.Memory != nil:
		return Memories, memoryOf(*r.Memory, trailOf(r))
	case r.Prompt != nil:
		return Prompts, promptOf(*r.Prompt, trailOf(r))
	case r.Relation != nil:
		return Relations, relationOf(*r.Relation, trailOf(r))
	case r.Erased != nil:
		return Erasures, erasedOf(*r.Erased)
	}
	return -1, nil
}

// shape is a native item that was read.
type shape interface{ record() engram.Record }

// Decode reads a native item of a list: every layer is laid over the one before it, so
// that a field which a later one does not have is as the earlier one says. The error is of
// CodeInvalid.
func Decode(section int, layers ...[]byte) (engram.Record, error) {
	switch section {
	case Projects:
		return decode[Project](layers)
	case Sessions:
		return decode[Session](layers)
	case Prompts:
		return decode[Prompt](layers)
	case Relations:
		return decode[Relation](layers)
	case Erasures:
		return decode[Erased](layers)
	}
	return decode[Memory](layers)
}

func decode[T shape](layers [][]byte) (engram.Record, error) {
	var v T
	for _, layer := range layers {
		if err := json.Unmarshal(layer, &v); err != nil {
			return engram.Record{}, Misfit(err)
		}
	}
	r := v.record()
	if r.Causal != nil {
		if err := checkLineage(*r.Causal); err != nil {
			return engram.Record{}, err
		}
	}
	return r, nil
}

// Misfit says why JSON does not fit a shape, without the names of Go's types. It is of
// CodeInvalid.
func Misfit(err error) error {
	if told, ok := errors.AsType[*engram.Error](err); ok {
		return told
	}
	bad, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return engram.Errorf(engram.CodeInvalid, "%v", err)
	case bad.Field == "":
		return engram.Errorf(engram.CodeInvalid, "it is no object but %s", withArticle(bad.Value))
	}
	return engram.Errorf(engram.CodeInvalid, "%s cannot be %s", bad.Field, withArticle(bad.Value))
}

// withArticle is the kind of a JSON value in a sentence.
func withArticle(kind string) string {
	if strings.HasPrefix(kind, "a") || strings.HasPrefix(kind, "o") {
		return "an " + kind
	}
	return "a " + kind
}
