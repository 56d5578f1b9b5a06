package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

func normalProject(name string) string { return project.Normalize(line(name)) }

// canonicalProject returns the name of a project that may be named by an alias, or does not exist.
func canonicalProject(ctx context.Context, r engram.Reader, project string) (string, error) {
	name := normalProject(project)
	if name == "" {
		return "", nil
	}
	p, known, err := r.Project(ctx, name)
	if known {
		name = p.Name
	}
	return name, err
}

// Projects returns every project with its counts, by name.
func (e *Engine) Projects(ctx context.Context) ([]engram.ProjectCounts, error) {
	return view(ctx, e, func(r engram.Reader) ([]engram.ProjectCounts, error) { return r.Projects(ctx) })
}

// MergeResult counts what moved to the target project.
type MergeResult struct {
	To                          string
	Sources                     int      // existing sources other than To
	Unknown                     []string // sources that do not exist
	Memories, Sessions, Prompts int      // including forgotten memories
}

// MergeProjects moves everything from the sources to one project in one transaction, and keeps the old names as
// aliases. Unknown sources are skipped. If both have a topic key, it stays with the target's memory.
func (e *Engine) MergeProjects(ctx context.Context, from []string, to string) (MergeResult, error) {
	// Checked before normalizing: lower-casing would hide bytes that are not UTF-8.
	if err := e.checkName(ctx, redact.Private(to)); err != nil {
		return MergeResult{}, err
	}
	to = normalProject(to)
	return perform(ctx, e, "project_merge", func(o *op) (res MergeResult, err error) {
		target, err := o.mergeTarget(ctx, to, from)
		if err != nil {
			return res, err
		}
		res.To = target.Name
		for _, name := range from {
			source, known, err := o.tx.Project(ctx, normalProject(name))
			switch {
			case err != nil:
				return res, err
			case !known:
				res.Unknown = append(res.Unknown, normalProject(name))
			case source.Name != target.Name:
				if err := o.mergeInto(ctx, &target, source, &res); err != nil {
					return res, err
				}
			}
		}
		return res, nil
	})
}

// RenameProject renames a project and keeps the old name as an alias. A name that exists is a conflict: merging
// must be asked for.
func (e *Engine) RenameProject(ctx context.Context, from, to string) (MergeResult, error) {
	from, to = normalProject(from), normalProject(to)
	if err := project.Check(to); err != nil {
		return MergeResult{}, err
	}
	return perform(ctx, e, "project_rename", func(o *op) (MergeResult, error) {
		res := MergeResult{To: to}
		source, err := namedProject(ctx, o.tx, from)
		if err != nil {
			return res, err
		}
		taken, known, err := o.tx.Project(ctx, to)
		if err != nil {
			return res, err
		}
		if known && taken.Name != source.Name {
			return res, engram.Errorf(engram.CodeConflict, "project %q exists already", to).WithHint("to join the two: {projects merge %s --into %s}", from, to)
		}
		if source.Name == to {
			return res, nil
		}
		target, err := o.mergeTarget(ctx, to, []string{source.Name})
		if err != nil {
			return res, err
		}
		was := target // the same project keeps its settings
		target.Root, target.Remote, target.Decay = source.Root, source.Remote, source.Decay
		if err = o.replaceProject(ctx, was, target, "renamed"); err == nil {
			err = o.mergeInto(ctx, &target, source, &res)
		}
		return res, err
	})
}

// mergeTarget returns the target project, creating it if a source exists.
func (o *op) mergeTarget(ctx context.Context, to string, from []string) (engram.Project, error) {
	p, known, err := o.tx.Project(ctx, to)
	if err != nil {
		return p, err
	}
	for _, name := range from {
		source, there, err := o.tx.Project(ctx, normalProject(name))
		if err != nil {
			return p, err
		}
		if known && there && source.Name == p.Name && p.Name != to {
			// The target's name is an alias of a source: turn it back into a project.
			now := p
			now.Aliases = slices.DeleteFunc(slices.Clone(p.Aliases), func(a string) bool { return a == to })
			if err := o.replaceProject(ctx, p, now, "an alias becomes a project again"); err != nil {
				return p, err
			}
			known = false
		}
		if there && !known {
			p = engram.Project{Name: to, CreatedAt: o.at}
			return p, o.insertProject(ctx, p, "it receives another project")
		}
	}
	if !known {
		p.Name = to
	}
	return p, nil
}

// mergeInto moves everything from source to target. The move, the source and the target's aliases are journaled
// separately, so that undo can revert each.
func (o *op) mergeInto(ctx context.Context, target *engram.Project, source engram.Project, res *MergeResult) error {
	moved, err := o.moveProject(ctx, source.Name, target.Name)
	if err != nil {
		return err
	}
	if err := o.logMove(ctx, moved, nil, source.Name, target.Name, "merged"); err != nil {
		return err
	}
	if err := o.log(ctx, engram.EntityProject, source.Name, target.Name, "merged", projectFields(source)); err != nil {
		return err
	}
	if err := o.removeProject(ctx, source); err != nil {
		return err
	}
	was := *target
	target.Aliases = slices.Concat(target.Aliases, []string{source.Name}, source.Aliases)
	slices.Sort(target.Aliases)
	target.Aliases = slices.Compact(target.Aliases)
	res.Sources++
	res.Memories += len(moved.Memories)
	res.Sessions += len(moved.Sessions)
	res.Prompts += len(moved.Prompts)
	return o.replaceProject(ctx, was, *target, "merged")
}

// replaceProject writes now over was, which has the same name.
func (o *op) replaceProject(ctx context.Context, was, now engram.Project, reason string) error {
	e := edit{was: projectFields(was), now: projectFields(now), part: partOf[engram.Project], had: was.Aliases, has: now.Aliases}
	if err := o.stampEdit(ctx, projectRecord(was), e); err != nil {
		return err
	}
	return o.rewriteProject(ctx, was, now, reason)
}

// rewriteProject is replaceProject without causal metadata.
func (o *op) rewriteProject(ctx context.Context, was, now engram.Project, reason string) error {
	if err := o.tx.PutProject(ctx, now); err != nil {
		return err
	}
	return o.log(ctx, engram.EntityProject, was.Name, was.Name, reason, changes(projectFields(was), projectFields(now)))
}

// logMove journals what moved between projects; given are topic keys that memories regained by it.
func (o *op) logMove(ctx context.Context, moved engram.Moved, given map[int64]string, from, to, reason string) error {
	was := map[string]any{"from": from, "to": to,
		"memories": moved.Memories, "sessions": moved.Sessions, "prompts": moved.Prompts, "topics": moved.Topics}
	if len(given) > 0 {
		was["given"] = given
	}
	return o.log(ctx, engram.EntityProject, from, to, reason, was)
}

// SimilarProjects groups projects with similar names, in each group the one with most memories first.
func (e *Engine) SimilarProjects(ctx context.Context) ([][]engram.ProjectCounts, error) {
	all, err := e.Projects(ctx)
	if err != nil {
		return nil, err
	}
	byName := map[string]engram.ProjectCounts{}
	for _, p := range all {
		byName[p.Name] = p
	}
	var groups [][]engram.ProjectCounts
	for _, g := range project.Groups(mapped(all, func(p engram.ProjectCounts) string { return p.Name })) {
		group := mapped(g, func(name string) engram.ProjectCounts { return byName[name] })
		slices.SortStableFunc(group, func(a, b engram.ProjectCounts) int { return b.Memories - a.Memories })
		groups = append(groups, group)
	}
	return groups, nil
}
