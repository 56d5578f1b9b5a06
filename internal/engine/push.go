package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// PushInput says what is to go to a remote.
type PushInput struct {
	Project string // its name or an alias
	All     bool   // instead: every project
	By      string // who pushes, for those who read it; "" says nobody
	DryRun  bool   // tells what would go, and writes nothing
	// Progress is told how many things went, of how many about; nil: nobody.
	Progress func(done, total int)
}

// Pushed says what went to a remote.
type Pushed struct {
	Project   string         // canonical; "" for every one
	Batches   []engram.Batch // that were written; none when there was nothing new, or DryRun
	Sessions  int
	Memories  int
	Prompts   int
	Relations int
	Erased    int
	Left      []engram.ImportNote // what did not go, and why
}

// A batch is small enough to be read at once, and large enough that there are few.
const (
	batchRecords = 2000
	batchBytes   = 4 << 20 // of texts, before they are packed
)

// Push writes to a remote what no batch there has: new things, and later changes of others. Personal memories stay here:
// a remote is for everybody who works on the project. What left the project, or became personal, after it was pushed goes once
// more as forgotten, without a text and without its new place. What was forgotten before others could have it stays here, and so
// do sessions in which nothing stands that goes, private spans, and the folders of sessions.
//
// It writes batches, each whole before the next is begun; when a later one fails, the error says why, and what went stays.
// Pushes of others at the same time do no harm. CodeNotFound for a project that does not exist.
func (e *Engine) Push(ctx context.Context, r engram.Remote, in PushInput) (Pushed, error) {
	p := &pushing{Engine: e, remote: r, in: in}
	if err := p.begin(ctx); err != nil {
		return Pushed{}, err
	}
	for _, kind := range []func(context.Context) error{p.sessions, p.memories, p.strays, p.prompts, p.relations, p.erased} {
		if err := kind(ctx); err != nil {
			return p.res, err
		}
	}
	if err := p.flush(ctx); err != nil {
		return p.res, err
	}
	if p.personal > 0 {
		p.res.Left = append(p.res.Left, engram.ImportNote{Reason: fmt.Sprintf("%s personal: they stay here", so(p.personal, "memory is", "memories are"))})
	}
	if in.DryRun {
		return p.res, nil
	}
	return p.res, r.Settle(ctx)
}

// pushing is one push at work.
type pushing struct {
	*Engine
	remote  engram.Remote
	in      PushInput
	res     Pushed
	batches []string                   // that were there when it began
	fresh   map[engram.Entity][]string // keys of what none of them has

	redactor *exportRedactor

	waiting  []outgoing // for the next batch
	bytes    int
	done     int
	total    int
	personal int
}

// outgoing is a record with what its state is known by.
type outgoing struct {
	record engram.Record
	entity engram.Entity
	key    string
	digest int64
}

// begin finds out what there is, here and there.
func (p *pushing) begin(ctx context.Context) error {
	there, err := p.remote.Batches(ctx)
	if err != nil {
		return err
	}
	for _, b := range there {
		p.batches = append(p.batches, b.ID)
	}
	return p.store.View(ctx, func(r engram.Reader) error {
		if !p.in.All {
			if p.res.Project, err = projectNamed(ctx, r, p.in.Project); err != nil {
				return err
			}
		}
		if p.redactor, err = p.Engine.exportRedactor(ctx, r, false); err != nil {
			return err
		}
		p.fresh = map[engram.Entity][]string{}
		for _, kind := range travelling() {
			// At once: each question walks over all that is carried.
			keys, err := r.Unreplicated(ctx, kind, p.res.Project, p.batches, "", math.MaxInt32)
			if err != nil {
				return err
			}
			p.fresh[kind] = keys
			p.total += len(keys)
		}
		return nil
	})
}

// travelling are the kinds of things that a batch holds, in its order.
func travelling() []engram.Entity {
	return []engram.Entity{engram.EntitySession, engram.EntityMemory, engram.EntityPrompt, engram.EntityRelation, engram.EntityErased}
}

// projectNamed returns the canonical name of a project; not_found when there is none.
func projectNamed(ctx context.Context, r engram.Reader, name string) (string, error) {
	name = normalProject(name)
	if name == "" {
		return "", engram.Errorf(engram.CodeInvalid, "no project is named").WithHint("name one, or ask for all of them")
	}
	return projectIfNamed(ctx, r, name)
}

