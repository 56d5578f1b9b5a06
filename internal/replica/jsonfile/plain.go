package jsonfile

import (
	"encoding/json"
	"io"
	"iter"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// plainVersion is the "version" of native files of the first version: native items alone, with
// memories in a list of that name. People write such files by hand, and tools of the memory_*
// dialect exchange them.
const plainVersion = 1

func writePlain(w io.Writer, head engram.Snapshot, records iter.Seq2[engram.Record, error]) error {
	o := newObject(w, wire.Sections()...)
	err := o.begin(field{"format", nativeName}, field{"version", plainVersion}, field{"exported_at", wire.Instant(head.At)},
		field{"program", head.Program}, field{"project", head.Project}, field{"count", head.Memories})
	if err != nil {
		return err
	}
	for r, err := range records {
		if err != nil {
			return err
		}
		if section, item := wire.Encode(r); section >= 0 {
			if err := o.item(section, item); err != nil {
				return err
			}
		}
	}
	return o.end()
}

// plainItem reads an item of a section.
func plainItem(section string, d *json.Decoder) (engram.Record, error) {
	raw, err := rawItem(d)
	if err != nil {
		return engram.Record{}, err
	}
	r, err := wire.Decode(slices.Index(wire.Sections(), section), raw)
	return r, flawed(err)
}
