package engine

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// find finds the memory of one of two names.
func (i *importing) find(ctx context.Context, id engram.ID, sync string) (engram.Memory, bool, error) {
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

// memory adds a memory, or brings the one that is here together with it.
func (i *importing) memory(ctx context.Context, r incoming) (fate, error) {
	there := &r.Memory.Memory
	here, found, copied, err := i.known(ctx, there.ID, there.SyncID)
	if err != nil {
		return unchanged, err
	}
	if copied != nil {
		copied.give(there)
	}
	if found {
		i.seen.memories.add(here.Num)
		i.has[there.Project] = true
		return i.reconcile(ctx, here, r)
	}
	if i.wasErased(engram.EntityMemory, string(there.ID), there.SyncID) {
		return unchanged, &refused{reason: "it was erased here", harmless: true}
	}
	if copied != nil {
		i.copies++
	}
	return added, i.newMemory(ctx, *there, r)
}

// newMemory adds a memory that is not here.
func (i *importing) newMemory(ctx context.Context, m engram.Memory, r incoming) error {
	var err error
	if m.Project, err = i.home(ctx, m.Project); err != nil {
		return err
	}
	if m.SessionID, err = i.sit(ctx, m.SessionID, engram.Session{Project: m.Project, StartedAt: m.CreatedAt}); err != nil {
		return err
	}
	if m.ID == "" {
		m.ID = i.newID()
	}
	topic, err := i.freeTopic(ctx, &m)
	if err != nil {
		return err
	}
	rs := numbered(nil, &m, r.Memory.Revisions)
	if err := i.putMemory(ctx, &m, "import"); err != nil {
		return err
	}
	i.want(topic, m, r.Item, added)
	i.seen.memories.add(m.Num)
	i.has[m.Project] = true
	for _, rev := range rs {
		rev.Memory = m.Num
		if err := i.tx.InsertRevision(ctx, rev); err != nil {
			return err
		}
	}
	return i.vectors(ctx, m, r.Memory.Vectors)
}

// reconcile brings a memory that is here together with its state in the file.
func (i *importing) reconcile(ctx context.Context, here engram.Memory, r incoming) (fate, error) {
	there := r.Memory.Memory
	if r.Undated {
		there.UpdatedAt, there.TouchedAt = time.Time{}, time.Time{}
	}
	now, _ := lifecycle.Reconciled(here, there)
	if i.in.Mode == ImportReplace {
		said := r.Memory.Memory
		if r.Undated {
			said.UpdatedAt = here.UpdatedAt
		}
		now = lifecycle.Saying(now, said)
		now.DeletedAt = there.DeletedAt
	}
	if here.Forgotten() && !there.Forgotten() {
		if err := i.bringBack(ctx, &now, there); err != nil {
			return unchanged, err
		}
	}
	topic, err := i.freeTopic(ctx, &now)
	if err != nil {
		return unchanged, err
	}
	known, err := i.tx.Revisions(ctx, here.Num)
	if err != nil {
		return unchanged, err
	}
	if here.Title != now.Title || here.Content != now.Content {
		now.RevisionCount++
		known = append(known, textNow(here)) // replaceMemory will add it
	}
	now.RevisionCount = max(now.RevisionCount, there.RevisionCount)
	lost := textNow(r.Memory.Memory)
	lost.ReplacedAt, lost.Reason = i.at, "import: a later edit is here"
	rs := numbered(known, &now, missing(append(known, textNow(now)), lost, r.Memory.Revisions))
	if now.Forgotten() && !there.Forgotten() {
		i.res.Memories.Forgotten++
	}
	if reflect.DeepEqual(now, here) && len(rs) == 0 {
		i.want(topic, now, r.Item, unchanged)
		return unchanged, nil
	}
	i.want(topic, now, r.Item, changed)
	for _, rev := range rs {
		rev.Memory = here.Num
		if err := i.tx.InsertRevision(ctx, rev); err != nil {
			return unchanged, err
		}
	}
	return changed, i.replaceMemory(ctx, here, now, "import")
}

// textNow is what a memory says, as the revision that it would become.
func textNow(m engram.Memory) engram.Revision {
	return engram.Revision{Number: m.RevisionCount, Type: m.Type, Title: m.Title, Content: m.Content, WrittenAt: m.UpdatedAt}
}

// missing returns those texts of a memory elsewhere, what it says now and what it said
// before, that are not among those it has here. A text that it had twice counts twice:
// times cannot tell, for not every format keeps them.
func missing(here []engram.Revision, now engram.Revision, past []engram.Revision) []engram.Revision {
	type words struct{ title, content string }
	have := map[words]int{}
	for _, r := range here {
		have[words{r.Title, r.Content}]++
	}
	var lost []engram.Revision
	for n, r := range append([]engram.Revision{now}, past...) {
		w := words{r.Title, r.Content}
		if have[w] > 0 {
			have[w]--
			continue
		}
		if n == 0 {
			r.Number = 0 // the number of a text in force is given away here
		}
		lost = append(lost, r)
	}
	return lost
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

// vectors takes the vectors that came along, where the model in force cannot make them
// at once: those of other models are of no use, and what is made here can be believed.
func (i *importing) vectors(ctx context.Context, m engram.Memory, rows []engram.FingerprintedRow) error {
	if i.embedder == nil || i.embedder.Model().Instant || m.Forgotten() {
		return nil
	}
	for _, row := range rows {
		if row.Model != i.embedder.Model().Fingerprint || checkVector(i.embedder, row.Values) != nil {
			continue
		}
		return i.tx.PutVectors(ctx, i.embedder.Model(), []engram.Vector{{Num: m.Num, Values: row.Values}})
	}
	return nil
}
