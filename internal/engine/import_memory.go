package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// lookAhead finds out which memories of some records are not here: of most of a file that is
// all there is to know.
func (i *importing) lookAhead(ctx context.Context, records []incoming) error {
	clear(i.absent)
	return i.lookUp(ctx, records)
}

// lookUp is lookAhead that goes on knowing what it knew.
func (i *importing) lookUp(ctx context.Context, records []incoming) error {
	var names []string
	for _, r := range records {
		if r.Memory == nil {
			continue
		}
		for _, name := range []string{string(r.Memory.Memory.ID), r.Memory.Memory.SyncID} {
			if name != "" {
				names = append(names, name)
				i.absent[name] = true
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	found, err := i.tx.Named(ctx, names)
	for _, f := range found {
		i.present(f.ID, f.SyncID)
	}
	return err
}

// fresh are those records of memories that are not here, as far as lookUp knows.
func (i *importing) fresh(records []incoming) []incoming {
	var all []incoming
	for _, r := range records {
		if r.Memory != nil && i.isAbsent(r.Memory.Memory.ID, r.Memory.Memory.SyncID) {
			all = append(all, r)
		}
	}
	return all
}

// isAbsent reports whether nothing is here by either of two names.
func (i *importing) isAbsent(id engram.ID, sync string) bool {
	return (id == "" || i.absent[string(id)]) && i.absent[sync]
}

// present notes that a memory is here by now.
func (i *importing) present(id engram.ID, sync string) {
	delete(i.absent, string(id))
	delete(i.absent, sync)
}

// find finds the memory of one of two names.
func (i *importing) find(ctx context.Context, id engram.ID, sync string) (engram.Memory, bool, error) {
	if i.isAbsent(id, sync) {
		return engram.Memory{}, false, nil
	}
	for _, ref := range []engram.Ref{engram.ByID(id), {SyncID: sync}} {
		if ref.ID == "" && ref.SyncID == "" || ref.ID != "" && !ref.Whole() {
			continue
		}
		m, err := i.tx.Memory(ctx, ref)
		if err == nil || engram.CodeOf(err) != engram.CodeNotFound {
			return m, err == nil, err
		}
	}
	return engram.Memory{}, false, nil
}

// numbered gives revisions numbers that are free beside those there are: their own where
// possible. m's own count goes up, for it is the number of what it says now.
func numbered(known []engram.Revision, m *engram.Memory, more []engram.Revision) []engram.Revision {
	used := map[int]bool{}
	for _, r := range known {
		used[r.Number] = true
	}
	out := slices.Clone(more)
	for n := range out {
		if own := out[n].Number; own < 1 || own >= m.RevisionCount || used[own] {
			for used[m.RevisionCount] {
				m.RevisionCount++
			}
			out[n].Number = m.RevisionCount
			m.RevisionCount++
		}
		used[out[n].Number] = true
	}
	for used[m.RevisionCount] {
		m.RevisionCount++
	}
	return out
}

// tellTwice tells of a memory that the file has more than once, each time with other words:
// one of the texts is shown, the others are versions.
func (i *importing) tellTwice(r incoming, here engram.Memory) {
	m := r.Memory.Memory
	if i.batch == "" && !r.Gone && i.seen.memories.has(here.Num) && (m.Title != here.Title || m.Content != here.Content) {
		i.res.Note(engram.ImportNote{Item: r.Item, Name: nameOf(r.Record), Reason: "the file has it more than once, with different texts: the later one is shown, the other is a version"})
	}
}

// vectors takes the vectors that came along, where the model in force cannot make them
// at once: those of other models are of no use, and what is made here can be believed. One
// that is none is told of: the memory comes in without.
func (i *importing) vectors(ctx context.Context, m engram.Memory, r incoming) error {
	for _, row := range r.Memory.Vectors {
		if len(row.Values) == 0 {
			i.res.Note(engram.ImportNote{Item: r.Item, Name: nameOf(r.Record), Reason: "a vector of it is not made of numbers: it comes in without"})
			continue
		}
		if i.embedder == nil || row.Model != i.embedder.Model().Fingerprint {
			continue
		}
		model := i.embedder.Model()
		switch {
		case len(row.Values) != model.Dimensions:
			i.res.Note(engram.ImportNote{Item: r.Item, Name: nameOf(r.Record), Reason: fmt.Sprintf(
				"its vector has %d numbers, and those of the model %d: it comes in without", len(row.Values), model.Dimensions)})
		case !model.Instant && !m.Forgotten():
			return i.tx.PutVectors(ctx, model, []engram.Vector{{Num: m.Num, Values: row.Values}})
		}
	}
	return nil
}
