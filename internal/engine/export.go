package engine

import (
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// NativeFormat is the name of the format that keeps everything, PlainFormat that of its first
// version, whose memories stand in a list of that name.
const (
	NativeFormat = "json"
	PlainFormat  = "plain"
)

// ExportInput says what is to leave, and how.
type ExportInput struct {
	Format  string // one of Options.Formats; "" is NativeFormat
	Project string // "" is every one
	Vectors bool   // with the vectors of every model, where the format has room for them
	// AllowSecret lets secrets leave that a person meant to keep, or that older rules let in;
	// they are cut out otherwise.
	AllowSecret bool
	// Progress is told how many memories were written, of how many about; nil: nobody.
	Progress func(done, total int)
}

// Exported counts what was written.
type Exported struct {
	Format  string // the one that was written
	Project string // canonical; "" for every one
	Written
	// Left is what the format has no room for; its Memories are those of which it has not
	// all: tags, for instance.
	Left Written
}

// Written counts the things of a file.
type Written struct {
	Projects  int
	Sessions  int // deleted ones too
	Prompts   int // deleted ones too
	Memories  int // forgotten ones too
	Forgotten int // of Memories
	Revisions int
	Relations int // removed ones too
	Erased    int
	Vectors   int
}

// Export writes everything, or what belongs to one project, as a file that Import reads.
// It reads page by page and holds nothing up: what is saved meanwhile may be in it or not,
// but nothing is torn. What an undo of an import or a pull took away is not in it.
// CodeInvalid for a format that does not exist, CodeNotFound for such
// a project. Errors of w end it, and what was written by then is no whole file.
func (e *Engine) Export(ctx context.Context, w io.Writer, in ExportInput) (Exported, error) {
	f, err := e.format(in.Format)
	if err != nil {
		return Exported{}, err
	}
	x := exporting{Engine: e, in: in, res: Exported{Format: in.Format}}
	if in.Format == "" {
		x.res.Format = NativeFormat
	}
	if err := x.begin(ctx); err != nil {
		return Exported{}, err
	}
	head := engram.Snapshot{Format: x.res.Format, At: e.now(), Program: e.options.Version, Project: x.res.Project,
		Whole: x.res.Project == "", Memories: x.count}
	// One goroutine reads the store while this one writes.
	if err := f.Write(w, head, x.counted(f, ahead(ctx, x.records(ctx)))); err != nil {
		return Exported{}, err
	}
	return x.res, nil
}

// format returns the format of that name.
func (e *Engine) format(name string) (engram.Format, error) {
	if name == "" {
		name = NativeFormat
	}
	if f, known := e.options.Formats[name]; known {
		return f, nil
	}
	return nil, engram.Errorf(engram.CodeInvalid, "format %q does not exist", name).
		WithHint("one of %s", strings.Join(slices.Sorted(maps.Keys(e.options.Formats)), ", "))
}

// exportPage is how many things are read at once: few enough that a page of the longest
// memories fits, many enough that a page costs little.
const exportPage = 200

// exporting is one export at work.
type exporting struct {
	*Engine
	in     ExportInput
	res    Exported
	total  int      // memories there are, about
	count  int      // live ones of these
	live   bool     // what was forgotten, deleted, removed or erased is left out
	models []string // whose vectors are wanted
	// Nothing that was made after the export began is in it: a relation would lead to a
	// memory that is not.
	lastMemory int64
	hidden     numbers // memories that are not in it
	redactor   *exportRedactor
}

// begin finds out what there is.
func (x *exporting) begin(ctx context.Context) error {
	return x.store.View(ctx, func(r engram.Reader) (err error) {
		if x.redactor, err = x.Engine.exportRedactor(ctx, r, x.in.AllowSecret); err != nil {
			return err
		}
		if x.res.Project, err = projectIfNamed(ctx, r, x.in.Project); err != nil {
			return err
		}
		st, err := r.Stats(ctx, x.res.Project)
		if err != nil {
			return err
		}
		x.total, x.count = st.Memories+st.Forgotten, st.Memories
		if !x.in.Vectors {
			return nil
		}
		models, err := r.Models(ctx)
		for _, m := range models {
			x.models = append(x.models, m.Model.Fingerprint)
		}
		return err
	})
}

// records are all records: what others refer to comes before them.
func (x *exporting) records(ctx context.Context) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		out := sink{yield: yield}
		for _, kind := range []func(context.Context, *sink) error{x.projects, x.sessions, x.memories, x.prompts, x.relations, x.erased} {
			if err := kind(ctx, &out); err != nil && !out.closed {
				yield(engram.Record{}, err)
				return
			}
			if out.closed {
				return
			}
		}
	}
}

// sink is where records go to.
type sink struct {
	yield  func(engram.Record, error) bool
	closed bool // nobody wants any more
}

func (s *sink) put(r engram.Record) bool {
	s.closed = s.closed || !s.yield(r, nil)
	return !s.closed
}

