package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// sessionReplaced is the reason of entries that give a session its fields which existed only for its content. An undo
// does not restore the empty fields: writing them would be a claim that other replicas follow.
const sessionReplaced = "fields received for a session that existed only for its contents"

// session adds a session, or merges the one here with it. A deleted one has metadata and no row.
func (i *importing) session(ctx context.Context, r incoming) (outcome, error) {
	id := r.Session.ID
	was, found, name, err := i.knownSession(ctx, id)
	if err != nil {
		return unchanged, err
	}
	if project, err := i.projectInside(ctx, r.Session.Project); err != nil {
		return unchanged, err
	} else if !found && i.erased.has(engram.EntitySession, project, name) {
		i.res.Sessions.Forgotten++
		return unchanged, nil
	}
	l, known, err := knownMetadata(ctx, i.tx, engram.EntitySession, name)
	if err != nil {
		return unchanged, err
	}
	there := r.Record
	s := *r.Session
	there.Session = &s
	if s.ID = name; name != id {
		there.Causal = nil // a copy has a history of its own
	}
	if there.Causal != nil && claimsNothing(name, *there.Causal) {
		return unchanged, i.noteReplicated(ctx, engram.EntitySession, name, engram.CausalMetadata{}, there.Causal.Digest(), l)
	}
	if i.batch != "" && found && i.outside(was.Project) && !claimsNothing(name, l) {
		return unchanged, &leftAlone{was.Project}
	}
	as, err := i.incomingLocation(ctx, location{project: s.Project})
	if err != nil {
		return unchanged, err
	}
	if s.Project = as.project; !found && !known {
		return i.newSession(ctx, there)
	}
	written := writtenState(sessionRecord(was), l, known, i.device)
	if !found {
		was = engram.Session{ID: name}
		written = deletedSession(was, l)
	}
	if there.Causal != nil && claimsNothing(name, l) {
		written.Causal = &engram.CausalMetadata{} // or the time of its making would count as a write of this store
	}
	state, came := i.merged(written, there)
	to := *state.Causal
	to.Shadowed = l.Shadowed
	now := *state.Session
	now.ID = name
	gone, err := i.showSession(ctx, found, there, state.Tombstone, &now, &to)
	if err != nil {
		return unchanged, err
	}
	if err := i.keep(ctx, engram.EntitySession, name, l, known, came, to); err != nil {
		return unchanged, err
	}
	reason := i.reason
	if found && claimsNothing(name, l) {
		reason = sessionReplaced
	}
	return i.writeSession(ctx, was, now, found, gone, reason)
}

func (i *importing) newSession(ctx context.Context, there engram.Record) (outcome, error) {
	state := lifecycle.Normal(there)
	s, came := state.Session, state.Causal.Digest()
	l, err := i.placeNew(ctx, there, state)
	if err != nil {
		return unchanged, err
	}
	if err := i.keep(ctx, engram.EntitySession, s.ID, engram.CausalMetadata{}, false, came, l); err != nil {
		return unchanged, err
	}
	if state.Tombstone {
		return unchanged, i.tx.ReplicaTx().PutTombstone(ctx, s.ID, s.Project)
	}
	i.sessionHomes[s.ID] = s.Project
	return added, i.rewriteSession(ctx, nil, *s, i.reason)
}

// showSession decides whether and where a merged session is visible. An import brings back, in the place that the
// file has, what an undone import removed or left empty.
func (i *importing) showSession(ctx context.Context, found bool, there engram.Record, gone bool, now *engram.Session, l *engram.CausalMetadata) (bool, error) {
	hidden := isShadowed(*l, engram.PartDeleted)
	revive := false
	if i.batch == "" && !there.Tombstone {
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
		*l = withoutShadowed(*l, engram.PartDeleted)
		if now.Project != there.Session.Project {
			now.Project, *l = there.Session.Project, lifecycle.Stamped(*l, []engram.Part{projectPart}, i.stamp())
		}
		hidden = false
	}
	if err := i.showAt(ctx, location{project: now.Project}, placeOf(engram.Record{Session: now}), l); err != nil {
		return false, err
	}
	if hidden && !found {
		*l = withShadowed(*l, engram.PartDeleted, *now)
		return true, nil
	}
	if !gone {
		*l = withoutShadowed(*l, engram.PartDeleted)
	}
	return gone, nil
}

