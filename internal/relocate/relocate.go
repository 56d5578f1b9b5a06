// Package relocate copies what a store holds into another, empty one, which may be of another kind: projects,
// sessions, memories with their versions, marks and vectors, prompts, relations, erasures, pending records, the journal,
// what was shown and the counters. Numbers stay. The target is a store of its own, with an id of its own.
//
// Some pages are one transaction of the target, which also notes how far the copy is: an interrupted copy goes on
// there, and nothing comes twice.
package relocate

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
)

// fact names the fact in the target that says how far the copy is.
const fact = "relocated"

// Things are read by pages, and a transaction of the target copies several: as many memories as move to large segments
// of its index at once, so that it writes no small ones, which would be merged soon.
const (
	page  = 256
	pages = 16
)

// Copied is the outcome.
type Copied struct {
	Memories, Prompts, Sessions, Relations, Entries int  // of the source; forgotten and deleted ones, and entries of the journal
	Before                                          bool // an earlier copy was complete, and the source has not changed since
	Resumed                                         bool // an earlier copy was begun
}

// Changed is the error for a source that was written to since a copy was begun: what was copied may be outdated. The
// target has nothing but that, and may be emptied.
type Changed struct{}

// Error implements error.
func (*Changed) Error() string { return "the source has changed since the copy was begun" }

// place is how far a copy is: the value of fact.
type place struct {
	Device string `json:"device"` // of the source
	Seq    int64  `json:"seq"`    // its newest entry at the beginning
	Stage  int    `json:"stage"`  // stages that are complete
	Num    int64  `json:"num"`    // the last number or name of the next one
	Name   string `json:"name"`
	Done   int    `json:"done"` // things that are there
	Gaps   []gap  `json:"gaps,omitempty"`
}

// gap says by how much smaller the numbers of journal entries from From on are than in the source, where the oldest
// entries were removed.
type gap struct{ From, Less int64 }

// seq returns the number of an entry in the target.
func (p *place) seq(in int64) int64 {
	for i := len(p.Gaps) - 1; i >= 0; i-- {
		if in >= p.Gaps[i].From {
			return in - p.Gaps[i].Less
		}
	}
	return 0 // it is gone
}

// copying is a copy in progress.
type copying struct {
	from     engram.Tx
	at       place
	models   []engram.Model
	projects []string
	batches  map[string]bool // whose imports are noted
	total    int
	progress func(done, total int)
}

// Copy copies everything from one store into another. from is a transaction that keeps other writers out, and only
// read. progress, unless nil, is told how many things of how many are there.
//
// CodeConflict for a target that has something of its own; a *Changed if the source changed after an interrupted copy.
func Copy(ctx context.Context, from engram.Tx, to engram.Store, progress func(done, total int)) (res Copied, err error) {
	c := copying{from: from, progress: progress, batches: map[string]bool{}}
	head, err := from.Replica().Head(ctx)
	if err != nil {
		return res, err
	}
	if err := c.size(ctx, &res); err != nil {
		return res, err
	}
	c.at = place{Device: head.Device, Seq: head.Seq}
	if err := to.View(ctx, func(r engram.Reader) error { return c.begin(ctx, r, &res) }); err != nil {
		return res, err
	}
	tidy := func(context.Context) error { return nil }
	if grows, ok := to.(interface{ Tidy(context.Context) error }); ok {
		tidy = grows.Tidy
	}
	stages := c.stages()
	res.Before = c.at.Stage == len(stages)
	for ; c.at.Stage < len(stages); c.at.Stage, c.at.Num, c.at.Name = c.at.Stage+1, 0, "" {
		for more := true; more; {
			err := to.Update(ctx, func(tx engram.Tx) (err error) {
				more, err = c.copyPages(ctx, tx, stages[c.at.Stage])
				if err != nil {
					return err
				}
				now := c.at
				if !more {
					now.Stage, now.Num, now.Name = now.Stage+1, 0, ""
				}
				text, err := json.Marshal(now)
				if err != nil {
					return err
				}
				return tx.PutFact(ctx, fact, string(text))
			})
			if err == nil {
				err = tidy(ctx)
			}
			if err != nil {
				return res, fmt.Errorf("copy the store: %w", err)
			}
			if progress != nil {
				progress(min(c.at.Done, c.total), c.total)
			}
		}
	}
	return res, nil
}

// copyPages copies some pages of a stage, and reports whether there may be more.
func (c *copying) copyPages(ctx context.Context, tx engram.Tx, stage func(context.Context, engram.Tx) (bool, error)) (more bool, err error) {
	more = true
	for n := 0; more && err == nil && n < pages; n++ {
		more, err = stage(ctx, tx)
	}
	return more, err
}