func (x *exporting) projects(ctx context.Context, out *sink) error {
	var all []engram.Record
	err := x.store.View(ctx, func(r engram.Reader) error {
		counted, err := r.Projects(ctx)
		if err != nil {
			return err
		}
		var ps []engram.Project
		for _, p := range counted {
			if p.Name != "" && (x.res.Project == "" || p.Name == x.res.Project) {
				ps = append(ps, p.Project)
			}
		}
		all, err = projectRecords(ctx, r, ps)
		return err
	})
	for _, p := range all {
		if !out.put(p) {
			return nil
		}
	}
	return err
}

// pages calls put with each thing that read reads, in a transaction for each page. last
// is the name of a thing by which the next page begins.
func pages[T any, K any](ctx context.Context, e *Engine, read func(r engram.Reader, after K) ([]T, error), last func(T) K, put func(T) bool) error {
	var after K
	for {
		page, err := view(ctx, e, func(r engram.Reader) ([]T, error) { return read(r, after) })
		if err != nil {
			return err
		}
		for _, thing := range page {
			if !put(thing) {
				return nil
			}
			after = last(thing)
		}
		if len(page) < exportPage {
			return nil
		}
	}
}

func (x *exporting) sessions(ctx context.Context, out *sink) error {
	id := func(r engram.Record) string { return r.Session.ID }
	there := func(r engram.Reader, after string) ([]engram.Record, error) {
		ss, err := r.SessionsAfter(ctx, x.res.Project, after, exportPage)
		if err != nil {
			return nil, err
		}
		return sessionRecords(ctx, r, ss)
	}
	if err := pages(ctx, x.Engine, there, id, x.unlessHidden(out)); err != nil || out.closed {
		return err
	}
	gone := func(r engram.Reader, after string) ([]engram.Record, error) {
		ss, err := r.SessionTombstones(ctx, x.res.Project, after, exportPage)
		if err != nil {
			return nil, err
		}
		return tombstoneRecords(ctx, r, ss)
	}
	return pages(ctx, x.Engine, gone, id, x.unlessHidden(out))
}

// unlessHidden puts what no undo of an import or a pull hides: whoever undid that does not want
// it to come back with a file of their own.
func (x *exporting) unlessHidden(out *sink) func(engram.Record) bool {
	return func(r engram.Record) bool {
		if x.live && !isLive(r) {
			if r.Memory != nil {
				x.hidden.add(r.Memory.Memory.Num)
			}
			return true
		}
		if r.Causal == nil || !isShadowed(*r.Causal, engram.PartDeleted) {
			return out.put(x.redactor.record(r))
		}
		if r.Memory != nil {
			x.hidden.add(r.Memory.Memory.Num)
		}
		return true
	}
}

// isLive reports whether nobody took a record away.
func isLive(r engram.Record) bool {
	switch {
	case r.Memory != nil:
		return !r.Tombstone && !r.Memory.Memory.Forgotten()
	case r.Prompt != nil:
		return !r.Tombstone && !r.Prompt.Deleted()
	case r.Relation != nil:
		return !r.Relation.Relation.Removed()
	}
	return !r.Tombstone
}

// prompts are those that are there, and then the deleted ones: a format may keep these apart.
func (x *exporting) prompts(ctx context.Context, out *sink) error {
	read := func(r engram.Reader, after int64) ([]engram.Record, error) {
		ps, err := r.PromptsAfter(ctx, x.res.Project, after, exportPage)
		if err != nil {
			return nil, err
		}
		return promptRecords(ctx, r, ps)
	}
	put := x.unlessHidden(out)
	for _, deleted := range []bool{false, true} {
		err := pages(ctx, x.Engine, read, func(r engram.Record) int64 { return r.Prompt.Num }, func(r engram.Record) bool {
			return r.Prompt.Deleted() != deleted || put(r)
		})
		if err != nil || out.closed {
			return err
		}
	}
	return nil
}

func (x *exporting) memories(ctx context.Context, out *sink) error {
	read := func(r engram.Reader, after int64) ([]engram.Record, error) {
		ms, err := r.MemoriesAfter(ctx, x.res.Project, after, exportPage)
		if err != nil {
			return nil, err
		}
		return x.whole(ctx, r, ms)
	}
	return pages(ctx, x.Engine, read, func(r engram.Record) int64 { return r.Memory.Memory.Num }, x.unlessHidden(out))
}

// whole adds to memories what belongs to them.
func (x *exporting) whole(ctx context.Context, r engram.Reader, ms []engram.Memory) ([]engram.Record, error) {
	all, err := memoryRecords(ctx, r, ms)
	if err != nil {
		return nil, err
	}
	nums := make([]int64, len(ms))
	for i, m := range ms {
		nums[i] = m.Num
		x.lastMemory = max(x.lastMemory, m.Num)
	}
	for _, model := range x.models {
		vs, err := r.Vectors(ctx, model, nums)
		if err != nil {
			return nil, err
		}
		for i, num := range nums {
			if v, has := vs[num]; has {
				all[i].Memory.Vectors = append(all[i].Memory.Vectors, engram.FingerprintedRow{Model: model, Values: v})
			}
		}
	}
	return all, nil
}

