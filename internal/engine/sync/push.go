package sync

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// PushInput says what to push.
type PushInput struct {
	Project string // its name or an alias
	All     bool   // every project instead
	By      string // the pusher's name for readers; "": anonymous
	DryRun  bool   // report what would be pushed, and write nothing
	// Progress is called with the number of things pushed, and of about all; nil: not called.
	Progress func(done, total int)
}

// Pushed is the outcome of a push.
type Pushed struct {
	Project   string         // canonical; "" for every one
	Batches   []engram.Batch // written ones; none without news, or with DryRun
	Sessions  int
	Memories  int
	Prompts   int
	Relations int
	Erased    int
	Left      []engram.ImportNote // what was not pushed, and why
}

// A batch is small enough to be read at once, and large enough to keep batches few.
const (
	batchRecords = 2000
	batchBytes   = 4 << 20 // of texts, before packing
)

// Push writes to a remote what no batch there has: new things and later changes. Personal memories stay here. What
// left the project, or became personal, after it was pushed is pushed once more as forgotten, without text and new
// place. What was forgotten before it was shared stays here, and so do sessions without shared content, private
// spans, and the folders of sessions.
//
// It writes whole batches one after the other; when one fails, the earlier ones stay. Concurrent pushes do no harm.
// CodeNotFound for a project that does not exist.
func (y *Replicator) Push(ctx context.Context, r engram.Remote, in PushInput) (Pushed, error) {
	p := &pushing{replicator: y, remote: r, in: in}
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
		p.res.Left = append(p.res.Left, engram.ImportNote{Reason: fmt.Sprintf("%s personal: they stay here", undo.So(p.personal, "memory is", "memories are"))})
	}
	if in.DryRun {
		return p.res, nil
	}
	return p.res, r.Settle(ctx)
}

type pushing struct {
	replicator *Replicator
	remote     engram.Remote
	in         PushInput
	res        Pushed
	batches    []string                   // at the remote when it began
	fresh      map[engram.Entity][]string // keys of things that no batch has

	redactor *screen.ExportRedactor

	pending  []outgoing // of the next batch
	bytes    int
	done     int
	total    int
	personal int
}

// outgoing is a record with the digest of its state.
type outgoing struct {
	record engram.Record
	entity engram.Entity
	key    string
	digest int64
}

func (p *pushing) begin(ctx context.Context) error {
	there, err := p.remote.Batches(ctx)
	if err != nil {
		return err
	}
	p.batches = walk.Mapped(there, func(b engram.Batch) string { return b.ID })
	return p.replicator.ledger.View(ctx, func(r engram.Reader) error {
		if !p.in.All {
			if p.res.Project, err = projects.ProjectNamed(ctx, r, p.in.Project); err != nil {
				return err
			}
		}
		if p.redactor, err = p.replicator.screen.ExportRedactor(ctx, r, false); err != nil {
			return err
		}
		p.fresh = map[engram.Entity][]string{}
		for _, kind := range []engram.Entity{engram.EntitySession, engram.EntityMemory, engram.EntityPrompt, engram.EntityRelation, engram.EntityErased} {
			// In one query: each walks over everything that was pushed.
			keys, err := r.Replica().Unreplicated(ctx, kind, p.res.Project, p.batches, "", math.MaxInt32)
			if err != nil {
				return err
			}
			p.fresh[kind] = keys
			p.total += len(keys)
		}
		return nil
	})
}

// page pushes what read returns in one transaction.
func (p *pushing) page(ctx context.Context, read func(engram.Reader) ([]outgoing, error)) error {
	page, err := ledger.Read(ctx, p.replicator.ledger, read)
	for _, o := range page {
		if err == nil {
			err = p.send(ctx, o)
		}
	}
	return err
}

