package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/suspicion"
)

// PullInput says what to pull.
type PullInput struct {
	Project string // canonical or an alias; it may not exist here yet
	All     bool   // every project that the records name instead
	DryRun  bool   // report the outcome, and change nothing
	// Progress is called with the number of batches read, and of all; nil: not called.
	Progress func(done, total int)
}

// PulledBatch is the outcome of one batch.
type PulledBatch struct {
	Batch engram.Batch
	Imported
}

// Pulled is the outcome of a pull.
type Pulled struct {
	Batches []PulledBatch       // batches that came in, oldest first
	Known   int                 // batches that had come in before
	Refused []engram.ImportNote // unreadable batches, by ID; nothing of them came in
	// Imported sums up what came in, including earlier deferred records. Its Op is the last operation.
	Imported
	Deferred int // records that were deferred
	Review   int // of these, those that wait for a person; the others come in by themselves
	// Others is what the batches have of other projects, by name: it is pending until those, or all, are pulled.
	Others []OtherProject
}

// Pull takes in what a remote has and this store has not: each batch in an operation of its own, so that Undo takes
// one back, then earlier deferred records. lifecycle.Merge decides where both have something. A batch comes in once,
// except for records of projects that it did not come in for. An unreadable batch is reported, and the others come
// in.
//
// Pull changes nothing outside the project: it leaves records of other projects (Others), and things that are in
// another project here. Records that refer to missing things, were written in the future, or are flagged are deferred
// (Deferred). Private spans are removed, and the origin of memories is sync.
//
// CodeInvalid when neither Project nor All is given, and the errors of the remote; what came in before stays.
func (e *Engine) Pull(ctx context.Context, r engram.Remote, in PullInput) (Pulled, error) {
	in.Project = normalProject(in.Project)
	switch {
	case in.All:
		in.Project = ""
	case in.Project == "":
		return Pulled{}, engram.Errorf(engram.CodeInvalid, "no project is named").WithHint("name one, or ask for all")
	}
	p := &pulling{Engine: e, in: in, name: r.Name(), left: otherProjects{}}
	batches, err := p.fresh(ctx, r)
	if err != nil {
		return p.res, err
	}
	if !in.DryRun {
		return p.res, p.batches(ctx, r, batches, func(fn func(*op) error) error { return e.write(ctx, "pull", fn) })
	}
	// One transaction for all: later batches build on earlier ones.
	err = e.tryWrite(ctx, true, "pull", func(o *op) error {
		return p.batches(ctx, r, batches, func(fn func(*op) error) error { return fn(o) })
	})
	p.res.Op = 0 // the operations were rolled back
	for n := range p.res.Batches {
		p.res.Batches[n].Op = 0
	}
	return p.res, err
}

type pulling struct {
	*Engine
	in   PullInput
	name string // of the remote
	res  Pulled
	// discarded counts deferred records of batches that a dry run refuses: they are in its transaction nevertheless.
	discarded int
	left      otherProjects
}

func (p *pulling) fresh(ctx context.Context, r engram.Remote) ([]engram.Batch, error) {
	all, err := r.Batches(ctx)
	if err != nil {
		return nil, err
	}
	ids := mapped(all, func(b engram.Batch) string { return b.ID })
	known, err := p.KnownBatches(ctx, p.in.Project, ids)
	var fresh []engram.Batch
	for _, b := range all {
		b.By = signature(b.By)
		if known[b.ID] {
			p.res.Known++
		} else {
			fresh = append(fresh, b)
		}
	}
	return fresh, err
}

// batches takes in batches, then deferred records; write runs one operation.
func (p *pulling) batches(ctx context.Context, r engram.Remote, batches []engram.Batch, write func(func(*op) error) error) error {
	for n, b := range batches {
		records, err := readBatch(ctx, r, b.ID)
		if refusal(err) {
			p.res.Refused = append(p.res.Refused, engram.ImportNote{Item: b.ID, Name: b.By, Batch: b.ID, Reason: line(err.Error())})
			continue
		}
		if err != nil {
			return fmt.Errorf("read batch %s of %s: %w", b.ID, p.name, err)
		}
		done := PulledBatch{Batch: b}
		aside := deferrals{}
		err = write(func(o *op) error {
			done.Imported, aside = engram.Imported{From: engram.Snapshot{At: b.At, Project: p.in.Project}, Mode: ImportMerge}, deferrals{}
			var err error
			if aside.before, err = countDeferred(ctx, o.tx, ""); err != nil {
				return err
			}
			aside.before -= p.discarded
			in := p.receiving(o, b, &done.Imported, &aside)
			if err := in.batchIn(ctx, records); err != nil {
				return err
			}
			reportBatch(&done.Imported, 0, 0, b.ID)
			done.Op = o.first
			readFor := "" // every project
			if in.skipped {
				readFor = in.border
			}
			return o.tx.PutPulled(ctx, readFor, b.ID, o.at)
		})
		if aside.tooMany != nil && (err == nil || errors.Is(err, aside.tooMany)) {
			p.res.Refused = append(p.res.Refused, engram.ImportNote{Item: b.ID, Name: b.By, Batch: b.ID, Reason: line(aside.tooMany.Error())})
			if err == nil {
				p.discarded += aside.kept
			}
			continue
		}
		if err != nil {
			return err
		}
		p.add(done.Imported, aside)
		p.res.Batches = append(p.res.Batches, done)
		if p.in.Progress != nil {
			p.in.Progress(n+1, len(batches))
		}
	}
	var waited engram.Imported
	err := write(func(o *op) (err error) {
		waited, _, err = p.again(ctx, o)
		return err
	})
	if err == nil {
		p.add(waited, deferrals{})
	}
	return err
}

