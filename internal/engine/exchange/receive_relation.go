package exchange

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Relate writes the collected relations, and looks their memories up together.
func (i *Importing) Relate(ctx context.Context) error {
	if len(i.relations) == 0 {
		return nil
	}
	ends, err := i.ends(ctx)
	if err != nil {
		return err
	}
	for _, t := range i.relations {
		source, target := ends[NameIn(t.Relation.Source)], ends[NameIn(t.Relation.Target)]
		if source.Num != 0 && !i.called(source, t.Relation.Source) || target.Num != 0 && !i.called(target, t.Relation.Target) {
			t.Relation.Relation.ID, t.Causal = "", nil // a relation of copies has another id
		}
		out, err := i.relation(ctx, t, source, target)
		if err := i.Resolved(ctx, t.Record, out, err); err != nil {
			return err
		}
	}
	i.relations = i.relations[:0]
	return nil
}

// NameIn returns the one name of a cleaned Ref.
func NameIn(r engram.Ref) string { return r.ID + r.SyncID }

// called reports whether a memory has the name by which a relation names it; a copy has not.
func (i *Importing) called(m engram.Memory, r engram.Ref) bool {
	name := NameIn(r)
	return name == string(m.ID) || name == m.SyncID || i.renamed[name] == m.ID
}

// ends returns the memories that the collected relations name, by these names, with their own names and places only.
func (i *Importing) ends(ctx context.Context) (map[string]engram.Memory, error) {
	var names []string
	for _, t := range i.relations {
		for _, name := range []string{NameIn(t.Relation.Source), NameIn(t.Relation.Target)} {
			if names = append(names, name); i.renamed[name] != "" {
				names = append(names, string(i.renamed[name]))
			}
		}
	}
	found, err := i.Tx.Store.Named(ctx, names)
	if err != nil {
		return nil, err
	}
	ends := make(map[string]engram.Memory, 2*len(found))
	for _, m := range found {
		here, found := engram.Memory{Num: m.Num, ID: m.ID, SyncID: m.SyncID, Project: m.Project, Scope: m.Scope}, true
		if i.outside(m.Project) {
			here, found, _, err = i.known(ctx, m.ID, m.SyncID)
			if _, alone := errors.AsType[*leftAlone](err); err != nil && !alone {
				return nil, err
			}
		}
		if found {
			ends[string(m.ID)], ends[m.SyncID] = here, here
		}
	}
	for _, name := range names {
		if _, found := ends[name]; !found && i.renamed[name] != "" {
			if m, here := ends[string(i.renamed[name])]; here {
				ends[name] = m
			}
		}
	}
	return ends, nil
}

// rename notes the name that records have for a memory here: one imported from a format without ids got an id of its
// own.
func (i *Importing) rename(there, here engram.Memory) {
	if there.ID != "" && there.ID != here.ID {
		i.renamed[string(there.ID)] = here.ID
	}
	if there.SyncID != "" && there.SyncID != here.SyncID {
		i.renamed[there.SyncID] = here.ID
	}
}

// missing is why a relation must wait: one of its memories is not here.
type missing struct{ reason string }

// Error implements error.
func (m *missing) Error() string { return m.reason }

