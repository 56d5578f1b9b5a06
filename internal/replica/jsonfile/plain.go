package jsonfile

import (
	"io"
	"iter"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// plainVersion is the "version" of the first native files: native items alone, with memories in a
// list of that name. People write such files by hand, and tools of the memory_* dialect exchange
// them.
const plainVersion = 1

// Write implements engram.Format.
func (Plain) Write(w io.Writer, head engram.Snapshot, records iter.Seq2[engram.Record, error]) error {
	fields := []field{{"format", nativeName}, {"version", plainVersion}, {"exported_at", wire.Instant(head.At)},
		{"program", head.Program}, {"project", head.Project}, {"count", head.Memories}}
	return newObject(w, wire.Sections()).write(fields, records, func(o *object, r engram.Record) error {
		section, item := wire.Encode(r)
		if section < 0 {
			return nil
		}
		return o.item(section, item)
	})
}

func decodePlain(section string, raw []byte) (engram.Record, error) {
	return wire.Decode(slices.Index(wire.Sections(), section), raw)
}
