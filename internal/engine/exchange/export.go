package exchange

import (
	"cmp"
	"context"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// NativeFormat is the name of the format that keeps everything, PlainFormat that of its first version, with one list
// of memories.
const (
	NativeFormat = "json"
	PlainFormat  = "plain"
)

// ExportInput says what to export, and how.
type ExportInput struct {
	Format  string // one of Options.Formats; "" is NativeFormat
	Project string // "" is every one
	Vectors bool   // the vectors of every model too, where the format has room
	// AllowSecret exports secrets that a person meant to keep, or that older rules let in, instead of removing them.
	AllowSecret bool
	// Progress is called with the number of memories written, and of about all; nil: not called.
	Progress func(done, total int)
}

// Exported counts what was written.
type Exported struct {
	Format  string // the one that was written
	Project string // canonical; "" for every one
	Written
	// Left is what the format has no room for; its Memories are those that are incomplete, without tags for instance.
	Left Written
}

// Written counts the things in a file.
type Written struct {
	Projects  int
	Sessions  int // including deleted ones
	Prompts   int // including deleted ones
	Memories  int // including forgotten ones
	Forgotten int // of Memories
	Revisions int
	Relations int // including removed ones
	Erased    int
	Vectors   int
}

// Export writes everything, or one project, as a file that Import reads. It reads page by page and blocks nothing:
// the file may or may not have what is saved meanwhile, but no thing by half. It leaves out what an undo of an import
// or a pull took away. CodeInvalid for an unknown format, CodeNotFound for an unknown project. After an error the
// file is not complete.
func (p *Porter) Export(ctx context.Context, w io.Writer, in ExportInput) (Exported, error) {
	f, err := p.format(in.Format)
	if err != nil {
		return Exported{}, err
	}
	x := exporting{porter: p, in: in, res: Exported{Format: cmp.Or(in.Format, NativeFormat)}}
	if err := x.begin(ctx); err != nil {
		return Exported{}, err
	}
	head := engram.Snapshot{Format: x.res.Format, At: p.ledger.Now(), Program: p.version, Project: x.res.Project,
		Whole: x.res.Project == "", Memories: x.count}
	// One goroutine reads the store while this one writes.
	if err := f.Write(w, head, x.counted(f, readAhead(ctx, x.records(ctx)))); err != nil {
		return Exported{}, err
	}
	return x.res, nil
}

func (p *Porter) format(name string) (engram.Format, error) {
	if f, known := p.formats[cmp.Or(name, NativeFormat)]; known {
		return f, nil
	}
	return nil, engram.Errorf(engram.CodeInvalid, "format %q does not exist", name).
		WithHint("use one of %s", strings.Join(slices.Sorted(maps.Keys(p.formats)), ", "))
}

type exporting struct {
	porter *Porter
	in     ExportInput
	res    Exported
	total  int      // memories, about
	count  int      // live memories
	live   bool     // leave out what was forgotten, deleted, removed or erased
	models []string // fingerprints of the models whose vectors are exported
	// Nothing made after the export began is in the file: a relation would refer to a missing memory.
	lastMemory int64
	hidden     numbers // memories left out
	redactor   *screen.ExportRedactor
}

func (x *exporting) begin(ctx context.Context) error {
	return x.porter.ledger.View(ctx, func(r engram.Reader) (err error) {
		if x.redactor, err = x.porter.screen.ExportRedactor(ctx, r, x.in.AllowSecret); err != nil {
			return err
		}
		if x.res.Project, err = projects.ProjectIfNamed(ctx, r, x.in.Project); err != nil {
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

// records yields all records, referenced ones first.
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

type sink struct {
	yield  func(engram.Record, error) bool
	closed bool // no more records are wanted
}

func (s *sink) put(r engram.Record) bool {
	s.closed = s.closed || !s.yield(r, nil)
	return !s.closed
}

func (x *exporting) projects(ctx context.Context, out *sink) error {
	all, err := ledger.Read(ctx, x.porter.ledger, func(r engram.Reader) ([]engram.Record, error) {
		counted, err := r.Projects(ctx, true)
		if err != nil {
			return nil, err
		}
		var ps []engram.Project
		for _, p := range counted {
			if p.Name != "" && (x.res.Project == "" || p.Name == x.res.Project) {
				ps = append(ps, p.Project)
			}
		}
		return ledger.ReadRecords(ctx, r, ps, ledger.ProjectRecord)
	})
	for _, p := range all {
		if !out.put(p) {
			return nil
		}
	}
	return err
}

// A pageReader is a method of the store, such as engram.MemoriesAfter, that reads the things of a project or a
// kind that come after one.
type pageReader[S, K, T any] = func(ctx context.Context, r engram.Reader, scope S, after K, limit int) ([]T, error)

// Pages calls put with each thing that read reads, until it returns false, in a transaction for each page. last returns
// after which thing the next page begins.
func Pages[S, T, K any](ctx context.Context, e *Porter, scope S, read pageReader[S, K, T], last func(T) K, put func(T) bool) error {
	var after K
	for {
		page, err := ledger.Read(ctx, e.ledger, func(r engram.Reader) ([]T, error) { return read(ctx, r, scope, after, walk.ExportPage) })
		if err != nil {
			return err
		}
		for _, thing := range page {
			if !put(thing) {
				return nil
			}
			after = last(thing)
		}
		if len(page) < walk.ExportPage {
			return nil
		}
	}
}

func (x *exporting) sessions(ctx context.Context, out *sink) error {
	id := func(r engram.Record) string { return r.Session.ID }
	if err := exportKind(ctx, x, engram.SessionsAfter, ledger.SessionRecords, id, x.unlessHidden(out)); err != nil || out.closed {
		return err
	}
	return exportKind(ctx, x, sessionTombstones, ledger.TombstoneRecords, id, x.unlessHidden(out))
}

func sessionTombstones(ctx context.Context, r engram.Reader, project, after string, limit int) ([]engram.Session, error) {
	return r.Replica().SessionTombstones(ctx, project, after, limit)
}

func exportKind[T, K any](ctx context.Context, x *exporting, read pageReader[string, K, T],
	records func(context.Context, engram.Reader, []T) ([]engram.Record, error), last func(engram.Record) K, put func(engram.Record) bool) error {
	return Pages(ctx, x.porter, x.res.Project, func(ctx context.Context, r engram.Reader, project string, after K, limit int) ([]engram.Record, error) {
		things, err := read(ctx, r, project, after, limit)
		if err != nil {
			return nil, err
		}
		return records(ctx, r, things)
	}, last, put)
}

// unlessHidden puts what no undo of an import or a pull hides: the user who undid it does not want it in a file.
func (x *exporting) unlessHidden(out *sink) func(engram.Record) bool {
	return func(r engram.Record) bool {
		if x.live && ledger.IsOver(r) || r.Causal != nil && ledger.IsShadowed(*r.Causal, engram.PartDeleted) {
			if r.Memory != nil {
				x.hidden.add(r.Memory.Memory.Num)
			}
			return true
		}
		return out.put(x.redactor.Record(r))
	}
}

// prompts puts the live prompts and then the deleted ones, which a format may keep separately.
func (x *exporting) prompts(ctx context.Context, out *sink) error {
	put := x.unlessHidden(out)
	for _, deleted := range []bool{false, true} {
		err := exportKind(ctx, x, engram.PromptsAfter, ledger.PromptRecords, func(r engram.Record) int64 { return r.Prompt.Num }, func(r engram.Record) bool {
			return r.Prompt.Deleted() != deleted || put(r)
		})
		if err != nil || out.closed {
			return err
		}
	}
	return nil
}

func (x *exporting) memories(ctx context.Context, out *sink) error {
	return exportKind(ctx, x, engram.MemoriesAfter, x.whole, func(r engram.Record) int64 { return r.Memory.Memory.Num }, x.unlessHidden(out))
}

func (x *exporting) whole(ctx context.Context, r engram.Reader, ms []engram.Memory) ([]engram.Record, error) {
	all, err := ledger.MemoryRecords(ctx, r, ms)
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
	put := x.unlessHidden(out)
	return exportKind(ctx, x, engram.RelationsAfter, ledger.RelationRecords, func(r engram.Record) int64 { return r.Relation.Relation.Num }, func(r engram.Record) bool {
		rel := r.Relation.Relation
		if max(rel.Source, rel.Target) > x.lastMemory || x.hidden.has(rel.Source) || x.hidden.has(rel.Target) {
			return true // it was made meanwhile, or its memories are not in the file
		}
		return put(r)
	})
}

// erased puts what was erased; of a project, what is known to have been in it.
func (x *exporting) erased(ctx context.Context, out *sink) error {
	if x.live {
		return nil
	}
	for _, kind := range ledger.ErasedKinds() {
		err := Pages(ctx, x.porter, kind, func(ctx context.Context, r engram.Reader, kind engram.Entity, after string, limit int) ([]engram.Erased, error) {
			return r.Replica().ErasedAfter(ctx, kind, after, limit)
		}, engram.Erased.Key, func(g engram.Erased) bool {
			return x.res.Project != "" && g.Project != x.res.Project || out.put(engram.Record{Erased: &g})
		})
		if err != nil || out.closed {
			return err
		}
	}
	return nil
}

// counted yields what of the records fits into a format, and counts that and the rest.
func (x *exporting) counted(f engram.Format, records iter.Seq2[engram.Record, error]) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		for r, err := range records {
			fitting, fits := r, true
			if err == nil {
				if fitting, fits = f.Fit(r); fits {
					x.res.Written.add(fitting)
				}
				x.res.Left.add(missed(r, fitting, fits))
				if r.Memory != nil && x.in.Progress != nil {
					x.in.Progress(x.res.Memories, max(x.total, x.res.Memories))
				}
			}
			if fits && !yield(fitting, err) {
				return
			}
		}
	}
}

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

// add counts a record; the zero Record counts nothing.
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

// Unclaimed returns metadata without a claim on a part, so that other replicas keep their value.
func Unclaimed(l *engram.CausalMetadata, p engram.Part) *engram.CausalMetadata {
	if l == nil || l.Of(p) == (engram.VersionStamp{}) {
		return l
	}
	less := lifecycle.Stamped(*l, []engram.Part{p}, engram.VersionStamp{})
	return &less
}
