// Package projects determines which project a call concerns, from its name, session or folder, and merges and renames
// projects.
package projects

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// Registry knows the projects of a store. It is safe for concurrent use.
type Registry struct {
	ledger *ledger.Ledger
	screen *screen.Screen

	Folders  Folders // nil: a folder's project is its base name
	resolved bool    // ProjectRequest.Override comes from the settings: if it is invalid, the folder decides
	known    Known   // nil: no server
}

// New returns a Registry. resolved says that ProjectRequest.Override comes from the settings, not from the call: if it is
// no valid project name, the folder decides, with a warning.
//
// known is nil without a server.
func New(l *ledger.Ledger, folders Folders, resolved bool, known Known) *Registry {
	return &Registry{screen: l.Screen, ledger: l, Folders: folders, resolved: resolved, known: known}
}

// Known asks a server of the same store, which need not open it, for the canonical name of a project. ok is false if it
// has no such project or cannot answer.
type Known func(ctx context.Context, name string) (canonical string, ok bool)

// Recently returns folders with a short memory, for servers that ask about the same folder at every call; nil for nil.
func Recently(folders Folders, now func() time.Time) Folders {
	if folders == nil {
		return nil
	}
	return &recentFolders{folders: folders, now: now, facts: map[string]recentFacts{}}
}