// writeSession writes a merged session, or removes it. A session with content stays.
func (i *importing) writeSession(ctx context.Context, was, now engram.Session, found, gone bool, reason string) (outcome, error) {
	if gone && !found {
		i.res.Sessions.Forgotten++
		return unchanged, i.tx.ReplicaTx().PutTombstone(ctx, now.ID, now.Project)
	}
	if gone {
		n, err := i.tx.Count(ctx, engram.Filter{SessionID: now.ID, WithForgotten: true})
		if err != nil || n > 0 {
			return unchanged, err
		}
		delete(i.sessionHomes, now.ID)
		if err := i.dropSessionRow(ctx, was, reason); err != nil {
			return unchanged, err
		}
		return changed, i.tx.ReplicaTx().PutTombstone(ctx, was.ID, was.Project)
	}
	i.sessionHomes[now.ID] = now.Project
	if now == was {
		return unchanged, nil
	}
	if !found {
		return added, i.rewriteSession(ctx, nil, now, reason)
	}
	if now.Project != was.Project {
		i.regrouped = append(i.regrouped, now.ID)
	}
	return changed, i.rewriteSession(ctx, &was, now, reason)
}

// prompt adds a prompt, or merges the one that is here with it.
func (i *importing) prompt(ctx context.Context, r incoming) (outcome, error) {
	p := *r.Prompt
	was, found, err := i.knownPrompt(ctx, &p)
	if err != nil {
		return unchanged, err
	}
	there := r.Record
	there.Prompt = &p
	if p.SyncID != r.Prompt.SyncID {
		there.Causal = nil // a copy has a history of its own
	}
	if err := i.refuseErased(ctx, engram.EntityPrompt, p.Project, was.Project, p.SyncID); err != nil {
		return unchanged, err
	}
	if found {
		return i.promptAgain(ctx, was, there)
	}
	state := lifecycle.Normal(there)
	came := state.Causal.Digest()
	l, err := i.placeNew(ctx, there, state)
	if err != nil {
		return unchanged, err
	}
	if err := i.tx.InsertPrompt(ctx, state.Prompt); err != nil {
		return unchanged, err
	}
	i.seen.prompts.add(state.Prompt.Num)
	if state.Prompt.Deleted() {
		if err := i.tx.ReplacePrompt(ctx, *state.Prompt); err != nil {
			return unchanged, err
		}
	}
	return added, i.insertedAs(ctx, state, came, l)
}

// promptAgain merges a prompt that is here with the state of it that came in.
func (i *importing) promptAgain(ctx context.Context, was engram.Prompt, there engram.Record) (outcome, error) {
	i.seen.prompts.add(was.Num)
	there, _, err := i.placedThere(ctx, there)
	if err != nil {
		return unchanged, err
	}
	m, err := i.mergeHere(ctx, promptRecord(was), there)
	if err != nil {
		return unchanged, err
	}
	now := m.state.Prompt
	now.Num, now.Content, now.CreatedAt = was.Num, was.Content, was.CreatedAt // the text of a prompt does not change
	if err := i.show(ctx, promptRecord(was), there, m.state, m.state.Causal); err != nil {
		return unchanged, err
	}
	if err := i.keepMerged(ctx, m); err != nil {
		return unchanged, err
	}
	if len(changes(promptFields(was), promptFields(*now))) == 0 {
		return unchanged, nil
	}
	return changed, i.rewritePrompt(ctx, was, *now, i.reason)
}
