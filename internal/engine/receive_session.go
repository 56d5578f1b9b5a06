package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// sessionTold is the reason of entries by which a session that was made for what is in it alone
// becomes the one that somebody wrote. Nobody here wrote what it was before, so that an undo has
// nothing to set back: what it wrote instead would be a claim that others have to follow.
const sessionTold = "what others wrote of a session that only stood for what is in it"

// session adds a session, or brings the one that is here together with it. One that is gone
// leaves no row, but its lineage.
func (i *importing) session(ctx context.Context, r incoming) (fate, error) {
	id := r.Session.ID
	was, found, name, err := i.knownSession(ctx, id)
	if err != nil {
		return unchanged, err
	}
	if project, err := i.inside(ctx, r.Session.Project); err != nil {
		return unchanged, err
	} else if !found && i.erased.has(engram.EntitySession, project, name) {
		i.res.Sessions.Forgotten++
		return unchanged, nil
	}
	l, known, err := i.lineage(ctx, engram.EntitySession, name)
	if err != nil {
		return unchanged, err
	}
	there := r.Record
	s := *r.Session
	there.Session = &s
	if s.ID = name; name != id {
		there.Causal = nil // a copy goes its own way
	}
	if there.Causal != nil && claimsNothing(name, *there.Causal) {
		return unchanged, i.carry(ctx, engram.EntitySession, name, engram.CausalMetadata{}, there.Causal.Digest(), l)
	}
	if i.batch != "" && found && i.outside(was.Project) && !claimsNothing(name, l) {
		return unchanged, &leftAlone{was.Project}
	}
	as, err := i.meant(ctx, spot{project: s.Project})
	if err != nil {
		return unchanged, err
	}
	if s.Project = as.project; !found && !known {
		return i.newSession(ctx, there)
	}
	written := sittingSession(was, l, known)
	if !found {
		written = writtenSession(engram.Session{ID: name}, l)
		was = engram.Session{ID: name}
	}
	if there.Causal != nil && claimsNothing(name, l) {
		written.Causal = &engram.CausalMetadata{} // or its time of making would be known here alone
	}
	state, came, err := i.merged(ctx, written, there)
	if err != nil {
		return unchanged, err
	}
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
		reason = sessionTold
	}
	return i.writeSession(ctx, was, now, found, gone, reason)
}

// newSession adds a session that was never here.
func (i *importing) newSession(ctx context.Context, there engram.Record) (fate, error) {
	state := lifecycle.Normal(there)
	s, l := *state.Session, *state.Causal
	at, err := i.shownAt(ctx, spot{project: s.Project}, s.StartedAt, &l)
	if err != nil {
		return unchanged, err
	}
	s.Project = at.project
	if l, err = i.movedIn(ctx, there, l, projectPart); err != nil {
		return unchanged, err
	}
	if err := i.keep(ctx, engram.EntitySession, s.ID, engram.CausalMetadata{}, false, l.Digest(), l); err != nil {
		return unchanged, err
	}
	if state.Tombstone {
		return unchanged, i.tx.PutTombstone(ctx, s.ID, s.Project)
	}
	i.rooms[s.ID] = s.Project
	return added, i.rewriteSession(ctx, nil, s, i.reason)
}

// showSession settles whether a merged session is shown, and where: an undone import took it
// away or left it empty, and a later one brings it back to where the file has it.
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
			s, err := i.stamp(ctx)
			if err != nil {
				return false, err
			}
			now.Project, *l = there.Session.Project, lifecycle.Stamped(*l, []engram.Part{"project"}, s)
		}
		hidden = false
	}
	at, err := i.shownAt(ctx, spot{project: now.Project}, now.StartedAt, l)
	if err != nil {
		return false, err
	}
	now.Project = at.project
	if hidden && !found {
		*l = withShadowed(*l, engram.PartDeleted, *now)
		return true, nil
	}
	if !gone {
		*l = withoutShadowed(*l, engram.PartDeleted)
	}
	return gone, nil
}