// CanonicalProject returns the name of a project that may be named by an alias, or does not exist.
func CanonicalProject(ctx context.Context, r engram.Reader, project string) (string, error) {
	name := screen.NormalProject(project)
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
func (g *Registry) Projects(ctx context.Context) ([]engram.ProjectCounts, error) {
	return ledger.Read(ctx, g.ledger, func(r engram.Reader) ([]engram.ProjectCounts, error) { return r.Projects(ctx, true) })
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
func (g *Registry) MergeProjects(ctx context.Context, from []string, to string) (MergeResult, error) {
	// Checked before normalizing: lower-casing would hide bytes that are not UTF-8.
	if err := g.checkName(ctx, redact.Private(to)); err != nil {
		return MergeResult{}, err
	}
	to = screen.NormalProject(to)
	return ledger.Perform(ctx, g.ledger, "project_merge", func(o *ledger.Tx) (res MergeResult, err error) {
		target, err := mergeTarget(ctx, o, to, from)
		if err != nil {
			return res, err
		}
		res.To = target.Name
		for _, name := range from {
			source, known, err := o.Store.Project(ctx, screen.NormalProject(name))
			switch {
			case err != nil:
				return res, err
			case !known:
				res.Unknown = append(res.Unknown, screen.NormalProject(name))
			case source.Name != target.Name:
				if err := mergeInto(ctx, o, &target, source, &res); err != nil {
					return res, err
				}
			}
		}
		return res, nil
	})
}

// RenameProject renames a project and keeps the old name as an alias. A name that exists is a conflict: merging
// must be asked for.
func (g *Registry) RenameProject(ctx context.Context, from, to string) (MergeResult, error) {
	from, to = screen.NormalProject(from), screen.NormalProject(to)
	if err := project.Check(to); err != nil {
		return MergeResult{}, err
	}
	return ledger.Perform(ctx, g.ledger, "project_rename", func(o *ledger.Tx) (MergeResult, error) {
		res := MergeResult{To: to}
		source, err := NamedProject(ctx, o.Store, from)
		if err != nil {
			return res, err
		}
		taken, known, err := o.Store.Project(ctx, to)
		if err != nil {
			return res, err
		}
		if known && taken.Name != source.Name {
			return res, engram.Errorf(engram.CodeConflict, "project %q exists already", to).WithHint("to join the two: {projects merge %s --into %s}", from, to)
		}
		if source.Name == to {
			return res, nil
		}
		target, err := mergeTarget(ctx, o, to, []string{source.Name})
		if err != nil {
			return res, err
		}
		was := target // the same project keeps its settings
		target.Root, target.Remote, target.Decay = source.Root, source.Remote, source.Decay
		if err = ReplaceProject(ctx, o, was, target, "renamed"); err == nil {
			err = mergeInto(ctx, o, &target, source, &res)
		}
		return res, err
	})
}

// mergeTarget returns the target project, creating it if a source exists.
func mergeTarget(ctx context.Context, o *ledger.Tx, to string, from []string) (engram.Project, error) {
	p, known, err := o.Store.Project(ctx, to)
	if err != nil {
		return p, err
	}
	for _, name := range from {
		source, there, err := o.Store.Project(ctx, screen.NormalProject(name))
		if err != nil {
			return p, err
		}
		if known && there && source.Name == p.Name && p.Name != to {
			// The target's name is an alias of a source: turn it back into a project.
			now := p
			now.Aliases = slices.DeleteFunc(slices.Clone(p.Aliases), func(a string) bool { return a == to })
			if err := ReplaceProject(ctx, o, p, now, "an alias becomes a project again"); err != nil {
				return p, err
			}
			known = false
		}
		if there && !known {
			p = engram.Project{Name: to, CreatedAt: o.At}
			return p, o.InsertProject(ctx, p, "it receives another project")
		}
	}
	if !known {
		p.Name = to
	}
	return p, nil
}

// mergeInto moves everything from source to target. The move, the source and the target's aliases are journaled
// separately, so that undo can revert each.
func mergeInto(ctx context.Context, o *ledger.Tx, target *engram.Project, source engram.Project, res *MergeResult) error {
	moved, err := o.MoveProject(ctx, source.Name, target.Name)
	if err != nil {
		return err
	}
	if err := LogMove(ctx, o, moved, nil, source.Name, target.Name, "merged"); err != nil {
		return err
	}
	if err := o.Log(ctx, engram.EntityProject, source.Name, target.Name, "merged", ledger.ProjectFields(source)); err != nil {
		return err
	}
	if err := o.RemoveProject(ctx, source); err != nil {
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
	return ReplaceProject(ctx, o, was, *target, "merged")
}

// ReplaceProject writes now over was, which has the same name.
func ReplaceProject(ctx context.Context, o *ledger.Tx, was, now engram.Project, reason string) error {
	e := ledger.Edit{Was: ledger.ProjectFields(was), Now: ledger.ProjectFields(now), Part: ledger.PartOf[engram.Project], Had: was.Aliases, Has: now.Aliases}
	if err := o.StampEdit(ctx, ledger.ProjectRecord(was), e); err != nil {
		return err
	}
	return rewriteProject(ctx, o, was, now, reason)
}

// rewriteProject is replaceProject without causal metadata.
func rewriteProject(ctx context.Context, o *ledger.Tx, was, now engram.Project, reason string) error {
	if err := o.Store.PutProject(ctx, now); err != nil {
		return err
	}
	return o.Log(ctx, engram.EntityProject, was.Name, was.Name, reason, ledger.Changes(ledger.ProjectFields(was), ledger.ProjectFields(now)))
}

// LogMove journals what moved between projects; given are topic keys that memories regained by it.
func LogMove(ctx context.Context, o *ledger.Tx, moved engram.Moved, given map[int64]string, from, to, reason string) error {
	was := map[string]any{"from": from, "to": to,
		"memories": moved.Memories, "sessions": moved.Sessions, "prompts": moved.Prompts, "topics": moved.Topics}
	if len(given) > 0 {
		was["given"] = given
	}
	return o.Log(ctx, engram.EntityProject, from, to, reason, was)
}

// SimilarProjects groups projects with similar names, in each group the one with most memories first.
func (g *Registry) SimilarProjects(ctx context.Context) ([][]engram.ProjectCounts, error) {
	all, err := g.Projects(ctx)
	if err != nil {
		return nil, err
	}
	byName := map[string]engram.ProjectCounts{}
	for _, p := range all {
		byName[p.Name] = p
	}
	var groups [][]engram.ProjectCounts
	for _, names := range project.Groups(walk.Mapped(all, func(p engram.ProjectCounts) string { return p.Name })) {
		group := walk.Mapped(names, func(name string) engram.ProjectCounts { return byName[name] })
		slices.SortStableFunc(group, func(a, b engram.ProjectCounts) int { return b.Memories - a.Memories })
		groups = append(groups, group)
	}
	return groups, nil
}

// NamedProject returns the project of a name or alias; not_found if it does not exist.
func NamedProject(ctx context.Context, r engram.Reader, name string) (engram.Project, error) {
	name = screen.NormalProject(name)
	p, known, err := r.Project(ctx, name)
	if err == nil && !known {
		err = engram.Errorf(engram.CodeNotFound, "project %q does not exist", name).WithHint("see {projects list}")
	}
	return p, err
}

// ProjectNamed returns the canonical name of a project, or CodeNotFound.
func ProjectNamed(ctx context.Context, r engram.Reader, name string) (string, error) {
	name = screen.NormalProject(name)
	if name == "" {
		return "", engram.Errorf(engram.CodeInvalid, "no project is named").WithHint("name one, or ask for all of them")
	}
	return ProjectIfNamed(ctx, r, name)
}

// ProjectIfNamed is projectNamed, and "" for "".
func ProjectIfNamed(ctx context.Context, r engram.Reader, name string) (string, error) {
	if screen.NormalProject(name) == "" {
		return "", nil
	}
	p, err := NamedProject(ctx, r, name)
	return p.Name, err
}
