// Package jsonfile is memory as a JSON file. It writes three forms: the native one, which
// keeps everything and is an export object of the mem_* dialect at once (native.go), that
// object with nothing else (dialect.go), and the native items under names of their own
// (plain.go). It reads them all, and a fourth, a graph of memories and relationships
// (graph.go), and finds out by itself which one it was given (read.go).
//
// Both ways are streams: one record at a time is in memory, however long the file is.
// docs/moving.md has the native form field by field.
//
// What is read may come from anywhere. A file is refused at the byte at which it cannot be
// read any further; an item that makes no sense is handed on with the reason, and the rest
// is read. What a record says is for the engine to check.
package jsonfile

import "github.com/alanbuscaglia/engram"

// The names of the forms.
const (
	NameNative  = "json"
	NameDialect = "mem"
	NamePlain   = "plain"
	NameGraph   = "graph" // read only
)

// Formats returns the forms that can be written, by name. Each reads all of them.
func Formats() map[string]engram.Format {
	return map[string]engram.Format{NameNative: Native{}, NameDialect: Dialect{}, NamePlain: Plain{}}
}

// Native is the form that keeps everything, and in which readers of the mem_* dialect find
// their lists.
type Native struct{ reader }

// Fit implements engram.Format.
func (Native) Fit(r engram.Record) (engram.Record, bool) { return r, true }

// Dialect is the export object of the mem_* dialect. It has sessions, observations and
// prompts, without what is deleted but for observations, and neither revisions nor
// relations.
type Dialect struct{ reader }

// Plain is the first version of the native form: it keeps everything, memories in a list of
// that name.
type Plain struct{ reader }

// Fit implements engram.Format.
func (Plain) Fit(r engram.Record) (engram.Record, bool) { return r, true }
