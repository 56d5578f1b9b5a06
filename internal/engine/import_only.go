package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// A replacement of one project passes over what a file has of others: who replaces the project
// of a folder means no other one.

// ofAnother reports whether a record is passed over because it is of another project than the
// one that is replaced.
func (i *importing) ofAnother(ctx context.Context, r engram.Record) (bool, error) {
	if i.in.Only == "" {
		return false, nil
	}
	var of string
	switch {
	case r.Relation != nil:
		if i.passed[nameOfRef(r.Relation.Source)] || i.passed[nameOfRef(r.Relation.Target)] {
			i.res.Elsewhere++
			return true, nil
		}
		return false, nil
	case r.Project != nil:
		of = r.Project.Name
	case r.Session != nil:
		of = r.Session.Project
	case r.Prompt != nil:
		of = r.Prompt.Project
	case r.Memory != nil:
		of = r.Memory.Memory.Project
	case r.Erased != nil:
		of = r.Erased.Project
	}
	if of != "" {
		p, known, err := i.tx.Project(ctx, of)
		if err != nil {
			return false, err
		}
		if known {
			of = p.Name
		}
	}
	if of == i.border {
		return false, nil
	}
	if m := r.Memory; m != nil {
		for _, name := range []string{string(m.Memory.ID), m.Memory.SyncID} {
			if name != "" {
				i.passed[name] = true
			}
		}
		if !slices.Contains(i.others, of) {
			i.others = append(i.others, of)
		}
	}
	i.res.Elsewhere++
	return true, nil
}

// nameOfRef is how a relation names a memory.
func nameOfRef(r engram.Ref) string {
	if r.ID != "" {
		return r.ID
	}
	return r.SyncID
}

// hasNothingOf is why nothing is replaced by a file that has no memory of the project.
func (i *importing) hasNothingOf() error {
	slices.Sort(i.others)
	refused := engram.Errorf(engram.CodeInvalid, "the file has no memory of project %q, and nothing was replaced", i.border)
	if len(i.others) == 0 {
		return refused
	}
	const most = 5
	return refused.WithHint("it has memories of %s: {import FILE --mode replace --all-projects} replaces those", strings.Join(i.others[:min(len(i.others), most)], ", "))
}