// size counts what is to be copied.
func (c *copying) size(ctx context.Context, res *Copied) error {
	st, err := c.from.Stats(ctx, "")
	if err != nil {
		return err
	}
	head, err := c.from.Replica().Head(ctx)
	if err != nil {
		return err
	}
	*res = Copied{Memories: st.Memories + st.Forgotten, Prompts: st.Prompts, Sessions: st.Sessions, Relations: st.Relations, Entries: int(head.Seq)}
	c.total = res.Memories + res.Prompts + res.Sessions + res.Relations + res.Entries
	uses, err := c.from.Models(ctx)
	for _, u := range uses {
		c.models = append(c.models, u.Model)
	}
	if err != nil {
		return err
	}
	all, err := c.from.Projects(ctx, false)
	for _, p := range all {
		c.projects = append(c.projects, p.Name)
	}
	return err
}

// begin finds out how far an earlier copy is.
func (c *copying) begin(ctx context.Context, r engram.Reader, res *Copied) error {
	text, err := r.Fact(ctx, fact)
	if err != nil {
		return err
	}
	head, err := r.Replica().Head(ctx)
	if err != nil {
		return err
	}
	if text == "" {
		st, err := r.Stats(ctx, "")
		if err == nil && (head.Seq != 0 || st.Memories+st.Forgotten+st.Sessions+st.Prompts+len(st.Projects) > 0) {
			err = engram.Errorf(engram.CodeConflict, "there is something in the other store already").
				WithHint("choose an empty one; {export FILE} and {import FILE} add to what is there")
		}
		return err
	}
	var was place
	if err := json.Unmarshal([]byte(text), &was); err != nil {
		return engram.Errorf(engram.CodeInternal, "the other store does not say how far the copy is").WithCause(err)
	}
	complete := was.Stage >= len(c.stages())
	switch {
	case was.Device == c.at.Device && was.Seq == c.at.Seq:
		c.at, res.Resumed = was, !complete
		return nil
	case complete:
		return engram.Errorf(engram.CodeConflict, "there is something in the other store already, of an earlier copy").
			WithHint("choose an empty one; {export FILE} and {import FILE} add to what is there")
	}
	return &Changed{}
}

// stages are what is copied, what others refer to first. Each copies a page after c.at, and reports whether there may
// be more.
func (c *copying) stages() []func(context.Context, engram.Tx) (more bool, err error) {
	return []func(context.Context, engram.Tx) (bool, error){c.copyProjects, c.copySessions, c.copyTombstones, c.copyMemories, c.copyPrompts, c.copyRelations,
		c.erased(engram.EntityMemory), c.erased(engram.EntityPrompt), c.erased(engram.EntitySession), c.copyDeferred, c.copyJournal, c.copyExposures, c.copyRest}
}

// each writes a page of things, and returns their keys.
func each[T any](c *copying, all []T, key func(T) string, write func(T) error) (keys []string, err error) {
	for _, v := range all {
		if err := write(v); err != nil {
			return nil, err
		}
		keys = append(keys, key(v))
	}
	c.at.Done += len(all)
	return keys, nil
}

func (c *copying) copyProjects(ctx context.Context, tx engram.Tx) (bool, error) {
	all, err := c.from.Projects(ctx, false)
	if err != nil {
		return false, err
	}
	keys, err := each(c, all, func(p engram.ProjectCounts) string { return p.Name }, func(p engram.ProjectCounts) error { return tx.PutProject(ctx, p.Project) })
	if err != nil {
		return false, err
	}
	return false, c.causal(ctx, tx, engram.EntityProject, keys)
}

func (c *copying) copySessions(ctx context.Context, tx engram.Tx) (bool, error) {
	all, err := engram.SessionsAfter(ctx, c.from, "", c.at.Name, page)
	if err != nil || len(all) == 0 {
		return false, err
	}
	c.at.Name = all[len(all)-1].ID
	keys, err := each(c, all, func(s engram.Session) string { return s.ID }, func(s engram.Session) error { return tx.PutSession(ctx, s) })
	if err != nil {
		return false, err
	}
	return len(all) == page, c.causal(ctx, tx, engram.EntitySession, keys)
}

func (c *copying) copyTombstones(ctx context.Context, tx engram.Tx) (bool, error) {
	all, err := c.from.Replica().SessionTombstones(ctx, "", c.at.Name, page)
	if err != nil || len(all) == 0 {
		return false, err
	}
	c.at.Name = all[len(all)-1].ID
	keys := make([]string, len(all))
	for i, s := range all {
		keys[i] = s.ID
	}
	if err := c.causal(ctx, tx, engram.EntitySession, keys); err != nil {
		return false, err
	}
	for _, s := range all {
		if err := tx.ReplicaTx().PutTombstone(ctx, s.ID, s.Project); err != nil {
			return false, err
		}
	}
	return len(all) == page, nil
}

