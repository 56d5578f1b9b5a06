package jsonfile

import (
	"encoding/json"
	"io"
	"iter"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// dialectVersion is what the mem_* programs of all times have written.
const dialectVersion = "0.1.0"

// writeDialect writes what the dialect has a word for.
func writeDialect(w io.Writer, head engram.Snapshot, records iter.Seq2[engram.Record, error]) error {
	o := newObject(w, wire.DialectSections()...)
	if err := o.begin(field{"version", dialectVersion}, field{"exported_at", wire.On(head.At)}); err != nil {
		return err
	}
	for r, err := range records {
		if err == nil {
			err = writeDialectRecord(o, r)
		}
		if err != nil {
			return err
		}
	}
	return o.end()
}

func writeDialectRecord(o *object, r engram.Record) error {
	switch {
	case r.Gone:
		return nil
	case r.Session != nil:
		return o.item(wire.MemSessions, wire.MemSessionOf(*r.Session))
	case r.Memory != nil:
		return o.item(wire.Observations, wire.ObservationOf(r.Memory.Memory))
	case r.Prompt != nil && !r.Prompt.Deleted():
		return o.item(wire.MemPrompts, wire.MemPromptOf(*r.Prompt))
	}
	return nil
}

// dialectItem reads an item of a section.
func dialectItem(section string, d *json.Decoder) (engram.Record, error) {
	raw, err := rawItem(d)
	if err != nil {
		return engram.Record{}, err
	}
	r, err := wire.DecodeDialect(slices.Index(wire.DialectSections(), section), raw)
	return r, flawed(err)
}