// relation adds a relation, or merges the one here with it.
func (i *Importing) relation(ctx context.Context, in Incoming, source, target engram.Memory) (Outcome, error) {
	switch {
	case i.Erases(in.Record) && i.Batch != "":
		return Unchanged, nil // erased by its own batch
	case i.Erases(in.Record):
		return Unchanged, &Refused{Reason: ledger.WasErased, harmless: true}
	case source.Num == 0 || target.Num == 0:
		return Unchanged, i.unrelated(ctx, in, source)
	}
	r := in.Relation.Relation
	if err := (relate.Link{Said: r, Source: source, Target: target}).Allowed(); err != nil {
		return Unchanged, &Refused{Reason: err.Error()}
	}
	r.Source, r.Target = source.Num, target.Num
	if r.ID == "" {
		r.ID = engram.RelationIDPrefix + ledger.Digest(fmt.Sprintf("%s\x00%s\x00%s", source.ID, target.ID, r.Verb))
	}
	there := in
	there.Relation = &engram.RelationRecord{Relation: r, Source: engram.ByID(source.ID), Target: engram.ByID(target.ID)}
	was, found, err := walk.IfThere(i.Tx.Store.Relation(ctx, engram.RelationRef{ID: r.ID}))
	switch {
	case err != nil:
		return Unchanged, err
	case !found:
		return i.newRelation(ctx, there, source.Project)
	case was.Source != r.Source || was.Target != r.Target:
		return Unchanged, &Refused{Reason: fmt.Sprintf("its id belongs to #%d %s #%d here", was.Source, was.Verb, was.Target)}
	}
	return i.relateAgain(ctx, was, there, source.Project)
}

// unrelated returns why a relation does not come in: a memory is not here yet, or is in another project together with
// the relation.
func (i *Importing) unrelated(ctx context.Context, in Incoming, source engram.Memory) error {
	if id := in.Relation.Relation.ID; i.Batch != "" && i.Border != "" && id != "" {
		if _, found, err := walk.IfThere(i.Tx.Store.Relation(ctx, engram.RelationRef{ID: id})); err != nil {
			return err
		} else if found {
			return &leftAlone{}
		}
	}
	end, place := "target", "here"
	if source.Num == 0 {
		end = "source"
	}
	if i.Border != "" {
		place = "in this project"
	}
	return &missing{"its " + end + " is not " + place}
}

// relateAgain merges a relation that is here with the state of it that came in.
func (i *Importing) relateAgain(ctx context.Context, was engram.Relation, there Incoming, project string) (Outcome, error) {
	i.seen.relations.add(was.Num)
	here := engram.Record{Relation: &engram.RelationRecord{Relation: was, Source: there.Relation.Source, Target: there.Relation.Target}}
	m, err := i.mergeHere(ctx, here, stateOf(there))
	if err != nil {
		return Unchanged, err
	}
	now, to := &m.state.Relation.Relation, m.state.Causal
	now.Num, now.Source, now.Target, now.CreatedAt = was.Num, was.Source, was.Target, was.CreatedAt
	if err := i.showRelation(ctx, was, there.Relation.Relation, now, to); err != nil {
		return Unchanged, err
	}
	if !now.Removed() && (was.Removed() || now.Verb != was.Verb || now.Judgment() != was.Judgment()) {
		if known, err := i.makeRoom(ctx, now, to, there, project); err != nil || known {
			return Unchanged, err
		}
	}
	if was.Removed() && now.Removed() && ledger.IsShadowed(*to, engram.PartVerdict) {
		now.RemovedAt = was.RemovedAt
	}
	if err := i.keepMerged(ctx, m); err != nil {
		return Unchanged, err
	}
	i.note(*now)
	if len(ledger.Changes(ledger.RelationFields(was), ledger.RelationFields(*now))) == 0 {
		return Unchanged, nil
	}
	return changed, i.Tx.RewriteRelation(ctx, was, *now, project, i.Reason)
}

// showRelation is show for relations. One that another relation is shown for is resolved again.
func (i *Importing) showRelation(ctx context.Context, was, there engram.Relation, now *engram.Relation, l *engram.CausalMetadata) error {
	hidden, revive := ledger.IsShadowed(*l, engram.PartDeleted), false
	if was.Removed() && !there.Removed() && i.Batch == "" {
		if revive = hidden; !revive && !ledger.IsShadowed(*l, engram.PartVerdict) {
			var err error
			if revive, err = i.undone(ctx, engram.EntityRelation, ledger.Key(was.Num)); err != nil {
				return err
			}
		}
	}
	switch {
	case revive:
		*l = ledger.WithoutShadowed(*l, engram.PartDeleted)
		if now.Removed() {
			*l, now.RemovedAt = lifecycle.Retagged(*l, nil, []string{""}, i.Tx.Stamp()), time.Time{}
		}
	case hidden:
		now.RemovedAt = was.RemovedAt
	case ledger.IsShadowed(*l, engram.PartVerdict) && now.Removed():
		*l = ledger.WithoutShadowed(*l, engram.PartVerdict)
	case ledger.IsShadowed(*l, engram.PartVerdict):
		now.RemovedAt = was.RemovedAt // resolveRelations decides
	}
	return nil
}

