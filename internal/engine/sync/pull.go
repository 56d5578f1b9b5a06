// Package sync pushes and pulls batches of records between stores through a remote, and keeps records that are
// deferred until their other half or a person comes.
package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/suspicion"
)

// Replicator exchanges batches with remotes. It is safe for concurrent use.
type Replicator struct {
	screen   *screen.Screen
	ledger   *ledger.Ledger
	exchange *exchange.Porter
}

// New returns a Replicator.
func New(l *ledger.Ledger, e *exchange.Porter) *Replicator {
	return &Replicator{screen: l.Screen, ledger: l, exchange: e}
}

// Unpushed counts what a push would send.
type Unpushed struct {
	Sessions, Memories, Prompts, Relations, Erased int
}

// RemoteStatus compares a project with a remote.
type RemoteStatus struct {
	Name     string // of the remote
	Project  string // canonical; "" for every one
	Batches  int    // at the remote
	Pulled   int    // of these, read here for the project, or written here
	Pending  int    // the others, and those with records of other projects that did not come in
	Unpushed Unpushed
	Deferred int                 // pending records
	Review   int                 // of these, those that wait for a person
	Trouble  []engram.ImportNote // unreadable batches, with why
	// Others is what batches that came in have of other projects, and that did not come in.
	Others []OtherProject
}

// RemoteStatus compares a project, "" is every one, with a remote. It reads pending batches to find unreadable ones,
// and changes nothing. A project that does not exist has nothing to push, and everything is pending, as in a new
// clone.
func (y *Replicator) RemoteStatus(ctx context.Context, r engram.Remote, project string) (RemoteStatus, error) {
	st := RemoteStatus{Name: r.Name()}
	p := &pushing{replicator: y, remote: r, in: PushInput{Project: project, All: project == "", DryRun: true}}
	err := p.begin(ctx)
	if engram.CodeOf(err) == engram.CodeNotFound && project != "" {
		p.res.Project, err = screen.NormalProject(project), nil
	}
	if err != nil {
		return RemoteStatus{}, err
	}
	st.Project, st.Batches = p.res.Project, len(p.batches)
	for _, kind := range []func(context.Context) error{p.sessions, p.memories, p.strays, p.prompts, p.relations} {
		if err := kind(ctx); err != nil {
			return RemoteStatus{}, err
		}
	}
	st.Unpushed = Unpushed{Sessions: p.res.Sessions, Memories: p.res.Memories, Prompts: p.res.Prompts, Relations: p.res.Relations}
	pulled, err := y.countRest(ctx, p, &st)
	if err != nil {
		return RemoteStatus{}, err
	}
	var read []string
	for _, b := range p.batches {
		if pulled[b] {
			st.Pulled++
			read = append(read, b)
			continue
		}
		st.Pending++
		for _, err := range r.Read(ctx, b) {
			if err != nil {
				st.Trouble = append(st.Trouble, engram.ImportNote{Item: b, Name: b, Reason: err.Error()})
				break
			}
		}
	}
	if st.Project != "" {
		rest, pending, err := y.restOfOthers(ctx, r, st.Project, read)
		if err != nil {
			return RemoteStatus{}, err
		}
		st.Others, st.Pending = rest.sorted(), st.Pending+pending
	}
	return st, ctx.Err()
}

// countRest counts what needs no reading of the things.
func (y *Replicator) countRest(ctx context.Context, p *pushing, st *RemoteStatus) (pulled map[string]bool, err error) {
	err = y.ledger.View(ctx, func(r engram.Reader) error {
		if st.Unpushed.Erased, err = r.Replica().CountUnreplicated(ctx, engram.EntityErased, st.Project, p.batches); err != nil {
			return err
		}
		if pulled, err = r.Replica().Pulled(ctx, st.Project, p.batches); err != nil {
			return err
		}
		if st.Deferred, err = countDeferred(ctx, r, st.Project); err != nil {
			return err
		}
		st.Review, err = r.Replica().CountDeferred(ctx, st.Project, engram.DeferredReview)
		return err
	})
	return pulled, err
}

// KnownBatches returns which of these batches came in here for a project, or were written here; "" is every project.
// The project may be an alias, or not exist here.
func (y *Replicator) KnownBatches(ctx context.Context, project string, batches []string) (known map[string]bool, err error) {
	return ledger.Read(ctx, y.ledger, func(r engram.Reader) (map[string]bool, error) {
		name, err := projects.CanonicalProject(ctx, r, project)
		if err != nil {
			return nil, err
		}
		return r.Replica().Pulled(ctx, name, batches)
	})
}

// Consent is what the person at this store agreed to for a repository. It is not journaled, and stays on this machine.
type Consent string

// The consents.
const (
	AgreedRecipients Consent = "recipients:"     // the recipients for whom its chunks may be encrypted
	NamedProjects    Consent = "named projects:" // the projects that were named for it
)

