package wire

import (
	"cmp"

	"github.com/alanbuscaglia/engram"
)

// KeyOf returns the global name of the thing in a record, unique per kind.
func KeyOf(r engram.Record) string {
	switch {
	case r.Project != nil:
		return r.Project.Name
	case r.Session != nil:
		return r.Session.ID
	case r.Memory != nil:
		return cmp.Or(string(r.Memory.Memory.ID), r.Memory.Memory.SyncID)
	case r.Prompt != nil:
		return r.Prompt.SyncID
	case r.Relation != nil:
		return r.Relation.Relation.ID
	case r.Erased != nil:
		return string(r.Erased.Entity) + " " + r.Erased.ID
	}
	return ""
}

// Counted returns b with the numbers of records.
func Counted(b engram.Batch, records []engram.Record) engram.Batch {
	b.Sessions, b.Memories, b.Prompts = 0, 0, 0
	for _, r := range records {
		switch {
		case r.Session != nil:
			b.Sessions++
		case r.Memory != nil:
			b.Memories++
		case r.Prompt != nil:
			b.Prompts++
		}
	}
	return b
}

// Portable returns a record without values local to a store.
func Portable(r engram.Record) engram.Record {
	switch {
	case r.Memory != nil:
		m := *r.Memory
		m.Memory.Num, m.Vectors = 0, nil
		r.Memory = &m
	case r.Prompt != nil:
		p := *r.Prompt
		p.Num = 0
		r.Prompt = &p
	}
	return r
}