// writeSession writes what came of a merge, or takes the session away. One in which something
// stands stays as long as it does.
func (i *importing) writeSession(ctx context.Context, was, now engram.Session, found, gone bool, reason string) (fate, error) {
	if gone && !found {
		i.res.Sessions.Forgotten++
		return unchanged, i.tx.PutTombstone(ctx, now.ID, now.Project)
	}
	if gone {
		n, err := i.tx.CountInSession(ctx, now.ID, true)
		if err != nil || n > 0 {
			return unchanged, err
		}
		delete(i.rooms, now.ID)
		if err := i.dropSessionRow(ctx, was, reason); err != nil {
			return unchanged, err
		}
		return changed, i.tx.PutTombstone(ctx, was.ID, was.Project)
	}
	i.rooms[now.ID] = now.Project
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

// prompt adds a prompt, or brings the one that is here together with it.
func (i *importing) prompt(ctx context.Context, r incoming) (fate, error) {
	p := *r.Prompt
	was, found, err := i.knownPrompt(ctx, &p)
	if err != nil {
		return unchanged, err
	}
	there := r.Record
	there.Prompt = &p
	if p.SyncID != r.Prompt.SyncID {
		there.Causal = nil // a copy goes its own way
	}
	if err := i.refuseErased(ctx, engram.EntityPrompt, p.Project, was.Project, p.SyncID); err != nil {
		return unchanged, err
	}
	if found {
		return i.promptAgain(ctx, was, there)
	}
	state := lifecycle.Normal(there)
	p, l := *state.Prompt, *state.Causal
	to, err := i.meant(ctx, spot{p.Project, p.SessionID})
	if err != nil {
		return unchanged, err
	}
	if to, err = i.shownAt(ctx, to, p.CreatedAt, &l); err != nil {
		return unchanged, err
	}
	p.Project, p.SessionID = to.project, to.session
	if l, err = i.movedIn(ctx, there, l, projectPart, sessionPart); err != nil {
		return unchanged, err
	}
	if err := i.tx.InsertPrompt(ctx, &p); err != nil {
		return unchanged, err
	}
	i.seen.prompts.add(p.Num)
	if p.Deleted() {
		if err := i.tx.ReplacePrompt(ctx, p); err != nil {
			return unchanged, err
		}
	}
	if err := i.keep(ctx, engram.EntityPrompt, key(p.Num), engram.CausalMetadata{}, false, state.Causal.Digest(), l); err != nil {
		return unchanged, err
	}
	return added, i.log(ctx, engram.EntityPrompt, key(p.Num), p.Project, i.reason, nil)
}

// promptAgain brings a prompt that is here together with the state of it that came in.
func (i *importing) promptAgain(ctx context.Context, was engram.Prompt, there engram.Record) (fate, error) {
	i.seen.prompts.add(was.Num)
	l, known, err := i.lineage(ctx, engram.EntityPrompt, key(was.Num))
	if err != nil {
		return unchanged, err
	}
	p := *there.Prompt
	as, err := i.meant(ctx, spot{p.Project, p.SessionID})
	if err != nil {
		return unchanged, err
	}
	p.Project, p.SessionID = as.project, as.session
	there.Prompt = &p
	state, came, err := i.merged(ctx, writtenPrompt(was, l, known), there)
	if err != nil {
		return unchanged, err
	}
	now, to := *state.Prompt, *state.Causal
	now.Num, to.Shadowed = was.Num, l.Shadowed
	now.Content, now.CreatedAt = was.Content, was.CreatedAt // what was asked does not change
	if err := i.show(ctx, engram.EntityPrompt, key(was.Num), was.DeletedAt, p.DeletedAt, as,
		placing{&now.Project, &now.SessionID, &now.DeletedAt}, now.CreatedAt, &to); err != nil {
		return unchanged, err
	}
	if err := i.keep(ctx, engram.EntityPrompt, key(was.Num), l, known, came, to); err != nil {
		return unchanged, err
	}
	if len(changes(promptFields(was), promptFields(now))) == 0 {
		return unchanged, nil
	}
	return changed, i.rewritePrompt(ctx, was, now, i.reason)
}
