package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// project adds a project, or brings the one that is here together with it. One that was
// merged into another here stays so, and a name that another one has stays there.
func (i *importing) project(ctx context.Context, there engram.Record) (fate, error) {
	name := there.Project.Name
	was, found, err := i.tx.Project(ctx, name)
	if err != nil || found && was.Name != name {
		return unchanged, err
	}
	l, known, err := i.lineage(ctx, engram.EntityProject, name)
	if err != nil {
		return unchanged, err
	}
	state := lifecycle.Normal(there)
	if found {
		written := engram.Record{Project: &was, Lineage: &l}
		if !known {
			written.Lineage = nil
		}
		if state, err = i.merged(ctx, written, there); err != nil {
			return unchanged, err
		}
	}
	now := *state.Project
	now.Root = was.Root
	if now.Aliases, err = i.free(ctx, name, now.Aliases); err != nil {
		return unchanged, err
	}
	if err := i.putLineage(ctx, engram.EntityProject, name, *state.Lineage, &l, known); err != nil {
		return unchanged, err
	}
	switch {
	case !found:
		if err := i.tx.PutProject(ctx, now); err != nil {
			return unchanged, err
		}
		return added, i.log(ctx, engram.EntityProject, name, name, i.reason, nil)
	case len(changes(projectFields(was), projectFields(now))) == 0:
		return unchanged, nil
	}
	if err := i.tx.PutProject(ctx, now); err != nil {
		return unchanged, err
	}
	return changed, i.log(ctx, engram.EntityProject, name, name, i.reason, changes(projectFields(was), projectFields(now)))
}

// free are those of a project's aliases that are the names of no other.
func (i *importing) free(ctx context.Context, name string, aliases []string) ([]string, error) {
	var free []string
	for _, a := range aliases {
		p, taken, err := i.tx.Project(ctx, a)
		if err != nil {
			return nil, err
		}
		if !taken || p.Name == name {
			free = append(free, a)
		}
	}
	return free, nil
}

