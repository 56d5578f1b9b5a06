package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// carry brings in the memories of notes that another store wrote: a vault carries them as a
// file of an export does, with their ids, and with the relations between those that are here
// then. What was erased or forgotten here stays so, and is told.
func (x *vaultImport) carry(ctx context.Context) error {
	absent, err := x.absent(ctx)
	if err != nil || len(absent) == 0 {
		return err
	}
	erased, err := x.erasedNotes(ctx, x.notes, absent)
	if err != nil {
		return err
	}
	var notes []*engram.CarriedNote
	for _, id := range absent {
		c, told, err := x.notes.Carried(id)
		if err != nil {
			return err
		}
		if !told || x.res.Project != "" && normalProject(c.Memory.Project) != x.res.Project {
			continue
		}
		if erased[id] {
			x.carried[id] = nil
			x.tell(c.NoteEdit, VaultNoted, VaultItem{Reason: "the memory was erased here, and stays so; the note stays as it is"})
			continue
		}
		if c.Edited || c.Memory.UpdatedAt.IsZero() {
			c.Memory.UpdatedAt = x.Now()
		}
		if c.Memory.CreatedAt.IsZero() {
			c.Memory.CreatedAt = c.Memory.UpdatedAt
		}
		x.carried[id] = &c.Memory
		notes = append(notes, &c)
	}
	if len(notes) == 0 {
		return nil
	}
	return x.carryAll(ctx, notes)
}

// absent are the memories that notes name and that are not here. Those that were forgotten
// here, and whose notes nobody edited, are told.
func (x *vaultImport) absent(ctx context.Context) (ids []engram.ID, err error) {
	x.carried = map[engram.ID]*engram.Memory{}
	var forgotten []engram.Memory
	err = x.store.View(ctx, func(r engram.Reader) error {
		for _, id := range x.notes.Named() {
			m, err := r.Memory(ctx, engram.ByID(id))
			switch {
			case engram.CodeOf(err) == engram.CodeNotFound:
				ids = append(ids, id)
			case err != nil:
				return err
			case m.Forgotten() && (x.res.Project == "" || x.res.Project == m.Project):
				forgotten = append(forgotten, m)
			}
		}
		return nil
	})
	for _, m := range forgotten {
		if err != nil {
			break
		}
		var c engram.CarriedNote
		var told bool
		if c, told, err = x.notes.Carried(m.ID); err == nil && told && c.Base != nil && !c.Edited {
			x.tell(c.NoteEdit, VaultNoted, VaultItem{Num: m.Num, Reason: "the memory was forgotten here, and stays so"})
		}
	}
	return ids, err
}

// carriedRecords are the memories of notes, and then the relations that these tell, between
// memories that are here or come in. One that both of its notes tell is one. Each is made when
// it is asked for: there may be many, and whoever imports them keeps none.
func (x *vaultImport) carriedRecords(ctx context.Context, notes []*engram.CarriedNote) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		for _, c := range notes {
			if !yield(engram.Record{Item: c.Path, Memory: &engram.MemoryRecord{Memory: c.Memory}}, nil) {
				return
			}
		}
		lives, given := x.living(ctx), map[string]bool{}
		for _, c := range notes {
			for _, l := range c.Links {
				tie := carriedTie(c, l)
				id := tie.Relation.Relation.ID
				if l.ID == c.ID || given[id] || !lives(l.ID) {
					continue
				}
				if given[id] = true; !yield(tie, nil) {
					return
				}
			}
		}
	}
}

// living reports whether there is a memory here, or one comes in. It asks once for each.
func (x *vaultImport) living(ctx context.Context) func(engram.ID) bool {
	here := map[engram.ID]bool{}
	return func(id engram.ID) bool {
		if known, asked := here[id]; asked {
			return known
		}
		here[id] = x.carried[id] != nil || x.store.View(ctx, func(r engram.Reader) error {
			_, err := r.Memory(ctx, engram.ByID(id))
			return err
		}) == nil
		return here[id]
	}
}

