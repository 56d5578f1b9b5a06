package mem

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/render"
)

type startArgs struct {
	ID        string `json:"id" doc:"made if none is given"`
	Directory string `json:"directory" doc:"decides the project if none is set"`
}

func (d *dialect) startSession(ctx context.Context, by tool.Caller, a startArgs) (message, error) {
	dir := d.Dir
	if a.Directory != "" {
		if dir = a.Directory; !filepath.IsAbs(dir) {
			dir = filepath.Join(d.Dir, dir)
		}
	}
	// The process's project takes precedence over any folder: the session's saves must go where the searches of
	// this process look.
	at, err := d.writing(ctx, projects.ProjectRequest{Override: d.Project, Dir: dir})
	if err != nil {
		return message{}, err
	}
	s, err := d.As(by).StartSession(ctx, remember.SessionInput{ID: a.ID, Project: at.Name, Directory: dir})
	if err != nil {
		return message{}, failed("Failed to start session", err, projects.ProjectRequest{SessionID: a.ID})
	}
	if s.Project != at.Name {
		// It was started before, elsewhere; its first project stays.
		at = projects.ProjectInForce{Name: s.Project, Source: project.SourceSession, Path: s.Directory}
	}
	d.activity.restart(s.Project)
	if !d.Remote { // with several agents, the asking one is unknown
		d.asking.began(s.ID)
	}
	return message{envelope: enveloped(at, fmt.Sprintf("Session %q started for project %q", s.ID, s.Project))}, nil
}

type endArgs struct {
	ID      string `json:"id" doc:"default: the project's running session"`
	Summary string `json:"summary"`
}

func (d *dialect) endSession(ctx context.Context, by tool.Caller, a endArgs) (message, error) {
	at, err := d.writing(ctx, d.ofSession(ctx, projects.ProjectRequest{Override: d.Project, Lenient: true}, a.ID))
	if err != nil {
		return message{}, err
	}
	if strings.TrimSpace(a.ID) == "" {
		if a.ID, err = d.Engine.RunningSession(ctx, at.Name); err != nil {
			return message{}, failed("Failed to end session", err, projects.ProjectRequest{})
		}
	}
	ended, err := d.As(by).EndSession(ctx, a.ID, a.Summary)
	if err != nil {
		return message{}, failed("Failed to end session", err, projects.ProjectRequest{SessionID: a.ID})
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
	at, err := d.writing(ctx, d.ofSession(ctx, projects.ProjectRequest{Override: d.Project}, a.SessionID))
	if err != nil {
		return message{}, err
	}
	// A summary does not count as a save: it closes the session and does not show that anything was kept during
	// it.
	score := d.activity.score(at.Name, d.Engine.Now())
	res, err := d.As(by).Summarize(ctx, remember.SaveInput{Content: a.Content, SessionID: a.SessionID, NewSession: true,
		Project: at.Name, Directory: d.Dir})
	at.Name = res.Memory.Project // see save
	text := fmt.Sprintf("Session summary saved for project %q", at.Name)
	if !d.Remote { // with several agents, the calls are not those of this session
		text += "\n" + score
	}
	return message{envelope: enveloped(at, cautioned(text, res.Warnings))}, failed("Failed to save session summary", err, projects.ProjectRequest{SessionID: a.SessionID})
}

type promptArgs struct {
	Content      string `json:"content" required:"true"`
	SessionID    string `json:"session_id"`
	Project      string `json:"project" doc:"only after ambiguous_project"`
	ChoiceReason string `json:"project_choice_reason" enum:"user_selected_after_ambiguous_project" lax:"true"`
	Token        string `json:"recovery_token"`
}

func (d *dialect) savePrompt(ctx context.Context, by tool.Caller, a promptArgs) (message, error) {
	asked := d.ofSession(ctx, projects.ProjectRequest{Override: d.Project}, a.SessionID)
	at, err := d.chosen(ctx, choice{a.SessionID, a.Project, a.ChoiceReason, a.Token}, asked)
	if err != nil {
		return message{}, err
	}
	p, err := d.As(by).SavePrompt(ctx, remember.PromptInput{Content: a.Content, SessionID: a.SessionID, NewSession: true,
		Project: at.Name, Directory: d.Dir})
	at.Name = p.Project // see save
	text := fmt.Sprintf("Prompt saved: %q", render.Preview(p.Content, 80))
	return message{envelope: enveloped(at, cautioned(text, p.Warnings))}, failed("Failed to save prompt", err, projects.ProjectRequest{SessionID: a.SessionID})
}

const (
	// quiet is how long a project may see no save before its agent is reminded.
	quiet = 10 * time.Minute
	// busy is the number of calls above which an agent without saves is taken to be working rather than looking
	// around.
	busy = 5
)

// activity counts what agents did in each project since its session began. The zero value is ready and safe for
// concurrent use.
type activity struct {
	mu       sync.Mutex
	projects map[string]*work
}

type work struct {
	since, saved time.Time // the first call; the last save, zero for none
	calls, saves int
}

// with calls do on a project's work, which begins at now if absent.
func (a *activity) with(project string, now time.Time, do func(*work)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.projects == nil {
		a.projects = map[string]*work{}
	}
	w := a.projects[project]
	if w == nil {
		w = &work{since: now}
		a.projects[project] = w
	}
	do(w)
}

func (a *activity) called(project string, now time.Time) {
	a.with(project, now, func(w *work) { w.calls++ })
}

func (a *activity) savedIn(project string, now time.Time) {
	a.with(project, now, func(w *work) { w.saves, w.saved = w.saves+1, now })
}

// restart forgets the activity in a project: a session begins or ends.
func (a *activity) restart(project string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.projects, project)
}

// score is the line that closes a session's summary.
func (a *activity) score(project string, now time.Time) (line string) {
	a.with(project, now, func(w *work) {
		line = fmt.Sprintf("Session activity: %d tool calls, %d saves", w.calls, w.saves)
		if w.saves == 0 && w.calls > busy {
			line += " — high activity with no saves, consider persisting important decisions"
		}
	})
	return line
}

// nudge is a reminder to append to an answer when nothing was saved for a while; else "".
func (a *activity) nudge(project string, now time.Time) string {
	var w work
	a.with(project, now, func(have *work) { w = *have })
	since := w.since
	if w.saves > 0 {
		since = w.saved
	}
	idle := now.Sub(since)
	if idle < quiet || (w.saves == 0 && w.calls <= busy) {
		return ""
	}
	return fmt.Sprintf("\n\n⚠️ No mem_save calls for this project in %d minutes. "+
		"Did you make any decisions, fix bugs, or discover something worth persisting?", int(idle.Minutes()))
}

// asking knows which session asks: the one started last in this process that has not ended. The zero value is
// ready and safe for concurrent use.
type asking struct {
	mu      sync.Mutex
	session string
	shown   bool // it had a context
}

func (a *asking) began(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session != session {
		a.session, a.shown = session, false
	}
}

func (a *asking) ended(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session == session {
		a.session, a.shown = "", false
	}
}

// now returns the asking session, "" when unknown.
func (a *asking) now() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.session
}

// context returns the session that asks for its context. again says that it had one before: its agent was
// compacted and has lost it.
func (a *asking) context() (session string, again bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	again, a.shown = a.shown, true
	return a.session, again && a.session != ""
}
