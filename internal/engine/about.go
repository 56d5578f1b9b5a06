package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Named is what somebody speaks of by something else than the name of its project.
type Named struct {
	Memories []engram.Ref
	Relation string // by its id; "" is none
	Op       int64  // an operation of the journal; 0 is none
}

// ProjectsOf returns the projects of what is named, each once: of a relation those of the
// memories at both of its ends. What does not exist is of none. Nothing is counted as read.
func (e *Engine) ProjectsOf(ctx context.Context, n Named) ([]string, error) {
	found := map[string]bool{}
	err := e.store.View(ctx, func(r engram.Reader) error {
		refs := slices.Clone(n.Memories)
		if n.Relation != "" {
			switch rel, err := r.Relation(ctx, engram.RelationRef{ID: n.Relation}); {
			case err == nil:
				refs = append(refs, engram.ByNum(rel.Source), engram.ByNum(rel.Target))
			case unknown(err):
			default:
				return err
			}
		}
		for _, ref := range refs {
			switch m, err := r.Memory(ctx, normalRef(ref)); {
			case err == nil:
				found[m.Project] = true
			case unknown(err):
			default:
				return err
			}
		}
		if n.Op == 0 {
			return nil
		}
		_, all, err := r.Operation(ctx, n.Op)
		if unknown(err) {
			return nil
		}
		for _, m := range all {
			found[m.Project] = true
		}
		return err
	})
	delete(found, "")
	return slices.Sorted(maps.Keys(found)), err
}

// unknown reports whether an error says that there is no such thing, or no one of that name.
func unknown(err error) bool {
	switch engram.CodeOf(err) {
	case engram.CodeNotFound, engram.CodeConflict, engram.CodeInvalid:
		return err != nil
	}
	return false
}
