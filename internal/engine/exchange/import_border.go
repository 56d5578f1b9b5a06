package exchange

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/forget"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// copyField is the metadata field of a copy with the id of the original.
const copyField = "copy_of"

// outside reports whether a project is outside the one that this import may change.
func (i *Importing) outside(project string) bool { return i.Border != "" && project != i.Border }

// known finds the memory here for one of the file. One of another project is left alone, and the copy of it that an
// earlier import made is found instead; copied has the names of that copy, nil if none is needed.
func (i *Importing) known(ctx context.Context, id engram.ID, sync string) (here engram.Memory, found bool, copied *naming, err error) {
	for {
		here, found, err = i.Find(ctx, id, sync)
		if err != nil || !found || !i.outside(here.Project) {
			return here, found, copied, err
		}
		if back, err := i.comesBack(ctx, engram.EntityMemory, ledger.Key(here.Num), here.Forgotten()); back || err != nil {
			return here, found, copied, err
		}
		if i.Batch != "" {
			return here, false, nil, &leftAlone{here.Project}
		}
		if copied == nil {
			copied = &naming{of: here.ID}
		}
		copied.sync = "obs-" + i.copyOf(here.SyncID)
		id, sync = "", copied.sync
	}
}

// moved returns nil when an incoming memory, which is in another project here, was moved by a write that this store
// knows as its departure from there, or by a later one. Until that is known it returns missing: a batch of one
// project has no say in another. It returns alone when no later move comes in.
func (i *Importing) moved(ctx context.Context, here engram.Memory, r Incoming, alone *leftAlone) error {
	if r.Causal == nil || r.Tombstone {
		return alone
	}
	l, err := ledger.MemoryMetadata(ctx, i.Tx.Store, here)
	if err != nil {
		return err
	}
	ours, theirs := l.Of("project"), r.Causal.Of("project")
	left, hasLeft := l.Parts[engram.PartLeft]
	switch {
	case theirs.Compare(ours) <= 0:
		// Replicas that still have it there must learn that it left.
		if err := i.Tx.Store.ReplicaTx().PutStrayed(ctx, ledger.Key(here.Num), i.Border, r.Causal.Digest(), []string{i.Batch}); err != nil {
			return err
		}
		return alone
	case hasLeft && left.Compare(ours) > 0 && theirs.Compare(left) >= 0:
		return nil
	}
	return &missing{fmt.Sprintf("it belongs to project %.80q here; it is imported when it leaves that project, or when you merge that project into %.80q", here.Project, i.Border)}
}

// comesBack reports whether something in another project is there by an undone import: it comes in itself, not as a
// copy. gone says that it is forgotten or deleted. What an undone pull brought belongs to others.
func (i *Importing) comesBack(ctx context.Context, kind engram.Entity, key string, gone bool) (bool, error) {
	if !gone || i.Batch != "" {
		return false, nil
	}
	return i.undone(ctx, kind, key)
}

type naming struct {
	sync string
	of   engram.ID
}

// copyOf derives the same name for the same thing and project each time.
func (i *Importing) copyOf(name string) string {
	return ledger.Digest("copy\x00" + name + "\x00" + i.Border)
}

// give makes m the copy, with its own names and, where the metadata has room, the id of the original.
func (n *naming) give(m *engram.Memory) {
	m.Num, m.ID, m.SyncID = 0, "", n.sync
	more := map[string]any{}
	maps.Copy(more, m.Metadata)
	more[copyField] = string(n.of)
	if clean, err := screen.CleanMetadata(more); err == nil {
		m.Metadata = clean
	}
}

// knownPrompt is known for prompts; it gives p the name of the copy.
func (i *Importing) knownPrompt(ctx context.Context, p *engram.Prompt) (was engram.Prompt, found bool, err error) {
	for {
		was, found, err = engram.PromptBySyncID(ctx, i.Tx.Store, p.SyncID)
		if err != nil || !found || !i.outside(was.Project) {
			return was, found, err
		}
		if back, err := i.comesBack(ctx, engram.EntityPrompt, ledger.Key(was.Num), was.Deleted()); back || err != nil {
			return was, found, err
		}
		if i.Batch != "" {
			return was, false, &leftAlone{was.Project}
		}
		p.SyncID = "prompt-" + i.copyOf(was.SyncID)
	}
}

