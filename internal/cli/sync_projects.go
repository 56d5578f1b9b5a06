package cli

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/project"
)

// projectsSeen is a remote that remembers which projects the records name that are read.
type projectsSeen struct {
	engram.Remote
	batches  map[string]bool // that were read
	projects map[string]bool
}

func newProjectsSeen(r engram.Remote) *projectsSeen {
	return &projectsSeen{r, map[string]bool{}, map[string]bool{}}
}

// Read implements engram.Remote.
func (s *projectsSeen) Read(ctx context.Context, id string) iter.Seq2[engram.Record, error] {
	s.batches[id] = true
	return func(yield func(engram.Record, error) bool) {
		for r, err := range s.Remote.Read(ctx, id) {
			if name := projectOfRecord(r); err == nil && name != "" {
				s.projects[name] = true
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func projectOfRecord(r engram.Record) string {
	switch {
	case r.Session != nil:
		return r.Session.Project
	case r.Memory != nil:
		return r.Memory.Memory.Project
	case r.Prompt != nil:
		return r.Prompt.Project
	case r.Erased != nil:
		return r.Erased.Project
	}
	return ""
}

// names are the projects that were named.
func (s *projectsSeen) names() []string { return slices.Sorted(maps.Keys(s.projects)) }

// unheard are those that none of the batches names that were not read now: none where all were.
func (s *projectsSeen) unheard(ctx context.Context) []string {
	all, err := s.Batches(ctx)
	if err != nil || len(all) == len(s.batches) {
		return nil
	}
	left := maps.Clone(s.projects)
	for _, b := range all {
		if s.batches[b.ID] {
			continue
		}
		for r, err := range s.Remote.Read(ctx, b.ID) {
			if err != nil {
				break
			}
			if delete(left, projectOfRecord(r)); len(left) == 0 {
				return nil
			}
		}
	}
	return slices.Sorted(maps.Keys(left))
}

// canonical calls the project what it is called here. One that is not here and that somebody
// named has to be in a chunk, so that a typing error is not an empty answer.
func (p *program) canonical(ctx context.Context, s *syncing) error {
	all, err := s.Projects(ctx)
	if err != nil {
		return err
	}
	for _, here := range all {
		if here.Name == s.project || slices.Contains(here.Aliases, s.project) {
			s.project = here.Name
			return nil
		}
	}
	if p.loaded.Origins["project"].Source != config.SourceFlag {
		return nil
	}
	if there, err := mayHave(ctx, s.place.Remote, s.project); err != nil || there {
		return err
	}
	return engram.Errorf(engram.CodeNotFound, "project %q does not exist, and no chunk in %s contains it", s.project, s.place.Folder).
		WithHint("{projects list} lists the projects")
}

// mayHave reports whether a batch of a remote has something of a project, or cannot be read.
func mayHave(ctx context.Context, r engram.Remote, name string) (bool, error) {
	batches, err := r.Batches(ctx)
	if err != nil {
		return false, err
	}
	for _, b := range batches {
		for rec, err := range r.Read(ctx, b.ID) {
			if err != nil || project.Normalize(projectOfRecord(rec)) == name {
				return true, ctx.Err()
			}
		}
	}
	return false, nil
}
