package mem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// reading decides the project that a reading tool looks in. A project that is named
// must exist.
func (d *dialect) reading(ctx context.Context, named string) (engine.ProjectInForce, error) {
	return d.readingAt(ctx, named, time.Time{})
}

// readingAt is reading of a tool that tells of a time past: a project that is named must
// have existed then. The zero time is now.
func (d *dialect) readingAt(ctx context.Context, named string, past time.Time) (engine.ProjectInForce, error) {
	named = redact.Private(named)
	at, err := d.engine.ProjectFor(ctx, engine.ProjectRequest{Explicit: named, Override: d.project, Dir: d.dir, AsOf: past})
	if err == nil {
		d.activity.called(at.Name, d.engine.Now())
		return at, nil
	}
	return at, unread(err, named)
}

// unread tells why a reader has no project.
func unread(err error, named string) error {
	if p, ok := errors.AsType[*project.Problem](err); ok && named != "" {
		if p.Reason == project.ReasonUnknown {
			return refusal(err, fmt.Sprintf("Project %q not found in store", brief(named)))
		}
		return unplaced(err, engine.ProjectRequest{Explicit: named})
	}
	// Readers have always been told this in plain words, without an envelope.
	text := "Project resolution failed: " + trouble(err)
	if p, ok := errors.AsType[*project.Problem](err); ok && p.Reason == project.ReasonAmbiguous && len(p.Available) > 0 {
		text += "; pass project with one of: " + strings.Join(p.Available, ", ")
	}
	return &tool.Failure{Text: text, Err: err}
}

// everywhere is the place of a search over all projects.
func everywhere() engine.ProjectInForce {
	return engine.ProjectInForce{Source: project.SourceAll}
}

// writing decides the project that a writing tool writes to. Where to look, and
// whether the process's own project counts, is the tool's choice in r.
func (d *dialect) writing(ctx context.Context, r engine.ProjectRequest) (engine.ProjectInForce, error) {
	r.Write, r.Trusted = true, d.remote
	r.Explicit, r.SessionID = redact.Private(r.Explicit), redact.Private(r.SessionID)
	if r.Dir == "" {
		r.Dir = d.dir
	}
	at, err := d.engine.ProjectFor(ctx, r)
	if err != nil {
		return at, unplaced(err, r)
	}
	d.activity.called(at.Name, d.engine.Now())
	return at, nil
}

// ofSession makes a write go to the project of its session, where that is known. A
// session that is not, is made by the write.
func (d *dialect) ofSession(ctx context.Context, r engine.ProjectRequest, session string) engine.ProjectRequest {
	if session == "" {
		return r
	}
	if _, err := d.engine.Session(ctx, session); err == nil {
		r.SessionID = session
	}
	return r
}

// refused is how the dialect says that no project could be decided. Its fields stand
// in the order of the answer's keys.
type refused struct {
	AvailableProjects []string `json:"available_projects"`
	ErrorCode         string   `json:"error_code"`
	Hint              string   `json:"hint"`
	Message           string   `json:"message"`
	RecoveryToken     string   `json:"recovery_token,omitempty"`
	TokenTTLSeconds   int      `json:"token_ttl_seconds,omitempty"`
}

// Told implements tool.Hinted. A hint that the dialect has of its own stays.
func (r refused) Told(hint string) any {
	r.Hint = cmp.Or(r.Hint, hint)
	return r
}

// refusal tells err, which must carry a *project.Problem, with the dialect's message.
func refusal(err error, message string) *tool.Failure {
	p, _ := errors.AsType[*project.Problem](err)
	r := refused{AvailableProjects: []string{}, ErrorCode: string(p.Reason), Message: message}
	if p.Available != nil {
		r.AvailableProjects = p.Available
	}
	if p.Reason == project.ReasonAmbiguous {
		// The engine's hint is to name the project, which writers may not do here.
		r.Hint = "work inside one of the repositories, or start engram mcp with --project"
	}
	return &tool.Failure{Object: r, Err: err}
}

// unplaced tells why a write has no project; errors that are not about projects pass
// through.
func unplaced(err error, r engine.ProjectRequest) error {
	p, ok := errors.AsType[*project.Problem](err)
	if !ok {
		return err
	}
	return refusal(err, refusalText(p, r, err))
}

// refusalText is what the dialect says for each kind of problem of a write.
func refusalText(p *project.Problem, r engine.ProjectRequest, err error) string {
	switch p.Reason {
	case project.ReasonAmbiguous, project.ReasonConfig:
		return "Cannot determine project: " + trouble(err)
	case project.ReasonInvalid:
		return fmt.Sprintf("Project %q is invalid: %s", brief(r.Explicit), trouble(err))
	case project.ReasonUnknown:
		return fmt.Sprintf("Project %q is not backed by known context. Use an existing project, a matching session, "+
			"repo .engram/config.json, or ambiguous-project recovery.", brief(r.Explicit))
	case project.ReasonUnknownSession:
		return fmt.Sprintf("Session %q was provided but does not exist", brief(r.SessionID))
	case project.ReasonSession:
		return fmt.Sprintf("Session %q belongs to project %q, but request targeted %q", brief(r.SessionID), p.SessionProject, p.Project)
	}
	return trouble(err)
}

// brief keeps the echo of a name short, for it may be a whole text in the wrong place.
func brief(name string) string { return render.Preview(name, 200) }

// trouble says what is wrong with a folder or a name.
func trouble(err error) string {
	if p, ok := errors.AsType[*project.Problem](err); ok && p.Reason == project.ReasonAmbiguous {
		return "ambiguous project: multiple git repos found in cwd"
	}
	return reason(err)
}

// reason is an error's own message, without causes that are for the log.
func reason(err error) string {
	if e, ok := errors.AsType[*engram.Error](err); ok {
		return e.Msg
	}
	return "internal error"
}

// failed wraps an error of a verb in the dialect's words; those about projects and
// sessions keep the shape of their own.
func failed(what string, err error, r engine.ProjectRequest) error {
	if _, ok := errors.AsType[*project.Problem](err); ok {
		r.Explicit, r.SessionID = redact.Private(r.Explicit), redact.Private(r.SessionID)
		return unplaced(err, r)
	}
	return &tool.Failure{Text: what + ": " + reason(err), Err: err}
}

// invalid is bad input that the dialect has words of its own for.
func invalid(text string) error {
	return &tool.Failure{Text: text, Err: engram.Errorf(engram.CodeInvalid, "%s", text)}
}