// knownSession is known for sessions, which have only a name. A name that already has a project's suffix gets another
// suffix instead, so that names do not grow with each copy.
func (i *Importing) knownSession(ctx context.Context, id string) (was engram.Session, found bool, name string, err error) {
	for name = id; ; {
		was, found, err = walk.IfThere(i.Tx.Store.Session(ctx, name))
		if err != nil || !found || i.Batch != "" || !i.outside(was.Project) {
			return was, found, name, err
		}
		if back, err := i.emptied(ctx, was); back || err != nil {
			return was, back, name, err
		}
		own, copied := strings.CutSuffix(name, "@"+was.Project)
		if !copied {
			own = name
		}
		if next := own + "@" + i.Border; len(next) <= engram.MaxName {
			name = next
		} else {
			name = "session-" + i.copyOf(name)
		}
	}
}

// ofAnother reports whether a record is skipped because it is of another project than the one that is replaced: a
// user who replaces the project of a folder means no other.
func (i *Importing) ofAnother(ctx context.Context, r engram.Record) (bool, error) {
	if i.In.Only == "" {
		return false, nil
	}
	if rel := r.Relation; rel != nil {
		if !i.passed[cmp.Or(rel.Source.ID, rel.Source.SyncID)] && !i.passed[cmp.Or(rel.Target.ID, rel.Target.SyncID)] {
			return false, nil
		}
		i.Res.Elsewhere++
		return true, nil
	}
	of, err := i.ProjectHere(ctx, ledger.ProjectOf(r))
	if err != nil || of == i.Border {
		return false, err
	}
	if r.Memory != nil {
		for _, name := range ledger.NamesOf(r) {
			i.passed[name] = name != ""
		}
		if !slices.Contains(i.others, of) {
			i.others = append(i.others, of)
		}
	}
	i.Res.Elsewhere++
	return true, nil
}

func (i *Importing) hasNothingOf() error {
	slices.Sort(i.others)
	refused := engram.Errorf(engram.CodeInvalid, "the file has no memory of project %q, and nothing was replaced", i.Border)
	if len(i.others) == 0 {
		return refused
	}
	const most = 5
	return refused.WithHint("it has memories of %s: {import FILE --mode replace --all-projects} replaces those", strings.Join(i.others[:min(len(i.others), most)], ", "))
}

// undone reports whether the latest journal entry of something here is the undo of the import that brought it: no
// person decided against the thing itself, so it may come in again. A session with content survives an undo; its
// latest entry is the import.
func (i *Importing) undone(ctx context.Context, kind engram.Entity, key string) (bool, error) {
	entries, err := i.Tx.Store.Mutations(ctx, engram.JournalSpan{Entity: kind, Key: key}, engram.Page{Limit: 1})
	if err != nil || len(entries) == 0 || entries[0].Op == i.Tx.First {
		return false, err
	}
	latest := entries[0]
	if latest.Operation != "undo" && (latest.Operation != "import" || latest.Was != nil) {
		return false, nil
	}
	known, ok := i.undos[latest.Op]
	if !ok {
		if known, err = i.importUndone(ctx, latest.Op); err != nil {
			return false, err
		}
		i.undos[latest.Op] = known
	}
	return known, nil
}

// importUndone reports whether an operation is an import that was undone, or the undo of one: undoing that undo
// brings the import back.
func (i *Importing) importUndone(ctx context.Context, number int64) (bool, error) {
	op, _, err := engram.OperationOf(ctx, i.Tx.Store, number)
	if err != nil {
		return false, err
	}
	if op.Name == "import" {
		standing, err := undo.Stands(ctx, i.Tx.Store, op)
		return !standing, err
	}
	taken := false
	for op.Undoes != 0 {
		taken = !taken
		op, _, err = engram.OperationOf(ctx, i.Tx.Store, op.Undoes)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return false, nil // the journal begins later
		}
		if err != nil {
			return false, err
		}
	}
	return taken && op.Name == "import", nil
}

// emptied reports whether an undone import left a session without visible content.
func (i *Importing) emptied(ctx context.Context, s engram.Session) (bool, error) {
	if n, err := i.Tx.Store.Count(ctx, engram.Filter{SessionID: s.ID}); err != nil || n > 0 {
		return false, err
	}
	if ps, err := i.Tx.Store.Prompts(ctx, engram.PromptFilter{SessionID: s.ID}, engram.Page{Limit: 1}); err != nil || len(ps) > 0 {
		return false, err
	}
	return i.undone(ctx, engram.EntitySession, s.ID)
}

