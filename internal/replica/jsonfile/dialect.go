package jsonfile

import (
	"encoding/json"
	"io"
	"iter"
	"slices"
	"time"

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
	r, fits := fitDialect(r)
	switch {
	case !fits:
		return nil
	case r.Session != nil:
		return o.item(wire.MemSessions, wire.MemSessionOf(*r.Session))
	case r.Memory != nil:
		return o.item(wire.Observations, wire.ObservationOf(r.Memory.Memory))
	}
	return o.item(wire.MemPrompts, wire.MemPromptOf(*r.Prompt))
}

// fitDialect is what the dialect has a word for.
func fitDialect(r engram.Record) (engram.Record, bool) {
	switch {
	case r.Tombstone:
	case r.Session != nil:
		return engram.Record{Session: r.Session}, true
	case r.Memory != nil:
		m := r.Memory.Memory
		m.Summary, m.Tags, m.Metadata, m.Anchors, m.Importance, m.Permanent = "", nil, nil, nil, engram.DefaultImportance, false
		m.ValidFrom, m.ValidTo = time.Time{}, time.Time{}
		return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}, true
	case r.Prompt != nil && !r.Prompt.Deleted():
		return engram.Record{Prompt: r.Prompt}, true
	}
	return engram.Record{}, false
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