// session adds a session, or brings the one that is here together with it. One that is gone
// leaves no row, but its lineage.
func (i *importing) session(ctx context.Context, r incoming) (fate, error) {
	id := r.Session.ID
	was, found, name, err := i.knownSession(ctx, id)
	if err != nil {
		return unchanged, err
	}
	if name != id && i.batch != "" {
		return unchanged, &leftAlone{"another"}
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
	state, err := i.merged(ctx, written, there)
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
	if err := i.carry(ctx, engram.EntitySession, name, l, there, to); err != nil {
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
	if err := i.carry(ctx, engram.EntitySession, s.ID, engram.Lineage{}, there, *state.Lineage); err != nil {
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
	_, found, name, err := i.knownSession(ctx, id)
	if err != nil {
		return "", err
	}
	if !found {
		s.ID, s.ActiveAt = name, s.StartedAt
		_, known, err := i.lineage(ctx, engram.EntitySession, name)
		if err != nil {
			return "", err
		}
		if !known {
			l := lifecycle.Derived(engram.Record{Session: &engram.Session{ID: name}})
			if err := i.tx.PutLineage(ctx, engram.EntitySession, name, l); err != nil {
				return "", err
			}
		}
		if err := i.rewriteSession(ctx, nil, s, i.reason); err != nil {
			return "", err
		}
	}
	i.sessions[id] = name
	return name, nil
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
		there.Lineage = nil // a copy goes its own way
	}
	switch {
	case i.erased.has(engram.EntityPrompt, p.SyncID):
		return unchanged, &refused{reason: "it was erased here", harmless: true}
	case found:
		return i.promptAgain(ctx, was, there)
	}
	state := lifecycle.Normal(there)
	p, l := *state.Prompt, *state.Lineage
	if p.Project, p.SessionID, err = i.placeOf(ctx, p); err != nil {
		return unchanged, err
	}
	if i.border != "" && i.batch == "" && there.Lineage != nil {
		s, err := i.stamp(ctx)
		if err != nil {
			return unchanged, err
		}
		l = lifecycle.Stamped(l, []engram.Part{"project", "session_id"}, s)
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
	if err := i.putLineage(ctx, engram.EntityPrompt, key(p.Num), l, nil, false); err != nil {
		return unchanged, err
	}
	if err := i.carry(ctx, engram.EntityPrompt, key(p.Num), engram.Lineage{}, there, l); err != nil {
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
	if p.Project, p.SessionID, err = i.namesHere(ctx, p.Project, p.SessionID); err != nil {
		return unchanged, err
	}
	there.Prompt = &p
	state, err := i.merged(ctx, writtenPrompt(was, l, known), there)
	if err != nil {
		return unchanged, err
	}
	now, to := *state.Prompt, *state.Lineage
	now.Num, to.Held = was.Num, l.Held
	now.Content, now.CreatedAt = was.Content, was.CreatedAt // what was asked does not change
	if err := i.showPrompt(ctx, was, p, &now, &to); err != nil {
		return unchanged, err
	}
	if err := i.putLineage(ctx, engram.EntityPrompt, key(was.Num), to, &l, known); err != nil {
		return unchanged, err
	}
	if err := i.carry(ctx, engram.EntityPrompt, key(was.Num), l, there, to); err != nil {
		return unchanged, err
	}
	if len(changes(promptFields(was), promptFields(now))) == 0 {
		return unchanged, nil
	}
	return changed, i.rewritePrompt(ctx, was, now, i.reason)
}

// showPrompt is showMemory for prompts.
func (i *importing) showPrompt(ctx context.Context, was, there engram.Prompt, now *engram.Prompt, l *engram.Lineage) error {
	hidden, revive := isHeld(*l, engram.PartDeleted), false
	var err error
	if was.Deleted() && !there.Deleted() && i.batch == "" {
		if revive = hidden; !revive {
			if revive, err = i.undone(ctx, engram.EntityPrompt, key(was.Num)); err != nil {
				return err
			}
		}
	}
	switch {
	case revive:
		s, err := i.stamp(ctx)
		if err != nil {
			return err
		}
		*l = withoutHeld(*l, engram.PartDeleted)
		if now.Deleted() {
			*l = lifecycle.Stamped(*l, []engram.Part{engram.PartRestored}, s)
			now.DeletedAt = there.DeletedAt
		}
		if now.Project != there.Project || now.SessionID != there.SessionID {
			now.Project, now.SessionID = there.Project, there.SessionID
			*l = lifecycle.Stamped(*l, []engram.Part{"project", "session_id"}, s)
		}
	case hidden:
		*l = withHeld(*l, engram.PartDeleted, now.DeletedAt)
		now.DeletedAt = was.DeletedAt
	}
	if now.Project != was.Project {
		if now.Project, err = i.home(ctx, now.Project); err != nil {
			return err
		}
	}
	if now.SessionID != was.SessionID {
		now.SessionID, err = i.sit(ctx, now.SessionID, engram.Session{Project: now.Project, StartedAt: now.CreatedAt})
	}
	return err
}

// placeOf is the project and the session of a prompt, as they are called here.
func (i *importing) placeOf(ctx context.Context, p engram.Prompt) (project, session string, err error) {
	if project, err = i.home(ctx, p.Project); err != nil {
		return "", "", err
	}
	session, err = i.sit(ctx, p.SessionID, engram.Session{Project: project, StartedAt: p.CreatedAt})
	return project, session, err
}

// eraseElsewhere heeds that something was erased elsewhere: here it is forgotten, which can
// be taken back, and stays away from then on, whatever is still written of it anywhere. What
// is not here is to stay away too, unless everything goes into one project: of which project
// it would have been, nobody knows.
func (i *importing) eraseElsewhere(ctx context.Context, x engram.Erased) (fate, error) {
	out := unchanged
	here := false
	// Only hidden: what it says is not to travel again for having been forgotten here.
	i.hides = true
	defer func() { i.hides = false }()
	switch x.Entity {
	case engram.EntityMemory:
		m, found, _, err := i.known(ctx, engram.ID(x.ID), x.SyncID)
		if err != nil {
			return unchanged, err
		}
		if here = found; found {
			x.ID, x.SyncID, x.Project = string(m.ID), m.SyncID, m.Project
			if !m.Forgotten() {
				out = changed
				if err := i.forget(ctx, &m, "erased elsewhere"); err != nil {
					return unchanged, err
				}
			}
		}
	case engram.EntityPrompt:
		p, found, err := i.knownPrompt(ctx, &engram.Prompt{SyncID: x.ID})
		if err != nil {
			return unchanged, err
		}
		if here = found; found {
			x.ID, x.Project = p.SyncID, p.Project
			if !p.Deleted() {
				now := p
				now.DeletedAt, out = i.at, changed
				if err := i.replacePrompt(ctx, p, now, "erased elsewhere"); err != nil {
					return unchanged, err
				}
			}
		}
	case engram.EntitySession:
		_, err := i.tx.Session(ctx, x.ID)
		if err == nil || engram.CodeOf(err) != engram.CodeNotFound {
			return unchanged, err // what is in it is here
		}
	}
	if i.border != "" && !here && (i.batch == "" || x.Project == "") {
		return out, nil
	}
	known := i.erased.has(x.Entity, x.ID)
	i.erased.add(x)
	if err := i.tx.PutErased(ctx, x); err != nil {
		return unchanged, err
	}
	if i.batch != "" {
		if err := i.tx.PutCarried(ctx, engram.EntityErased, x.Key(), x.Digest(), []string{i.batch}); err != nil {
			return unchanged, err
		}
	}
	if known {
		return out, nil
	}
	if out == unchanged {
		out = added
	}
	return out, i.log(ctx, engram.EntityErased, erasedKey(x), x.Project, "erased elsewhere", nil)
}