func (c *copying) copyMemories(ctx context.Context, tx engram.Tx) (bool, error) {
	all, err := engram.MemoriesAfter(ctx, c.from, "", c.at.Num, page)
	if err != nil || len(all) == 0 {
		return false, err
	}
	c.at.Num = all[len(all)-1].Num
	keys, err := each(c, all, func(m engram.Memory) string { return key(m.Num) }, func(m engram.Memory) error { return tx.InsertMemory(ctx, &m) })
	if err != nil {
		return false, err
	}
	if err := c.causal(ctx, tx, engram.EntityMemory, keys); err != nil {
		return false, err
	}
	nums := make([]int64, len(all))
	for i, m := range all {
		nums[i] = m.Num
	}
	return len(all) == page, c.ofMemories(ctx, tx, nums)
}

// ofMemories copies what belongs to memories.
func (c *copying) ofMemories(ctx context.Context, tx engram.Tx, nums []int64) error {
	revisions, err := c.from.Revisions(ctx, nums...)
	if err == nil {
		err = tx.InsertRevision(ctx, revisions...)
	}
	if err != nil {
		return err
	}
	marks, err := c.from.Trust(ctx, nums)
	if err != nil {
		return err
	}
	for _, num := range nums {
		if err := tx.PutTrust(ctx, marks[num]...); err != nil {
			return err
		}
	}
	seen, err := c.from.SeenAnchors(ctx, nums)
	if err == nil && len(seen) > 0 {
		err = tx.NoteAnchors(ctx, seen)
	}
	if err != nil {
		return err
	}
	for _, model := range c.models {
		rows, err := c.from.Vectors(ctx, model.Fingerprint, nums)
		if err != nil {
			return err
		}
		var vectors []engram.Vector
		for _, num := range nums {
			if values, has := rows[num]; has {
				vectors = append(vectors, engram.Vector{Num: num, Values: values})
			}
		}
		if err := tx.PutVectors(ctx, model, vectors); err != nil {
			return err
		}
	}
	return nil
}

func (c *copying) copyPrompts(ctx context.Context, tx engram.Tx) (bool, error) {
	all, err := engram.PromptsAfter(ctx, c.from, "", c.at.Num, page)
	if err != nil || len(all) == 0 {
		return false, err
	}
	c.at.Num = all[len(all)-1].Num
	keys, err := each(c, all, func(p engram.Prompt) string { return key(p.Num) }, func(p engram.Prompt) error { return tx.InsertPrompt(ctx, &p) })
	if err != nil {
		return false, err
	}
	return len(all) == page, c.causal(ctx, tx, engram.EntityPrompt, keys)
}

func (c *copying) copyRelations(ctx context.Context, tx engram.Tx) (bool, error) {
	all, err := engram.RelationsAfter(ctx, c.from, "", c.at.Num, page)
	if err != nil || len(all) == 0 {
		return false, err
	}
	c.at.Num = all[len(all)-1].Num
	rs, keys := make([]*engram.Relation, len(all)), make([]string, len(all))
	for i := range all {
		rs[i], keys[i] = &all[i], key(all[i].Num)
	}
	c.at.Done += len(all)
	if err := tx.InsertRelation(ctx, rs...); err != nil {
		return false, err
	}
	return len(all) == page, c.causal(ctx, tx, engram.EntityRelation, keys)
}

// erased copies the erasures of a kind.
func (c *copying) erased(kind engram.Entity) func(context.Context, engram.Tx) (bool, error) {
	return func(ctx context.Context, tx engram.Tx) (bool, error) {
		all, err := c.from.Replica().ErasedAfter(ctx, kind, c.at.Name, page)
		if err != nil || len(all) == 0 {
			return false, err
		}
		c.at.Name = all[len(all)-1].Key()
		for _, x := range all {
			if err := tx.ReplicaTx().PutErased(ctx, x); err != nil {
				return false, err
			}
			if err := c.replicated(ctx, tx, engram.EntityErased, x.Key(), x.Digest()); err != nil {
				return false, err
			}
		}
		return len(all) == page, nil
	}
}

