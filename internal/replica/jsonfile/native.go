package jsonfile

import (
	"encoding/json"
	"io"
	"iter"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// The native form is the export object of the mem_* dialect with further lists, and in every item a
// field for what only Engram knows (wire.Extra). Deleted sessions and prompts, which the dialect
// would take for live, are in lists of their own.

// nativeName is the "format" of native files, nativeVersion the newest known "format_version". A
// new field does not make a new version, a changed meaning does. "version" is the dialect's.
const (
	nativeName    = "engram"
	nativeVersion = 2
)

// nativeList is a list of native files.
type nativeList struct {
	name    string
	section int // of native items
	dialect int // of extended dialect items; -1 for native items
}

// Indexes in nativeLists of lists that depend on more than the kind of record.
const (
	deletedSessions = 2
	deletedPrompts  = 5
)

// nativeLists are the lists of native files, in order.
func nativeLists() []nativeList {
	return []nativeList{
		{"projects", wire.Projects, -1},
		{"sessions", wire.Sessions, wire.MemSessions},
		{"deleted_sessions", wire.Sessions, -1},
		{"observations", wire.Memories, wire.Observations},
		{"prompts", wire.Prompts, wire.MemPrompts},
		{"deleted_prompts", wire.Prompts, -1},
		{"relations", wire.Relations, -1},
		{"erased", wire.Erasures, -1},
	}
}

// nativeSections returns the names of nativeLists.
func nativeSections() (names []string) {
	for _, l := range nativeLists() {
		names = append(names, l.name)
	}
	return names
}

// Write implements engram.Format.
func (Native) Write(w io.Writer, head engram.Snapshot, records iter.Seq2[engram.Record, error]) error {
	fields := []field{{"version", dialectVersion}, {"exported_at", wire.On(head.At)}, {"format", nativeName}, {"format_version", nativeVersion},
		{"program", head.Program}, {"project", head.Project}, {"count", head.Memories}}
	return newObject(w, nativeSections()).write(fields, records, writeNative)
}

func writeNative(o *object, r engram.Record) error {
	dialect, extended, err := wire.EncodeExtended(r)
	if err != nil {
		return err
	}
	if extended != nil {
		at := slices.IndexFunc(nativeLists(), func(l nativeList) bool { return l.dialect == dialect })
		return o.item(at, json.RawMessage(extended))
	}
	section, item := wire.Encode(r)
	switch {
	case section < 0:
		return nil
	case r.Session != nil:
		return o.item(deletedSessions, item)
	case r.Prompt != nil:
		return o.item(deletedPrompts, item)
	}
	return o.item(slices.IndexFunc(nativeLists(), func(l nativeList) bool { return l.section == section }), item)
}

func decodeNative(list string, raw []byte) (engram.Record, error) {
	lists := nativeLists()
	l := lists[slices.IndexFunc(lists, func(l nativeList) bool { return l.name == list })]
	if l.dialect >= 0 {
		return wire.DecodeExtended(l.dialect, raw)
	}
	return wire.Decode(l.section, raw)
}