// projectIfNamed is projectNamed, and "" for "".
func projectIfNamed(ctx context.Context, r engram.Reader, name string) (string, error) {
	if normalProject(name) == "" {
		return "", nil
	}
	p, err := namedProject(ctx, r, name)
	return p.Name, err
}

// page sends what read finds on one snapshot.
func (p *pushing) page(ctx context.Context, read func(engram.Reader) ([]outgoing, error)) error {
	page, err := view(ctx, p.Engine, read)
	for _, o := range page {
		if err == nil {
			err = p.send(ctx, o)
		}
	}
	return err
}

// send puts a record into the next batch, and writes the batch when it is full.
func (p *pushing) send(ctx context.Context, o outgoing) error {
	o.record = p.redactor.record(withoutPrivate(o.record))
	size := sizeOf(o.record)
	if len(p.waiting) >= batchRecords || p.bytes+size > batchBytes && len(p.waiting) > 0 {
		if err := p.flush(ctx); err != nil {
			return err
		}
	}
	p.waiting, p.bytes = append(p.waiting, o), p.bytes+size
	p.count(o.record, 1)
	return nil
}

func (p *pushing) count(r engram.Record, n int) {
	switch {
	case r.Erased != nil:
		p.res.Erased += n
	case r.Session != nil:
		p.res.Sessions += n
	case r.Memory != nil:
		p.res.Memories += n
	case r.Prompt != nil:
		p.res.Prompts += n
	case r.Relation != nil:
		p.res.Relations += n
	}
}

// flush writes what waits as a batch, and remembers that it is there.
func (p *pushing) flush(ctx context.Context) error {
	if len(p.waiting) == 0 {
		return ctx.Err()
	}
	went := p.waiting
	p.waiting, p.bytes = nil, 0
	if !p.in.DryRun {
		if err := p.lot(ctx, went); err != nil {
			return err
		}
	}
	p.done += len(went)
	if p.in.Progress != nil {
		p.in.Progress(p.done, max(p.total, p.done))
	}
	return nil
}

// carry remembers what a batch has. It is no change of anything, and not in the journal.
func (p *pushing) carry(ctx context.Context, batch string, went []outgoing) error {
	return p.store.Update(ctx, func(tx engram.Tx) error {
		for _, o := range went {
			if err := tx.PutReplicated(ctx, o.entity, o.key, o.digest, []string{batch}); err != nil {
				return err
			}
		}
		return tx.PutPulled(ctx, "", batch, p.now()) // all that is in it is from here
	})
}

// sizeOf is about how many bytes a record takes.
func sizeOf(r engram.Record) int {
	const frame = 400 // names, times and stamps
	n := frame
	switch {
	case r.Memory != nil:
		m := r.Memory.Memory
		n += len(m.Title) + len(m.Content) + len(m.Summary)
		for _, rev := range r.Memory.Revisions {
			n += frame/2 + len(rev.Title) + len(rev.Content)
		}
		for _, a := range m.Anchors {
			n += len(a.Repository) + len(a.Path) + frame/2
		}
		if len(m.Metadata) > 0 {
			b, _ := json.Marshal(m.Metadata) // it came out of a store
			n += len(b)
		}
	case r.Prompt != nil:
		n += len(r.Prompt.Content)
	case r.Session != nil:
		n += len(r.Session.Summary)
	case r.Relation != nil:
		n += len(r.Relation.Relation.Reason) + len(r.Relation.Relation.Evidence)
	}
	return n
}

// lot writes records as a batch. Of those that no batch can have together each half goes by
// itself; one that no batch can have stays here, and is told, and the others do not wait for it.
func (p *pushing) lot(ctx context.Context, went []outgoing) error {
	records := make([]engram.Record, len(went))
	for i, o := range went {
		records[i] = o.record
	}
	b, err := p.remote.Write(ctx, engram.Batch{By: p.in.By, At: p.now()}, records)
	switch {
	case engram.CodeOf(err) == engram.CodeInvalid && len(went) > 1:
		half := len(went) / 2
		if err := p.lot(ctx, went[:half]); err != nil {
			return err
		}
		return p.lot(ctx, went[half:])
	case engram.CodeOf(err) == engram.CodeInvalid:
		p.count(records[0], -1)
		p.res.Left = append(p.res.Left, engram.ImportNote{Item: string(records[0].Entity()), Name: nameOf(records[0]), Reason: line(err.Error())})
		return nil
	case err != nil:
		return err
	}
	p.res.Batches = append(p.res.Batches, b)
	return p.carry(ctx, b.ID, went)
}

