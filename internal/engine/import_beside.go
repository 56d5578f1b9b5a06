package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// session adds a session, or fills in what is not known of it here.
func (i *importing) session(ctx context.Context, s engram.Session) (fate, error) {
	id := s.ID
	was, found, name, err := i.knownSession(ctx, id)
	if err != nil {
		return unchanged, err
	}
	s.ID = name
	switch {
	case !found && i.wasErased(engram.EntitySession, s.ID):
		i.res.Sessions.Forgotten++
		return unchanged, nil
	case !found:
		if s.Project, err = i.home(ctx, s.Project); err != nil {
			return unchanged, err
		}
		i.sessions[id] = s.ID
		return added, i.putSession(ctx, nil, s, "import")
	}
	i.sessions[id] = s.ID
	now := was
	if now.Directory == "" {
		now.Directory = s.Directory
	}
	if now.Summary == "" {
		now.Summary = s.Summary
	}
	if now.EndedAt.IsZero() {
		now.EndedAt = s.EndedAt
	}
	if s.StartedAt.Before(now.StartedAt) {
		now.StartedAt = s.StartedAt
	}
	if s.Project != was.Project {
		emptied, err := i.emptied(ctx, was)
		if err != nil {
			return unchanged, err
		}
		if emptied {
			if now.Project, err = i.home(ctx, s.Project); err != nil {
				return unchanged, err
			}
		}
	}
	if now == was {
		return unchanged, nil
	}
	return changed, i.putSession(ctx, &was, now, "import")
}

// sit returns the session of something that is in one in the file. One that is neither
// here nor in the file is made, and one that was deleted here, without what the file says
// of it: it may have been deleted for that.
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
		if err := i.putSession(ctx, nil, s, "import"); err != nil {
			return "", err
		}
	}
	i.sessions[id] = name
	return name, nil
}

// prompt adds a prompt, or deletes one that was deleted elsewhere.
func (i *importing) prompt(ctx context.Context, p engram.Prompt) (fate, error) {
	was, known, err := i.knownPrompt(ctx, &p)
	switch {
	case err != nil:
		return unchanged, err
	case known:
		return i.promptAgain(ctx, was, p)
	case i.wasErased(engram.EntityPrompt, p.SyncID):
		return unchanged, &refused{reason: "it was erased here", harmless: true}
	}
	if p.Project, p.SessionID, err = i.placeOf(ctx, p); err != nil {
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
	return added, i.log(ctx, engram.EntityPrompt, key(p.Num), p.Project, "import", nil)
}

// promptAgain brings a prompt that is here together with its state in the file.
func (i *importing) promptAgain(ctx context.Context, was, p engram.Prompt) (fate, error) {
	i.seen.prompts.add(was.Num)
	now := was
	if !was.Deleted() || i.in.Mode == ImportReplace {
		now.DeletedAt = p.DeletedAt
	}
	if was.Deleted() && !p.Deleted() {
		undone, err := i.undone(ctx, engram.EntityPrompt, key(was.Num))
		if err != nil {
			return unchanged, err
		}
		if undone {
			now.DeletedAt = p.DeletedAt
			if now.Project, now.SessionID, err = i.placeOf(ctx, p); err != nil {
				return unchanged, err
			}
		}
	}
	if now.DeletedAt.Equal(was.DeletedAt) {
		return unchanged, nil
	}
	return changed, i.replacePrompt(ctx, was, now, "import")
}

// placeOf is the project and the session of a prompt, as they are called here.
func (i *importing) placeOf(ctx context.Context, p engram.Prompt) (project, session string, err error) {
	if project, err = i.home(ctx, p.Project); err != nil {
		return "", "", err
	}
	session, err = i.sit(ctx, p.SessionID, engram.Session{Project: project, StartedAt: p.CreatedAt})
	return project, session, err
}

// eraseElsewhere heeds that something was erased where the file comes from: here it is
// forgotten, which can be taken back. What is not here is to stay away, unless everything
// goes into one project: of what project it would have been, nobody knows.
func (i *importing) eraseElsewhere(ctx context.Context, x engram.Erased) (fate, error) {
	switch x.Entity {
	case engram.EntityMemory:
		m, found, _, err := i.known(ctx, engram.ID(x.ID), x.SyncID)
		if err != nil {
			return unchanged, err
		}
		if found {
			if m.Forgotten() || m.UpdatedAt.After(x.At.Time()) {
				return unchanged, nil
			}
			return changed, i.forget(ctx, &m, "erased elsewhere")
		}
	case engram.EntityPrompt:
		p, found, err := i.knownPrompt(ctx, &engram.Prompt{SyncID: x.ID})
		if err != nil {
			return unchanged, err
		}
		if found {
			if p.Deleted() {
				return unchanged, nil
			}
			now := p
			now.DeletedAt = i.at
			return changed, i.replacePrompt(ctx, p, now, "erased elsewhere")
		}
	case engram.EntitySession:
		_, err := i.tx.Session(ctx, x.ID)
		if err == nil || engram.CodeOf(err) != engram.CodeNotFound {
			return unchanged, err // what is in it is here
		}
	}
	if i.border != "" || i.wasErased(x.Entity, x.ID) {
		return unchanged, nil
	}
	i.erased[string(x.Entity)+"\x00"+x.ID] = true
	if err := i.tx.PutErased(ctx, x); err != nil {
		return unchanged, err
	}
	return added, i.log(ctx, engram.EntityErased, erasedKey(x), "", "erased elsewhere", nil)
}
