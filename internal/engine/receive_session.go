package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// session adds a session, or brings the one that is here together with it. One that is gone
// leaves no row, but its lineage.
func (i *importing) session(ctx context.Context, r incoming) (fate, error) {
	id := r.Session.ID
	was, found, name, err := i.knownSession(ctx, id)
	if err != nil {
		return unchanged, err
	}
	if name != id && i.batch != "" {
		return unchanged, &leftAlone{}
	}
	if !found && i.erased.has(engram.EntitySession, name) {
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
		there.Lineage = nil // a copy goes its own way
	}
	if !found && !known {
		return i.newSession(ctx, id, there)
	}
	if s.Project, _, err = i.namesHere(ctx, s.Project, ""); err != nil {
		return unchanged, err
	}
	written := engram.Record{Session: &was, Lineage: &l}
	switch {
	case !found:
		written = writtenSession(engram.Session{ID: name, Project: s.Project}, l)
	case !known:
		written.Lineage = nil
	}
	state, came, err := i.merged(ctx, written, there)
	if err != nil {
		return unchanged, err
	}
	to := *state.Lineage
	to.Held = l.Held
	now := *state.Session
	if now.ID = name; !found {
		was = engram.Session{ID: name}
	}
	gone, err := i.showSession(ctx, found, there, state.Gone, &now, &to)
	if err != nil {
		return unchanged, err
	}
	if err := i.putLineage(ctx, engram.EntitySession, name, to, &l, known); err != nil {
		return unchanged, err
	}
	if err := i.carry(ctx, engram.EntitySession, name, l, came, to); err != nil {
		return unchanged, err
	}
	return i.writeSession(ctx, id, was, now, found, gone)
}

// newSession adds a session that was never here.
func (i *importing) newSession(ctx context.Context, id string, there engram.Record) (fate, error) {
	state := lifecycle.Normal(there)
	s := *state.Session
	var err error
	if s.Project, err = i.home(ctx, s.Project); err != nil {
		return unchanged, err
	}
	if err := i.putLineage(ctx, engram.EntitySession, s.ID, *state.Lineage, nil, false); err != nil {
		return unchanged, err
	}
	if err := i.carry(ctx, engram.EntitySession, s.ID, engram.Lineage{}, state.Lineage.Digest(), *state.Lineage); err != nil {
		return unchanged, err
	}
	if state.Gone {
		return unchanged, i.tx.PutGone(ctx, s.ID, s.Project)
	}
	i.sessions[id] = s.ID
	return added, i.rewriteSession(ctx, nil, s, i.reason)
}

// showSession settles whether a merged session is shown, and where: an undone import took it
// away or left it empty, and a later one brings it back to where the file has it.
func (i *importing) showSession(ctx context.Context, found bool, there engram.Record, gone bool, now *engram.Session, l *engram.Lineage) (bool, error) {
	hidden := isHeld(*l, engram.PartDeleted)
	revive := false
	if i.batch == "" && !there.Gone {
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
		*l = withoutHeld(*l, engram.PartDeleted)
		if now.Project != there.Session.Project {
			s, err := i.stamp(ctx)
			if err != nil {
				return false, err
			}
			now.Project, *l = there.Session.Project, lifecycle.Stamped(*l, []engram.Part{"project"}, s)
		}
		hidden = false
	}
	if hidden && !found {
		*l = withHeld(*l, engram.PartDeleted, *now)
		return true, nil
	}
	var err error
	if !gone {
		*l = withoutHeld(*l, engram.PartDeleted)
		now.Project, err = i.home(ctx, now.Project)
	}
	return gone, err
}

// writeSession writes what came of a merge, or takes the session away. One in which something
// stands stays as long as it does.
func (i *importing) writeSession(ctx context.Context, id string, was, now engram.Session, found, gone bool) (fate, error) {
	if gone && !found {
		i.res.Sessions.Forgotten++
		return unchanged, i.tx.PutGone(ctx, now.ID, now.Project)
	}
	i.sessions[id] = now.ID
	if gone {
		n, err := i.tx.CountInSession(ctx, now.ID, true)
		if err != nil || n > 0 {
			return unchanged, err
		}
		delete(i.sessions, id)
		if err := i.dropSessionRow(ctx, was, i.reason); err != nil {
			return unchanged, err
		}
		return changed, i.tx.PutGone(ctx, was.ID, was.Project)
	}
	if now == was {
		return unchanged, nil
	}
	if !found {
		return added, i.rewriteSession(ctx, nil, now, i.reason)
	}
	return changed, i.rewriteSession(ctx, &was, now, i.reason)
}

// sit returns the session of something that is in one where it comes from. One that is
// neither here nor comes along is made, and one that was deleted here, without what is said
// of it: it may have been deleted for that. Such a one claims nothing, so that whatever is
// known of it elsewhere holds.
func (i *importing) sit(ctx context.Context, id string, s engram.Session) (string, error) {
	if name, here := i.sessions[id]; here {
		return name, nil
	}
	was, found, name, err := i.knownSession(ctx, id)
	if err != nil {
		return "", err
	}
	if found && i.outside(was.Project) { // an undone import left it there
		now := was
		now.Project = s.Project
		if err := i.putSession(ctx, &was, now, i.reason); err != nil {
			return "", err
		}
	}
	if !found {
		s.ID, s.ActiveAt = name, s.StartedAt
		l, known, err := i.lineage(ctx, engram.EntitySession, name)
		if err != nil {
			return "", err
		}
		switch written := writtenSession(s, l); {
		case !known:
			l = lifecycle.Derived(engram.Record{Session: &engram.Session{ID: name}})
		case isHeld(l, engram.PartDeleted) && !written.Gone:
			// An undo hid it. It is what it was: its lineage says so.
			s, l = *written.Session, withoutHeld(l, engram.PartDeleted)
		}
		if err := i.tx.PutLineage(ctx, engram.EntitySession, name, l); err != nil {
			return "", err
		}
		if err := i.rewriteSession(ctx, nil, s, i.reason); err != nil {
			return "", err
		}
	}
	i.sessions[id] = name
	return name, nil
}