func (p *pulling) add(done engram.Imported, aside deferrals) {
	p.res.Imported.Add(done)
	p.res.Deferred += aside.all
	p.res.Review += aside.review
	for name, c := range aside.others {
		p.left.add(name, c.Memories, c.Others)
	}
	p.res.Others = p.left.sorted()
	p.res.Op = cmp.Or(done.Op, p.res.Op)
}

// reportBatch names the batch in the notes from these indexes on.
func reportBatch(res *engram.Imported, rejected, notes int, batch string) {
	for _, list := range [][]engram.ImportNote{res.Rejected[rejected:], res.Notes[notes:]} {
		for i := range list {
			list[i].Batch = batch
		}
	}
}

// readBatch reads a batch to its end: an unreadable one must not be half written.
func readBatch(ctx context.Context, r engram.Remote, id string) ([]engram.Record, error) {
	var all []engram.Record
	for rec, err := range r.Read(ctx, id) {
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return all, ctx.Err()
}

// refusal reports whether an error concerns one batch only.
func refusal(err error) bool {
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	codes := []engram.Code{engram.CodeInvalid, engram.CodeConflict, engram.CodeForbidden, engram.CodeNotFound}
	return !ended && slices.Contains(codes, engram.CodeOf(err))
}

func (p *pulling) receiving(o *op, b engram.Batch, res *engram.Imported, aside *deferrals) *receivingBatch {
	i := newImporting(p.Engine, o, ImportInput{Mode: ImportMerge, Project: p.in.Project, DryRun: p.in.DryRun}, res)
	i.batch, i.reason = b.ID, "chunk "+b.ID
	by := signature(b.By)
	if by != "" {
		i.reason += " by " + by
	}
	in := &receivingBatch{importing: i, by: by, pushedAt: b.At, aside: aside}
	i.later = in.defers
	return in
}

// OtherProject is what batches have of a project that was not pulled: it is pending until that project, or all, are
// pulled.
type OtherProject struct {
	Project  string // canonical, if it exists here
	Memories int
	Others   int // sessions, prompts and erasures
}

type otherProjects map[string]*OtherProject

func (e otherProjects) add(project string, memories, others int) {
	if e[project] == nil {
		e[project] = &OtherProject{Project: project}
	}
	e[project].Memories += memories
	e[project].Others += others
}

// count counts a record of a project. Relations belong where their memories are.
func (e otherProjects) count(project string, r engram.Record) {
	switch {
	case r.Memory != nil:
		e.add(project, 1, 0)
	case r.Relation == nil:
		e.add(project, 0, 1)
	}
}

func (e otherProjects) sorted() []OtherProject {
	all := mapped(slices.Collect(maps.Values(e)), func(c *OtherProject) OtherProject { return *c })
	slices.SortFunc(all, func(a, b OtherProject) int { return strings.Compare(a.Project, b.Project) })
	return all
}

// belongsTo returns the project that a record says it belongs to; says is false for one that names none, such as a
// session that only others refer to. Relations belong where their memories are.
func belongsTo(r engram.Record) (project string, says bool) {
	switch {
	case r.Session != nil && r.Causal != nil && claimsNothing(r.Session.ID, *r.Causal), r.Project != nil, r.Relation != nil:
		return "", false
	case r.Erased != nil:
		return r.Erased.Project, r.Erased.Project != ""
	}
	return projectOf(r), r.Entity() != ""
}

// leaves reports whether a record of a batch is of another project, and counts it. A relation of a skipped memory is
// skipped too.
func (b *receivingBatch) leaves(ctx context.Context, r engram.Record) (bool, error) {
	if b.border == "" || b.pending != nil {
		return false, nil
	}
	if rel := r.Relation; rel != nil {
		left := b.left[nameIn(rel.Source)] || b.left[nameIn(rel.Target)]
		b.skipped = b.skipped || left
		return left, nil
	}
	name, says := belongsTo(r)
	if !says {
		return false, nil
	}
	here, err := b.projectHere(ctx, name)
	if err != nil || here == b.border {
		return false, err
	}
	if b.aside.others == nil {
		b.aside.others, b.left = otherProjects{}, map[string]bool{}
	}
	b.skipped = true
	b.aside.others.count(here, r)
	if r.Memory != nil {
		for _, name := range namesOf(r) {
			b.left[name] = true
		}
	}
	return true, nil
}

// restOfOthers counts what batches that came in for a project have of projects that they did not come in for.
func (e *Engine) restOfOthers(ctx context.Context, r engram.Remote, project string, batches []string) (rest otherProjects, pending int, err error) {
	rest = otherProjects{}
	var whole map[string]bool
	pulled, called := map[string]map[string]bool{}, map[string]string{}
	err = e.store.View(ctx, func(tx engram.Reader) error {
		if whole, err = tx.Pulled(ctx, "", batches); err != nil {
			return err
		}
		for _, b := range batches {
			if whole[b] {
				continue
			}
			some := false
			for rec, err := range r.Read(ctx, b) {
				if err != nil {
					break // reported as trouble, or readable for others
				}
				name, says := belongsTo(rec)
				if !says {
					continue
				}
				here, known := called[name]
				if !known {
					p, found, err := tx.Project(ctx, name)
					if err != nil {
						return err
					}
					if here = name; found {
						here = p.Name
					}
					called[name] = here
					if pulled[here], err = tx.Pulled(ctx, here, batches); err != nil {
						return err
					}
				}
				if here != project && !pulled[here][b] {
					rest.count(here, rec)
					some = true
				}
			}
			if some {
				pending++
			}
		}
		return ctx.Err()
	})
	return rest, pending, err
}

// suspicious returns why a record looks like an instruction to an agent; "" if it does not. It checks every text that
// may be shown, except those the thing has here already, which a person wrote or admitted.
func (b *receivingBatch) suspicious(ctx context.Context, r incoming) (string, error) {
	var here map[string]bool
	for _, p := range textsOf(r.Record) {
		reasons := suspicion.Of(p.text)
		if len(reasons) == 0 {
			continue
		}
		if here == nil {
			known, err := b.stateHere(ctx, r.Record)
			if err != nil {
				return "", err
			}
			here = map[string]bool{}
			for _, p := range textsOf(known) {
				here[p.text] = true
			}
		}
		if !here[p.text] {
			return whyAndWhere(reasons[0]), nil
		}
	}
	return "", nil
}

// stateHere returns what the store has of a record's thing; the empty record when it has nothing.
func (b *receivingBatch) stateHere(ctx context.Context, r engram.Record) (engram.Record, error) {
	var here engram.Record
	var found bool
	var err error
	switch {
	case r.Memory != nil:
		var m engram.Memory
		if m, found, err = b.find(ctx, r.Memory.Memory.ID, r.Memory.Memory.SyncID); found {
			here = memoryRecord(m)
			here.Memory.Revisions, err = b.tx.Revisions(ctx, m.Num)
		}
	case r.Prompt != nil:
		var p engram.Prompt
		p, found, err = b.tx.PromptBySyncID(ctx, r.Prompt.SyncID)
		here = promptRecord(p)
	case r.Session != nil:
		var s engram.Session
		s, found, err = ifThere(b.tx.Session(ctx, r.Session.ID))
		here = sessionRecord(s)
	case r.Relation != nil:
		var rel engram.Relation
		rel, found, err = ifThere(b.tx.Relation(ctx, engram.RelationRef{ID: r.Relation.Relation.ID}))
		here = relationRecord(rel)
	}
	if !found {
		return engram.Record{}, err
	}
	return here, err
}

// textsOf returns the free texts of a record.
func textsOf(r engram.Record) (all []passage) {
	var texts []string
	switch {
	case r.Memory != nil:
		m := r.Memory.Memory
		all = append(shownTexts(m), passages([]string{m.SessionID, m.Project})...)
		for _, a := range m.Anchors {
			texts = append(texts, a.Repository)
		}
		for _, rev := range r.Memory.Revisions {
			all = append(all, typedTexts(rev.Title, rev.Content)...)
			texts = append(texts, rev.Reason)
		}
	case r.Session != nil:
		texts = append(texts, r.Session.ID, r.Session.Summary, r.Session.Directory, r.Session.Project)
	case r.Prompt != nil:
		texts = append(texts, r.Prompt.Content, r.Prompt.SessionID, r.Prompt.Project)
	case r.Relation != nil:
		rel := r.Relation.Relation
		texts = append(texts, rel.Reason, rel.Evidence, rel.Actor, rel.ActorKind, rel.Model, rel.SessionID)
	}
	if r.Causal != nil {
		for _, member := range slices.Sorted(maps.Keys(r.Causal.Sets)) {
			if r.Memory == nil || !slices.Contains(r.Memory.Memory.Tags, member) {
				texts = append(texts, member)
			}
		}
	}
	return append(all, passages(texts)...)
}

// textsIn appends the texts of a JSON value, including keys.
func textsIn(texts []string, v any) []string {
	switch v := v.(type) {
	case string:
		texts = append(texts, v)
	case []any:
		for _, one := range v {
			texts = textsIn(texts, one)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			texts = textsIn(append(texts, key), v[key])
		}
	}
	return texts
}
