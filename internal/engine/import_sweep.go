package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// sweep forgets what the file does not have: of the one project that it is of, or goes
// into; of every one when the file says that it has them all; else of those that it has
// memories of, for it may be of one alone. Sessions and projects stay, for what was
// forgotten stands in them still.
//
// A project that was named is not emptied by a file of which nothing came into it, unless
// the file says that it is of that very project.
func (i *importing) sweep(ctx context.Context) error {
	if err := i.sweepAll(ctx); err != nil {
		return err
	}
	for _, project := range slices.Sorted(maps.Keys(i.forgets)) {
		i.res.Forgets = append(i.res.Forgets, engram.ProjectMemories{Project: project, Memories: i.forgets[project]})
	}
	if n := i.res.Memories.Gone; i.in.MayForget != nil && n > *i.in.MayForget && !i.in.DryRun {
		return wouldForget(n, i.res.Forgets)
	}
	return nil
}

// wouldForget is why a replacement is refused that nobody agreed to.
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
	return engram.Errorf(engram.CodeConflict, "the file would replace what is here, and %s be forgotten: %s", so(n, "memory would", "memories would"), strings.Join(names, ", ")).
		WithHint("nothing was replaced; to agree, give --yes")
}

// sweepAll forgets what the file does not have.
func (i *importing) sweepAll(ctx context.Context) error {
	if i.res.From.Whole && i.border == "" {
		return i.sweepProject(ctx, "")
	}
	var names []string
	switch {
	case i.border != "":
		if len(i.has) == 0 && normalProject(i.res.From.Project) != i.in.Project {
			return nil
		}
		names = []string{i.border}
	case i.res.From.Project != "":
		names = []string{normalProject(i.res.From.Project)}
	default:
		names = slices.Collect(maps.Keys(i.has))
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		p, known, err := i.tx.Project(ctx, name)
		if err != nil {
			return err
		}
		if !known || name == "" { // of what is in no project, nobody knows what it belongs to
			continue
		}
		if err := i.sweepProject(ctx, p.Name); err != nil {
			return err
		}
	}
	return nil
}

// sweepProject sweeps one project, or with "" every one.
func (i *importing) sweepProject(ctx context.Context, project string) error {
	if !slices.Contains(i.res.From.Lacks, engram.EntityRelation) {
		if err := i.sweepRelations(ctx, project); err != nil {
			return err
		}
	}
	if !slices.Contains(i.res.From.Lacks, engram.EntityPrompt) {
		if err := i.sweepPrompts(ctx, project); err != nil {
			return err
		}
	}
	return i.sweepMemories(ctx, project)
}

func (i *importing) sweepMemories(ctx context.Context, project string) error {
	return eachAfter(func(after int64) ([]engram.Memory, error) { return i.tx.MemoriesAfter(ctx, project, after, exportPage) },
		func(m engram.Memory) (int64, error) {
			if m.Forgotten() || i.seen.memories.has(m.Num) {
				return m.Num, nil
			}
			i.res.Memories.Gone++
			i.forgets[m.Project]++
			return m.Num, i.forget(ctx, &m, "import: not in what replaces it")
		})
}

func (i *importing) sweepRelations(ctx context.Context, project string) error {
	return eachAfter(func(after int64) ([]engram.Relation, error) {
		return i.tx.RelationsAfter(ctx, project, after, exportPage)
	},
		func(r engram.Relation) (int64, error) {
			if r.Removed() || i.seen.relations.has(r.Num) {
				return r.Num, nil
			}
			now := r
			now.RemovedAt, now.UpdatedAt = i.at, i.at
			i.res.Relations.Gone++
			return r.Num, i.replaceRelation(ctx, r, now, project, "import: not in what replaces it")
		})
}

func (i *importing) sweepPrompts(ctx context.Context, project string) error {
	return eachAfter(func(after int64) ([]engram.Prompt, error) { return i.tx.PromptsAfter(ctx, project, after, exportPage) },
		func(p engram.Prompt) (int64, error) {
			if p.Deleted() || i.seen.prompts.has(p.Num) {
				return p.Num, nil
			}
			now := p
			now.DeletedAt = i.at
			i.res.Prompts.Gone++
			return p.Num, i.replacePrompt(ctx, p, now, "import: not in what replaces it")
		})
}
