package engine

import "github.com/alanbuscaglia/engram"

// wasErased is what is said of a record of something that was erased, or that ties it to
// something else.
const wasErased = "it was erased, or what it ties was"

// goneTries is how often it is tried to tell of a memory that it left where it never was. That it
// left may arrive before the memory does, but not by many pulls.
const goneTries = 5

// erases reports whether a record is of something that was erased, or ties it.
func (g gone) erases(r engram.Record) bool {
	switch {
	case r.Memory != nil:
		return g.has(engram.EntityMemory, string(r.Memory.Memory.ID), r.Memory.Memory.SyncID)
	case r.Prompt != nil:
		return g.has(engram.EntityPrompt, r.Prompt.SyncID)
	case r.Session != nil:
		return g.has(engram.EntitySession, r.Session.ID)
	case r.Relation != nil:
		return g.has(engram.EntityMemory, r.Relation.Source.ID, r.Relation.Source.SyncID, r.Relation.Target.ID, r.Relation.Target.SyncID)
	}
	return false
}

// erases reports whether a record is of something that was erased here or elsewhere, or ties it.
func (i *importing) erases(r engram.Record) bool { return i.erased.erases(r) }
