package mem

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/project"
)

type startArgs struct {
	ID        string `json:"id" doc:"made if none is given"`
	Directory string `json:"directory" doc:"decides the project if none is set"`
}

func (d *dialect) startSession(ctx context.Context, by tool.Caller, a startArgs) (message, error) {
	dir := d.dir
	if a.Directory != "" {
		if dir = a.Directory; !filepath.IsAbs(dir) {
			dir = filepath.Join(d.dir, dir)
		}
	}
	// The process's project counts before any folder: the saves of the session must go to
	// where the searches of this process look.
	at, err := d.writing(ctx, engine.ProjectRequest{Override: d.project, Dir: dir})
	if err != nil {
		return message{}, err
	}
	s, err := d.as(by).StartSession(ctx, engine.SessionInput{ID: a.ID, Project: at.Name, Directory: dir})
	if err != nil {
		return message{}, failed("Failed to start session", err, engine.ProjectRequest{SessionID: a.ID})
	}
	if s.Project != at.Name {
		// It was started before, elsewhere; its first project stays.
		at = engine.ProjectInForce{Name: s.Project, Source: project.SourceSession, Path: s.Directory}
	}
	d.activity.restart(s.Project)
	if !d.remote { // where several agents are served, nobody knows which of them asks
		d.asking.began(s.ID)
	}
	return message{envelope: enveloped(at, fmt.Sprintf("Session %q started for project %q", s.ID, s.Project))}, nil
}

type endArgs struct {
	ID      string `json:"id" doc:"default: the project's running session"`
	Summary string `json:"summary"`
}

func (d *dialect) endSession(ctx context.Context, by tool.Caller, a endArgs) (message, error) {
	at, err := d.writing(ctx, d.ofSession(ctx, engine.ProjectRequest{Override: d.project, Lenient: true}, a.ID))
	if err != nil {
		return message{}, err
	}
	if strings.TrimSpace(a.ID) == "" {
		if a.ID, err = d.engine.RunningSession(ctx, at.Name); err != nil {
			return message{}, failed("Failed to end session", err, engine.ProjectRequest{})
		}
	}
	ended, err := d.as(by).EndSession(ctx, a.ID, a.Summary)
	if err != nil {
		return message{}, failed("Failed to end session", err, engine.ProjectRequest{SessionID: a.ID})
	}
	d.activity.restart(at.Name)
	d.asking.ended(strings.TrimSpace(a.ID))
	return message{envelope: enveloped(at, cautioned(fmt.Sprintf("Session %q completed", a.ID), ended.Warnings))}, nil
}

type summaryArgs struct {
	Content   string `json:"content" required:"schema"`
	SessionID string `json:"session_id"`
}

func (d *dialect) summarize(ctx context.Context, by tool.Caller, a summaryArgs) (message, error) {
	if strings.TrimSpace(a.Content) == "" {
		return message{}, invalid("content is required for mem_session_summary")
	}
	at, err := d.writing(ctx, d.ofSession(ctx, engine.ProjectRequest{Override: d.project}, a.SessionID))
	if err != nil {
		return message{}, err
	}
	// A summary is not a save to this count: it closes the session and says nothing of
	// what was worth keeping during it.
	score := d.activity.score(at.Name, d.engine.Now())
	res, err := d.as(by).Summarize(ctx, engine.SaveInput{Content: a.Content, SessionID: a.SessionID, NewSession: true,
		Project: at.Name, Directory: d.dir})
	if err != nil {
		return message{}, failed("Failed to save session summary", err, engine.ProjectRequest{SessionID: a.SessionID})
	}
	at.Name = res.Memory.Project // see save
	text := fmt.Sprintf("Session summary saved for project %q", at.Name)
	if !d.remote { // where several agents are served, their calls are not those of this session
		text += "\n" + score
	}
	return message{envelope: enveloped(at, cautioned(text, res.Warnings))}, nil
}
