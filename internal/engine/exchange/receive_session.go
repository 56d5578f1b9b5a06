package exchange

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// session adds a session, or merges the one here with it. A deleted one has metadata and no row.
func (i *Importing) session(ctx context.Context, r Incoming) (Outcome, error) {
	id := r.Session.ID
	was, found, name, err := i.knownSession(ctx, id)
	if err != nil {
		return Unchanged, err
	}
	if project, err := i.projectInside(ctx, r.Session.Project); err != nil {
		return Unchanged, err
	} else if !found && i.erased.Has(engram.EntitySession, project, name) {
		i.Res.Sessions.Forgotten++
		return Unchanged, nil
	}
	l, known, err := ledger.KnownMetadata(ctx, i.Tx.Store, engram.EntitySession, name)
	if err != nil {
		return Unchanged, err
	}
	there := r.Record
	s := *r.Session
	there.Session = &s
	if s.ID = name; name != id {
		there.Causal = nil // a copy has a history of its own
	}
	if there.Causal != nil && ledger.ClaimsNothing(name, *there.Causal) {
		return Unchanged, i.noteReplicated(ctx, engram.EntitySession, name, engram.CausalMetadata{}, there.Causal.Digest(), l)
	}
	if i.Batch != "" && found && i.outside(was.Project) && !ledger.ClaimsNothing(name, l) {
		return Unchanged, &leftAlone{was.Project}
	}
	as, err := i.incomingLocation(ctx, ledger.Location{Project: s.Project})
	if err != nil {
		return Unchanged, err
	}
	if s.Project = as.Project; !found && !known {
		return i.newSession(ctx, there)
	}
	written := ledger.WrittenState(ledger.SessionRecord(was), l, known, i.Tx.Device)
	if !found {
		was = engram.Session{ID: name}
		written = ledger.DeletedSession(was, l)
	}
	if there.Causal != nil && ledger.ClaimsNothing(name, l) {
		written.Causal = &engram.CausalMetadata{} // or the time of its making would count as a write of this store
	}
	state, came := i.merged(written, there)
	to := *state.Causal
	to.Shadowed = l.Shadowed
	now := *state.Session
	now.ID = name
	gone, err := i.showSession(ctx, found, there, state.Tombstone, &now, &to)
	if err != nil {
		return Unchanged, err
	}
	if err := i.keep(ctx, engram.EntitySession, name, l, known, came, to); err != nil {
		return Unchanged, err
	}
	reason := i.Reason
	if found && ledger.ClaimsNothing(name, l) {
		reason = ledger.SessionReplaced
	}
	return i.writeSession(ctx, was, now, found, gone, reason)
}

func (i *Importing) newSession(ctx context.Context, there engram.Record) (Outcome, error) {
	state := lifecycle.Normal(there)
	s, came := state.Session, state.Causal.Digest()
	l, err := i.placeNew(ctx, there, state)
	if err != nil {
		return Unchanged, err
	}
	if err := i.keep(ctx, engram.EntitySession, s.ID, engram.CausalMetadata{}, false, came, l); err != nil {
		return Unchanged, err
	}
	if state.Tombstone {
		return Unchanged, i.Tx.Store.ReplicaTx().PutTombstone(ctx, s.ID, s.Project)
	}
	i.sessionHomes[s.ID] = s.Project
	return added, i.Tx.RewriteSession(ctx, nil, *s, i.Reason)
}

// showSession decides whether and where a merged session is visible. An import brings back, in the place that the
// file has, what an undone import removed or left empty.
func (i *Importing) showSession(ctx context.Context, found bool, there engram.Record, gone bool, now *engram.Session, l *engram.CausalMetadata) (bool, error) {
	hidden := ledger.IsShadowed(*l, engram.PartDeleted)
	revive := false
	if i.Batch == "" && !there.Tombstone {
		var err error
		switch {
		case !found:
			revive = hidden
		case now.Project != there.Session.Project:
			revive, err = i.emptied(ctx, *now)
		}
		if err != nil {
			return false, err
		}
	}
	if revive {
		*l = ledger.WithoutShadowed(*l, engram.PartDeleted)
		if now.Project != there.Session.Project {
			now.Project, *l = there.Session.Project, lifecycle.Stamped(*l, []engram.Part{ledger.ProjectPart}, i.Tx.Stamp())
		}
		hidden = false
	}
	if err := i.showAt(ctx, ledger.Location{Project: now.Project}, ledger.PlaceOf(engram.Record{Session: now}), l); err != nil {
		return false, err
	}
	if hidden && !found {
		*l = ledger.WithShadowed(*l, engram.PartDeleted, *now)
		return true, nil
	}
	if !gone {
		*l = ledger.WithoutShadowed(*l, engram.PartDeleted)
	}
	return gone, nil
}