// carriedTie is a relation that a note tells, as a record of which the id is the same whichever
// of its two notes tells it.
func carriedTie(c *engram.CarriedNote, l engram.NoteLink) engram.Record {
	from, to := c.ID, l.ID
	if !l.Outgoing || bothWays(l.Verb) && to < from {
		from, to = to, from
	}
	sum := sha256.Sum256([]byte("note\x00" + string(from) + "\x00" + string(l.Verb) + "\x00" + string(to)))
	return engram.Record{Item: c.Path, Relation: &engram.RelationRecord{Source: engram.ByID(from), Target: engram.ByID(to),
		Relation: engram.Relation{ID: engram.RelationIDPrefix + hex.EncodeToString(sum[:8]), Verb: l.Verb, Status: engram.RelationJudged, Strength: 1,
			Reason: l.Reason, Actor: "note", ActorKind: "human", CreatedAt: c.Memory.CreatedAt, UpdatedAt: c.Memory.CreatedAt}}}
}

// bothWays reports verbs that notes tell in the same words from either end.
func bothWays(v engram.Verb) bool {
	switch v {
	case engram.VerbSupersedes, engram.VerbDerivedFrom, engram.VerbEvolvedFrom, engram.VerbCausedBy, engram.VerbScoped:
		return false
	}
	return true
}

// carryAll brings in what notes carry as Import does, all of it in one transaction, and tells
// what became of each note.
func (x *vaultImport) carryAll(ctx context.Context, notes []*engram.CarriedNote) error {
	f := *x.Engine
	f.formats = map[string]engram.Format{NativeFormat: given{engram.Snapshot{Format: "notes", Memories: len(notes),
		Lacks: []engram.Entity{engram.EntityProject, engram.EntitySession, engram.EntityPrompt}}, x.carriedRecords(ctx, notes)}}
	res, err := f.Import(ctx, strings.NewReader(""), ImportInput{DryRun: x.in.DryRun})
	if err != nil {
		return err
	}
	if res.Op != 0 && !x.in.DryRun {
		x.res.Op, x.res.Carried = res.Op, res.Op
		x.res.Ops++
	}
	ids := make(map[string]engram.ID, len(notes))
	for _, c := range notes {
		ids[c.Path] = c.ID
	}
	for _, n := range res.Rejected {
		x.tell(engram.NoteEdit{Path: n.Item, ID: ids[n.Item]}, VaultRejected, VaultItem{Reason: n.Reason})
	}
	for _, n := range res.Notes {
		x.tell(engram.NoteEdit{Path: n.Item, ID: ids[n.Item]}, VaultNoted, VaultItem{Reason: n.Reason})
	}
	return x.tellCarried(ctx, notes)
}

// tellCarried tells the notes whose memories are here now, and what in them reads like an
// instruction to an agent: whoever asks for a vault to come in gets it, and should know.
func (x *vaultImport) tellCarried(ctx context.Context, notes []*engram.CarriedNote) error {
	return x.store.View(ctx, func(r engram.Reader) error {
		for _, c := range notes {
			m, err := r.Memory(ctx, engram.ByID(c.ID))
			switch {
			case engram.CodeOf(err) == engram.CodeNotFound && !x.in.DryRun:
				x.carried[c.ID] = nil // refused
				continue
			case err != nil && engram.CodeOf(err) != engram.CodeNotFound:
				return err
			}
			x.tell(c.NoteEdit, VaultCreated, VaultItem{Num: m.Num, Reason: suspect(c.Memory)})
		}
		return nil
	})
}

// suspect says what in a memory reads like an instruction to an agent; "" for nothing.
func suspect(m engram.Memory) string {
	if found := suspicionsIn(shownTexts(m)); len(found) > 0 {
		return "it reads like an instruction to an agent, and comes in all the same: " + whyAndWhere(found[0].reasons[0])
	}
	return ""
}