// withoutPrivate is a record whose texts have no private spans. What is saved has none
// already; what came into the store by other ways is looked at before it leaves. The folder of a
// session names a person and a machine, and stays here.
func withoutPrivate(r engram.Record) engram.Record {
	r = recordBy(r, func(_, s string) string { return redact.Private(s) })
	if r.Session != nil {
		r.Session.Directory, r.Causal = "", unclaimed(r.Causal, engram.PartDirectory)
	}
	return r
}

// unclaimed is a lineage that says nothing of a part: wherever something is known of that, it
// stays as it is.
func unclaimed(l *engram.CausalMetadata, p engram.Part) *engram.CausalMetadata {
	if l == nil || l.Of(p) == (engram.VersionStamp{}) {
		return l
	}
	less := lifecycle.Stamped(*l, []engram.Part{p}, engram.VersionStamp{})
	return &less
}

// strays tells of memories that left the project, or became personal, that they are gone
// from there. Where everything goes, wherever they went goes too.
func (p *pushing) strays(ctx context.Context) error {
	names := []string{p.res.Project}
	if p.in.All {
		err := p.store.View(ctx, func(r engram.Reader) (err error) {
			names, err = r.ProjectNames(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := p.strayed(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (p *pushing) strayed(ctx context.Context, project string) error {
	for after := ""; ; {
		var keys []string
		err := p.page(ctx, func(r engram.Reader) (page []outgoing, err error) {
			if keys, err = r.Strayed(ctx, project, p.batches, after, pushPage); err != nil || len(keys) == 0 {
				return nil, err
			}
			return p.leaving(ctx, r, project, keys)
		})
		if err != nil {
			return err
		}
		if len(keys) < pushPage {
			return nil
		}
		after = keys[len(keys)-1]
	}
}

// leaving returns what is to be told of memories that left and was not told yet.
func (p *pushing) leaving(ctx context.Context, r engram.Reader, project string, keys []string) (out []outgoing, err error) {
	ms, err := r.Memories(ctx, mapped(keys, numOf))
	if err != nil {
		return nil, err
	}
	lineages, err := r.CausalMetadata(ctx, engram.EntityMemory, keys)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		s, left := leftBy(m, lineages[key(m.Num)], project)
		if !left || p.in.All && m.Scope != engram.ScopePersonal {
			continue
		}
		o := outgoing{record: leavingRecord(m, s, project), entity: engram.EntityMemory, key: key(m.Num)}
		o.digest = o.record.Causal.Digest()
		sets, err := r.ReplicatedBy(ctx, engram.EntityMemory, o.key, o.digest)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(sets, func(set []string) bool { return p.has(set) }) {
			out = append(out, o)
		}
	}
	return out, nil
}

// has reports whether all of these batches are at the remote.
func (p *pushing) has(batches []string) bool {
	return !slices.ContainsFunc(batches, func(b string) bool { return !slices.Contains(p.batches, b) })
}

// leftBy is the write by which a memory left a project, or became its author's alone.
func leftBy(m engram.Memory, l engram.CausalMetadata, project string) (s engram.VersionStamp, left bool) {
	part := engram.Part("scope")
	if m.Project != project {
		part = "project"
	}
	s, left = l.Parts[part]
	return s, left
}

// leavingRecord is a memory that left a project, for those who have it there: its names, and
// by which move. It says nothing else, so that of any other part the other side's holds.
func leavingRecord(m engram.Memory, s engram.VersionStamp, project string) engram.Record {
	gone := engram.Memory{ID: m.ID, SyncID: m.SyncID, Project: project, DeletedAt: s.At.Time(), RevisionCount: 1, DuplicateCount: 1}
	l := lifecycle.Stamped(engram.CausalMetadata{}, []engram.Part{engram.PartLeft}, s)
	return engram.Record{Memory: &engram.MemoryRecord{Memory: gone}, Causal: &l, Tombstone: true}
}
