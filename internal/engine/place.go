package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
)

// manualSession opens the id of the session that holds what is saved outside one.
const manualSession = "manual-save"

// place is where something is saved.
type place struct {
	project  string // canonical: an alias became the name it stands for
	session  string
	warnings []string
}

// place finds or makes the project and the session of something that is saved.
//
// An empty session means the project's open one, else manual-save-PROJECT; one that
// does not exist is made when create is set. An empty project means the session's, and
// a session without a project takes the one that is named.
func (o *op) place(ctx context.Context, name, session, dir string, create bool) (place, error) {
	p := place{session: session}
	var s engram.Session
	known := false
	if session != "" {
		var err error
		s, err = o.tx.Session(ctx, session)
		switch known = err == nil; {
		case engram.CodeOf(err) == engram.CodeNotFound && !create:
			return p, unknownSession(session)
		case !known && engram.CodeOf(err) != engram.CodeNotFound:
			return p, err
		case name == "":
			name = s.Project
		}
	}
	var err error
	if p.project, p.warnings, err = o.ensureProject(ctx, name); err != nil {
		return p, err
	}
	switch {
	case session == "":
		p.session, err = o.openSession(ctx, p.project, dir)
		return p, err
	case !known:
		return p, o.newSession(ctx, session, p.project, dir)
	case s.Project == "" && p.project != "":
		now := s
		now.Project = p.project
		return p, o.putSession(ctx, &s, now, "filled in")
	case s.Project != p.project:
		return p, engram.Errorf(engram.CodeConflict, "Session %q belongs to project %q, but request targeted %q", session, s.Project, p.project).
			WithHint("leave the project out, or start a session for it").
			WithCause(&project.Problem{Reason: project.ReasonSession, SessionProject: s.Project, Project: p.project})
	}
	return p, nil
}

func unknownSession(id string) error {
	return engram.Errorf(engram.CodeNotFound, "Session %q was provided but does not exist", id).
		WithHint("start it with mem_session_start, or leave session_id out").
		WithCause(&project.Problem{Reason: project.ReasonUnknownSession})
}

// ensureProject returns the canonical name of a project, which it makes if need be.
// A project without memories gets a warning when another has a similar name.
func (o *op) ensureProject(ctx context.Context, name string) (canonical string, warnings []string, err error) {
	if name == "" {
		return "", nil, nil
	}
	p, known, err := o.tx.Project(ctx, name)
	if err != nil {
		return "", nil, err
	}
	if known {
		name = p.Name
		some, err := o.tx.List(ctx, engram.Filter{Project: name}, engram.Page{Limit: 1})
		if err != nil || len(some) > 0 {
			return name, nil, err
		}
	}
	if warnings, err = o.warnSimilar(ctx, name); err != nil || known {
		return name, warnings, err
	}
	if err := project.CheckText(name); err != nil {
		return "", nil, err
	}
	return name, warnings, o.insertProject(ctx, engram.Project{Name: name, CreatedAt: o.at}, "first use")
}

func (o *op) warnSimilar(ctx context.Context, name string) ([]string, error) {
	names, err := o.tx.ProjectNames(ctx)
	if err != nil {
		return nil, err
	}
	similar := project.Similar(name, names)
	if len(similar) == 0 {
		return nil, nil
	}
	st, err := o.tx.Stats(ctx, similar[0])
	if err != nil || st.Memories == 0 {
		return nil, err
	}
	memories := fmt.Sprintf("%d memories", st.Memories)
	if st.Memories == 1 {
		memories = "1 memory"
	}
	return []string{fmt.Sprintf("Project %q has no memories. Similar project found: %q (%s). Consider using that name instead.",
		name, similar[0], memories)}, nil
}

// openSession returns the session that a save without one belongs to.
func (o *op) openSession(ctx context.Context, name, dir string) (string, error) {
	s, found, err := o.tx.OpenSession(ctx, name, manualSession)
	if err != nil || found {
		return s.ID, err
	}
	for n := 1; ; n++ {
		id := manualID(name, n)
		switch s, err := o.tx.Session(ctx, id); {
		case engram.CodeOf(err) == engram.CodeNotFound:
			return id, o.newSession(ctx, id, name, dir)
		case err != nil:
			return "", err
		case s.Project == name:
			return id, nil
		}
		// Merging projects moved it to another one.
	}
}

// manualID is the id of the nth session that holds what is saved outside one, from 1. A
// project whose name leaves no room for it is named by a digest.
func manualID(name string, n int) string {
	id := manualSession
	switch {
	case len(id)+1+len(name) > engram.MaxName:
		id += "-" + digest(name)
	case name != "":
		id += "-" + name
	}
	if n > 1 {
		return id + "." + strconv.Itoa(n)
	}
	return id
}

// isManual reports whether id is that of a session that holds what is saved outside one in
// the project of that name.
func isManual(id, name string) bool {
	if i := strings.LastIndexByte(id, '.'); i > 0 {
		if n, err := strconv.Atoi(id[i+1:]); err == nil && id == manualID(name, n) {
			return true
		}
	}
	return id == manualID(name, 1)
}

func (o *op) newSession(ctx context.Context, id, name, dir string) error {
	begun := o.happened(o.then)
	s := engram.Session{ID: id, Project: name, Directory: line(dir), StartedAt: begun, ActiveAt: begun}
	if err := s.Validate(); err != nil {
		return err
	}
	return o.putSession(ctx, nil, s, "first use")
}