func (x *exporting) relations(ctx context.Context, out *sink) error {
	read := func(r engram.Reader, after int64) ([]engram.Record, error) {
		rs, err := r.RelationsAfter(ctx, x.res.Project, after, exportPage)
		if err != nil {
			return nil, err
		}
		return relationRecords(ctx, r, rs)
	}
	put := x.unlessHidden(out)
	return pages(ctx, x.Engine, read, func(r engram.Record) int64 { return r.Relation.Relation.Num }, func(r engram.Record) bool {
		rel := r.Relation.Relation
		if max(rel.Source, rel.Target) > x.lastMemory || x.hidden.has(rel.Source) || x.hidden.has(rel.Target) {
			return true // it was made meanwhile, or of memories that are not in the file
		}
		return put(r)
	})
}

// recordsOf gives the memories of relations their names: the one of ours, and the one by which
// other programs know them.
func recordsOf(ctx context.Context, r engram.Reader, rs []engram.Relation) ([]engram.RelationRecord, error) {
	ms, err := r.Memories(ctx, endsOf(rs))
	if err != nil {
		return nil, err
	}
	refs := make(map[int64]engram.Ref, len(ms))
	for _, m := range ms {
		refs[m.Num] = engram.Ref{ID: string(m.ID), SyncID: m.SyncID}
	}
	return mapped(rs, func(rel engram.Relation) engram.RelationRecord {
		return engram.RelationRecord{Relation: rel, Source: refs[rel.Source], Target: refs[rel.Target]}
	}), nil
}

// erased tells what was removed for good; of a project what is known to have been in it.
func (x *exporting) erased(ctx context.Context, out *sink) error {
	if x.live {
		return nil
	}
	for _, kind := range []engram.Entity{engram.EntityMemory, engram.EntityPrompt, engram.EntitySession} {
		read := func(r engram.Reader, after string) ([]engram.Erased, error) {
			return r.ErasedAfter(ctx, kind, after, exportPage)
		}
		err := pages(ctx, x.Engine, read, engram.Erased.Key, func(g engram.Erased) bool {
			if x.res.Project != "" && g.Project != x.res.Project {
				return true
			}
			return out.put(engram.Record{Erased: &g})
		})
		if err != nil || out.closed {
			return err
		}
	}
	return nil
}

// errEnough ends a reading whose records nobody wants any more.
var errEnough = errors.New("enough")

// ahead gives records that another goroutine reads meanwhile. It has ended when the loop over
// them has.
func ahead(ctx context.Context, records iter.Seq2[engram.Record, error]) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		err := readAhead(ctx, records, func(r engram.Record) error {
			if !yield(r, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(engram.Record{}, err)
		}
	}
}

// counted gives what of records fits into a format, and counts that and the rest.
func (x *exporting) counted(f engram.Format, records iter.Seq2[engram.Record, error]) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		for r, err := range records {
			fitting, fits := r, true
			if err == nil {
				if fitting, fits = f.Fit(r); fits {
					x.res.Written.add(fitting)
				}
				x.res.Left.add(missed(r, fitting, fits))
				x.report(r)
			}
			if fits && !yield(fitting, err) {
				return
			}
		}
	}
}

// missed is what a record has that the one that fits has not.
func missed(r, fitting engram.Record, fits bool) engram.Record {
	switch {
	case !fits:
		return r
	case r.Memory == nil || r.Memory == fitting.Memory:
		return engram.Record{}
	}
	left, kept := *r.Memory, fitting.Memory
	if len(kept.Revisions) > 0 {
		left.Revisions = nil
	}
	if len(kept.Vectors) > 0 {
		left.Vectors = nil
	}
	if left.Revisions == nil && left.Vectors == nil && reflect.DeepEqual(left.Memory, kept.Memory) {
		return engram.Record{}
	}
	return engram.Record{Memory: &left}
}

// add counts a record; the zero one is nothing.
func (n *Written) add(r engram.Record) {
	switch {
	case r.Project != nil:
		n.Projects++
	case r.Session != nil:
		n.Sessions++
	case r.Prompt != nil:
		n.Prompts++
	case r.Relation != nil:
		n.Relations++
	case r.Erased != nil:
		n.Erased++
	case r.Memory != nil:
		n.Memories++
		n.Revisions += len(r.Memory.Revisions)
		n.Vectors += len(r.Memory.Vectors)
		if r.Memory.Memory.Forgotten() {
			n.Forgotten++
		}
	}
}

// report tells how far the export is.
func (x *exporting) report(r engram.Record) {
	if r.Memory != nil && x.in.Progress != nil {
		x.in.Progress(x.res.Memories, max(x.total, x.res.Memories))
	}
}
