package jsonfile

import (
	"io"
	"iter"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// dialectVersion is the version that all mem_* programs write.
const dialectVersion = "0.1.0"

// Write implements engram.Format.
func (d Dialect) Write(w io.Writer, head engram.Snapshot, records iter.Seq2[engram.Record, error]) error {
	fields := []field{{"version", dialectVersion}, {"exported_at", wire.On(head.At)}}
	return newObject(w, wire.DialectSections()).write(fields, records, func(o *object, r engram.Record) error {
		r, fits := d.Fit(r)
		switch {
		case !fits:
			return nil
		case r.Session != nil:
			return o.item(wire.MemSessions, wire.MemSessionOf(*r.Session))
		case r.Memory != nil:
			return o.item(wire.Observations, wire.ObservationOf(r.Memory.Memory))
		}
		return o.item(wire.MemPrompts, wire.MemPromptOf(*r.Prompt))
	})
}

// Fit implements engram.Format: it keeps what the dialect can express.
func (Dialect) Fit(r engram.Record) (engram.Record, bool) {
	switch {
	case r.Tombstone:
	case r.Session != nil:
		return engram.Record{Session: r.Session}, true
	case r.Memory != nil:
		m := r.Memory.Memory
		without := engram.Memory{Importance: engram.DefaultImportance, Strength: m.Strength}
		for _, f := range engram.Fields[engram.Memory]() {
			if slices.Contains(dialectLacks, f.Name) {
				f.Copy(&m, &without)
			}
		}
		return engram.Record{Memory: &engram.MemoryRecord{Memory: m}}, true
	case r.Prompt != nil && !r.Prompt.Deleted():
		return engram.Record{Prompt: r.Prompt}, true
	}
	return engram.Record{}, false
}

func decodeDialect(section string, raw []byte) (engram.Record, error) {
	return wire.DecodeDialect(slices.Index(wire.DialectSections(), section), raw)
}