// writeSession writes a merged session, or removes it. A session with content stays.
func (i *Importing) writeSession(ctx context.Context, was, now engram.Session, found, gone bool, reason string) (Outcome, error) {
	if gone && !found {
		i.Res.Sessions.Forgotten++
		return Unchanged, i.Tx.Store.ReplicaTx().PutTombstone(ctx, now.ID, now.Project)
	}
	if gone {
		n, err := i.Tx.Store.Count(ctx, engram.Filter{SessionID: now.ID, WithForgotten: true})
		if err != nil || n > 0 {
			return Unchanged, err
		}
		delete(i.sessionHomes, now.ID)
		if err := i.Tx.DropSessionRow(ctx, was, reason); err != nil {
			return Unchanged, err
		}
		return changed, i.Tx.Store.ReplicaTx().PutTombstone(ctx, was.ID, was.Project)
	}
	i.sessionHomes[now.ID] = now.Project
	if now == was {
		return Unchanged, nil
	}
	if !found {
		return added, i.Tx.RewriteSession(ctx, nil, now, reason)
	}
	if now.Project != was.Project {
		i.regrouped = append(i.regrouped, now.ID)
	}
	return changed, i.Tx.RewriteSession(ctx, &was, now, reason)
}

// prompt adds a prompt, or merges the one that is here with it.
func (i *Importing) prompt(ctx context.Context, r Incoming) (Outcome, error) {
	p := *r.Prompt
	was, found, err := i.knownPrompt(ctx, &p)
	if err != nil {
		return Unchanged, err
	}
	there := r.Record
	there.Prompt = &p
	if p.SyncID != r.Prompt.SyncID {
		there.Causal = nil // a copy has a history of its own
	}
	if err := i.refuseErased(ctx, engram.EntityPrompt, p.Project, was.Project, p.SyncID); err != nil {
		return Unchanged, err
	}
	if found {
		return i.promptAgain(ctx, was, there)
	}
	state := lifecycle.Normal(there)
	came := state.Causal.Digest()
	l, err := i.placeNew(ctx, there, state)
	if err != nil {
		return Unchanged, err
	}
	if err := i.Tx.Store.InsertPrompt(ctx, state.Prompt); err != nil {
		return Unchanged, err
	}
	i.seen.prompts.add(state.Prompt.Num)
	if state.Prompt.Deleted() {
		if err := i.Tx.Store.ReplacePrompt(ctx, *state.Prompt); err != nil {
			return Unchanged, err
		}
	}
	return added, i.insertedAs(ctx, state, came, l)
}

// promptAgain merges a prompt that is here with the state of it that came in.
func (i *Importing) promptAgain(ctx context.Context, was engram.Prompt, there engram.Record) (Outcome, error) {
	i.seen.prompts.add(was.Num)
	there, _, err := i.placedThere(ctx, there)
	if err != nil {
		return Unchanged, err
	}
	m, err := i.mergeHere(ctx, ledger.PromptRecord(was), there)
	if err != nil {
		return Unchanged, err
	}
	now := m.state.Prompt
	now.Num, now.Content, now.CreatedAt = was.Num, was.Content, was.CreatedAt // the text of a prompt does not change
	if err := i.show(ctx, ledger.PromptRecord(was), there, m.state, m.state.Causal); err != nil {
		return Unchanged, err
	}
	if err := i.keepMerged(ctx, m); err != nil {
		return Unchanged, err
	}
	if len(ledger.Changes(ledger.PromptFields(was), ledger.PromptFields(*now))) == 0 {
		return Unchanged, nil
	}
	return changed, i.Tx.RewritePrompt(ctx, was, *now, i.Reason)
}
