package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/alanbuscaglia/engram"
)

// tie writes the relations that wait. Their memories are looked up together.
func (i *importing) tie(ctx context.Context) error {
	if len(i.ties) == 0 {
		return nil
	}
	ends, err := i.ends(ctx)
	if err != nil {
		return err
	}
	for _, t := range i.ties {
		source, target := ends[nameIn(t.Relation.Source)], ends[nameIn(t.Relation.Target)]
		if !called(source, t.Relation.Source) || !called(target, t.Relation.Target) {
			t.Relation.Relation.ID = "" // that of the copies is another one
		}
		out, err := i.relation(ctx, t.Relation.Relation, source, target)
		if err := i.settle(t.Record, out, err); err != nil {
			return err
		}
	}
	i.ties = i.ties[:0]
	return nil
}

// nameIn is the one name that a cleaned Ref has.
func nameIn(r engram.Ref) string { return r.ID + r.SyncID }

// called reports whether a memory has the name by which a relation names it; a copy has not.
func called(m engram.Memory, r engram.Ref) bool {
	return nameIn(r) == string(m.ID) || nameIn(r) == m.SyncID
}

// ends returns the memories that the waiting relations name, by these names.
func (i *importing) ends(ctx context.Context) (map[string]engram.Memory, error) {
	var names []string
	for _, t := range i.ties {
		names = append(names, nameIn(t.Relation.Source), nameIn(t.Relation.Target))
	}
	found, err := i.tx.Named(ctx, names)
	if err != nil {
		return nil, err
	}
	nums := make([]int64, len(found))
	for n, f := range found {
		nums[n] = f.Num
	}
	ms, err := i.tx.Memories(ctx, nums)
	if err != nil {
		return nil, err
	}
	ends := make(map[string]engram.Memory, 2*len(ms))
	for _, m := range ms {
		here, found := m, true
		if i.outside(m.Project) {
			if here, found, _, err = i.known(ctx, m.ID, m.SyncID); err != nil {
				return nil, err
			}
		}
		if found {
			ends[string(m.ID)], ends[m.SyncID] = here, here
		}
	}
	return ends, nil
}

// place is where the memories of a relation must be.
func (i *importing) place() string {
	if i.border != "" {
		return "in this project"
	}
	return "here"
}

// relation adds a relation, or brings the one that is here up to date.
func (i *importing) relation(ctx context.Context, r engram.Relation, source, target engram.Memory) (fate, error) {
	switch {
	case source.Num == 0:
		return unchanged, &refused{reason: "its source is not " + i.place(), harmless: true}
	case target.Num == 0:
		return unchanged, &refused{reason: "its target is not " + i.place(), harmless: true}
	}
	if err := (link{said: r, source: source, target: target}).allowed(); err != nil {
		return unchanged, &refused{reason: err.Error()}
	}
	r.Source, r.Target = source.Num, target.Num
	if r.ID == "" {
		r.ID = engram.RelationIDPrefix + digest(fmt.Sprintf("%s\x00%s\x00%s", source.ID, target.ID, r.Verb))
	}
	was, err := i.tx.Relation(ctx, engram.RelationRef{ID: r.ID})
	switch {
	case err == nil && (was.Source != r.Source || was.Target != r.Target):
		return unchanged, &refused{reason: fmt.Sprintf("its id belongs to #%d %s #%d here", was.Source, was.Verb, was.Target)}
	case err == nil:
		return i.replaceTie(ctx, was, r, source.Project)
	case engram.CodeOf(err) != engram.CodeNotFound:
		return unchanged, err
	}
	return i.newTie(ctx, r, source.Project)
}

// replaceTie lets the later of two states of a relation hold.
func (i *importing) replaceTie(ctx context.Context, was, r engram.Relation, project string) (fate, error) {
	i.seen.relations.add(was.Num)
	r.Num, r.CreatedAt = was.Num, was.CreatedAt
	again := false
	if was.Removed() && !r.Removed() {
		var err error
		if again, err = i.undone(ctx, engram.EntityRelation, key(was.Num)); err != nil {
			return unchanged, err
		}
	}
	if i.in.Mode == ImportMerge && !again && !r.UpdatedAt.After(was.UpdatedAt) || r == was {
		return unchanged, nil
	}
	if len(changes(relationFields(was), relationFields(r))) == 0 {
		return unchanged, nil
	}
	if !r.Removed() {
		if known, err := i.makeRoom(ctx, r, project); err != nil || known {
			return unchanged, err
		}
	}
	return changed, i.replaceRelation(ctx, was, r, project, "import")
}

// newTie adds a relation that is not here under its id.
func (i *importing) newTie(ctx context.Context, r engram.Relation, project string) (fate, error) {
	if !r.Removed() {
		if known, err := i.makeRoom(ctx, r, project); err != nil || known {
			return unchanged, err
		}
	}
	if err := i.tx.InsertRelation(ctx, &r); err != nil {
		return unchanged, err
	}
	i.seen.relations.add(r.Num)
	return added, i.log(ctx, engram.EntityRelation, key(r.Num), project, "import", nil)
}

// makeRoom sees to it that a live relation goes with those that its memories have with
// each other: known says that one of them says the same. Of two judgments the later one
// holds, and none supersedes what supersedes it through others.
func (i *importing) makeRoom(ctx context.Context, r engram.Relation, project string) (known bool, err error) {
	pair, err := i.tx.RelationsBetween(ctx, r.Source, r.Target)
	if err != nil {
		return false, err
	}
	var over []engram.Relation
	for _, p := range pair {
		same := p.Verb == r.Verb && (p.Source == r.Source || holdsBothWays(r.Verb))
		switch {
		case p.ID == r.ID:
		case same:
			i.seen.relations.add(p.Num)
			return true, nil
		case p.Judgment() && r.Judgment() && i.in.Mode == ImportMerge && !r.UpdatedAt.After(p.UpdatedAt):
			return false, &refused{reason: fmt.Sprintf("#%d %s #%d was said later here", p.Source, p.Verb, p.Target)}
		case p.Judgment() && r.Judgment():
			over = append(over, p)
		}
	}
	if r.Supersedes() {
		if err := i.acyclic(ctx, r.Source, r.Target); err != nil {
			if told, ok := errors.AsType[*engram.Error](err); ok && told.Code == engram.CodeConflict {
				return false, &refused{reason: told.Msg}
			}
			return false, err
		}
	}
	for _, p := range over {
		now := p
		now.RemovedAt, now.UpdatedAt = i.at, i.at
		if err := i.replaceRelation(ctx, p, now, project, "import: judged otherwise"); err != nil {
			return false, err
		}
	}
	return false, nil
}