func (c *copying) copyDeferred(ctx context.Context, tx engram.Tx) (bool, error) {
	all, err := c.from.Replica().Deferred(ctx, "", c.at.Num, page)
	if err != nil || len(all) == 0 {
		return false, err
	}
	c.at.Num = all[len(all)-1].Num
	for _, d := range all {
		d.Num = 0
		if err := tx.ReplicaTx().PutDeferred(ctx, &d); err != nil {
			return false, err
		}
	}
	return len(all) == page, nil
}

func (c *copying) copyJournal(ctx context.Context, tx engram.Tx) (bool, error) {
	all, err := c.from.Mutations(ctx, engram.JournalSpan{After: c.at.Num, OldestFirst: true}, engram.Page{Limit: page})
	if err != nil || len(all) == 0 {
		return false, err
	}
	head, err := tx.Replica().Head(ctx)
	if err != nil {
		return false, err
	}
	entries := make([]*engram.Mutation, len(all))
	for i := range all {
		m := &all[i]
		if less := m.Seq - (head.Seq + int64(i) + 1); len(c.at.Gaps) == 0 || c.at.Gaps[len(c.at.Gaps)-1].Less != less {
			c.at.Gaps = append(c.at.Gaps, gap{m.Seq, less})
		}
		c.at.Num = m.Seq
		m.Op, m.Undoes, m.Seq = c.at.seq(m.Op), c.at.seq(m.Undoes), 0
		entries[i] = m
	}
	c.at.Done += len(all)
	return len(all) == page, tx.Append(ctx, entries...)
}

func (c *copying) copyExposures(ctx context.Context, tx engram.Tx) (bool, error) {
	all, err := c.from.Exposures(ctx, "", engram.Page{Limit: page, Offset: int(c.at.Num)})
	if err != nil || len(all) == 0 {
		return false, err
	}
	c.at.Num += int64(len(all))
	return len(all) == page, tx.RecordUse(ctx, engram.Use{At: all[len(all)-1].At, Exposures: all})
}

// copyRest copies the counters, which are few, since when the journal is complete, and the clock.
func (c *copying) copyRest(ctx context.Context, tx engram.Tx) (bool, error) {
	counters, err := c.from.Counters(ctx, engram.CounterQuery{ByDay: true, ByProject: true})
	if err != nil {
		return false, err
	}
	if err := tx.RecordUse(ctx, engram.Use{Counters: counters}); err != nil {
		return false, err
	}
	begins, err := c.from.Fact(ctx, engram.FactJournalBegins)
	if err == nil && begins != "" {
		err = tx.PutFact(ctx, engram.FactJournalBegins, begins)
	}
	if err != nil {
		return false, err
	}
	head, err := c.from.Replica().Head(ctx)
	if err != nil {
		return false, err
	}
	return false, tx.ReplicaTx().SeeClock(ctx, head.Clock)
}

// causal copies the causal metadata of things, and which batches have them.
func (c *copying) causal(ctx context.Context, tx engram.Tx, kind engram.Entity, keys []string) error {
	all, err := c.from.Replica().CausalMetadata(ctx, kind, keys)
	if err != nil || len(all) == 0 {
		return err
	}
	if err := tx.ReplicaTx().PutCausalMetadata(ctx, kind, all); err != nil {
		return err
	}
	for _, key := range keys {
		if l, has := all[key]; has {
			if err := c.replicated(ctx, tx, kind, key, l.Digest()); err != nil {
				return err
			}
		}
	}
	return nil
}

// replicated copies which batches have a state of a thing, and that these batches were read.
func (c *copying) replicated(ctx context.Context, tx engram.Tx, kind engram.Entity, key string, digest int64) error {
	sets, err := c.from.Replica().ReplicatedBy(ctx, kind, key, digest)
	if err != nil {
		return err
	}
	for _, batches := range sets {
		if err := tx.ReplicaTx().PutReplicated(ctx, batches, engram.ThingState{Entity: kind, Key: key, Digest: digest}); err != nil {
			return err
		}
		for _, batch := range batches {
			if err := c.pulled(ctx, tx, batch); err != nil {
				return err
			}
		}
	}
	return nil
}

// pulled copies for which projects a batch was read.
func (c *copying) pulled(ctx context.Context, tx engram.Tx, batch string) error {
	if c.batches[batch] {
		return nil
	}
	c.batches[batch] = true
	for _, project := range append([]string{""}, c.projects...) {
		read, err := c.from.Replica().Pulled(ctx, project, []string{batch})
		if err != nil {
			return err
		}
		if read[batch] {
			if err := tx.ReplicaTx().PutPulled(ctx, project, batch, time.UnixMilli(0).UTC()); err != nil {
				return err
			}
		}
		if read[batch] && project == "" {
			return nil
		}
	}
	return nil
}

func key(num int64) string { return strconv.FormatInt(num, 10) }