func (i *Importing) newRelation(ctx context.Context, there Incoming, project string) (Outcome, error) {
	state := lifecycle.Normal(stateOf(there))
	r, l := state.Relation.Relation, *state.Causal
	r.UpdatedAt = there.Relation.Relation.UpdatedAt
	r.Num, r.Source, r.Target = 0, there.Relation.Relation.Source, there.Relation.Relation.Target
	if !r.Removed() {
		if known, err := i.makeRoom(ctx, &r, &l, there, project); err != nil || known {
			return Unchanged, err
		}
	}
	if err := i.Tx.Store.InsertRelation(ctx, &r); err != nil {
		return Unchanged, err
	}
	i.seen.relations.add(r.Num)
	if err := i.keep(ctx, engram.EntityRelation, ledger.Key(r.Num), engram.CausalMetadata{}, false, state.Causal.Digest(), l); err != nil {
		return Unchanged, err
	}
	i.note(r)
	return added, i.Tx.Log(ctx, engram.EntityRelation, ledger.Key(r.Num), project, i.Reason, nil)
}

// makeRoom checks a visible relation against the others of its pair. One with metadata is hidden if another one
// conflicts, and resolveRelations decides. One without is known if another one says the same; of two judgments the
// later holds; and it must not close a cycle of supersedes.
func (i *Importing) makeRoom(ctx context.Context, r *engram.Relation, l *engram.CausalMetadata, there Incoming, project string) (known bool, err error) {
	replicated := there.Causal != nil
	pair, err := engram.RelationsBetween(ctx, i.Tx.Store, r.Source, r.Target)
	if err != nil {
		return false, err
	}
	var over []engram.Relation
	for _, p := range pair {
		same := p.Verb == r.Verb && (p.Source == r.Source || ledger.HoldsBothWays(r.Verb))
		switch {
		case p.ID == r.ID || !same && !(p.Judgment() && r.Judgment()):
		case replicated:
			*l = ledger.WithShadowed(*l, engram.PartVerdict, time.Time{})
			r.RemovedAt = i.Tx.At
			return false, nil
		case same:
			i.seen.relations.add(p.Num)
			return true, nil
		case i.In.Mode == ImportMerge && (there.Undated || !r.UpdatedAt.After(p.UpdatedAt)):
			return false, &Refused{Reason: fmt.Sprintf("#%d %s #%d is the later verdict here", p.Source, p.Verb, p.Target)}
		default:
			over = append(over, p)
		}
	}
	if r.Supersedes() && !replicated {
		if err := i.Tx.Acyclic(ctx, r.Source, r.Target); err != nil {
			if coded, ok := errors.AsType[*engram.Error](err); ok && coded.Code == engram.CodeConflict {
				return false, &Refused{Reason: coded.Msg}
			}
			return false, err
		}
	}
	for _, p := range over {
		now := p
		now.RemovedAt, now.UpdatedAt = i.Tx.At, i.Tx.At
		if err := i.Tx.ReplaceRelation(ctx, p, now, project, "import: judged otherwise"); err != nil {
			return false, err
		}
	}
	return false, nil
}

// note collects relations that supersede: they may close a cycle.
func (i *Importing) note(r engram.Relation) {
	if r.Supersedes() {
		i.over = append(i.over, r.Num)
	}
}