// Consent returns what PutConsent noted here for a repository; "" for nothing.
func (y *Replicator) Consent(ctx context.Context, c Consent, repository string) (to string, err error) {
	return ledger.Read(ctx, y.ledger, func(r engram.Reader) (string, error) { return r.Fact(ctx, string(c)+repository) })
}

// PutConsent notes a consent, in place of an earlier one.
func (y *Replicator) PutConsent(ctx context.Context, c Consent, repository, to string) error {
	return y.ledger.Update(ctx, func(tx engram.Tx) error { return tx.PutFact(ctx, string(c)+repository, to) })
}

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
	exchange.Imported
}

// Pulled is the outcome of a pull.
type Pulled struct {
	Batches []PulledBatch       // batches that came in, oldest first
	Known   int                 // batches that had come in before
	Refused []engram.ImportNote // unreadable batches, by ID; nothing of them came in
	// Imported sums up what came in, including earlier deferred records. Its Op is the last operation.
	exchange.Imported
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
func (y *Replicator) Pull(ctx context.Context, r engram.Remote, in PullInput) (Pulled, error) {
	in.Project = screen.NormalProject(in.Project)
	switch {
	case in.All:
		in.Project = ""
	case in.Project == "":
		return Pulled{}, engram.Errorf(engram.CodeInvalid, "no project is named").WithHint("name one, or ask for all")
	}
	p := &pulling{replicator: y, in: in, name: r.Name(), left: otherProjects{}}
	batches, err := p.fresh(ctx, r)
	if err != nil {
		return p.res, err
	}
	if !in.DryRun {
		return p.res, p.batches(ctx, r, batches, func(fn func(*ledger.Tx) error) error { return y.ledger.Write(ctx, "pull", fn) })
	}
	// One transaction for all: later batches build on earlier ones.
	err = y.ledger.TryWrite(ctx, true, "pull", func(o *ledger.Tx) error {
		return p.batches(ctx, r, batches, func(fn func(*ledger.Tx) error) error { return fn(o) })
	})
	p.res.Op = 0 // the operations were rolled back
	for n := range p.res.Batches {
		p.res.Batches[n].Op = 0
	}
	return p.res, err
}

type pulling struct {
	replicator *Replicator
	in         PullInput
	name       string // of the remote
	res        Pulled
	// discarded counts deferred records of batches that a dry run refuses: they are in its transaction nevertheless.
	discarded int
	left      otherProjects
}

func (p *pulling) fresh(ctx context.Context, r engram.Remote) ([]engram.Batch, error) {
	all, err := r.Batches(ctx)
	if err != nil {
		return nil, err
	}
	ids := walk.Mapped(all, func(b engram.Batch) string { return b.ID })
	known, err := p.replicator.KnownBatches(ctx, p.in.Project, ids)
	var fresh []engram.Batch
	for _, b := range all {
		b.By = exchange.Signature(b.By)
		if known[b.ID] {
			p.res.Known++
		} else {
			fresh = append(fresh, b)
		}
	}
	return fresh, err
}

// batches takes in batches, then deferred records; write runs one operation.
func (p *pulling) batches(ctx context.Context, r engram.Remote, batches []engram.Batch, write func(func(*ledger.Tx) error) error) error {
	for n, b := range batches {
		records, err := readBatch(ctx, r, b.ID)
		if refusal(err) {
			p.res.Refused = append(p.res.Refused, engram.ImportNote{Item: b.ID, Name: b.By, Batch: b.ID, Reason: screen.Line(err.Error())})
			continue
		}
		if err != nil {
			return fmt.Errorf("read batch %s of %s: %w", b.ID, p.name, err)
		}
		done := PulledBatch{Batch: b}
		aside := deferrals{}
		err = write(func(o *ledger.Tx) error {
			done.Imported, aside = engram.Imported{From: engram.Snapshot{At: b.At, Project: p.in.Project}, Mode: exchange.ImportMerge}, deferrals{}
			var err error
			if aside.before, err = countDeferred(ctx, o.Store, ""); err != nil {
				return err
			}
			aside.before -= p.discarded
			in := p.receiving(o, b, &done.Imported, &aside)
			if err := in.batchIn(ctx, records); err != nil {
				return err
			}
			reportBatch(&done.Imported, 0, 0, b.ID)
			done.Op = o.First
			readFor := "" // every project
			if in.Skipped {
				readFor = in.Border
			}
			return o.Store.ReplicaTx().PutPulled(ctx, readFor, b.ID, o.At)
		})
		if aside.tooMany != nil && (err == nil || errors.Is(err, aside.tooMany)) {
			p.res.Refused = append(p.res.Refused, engram.ImportNote{Item: b.ID, Name: b.By, Batch: b.ID, Reason: screen.Line(aside.tooMany.Error())})
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
	err := write(func(o *ledger.Tx) (err error) {
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

func (p *pulling) receiving(o *ledger.Tx, b engram.Batch, res *engram.Imported, aside *deferrals) *receivingBatch {
	i := exchange.NewImporting(p.replicator.exchange, o, exchange.ImportInput{Mode: exchange.ImportMerge, Project: p.in.Project, DryRun: p.in.DryRun}, res)
	i.Batch, i.Reason = b.ID, "chunk "+b.ID
	by := exchange.Signature(b.By)
	if by != "" {
		i.Reason += " by " + by
	}
	in := &receivingBatch{Importing: i, by: by, pushedAt: b.At, aside: aside}
	i.Later = in.defers
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
	all := walk.Mapped(slices.Collect(maps.Values(e)), func(c *OtherProject) OtherProject { return *c })
	slices.SortFunc(all, func(a, b OtherProject) int { return strings.Compare(a.Project, b.Project) })
	return all
}

// belongsTo returns the project that a record says it belongs to; says is false for one that names none, such as a
// session that only others refer to. Relations belong where their memories are.
func belongsTo(r engram.Record) (project string, says bool) {
	switch {
	case r.Session != nil && r.Causal != nil && ledger.ClaimsNothing(r.Session.ID, *r.Causal), r.Project != nil, r.Relation != nil:
		return "", false
	case r.Erased != nil:
		return r.Erased.Project, r.Erased.Project != ""
	}
	return ledger.ProjectOf(r), r.Entity() != ""
}

// leaves reports whether a record of a batch is of another project, and counts it. A relation of a skipped memory is
// skipped too.
func (b *receivingBatch) leaves(ctx context.Context, r engram.Record) (bool, error) {
	if b.Border == "" || b.pending != nil {
		return false, nil
	}
	if rel := r.Relation; rel != nil {
		left := b.left[exchange.NameIn(rel.Source)] || b.left[exchange.NameIn(rel.Target)]
		b.Skipped = b.Skipped || left
		return left, nil
	}
	name, says := belongsTo(r)
	if !says {
		return false, nil
	}
	here, err := b.ProjectHere(ctx, name)
	if err != nil || here == b.Border {
		return false, err
	}
	if b.aside.others == nil {
		b.aside.others, b.left = otherProjects{}, map[string]bool{}
	}
	b.Skipped = true
	b.aside.others.count(here, r)
	if r.Memory != nil {
		for _, name := range ledger.NamesOf(r) {
			b.left[name] = true
		}
	}
	return true, nil
}

// restOfOthers counts what batches that came in for a project have of projects that they did not come in for.
func (y *Replicator) restOfOthers(ctx context.Context, r engram.Remote, project string, batches []string) (rest otherProjects, pending int, err error) {
	rest = otherProjects{}
	var whole map[string]bool
	pulled, called := map[string]map[string]bool{}, map[string]string{}
	err = y.ledger.View(ctx, func(tx engram.Reader) error {
		if whole, err = tx.Replica().Pulled(ctx, "", batches); err != nil {
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
					if pulled[here], err = tx.Replica().Pulled(ctx, here, batches); err != nil {
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
func (b *receivingBatch) suspicious(ctx context.Context, r exchange.Incoming) (string, error) {
	var here map[string]bool
	for _, p := range TextsOf(r.Record) {
		reasons := suspicion.Of(p.Text)
		if len(reasons) == 0 {
			continue
		}
		if here == nil {
			known, err := b.stateHere(ctx, r.Record)
			if err != nil {
				return "", err
			}
			here = map[string]bool{}
			for _, p := range TextsOf(known) {
				here[p.Text] = true
			}
		}
		if !here[p.Text] {
			return screen.WhyAndWhere(reasons[0]), nil
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
		if m, found, err = b.Find(ctx, r.Memory.Memory.ID, r.Memory.Memory.SyncID); found {
			here = ledger.MemoryRecord(m)
			here.Memory.Revisions, err = b.Tx.Store.Revisions(ctx, m.Num)
		}
	case r.Prompt != nil:
		var p engram.Prompt
		p, found, err = engram.PromptBySyncID(ctx, b.Tx.Store, r.Prompt.SyncID)
		here = ledger.PromptRecord(p)
	case r.Session != nil:
		var s engram.Session
		s, found, err = walk.IfThere(b.Tx.Store.Session(ctx, r.Session.ID))
		here = ledger.SessionRecord(s)
	case r.Relation != nil:
		var rel engram.Relation
		rel, found, err = walk.IfThere(b.Tx.Store.Relation(ctx, engram.RelationRef{ID: r.Relation.Relation.ID}))
		here = ledger.RelationRecord(rel)
	}
	if !found {
		return engram.Record{}, err
	}
	return here, err
}

// TextsOf returns the free texts of a record.
func TextsOf(r engram.Record) (all []screen.Passage) {
	var texts []string
	switch {
	case r.Memory != nil:
		m := r.Memory.Memory
		all = append(screen.ShownTexts(m), screen.Passages([]string{m.SessionID, m.Project})...)
		for _, a := range m.Anchors {
			texts = append(texts, a.Repository)
		}
		for _, rev := range r.Memory.Revisions {
			all = append(all, screen.TypedTexts(rev.Title, rev.Content)...)
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
	return append(all, screen.Passages(texts)...)
}
