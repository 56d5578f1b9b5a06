package engine

import (
	"cmp"
	"context"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// SessionInput starts a session. Project is required; without an ID one is made.
type SessionInput struct{ ID, Project, Directory string }

// StartSession starts a session. It is idempotent: an existing session keeps its
// project and directory, only empty ones are filled in.
func (e *Engine) StartSession(ctx context.Context, in SessionInput) (engram.Session, error) {
	return e.startSession(ctx, in, func(*op, engram.Session) error { return nil })
}

// startSession is StartSession and, in the same transaction, what then does in the session.
func (e *Engine) startSession(ctx context.Context, in SessionInput, then func(*op, engram.Session) error) (engram.Session, error) {
	if err := (raw{{"session id", in.ID}, {"project", in.Project}, {"directory", in.Directory}}).check(); err != nil {
		return engram.Session{}, err
	}
	s := engram.Session{ID: line(in.ID), Project: normalProject(in.Project), Directory: line(in.Directory)}
	if s.Project == "" {
		return s, engram.Errorf(engram.CodeInvalid, "project is required")
	}
	if s.ID == "" {
		s.ID = "session-" + digest(string(e.newID()))
	}
	if err := s.Validate(); err != nil {
		return s, err
	}
	err := e.write(ctx, "session_start", func(o *op) (err error) {
		if s, err = o.started(ctx, s); err != nil {
			return err
		}
		return then(o, s)
	})
	return s, err
}

// started is the session as it is there, made or filled in if need be.
func (o *op) started(ctx context.Context, s engram.Session) (engram.Session, error) {
	was, err := o.tx.Session(ctx, s.ID)
	if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
		return s, err
	}
	known := err == nil
	if known && was.Project != "" && (was.Directory != "" || s.Directory == "") {
		return was, nil
	}
	if !known || was.Project == "" {
		if s.Project, _, err = o.ensureProject(ctx, s.Project); err != nil {
			return s, err
		}
	}
	if !known {
		s.StartedAt, s.ActiveAt = o.at, o.at
		return s, o.putSession(ctx, nil, s, "started")
	}
	now := was
	now.Project, now.Directory = cmp.Or(was.Project, s.Project), cmp.Or(was.Directory, s.Directory)
	return now, o.putSession(ctx, &was, now, "filled in")
}

// RunningSession returns the id of the one session of a project that was started and has not ended,
// for who ends it without saying which: not_found where none runs, conflict with their ids where
// several do. The sessions of saves without a session are none.
func (e *Engine) RunningSession(ctx context.Context, project string) (string, error) {
	project = normalProject(project)
	all, err := e.Sessions(ctx, project, engram.Page{Limit: 1000})
	if err != nil {
		return "", err
	}
	var ids []string
	for _, s := range all {
		if s.EndedAt.IsZero() && !strings.HasPrefix(s.ID, manualSession) {
			ids = append(ids, s.ID)
		}
	}
	switch {
	case len(ids) == 0:
		return "", engram.Errorf(engram.CodeNotFound, "no session of project %q is running", project).WithHint("{session list} shows the sessions")
	case len(ids) > 1:
		named := strings.Join(ids[:min(len(ids), 5)], ", ")
		return "", engram.Errorf(engram.CodeConflict, "%d sessions of project %q are running: %s", len(ids), project, named).WithHint("name the one to end")
	}
	return ids[0], nil
}

// Session returns one session.
func (e *Engine) Session(ctx context.Context, id string) (s engram.Session, err error) {
	err = e.store.View(ctx, func(r engram.Reader) error {
		if s, err = r.Session(ctx, line(id)); err != nil {
			return err
		}
		one := []engram.SessionActivity{{Session: s}}
		err = e.shownSessions(ctx, r, one)
		s = one[0].Session
		return err
	})
	return s, err
}

// Sessions lists sessions, newest activity first. Limit 0 is 5, at most 1000.
func (e *Engine) Sessions(ctx context.Context, project string, p engram.Page) (all []engram.SessionActivity, err error) {
	if p, err = pageOf(p, 5); err != nil {
		return nil, err
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		if all, err = r.Sessions(ctx, normalProject(project), p); err != nil {
			return err
		}
		return e.shownSessions(ctx, r, all)
	})
	return all, err
}

// DeleteSession removes a session that has no memories (forgotten ones count):
// conflict otherwise, with the number. Its prompts stay. It can be undone, unless hard
// says that its summary is to leave the journal too.
func (e *Engine) DeleteSession(ctx context.Context, id string, hard bool) error {
	id = line(id)
	verb := "session_delete"
	if hard {
		verb = "session_erase"
	}
	return e.write(ctx, verb, func(o *op) error {
		s, err := o.tx.Session(ctx, id)
		if err != nil {
			return err
		}
		n, err := o.tx.CountInSession(ctx, id, true)
		if err != nil {
			return err
		}
		if n > 0 {
			return engram.Errorf(engram.CodeConflict, "session still has observations: session %q has %d observation(s)", id, n).
				WithHint("erase them first: forgotten ones count")
		}
		if err := o.leaveSession(ctx, s); err != nil {
			return err
		}
		return o.deleteSession(ctx, s, hard)
	})
}

// leaveSession takes the prompts out of a session that goes, hidden ones too: what hid
// them may be undone after it was.
func (o *op) leaveSession(ctx context.Context, s engram.Session) error {
	leave := func(ps []engram.Prompt) error {
		for _, p := range ps {
			now := p
			now.SessionID = ""
			if err := o.replacePrompt(ctx, p, now, "its session was deleted"); err != nil {
				return err
			}
		}
		return nil
	}
	for {
		// What has left is not in the list any more.
		ps, err := o.tx.Prompts(ctx, "", s.ID, engram.Page{Limit: 500})
		if err != nil {
			return err
		}
		if len(ps) == 0 {
			break
		}
		if err := leave(ps); err != nil {
			return err
		}
	}
	hidden, err := o.tx.DeletedPromptsIn(ctx, s.ID)
	if err != nil {
		return err
	}
	return leave(hidden)
}
