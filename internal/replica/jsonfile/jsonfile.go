// Package jsonfile reads and writes memory as a JSON file. It writes three forms: the native one,
// which keeps everything and is an export object of the mem_* dialect at once (native.go); that
// object alone (dialect.go); and native items under their own names (plain.go). It reads these and
// a fourth, a graph of memories and relationships (graph.go), and detects the form itself
// (read.go).
//
// Both directions stream: one record at a time is in memory. docs/moving.md describes the native
// form.
//
// Input may come from anywhere. A file is rejected at the byte where it becomes unreadable; an
// invalid item is passed on with the reason, and the rest is read. The engine checks the values.
package jsonfile

import "github.com/alanbuscaglia/engram"

// Names of the forms.
const (
	NameNative  = "json"
	NameDialect = "mem"
	NamePlain   = "plain"
	NameGraph   = "graph" // read only
)

// Formats returns the writable forms, by name. Each reads all of them.
func Formats() map[string]engram.Format {
	return map[string]engram.Format{NameNative: Native{}, NameDialect: Dialect{}, NamePlain: Plain{}}
}

// Native is the form that keeps everything and that readers of the mem_* dialect understand.
type Native struct{ reader }

// Fit implements engram.Format.
func (Native) Fit(r engram.Record) (engram.Record, bool) { return r, true }

// Dialect is the export object of the mem_* dialect: sessions, observations and prompts. It has
// neither revisions nor relations, and of deleted things only observations.
type Dialect struct{ reader }

// Plain is the first version of the native form: it keeps everything, with memories in a list of
// that name.
type Plain struct{ reader }

// Fit implements engram.Format.
func (Plain) Fit(r engram.Record) (engram.Record, bool) { return r, true }