// sweep forgets what the file does not have: in the one project that it is of or goes into; in every one when it is a
// whole export; else in those that it has memories of. Sessions and projects stay, because forgotten things refer to
// them.
//
// A named project is not emptied by a file of which nothing came into it, unless the file is of that very project.
func (i *Importing) sweep(ctx context.Context) error {
	if err := i.sweepAll(ctx); err != nil {
		return err
	}
	for _, project := range slices.Sorted(maps.Keys(i.forgets)) {
		i.Res.Forgets = append(i.Res.Forgets, engram.ProjectMemories{Project: project, Memories: i.forgets[project]})
	}
	if n := i.Res.Memories.Removed; i.In.MayForget != nil && n > *i.In.MayForget && !i.In.DryRun {
		return wouldForget(n, i.Res.Forgets)
	}
	return nil
}

// wouldForget is the error of a replacement that forgets more than agreed.
func wouldForget(n int, of []engram.ProjectMemories) error {
	const most = 10
	var names []string
	for _, f := range of[:min(len(of), most)] {
		name := f.Project
		if name == "" {
			name = "no project"
		}
		names = append(names, fmt.Sprintf("%s %d", name, f.Memories))
	}
	if len(of) > most {
		names = append(names, fmt.Sprintf("and %d more projects", len(of)-most))
	}
	return engram.Errorf(engram.CodeConflict, "the file would replace what is here, and %s be forgotten: %s", undo.So(n, "memory would", "memories would"), strings.Join(names, ", ")).
		WithHint("nothing was replaced; confirm with --yes")
}

func (i *Importing) sweepAll(ctx context.Context) error {
	if i.Res.From.Whole && i.Border == "" {
		return i.sweepProject(ctx, "")
	}
	var names []string
	switch {
	case i.Border != "":
		if len(i.has) == 0 && screen.NormalProject(i.Res.From.Project) != i.In.Project {
			return nil
		}
		names = []string{i.Border}
	case i.Res.From.Project != "":
		names = []string{screen.NormalProject(i.Res.From.Project)}
	default:
		names = slices.Collect(maps.Keys(i.has))
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		p, known, err := i.Tx.Store.Project(ctx, name)
		if err != nil {
			return err
		}
		if !known || name == "" { // the owner of memories without a project is unknown
			continue
		}
		if err := i.sweepProject(ctx, p.Name); err != nil {
			return err
		}
	}
	return nil
}

func (i *Importing) sweepProject(ctx context.Context, project string) error {
	const reason = "import: not in the replacement"
	lacks := func(kind engram.Entity) bool { return slices.Contains(i.Res.From.Lacks, kind) }
	err := sweepKind(ctx, i, project, lacks(engram.EntityRelation), engram.RelationsAfter, func(r engram.Relation) (int64, bool) {
		return r.Num, r.Removed() || i.seen.relations.has(r.Num)
	}, func(r engram.Relation) error {
		now := r
		now.RemovedAt, now.UpdatedAt = i.Tx.At, i.Tx.At
		i.Res.Relations.Removed++
		return i.Tx.ReplaceRelation(ctx, r, now, project, reason)
	})
	if err != nil {
		return err
	}
	err = sweepKind(ctx, i, project, lacks(engram.EntityPrompt), engram.PromptsAfter, func(p engram.Prompt) (int64, bool) {
		return p.Num, p.Deleted() || i.seen.prompts.has(p.Num)
	}, func(p engram.Prompt) error {
		now := p
		now.DeletedAt = i.Tx.At
		i.Res.Prompts.Removed++
		return i.Tx.ReplacePrompt(ctx, p, now, reason)
	})
	if err != nil {
		return err
	}
	return sweepKind(ctx, i, project, false, engram.MemoriesAfter, func(m engram.Memory) (int64, bool) {
		return m.Num, m.Forgotten() || i.seen.memories.has(m.Num)
	}, func(m engram.Memory) error {
		i.Res.Memories.Removed++
		i.forgets[m.Project]++
		return forget.Forget(ctx, i.Tx, &m, reason)
	})
}

// sweepKind removes the things of a kind that neither stay nor are over, unless the file has no room for the kind.
func sweepKind[T any](ctx context.Context, i *Importing, project string, lacks bool, read pageReader[string, int64, T], stays func(T) (num int64, stays bool), remove func(T) error) error {
	if lacks {
		return nil
	}
	return walk.EachAfter(func(after int64) ([]T, error) { return read(ctx, i.Tx.Store, project, after, walk.ExportPage) }, func(one T) (int64, error) {
		num, stays := stays(one)
		if stays {
			return num, nil
		}
		return num, remove(one)
	})
}