// send adds a record to the next batch, and writes the batch when it is full.
func (p *pushing) send(ctx context.Context, o outgoing) error {
	o.record = p.redactor.Record(withoutPrivate(o.record))
	size := sizeOf(o.record)
	if len(p.pending) >= batchRecords || p.bytes+size > batchBytes && len(p.pending) > 0 {
		if err := p.flush(ctx); err != nil {
			return err
		}
	}
	p.pending, p.bytes = append(p.pending, o), p.bytes+size
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

// flush writes the pending records as a batch.
func (p *pushing) flush(ctx context.Context) error {
	if len(p.pending) == 0 {
		return ctx.Err()
	}
	went := p.pending
	p.pending, p.bytes = nil, 0
	if !p.in.DryRun {
		if err := p.writeBatch(ctx, went); err != nil {
			return err
		}
	}
	p.done += len(went)
	if p.in.Progress != nil {
		p.in.Progress(p.done, max(p.total, p.done))
	}
	return nil
}

// notePushed notes what a batch has. That is not a change of anything, and not journaled.
func (p *pushing) notePushed(ctx context.Context, batch string, went []outgoing) error {
	return p.replicator.ledger.Update(ctx, func(tx engram.Tx) error {
		states := walk.Mapped(went, func(o outgoing) engram.ThingState {
			return engram.ThingState{Entity: o.entity, Key: o.key, Digest: o.digest}
		})
		if err := tx.ReplicaTx().PutReplicated(ctx, []string{batch}, states...); err != nil {
			return err
		}
		return tx.ReplicaTx().PutPulled(ctx, "", batch, p.replicator.ledger.Now()) // everything in it comes from here
	})
}

// sizeOf estimates the bytes of a record.
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

// writeBatch writes records as a batch. It halves one that the remote refuses, until a single record is refused,
// which it reports and leaves here.
func (p *pushing) writeBatch(ctx context.Context, went []outgoing) error {
	records := walk.Mapped(went, func(o outgoing) engram.Record { return o.record })
	b, err := p.remote.Write(ctx, engram.Batch{By: p.in.By, At: p.replicator.ledger.Now()}, records)
	switch {
	case engram.CodeOf(err) == engram.CodeInvalid && len(went) > 1:
		half := len(went) / 2
		if err := p.writeBatch(ctx, went[:half]); err != nil {
			return err
		}
		return p.writeBatch(ctx, went[half:])
	case engram.CodeOf(err) == engram.CodeInvalid:
		p.count(records[0], -1)
		p.res.Left = append(p.res.Left, engram.ImportNote{Item: string(records[0].Entity()), Name: ledger.NameOf(records[0]), Reason: screen.Line(err.Error())})
		return nil
	case err != nil:
		return err
	}
	p.res.Batches = append(p.res.Batches, b)
	return p.notePushed(ctx, b.ID, went)
}

// withoutPrivate removes private spans, which only records that were not saved here can have, and the folder of a
// session, which names a person and a machine.
func withoutPrivate(r engram.Record) engram.Record {
	r = screen.RecordBy(r, func(_, s string) string { return redact.Private(s) })
	if r.Session != nil {
		r.Session.Directory, r.Causal = "", exchange.Unclaimed(r.Causal, engram.PartDirectory)
	}
	return r
}

// strays pushes that memories left a project or became personal. With All, moved memories are pushed where they went.
func (p *pushing) strays(ctx context.Context) error {
	names := []string{p.res.Project}
	if p.in.All {
		var err error
		if names, err = ledger.Read(ctx, p.replicator.ledger, func(r engram.Reader) ([]string, error) { return engram.ProjectNames(ctx, r) }); err != nil {
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
			if keys, err = r.Replica().Strayed(ctx, project, p.batches, after, pushPage); err != nil || len(keys) == 0 {
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

// leaving returns the departures that were not pushed yet.
func (p *pushing) leaving(ctx context.Context, r engram.Reader, project string, keys []string) (out []outgoing, err error) {
	ms, err := r.Memories(ctx, walk.Mapped(keys, ledger.NumOf))
	if err != nil {
		return nil, err
	}
	metadata, err := r.Replica().CausalMetadata(ctx, engram.EntityMemory, keys)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		part := engram.Part("scope") // it became personal
		if m.Project != project {
			part = ledger.ProjectPart
		}
		s, left := metadata[ledger.Key(m.Num)].Parts[part]
		if !left || p.in.All && m.Scope != engram.ScopePersonal {
			continue
		}
		// The names and the write: it makes no claim on any other part.
		gone := ledger.MemoryRecord(engram.Memory{ID: m.ID, SyncID: m.SyncID, Project: project, DeletedAt: s.At.Time(), RevisionCount: 1, DuplicateCount: 1})
		l := lifecycle.Stamped(engram.CausalMetadata{}, []engram.Part{engram.PartLeft}, s)
		gone.Causal, gone.Tombstone = &l, true
		o := outgoing{record: gone, entity: engram.EntityMemory, key: ledger.Key(m.Num), digest: l.Digest()}
		sets, err := r.Replica().ReplicatedBy(ctx, engram.EntityMemory, o.key, o.digest)
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
