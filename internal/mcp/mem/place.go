package mem

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// reading returns the project that a reading tool looks in. A named one must exist.
func (d *dialect) reading(ctx context.Context, named string) (projects.ProjectInForce, error) {
	return d.readingAt(ctx, named, time.Time{})
}

// readingAt is reading at a past time: a named project must have existed then. The zero time is now.
func (d *dialect) readingAt(ctx context.Context, named string, past time.Time) (projects.ProjectInForce, error) {
	named = redact.Private(named)
	at, err := d.Engine.ProjectFor(ctx, projects.ProjectRequest{Explicit: named, Override: d.Project, Dir: d.Dir, AsOf: past})
	if err == nil {
		d.activity.called(at.Name, d.Engine.Now())
		return at, nil
	}
	return at, readRefusal(err, named)
}

// readRefusal is the error of a reader without a project.
func readRefusal(err error, named string) error {
	if p, ok := errors.AsType[*project.Problem](err); ok && named != "" {
		if p.Reason == project.ReasonUnknown {
			return refusal(err, fmt.Sprintf("Project %q not found in store", echo(named)))
		}
		return writeRefusal(err, projects.ProjectRequest{Explicit: named})
	}
	// Readers have always had this in plain words, without an object.
	text := "Project resolution failed: " + trouble(err)
	if p, ok := errors.AsType[*project.Problem](err); ok && p.Reason == project.ReasonAmbiguous && len(p.Available) > 0 {
		text += "; pass project with one of: " + strings.Join(p.Available, ", ")
	}
	return &tool.Failure{Text: text, Err: err}
}

// everywhere stands for a search of all projects.
func everywhere() projects.ProjectInForce {
	return projects.ProjectInForce{Source: project.SourceAll}
}

// writing returns the project that a tool writes to. The tool sets in r where to look, and whether the
// process's own project counts.
func (d *dialect) writing(ctx context.Context, r projects.ProjectRequest) (projects.ProjectInForce, error) {
	r.Write, r.Trusted = true, d.Remote
	r.Explicit, r.SessionID = redact.Private(r.Explicit), redact.Private(r.SessionID)
	if r.Dir == "" {
		r.Dir = d.Dir
	}
	at, err := d.Engine.ProjectFor(ctx, r)
	if err != nil {
		return at, writeRefusal(err, r)
	}
	d.activity.called(at.Name, d.Engine.Now())
	return at, nil
}

// ofSession directs a write to the project of its session, if it exists; otherwise the write creates the
// session.
func (d *dialect) ofSession(ctx context.Context, r projects.ProjectRequest, session string) projects.ProjectRequest {
	if session == "" {
		return r
	}
	if _, err := d.Engine.Session(ctx, session); err == nil {
		r.SessionID = session
	}
	return r
}

// refused is the dialect's error for an undecided project. Its fields are in the order of the answer's keys.
type refused struct {
	AvailableProjects []string `json:"available_projects"`
	ErrorCode         string   `json:"error_code"`
	Hint              string   `json:"hint"`
	Message           string   `json:"message"`
	RecoveryToken     string   `json:"recovery_token,omitempty"`
	TokenTTLSeconds   int      `json:"token_ttl_seconds,omitempty"`
}

// Reported implements tool.Hinted. The dialect's own hint takes precedence.
func (r refused) Reported(hint string) any {
	r.Hint = cmp.Or(r.Hint, hint)
	return r
}

// refusal returns err, which must carry a *project.Problem, with the dialect's message.
func refusal(err error, message string) *tool.Failure {
	p, _ := errors.AsType[*project.Problem](err)
	r := refused{AvailableProjects: document.OrEmpty(p.Available), ErrorCode: string(p.Reason), Message: message}
	if p.Reason == project.ReasonAmbiguous {
		// The engine's hint is to name the project, which writers may not do here.
		r.Hint = "work inside one of the repositories, or start engram mcp with --project"
	}
	return &tool.Failure{Object: r, Err: err}
}

// writeRefusal is the error of a write without a project; errors that are not about projects pass through.
func writeRefusal(err error, r projects.ProjectRequest) error {
	p, ok := errors.AsType[*project.Problem](err)
	if !ok {
		return err
	}
	text := trouble(err)
	switch p.Reason {
	case project.ReasonAmbiguous, project.ReasonConfig:
		text = "Cannot determine project: " + text
	case project.ReasonInvalid:
		text = fmt.Sprintf("Project %q is invalid: %s", echo(r.Explicit), text)
	case project.ReasonUnknown:
		text = fmt.Sprintf("Project %q is not backed by known context. Use an existing project, a matching session, "+
			"repo .engram/config.json, or ambiguous-project recovery.", echo(r.Explicit))
	case project.ReasonUnknownSession:
		text = fmt.Sprintf("Session %q was provided but does not exist", echo(r.SessionID))
	case project.ReasonSession:
		text = fmt.Sprintf("Session %q belongs to project %q, but request targeted %q", echo(r.SessionID), p.SessionProject, p.Project)
	}
	return refusal(err, text)
}

// echo shortens the echo of a name, which may be a whole text passed by mistake.
func echo(name string) string { return render.Preview(name, 200) }

// trouble says what is wrong with a folder or a name.
func trouble(err error) string {
	if p, ok := errors.AsType[*project.Problem](err); ok && p.Reason == project.ReasonAmbiguous {
		return "ambiguous project: multiple git repos found in cwd"
	}
	return tool.Reason(err)
}

// failed wraps an error of an operation in the dialect's words; those about projects and sessions keep their
// own shape, and nil stays nil.
func failed(what string, err error, r projects.ProjectRequest) error {
	if _, ok := errors.AsType[*project.Problem](err); ok {
		r.Explicit, r.SessionID = redact.Private(r.Explicit), redact.Private(r.SessionID)
		return writeRefusal(err, r)
	}
	return worded(what, err)
}

// worded puts the dialect's words before the message of an operation's error; nil stays nil.
func worded(what string, err error) error {
	if err == nil {
		return nil
	}
	return &tool.Failure{Text: what + ": " + tool.Reason(err), Err: err}
}

// invalid is an input error in the dialect's own words.
func invalid(text string) error {
	return &tool.Failure{Text: text, Err: engram.Errorf(engram.CodeInvalid, "%s", text)}
}

type currentArgs struct{}

func (d *dialect) current(ctx context.Context, by tool.Caller, _ currentArgs) (document.CurrentProject, error) {
	at, err := d.Engine.ProjectFor(ctx, projects.ProjectRequest{Override: d.Project, Dir: d.Dir})
	out := document.CurrentProject{Project: at.Name, Source: string(at.Source), Path: at.Path, Cwd: d.Dir, Available: document.OrEmpty(at.Available), Warning: at.Warning}
	if err != nil {
		out.Project, out.ErrorHint = "", trouble(err)
		if hint := by.Hint(err); hint != "" {
			out.ErrorHint += "; " + hint
		}
		if p, ok := errors.AsType[*project.Problem](err); ok && p.Available != nil {
			out.Available = p.Available
		}
	}
	return out, nil
}

type mergeArgs struct {
	From []string `json:"from" doc:"names" required:"schema"`
	To   string   `json:"to" required:"schema"`
}

type merged struct {
	To           string `json:"to"`
	Sources      int    `json:"sources"`
	Observations int    `json:"observations"`
	Sessions     int    `json:"sessions"`
	Prompts      int    `json:"prompts"`
}

// PlainText returns the dialect's table.
func (m merged) PlainText() (string, bool) {
	return fmt.Sprintf("Merged %d source(s) into %q:\n  Observations moved: %d\n  Sessions moved:     %d\n  Prompts moved:      %d\n",
		m.Sources, m.To, m.Observations, m.Sessions, m.Prompts), true
}

func (d *dialect) merge(ctx context.Context, by tool.Caller, a mergeArgs) (merged, error) {
	var from []string
	for _, name := range a.From {
		if name = strings.TrimSpace(name); name != "" {
			from = append(from, name)
		}
	}
	if len(from) == 0 || strings.TrimSpace(a.To) == "" {
		return merged{}, invalid("both 'from' and 'to' are required")
	}
	res, err := d.As(by).MergeProjects(ctx, from, a.To)
	return merged{To: res.To, Sources: res.Sources, Observations: res.Memories, Sessions: res.Sessions, Prompts: res.Prompts}, worded("Merge failed", err)
}

const (
	// userChose is the only reason for which a write may choose a project of an ambiguous folder: the agent
	// asked its user.
	userChose = "user_selected_after_ambiguous_project"
	// tokenLife is how long a recovery token is valid.
	tokenLife = 5 * time.Minute
	// maxTokens bounds the tokens kept for clients that never use them.
	maxTokens = 256
)

// recovery keeps the tokens issued with ambiguous_project errors. A token proves that a choice answers that
// error. The zero value is ready and safe for concurrent use.
type recovery struct {
	mu     sync.Mutex
	grants map[string]*grant
}

type grant struct {
	asked   question
	choice  string // the project of its first use; it allows no other
	expires time.Time
}

// question is the error that a token was issued with.
type question struct {
	session, dir, available string
}

func ask(session, dir string, available []string) question {
	return question{session: session, dir: dir, available: strings.Join(available, "\n")}
}

func (r *recovery) issue(q question, now time.Time) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.grants == nil {
		r.grants = map[string]*grant{}
	}
	for token, g := range r.grants {
		if !now.Before(g.expires) || len(r.grants) >= maxTokens {
			delete(r.grants, token)
		}
	}
	token := rand.Text()
	r.grants[token] = &grant{asked: q, expires: now.Add(tokenLife)}
	return token
}

// accept reports whether token allows choice as the answer to q, and from then on binds the token to that
// choice.
func (r *recovery) accept(token string, q question, choice string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.grants[token]
	if g == nil || !now.Before(g.expires) || g.asked != q || (g.choice != "" && g.choice != choice) {
		return false
	}
	g.choice = choice
	return true
}

// choice is what a call says about an ambiguous folder.
type choice struct {
	Session, Project, Reason, Token string
}

// chosen returns the project of a write that can recover from an ambiguous folder. r says how to decide the
// project when the user made no choice.
func (d *dialect) chosen(ctx context.Context, c choice, r projects.ProjectRequest) (projects.ProjectInForce, error) {
	if c.Reason == userChose {
		if p := d.ambiguous(ctx); p != nil {
			name, err := d.pick(c, p)
			if err != nil {
				return projects.ProjectInForce{}, err
			}
			r = projects.ProjectRequest{Chosen: name, SessionID: r.SessionID}
		}
	}
	at, err := d.writing(ctx, r)
	p, ok := errors.AsType[*project.Problem](err)
	switch {
	case ok && p.Reason == project.ReasonAmbiguous:
		return at, d.withToken(err, c.Session, p)
	case ok && p.Reason == project.ReasonUnknown:
		// It may be one of the choices, but without the user's decision.
		if choices := d.ambiguous(ctx); choices != nil && choiceAt(choices, strings.TrimSpace(redact.Private(c.Project))) >= 0 {
			return at, d.withToken(err, c.Session, choices)
		}
	}
	return at, err
}

// ambiguous returns the problem of the working folder if it holds several projects.
func (d *dialect) ambiguous(ctx context.Context) *project.Problem {
	_, err := d.Engine.ProjectFor(ctx, projects.ProjectRequest{Dir: d.Dir, Write: true})
	p, ok := errors.AsType[*project.Problem](err)
	if !ok || p.Reason != project.ReasonAmbiguous {
		return nil
	}
	return p
}

// choiceAt returns the index of a project among the choices of an ambiguous folder; -1 for none.
func choiceAt(p *project.Problem, want string) int {
	return slices.IndexFunc(p.Available, func(name string) bool { return strings.EqualFold(name, want) })
}

// pick returns the name of the chosen project, if the choice is valid.
func (d *dialect) pick(c choice, p *project.Problem) (string, error) {
	want := strings.TrimSpace(redact.Private(c.Project))
	at := choiceAt(p, want)
	switch {
	case want == "":
		return "", choiceRefusal(project.ReasonChoice, p, "Project choice is empty; choose one of available_projects")
	case at < 0:
		return "", choiceRefusal(project.ReasonChoice, p, fmt.Sprintf("Project choice %q is not one of available_projects", echo(want)))
	case c.Token == "":
		return "", choiceRefusal(project.ReasonMissingToken, p, fmt.Sprintf(
			"project_choice_reason=%s for %q requires the recovery_token from the ambiguous_project error", userChose, want))
	}
	name := p.Available[at]
	if !d.recovery.accept(c.Token, ask(c.Session, d.Dir, p.Available), name, d.Engine.Now()) {
		return "", choiceRefusal(project.ReasonToken, p, fmt.Sprintf(
			"recovery_token is invalid, stale, or not valid for selected project %q", want))
	}
	return name, nil
}

func choiceRefusal(why project.Reason, p *project.Problem, message string) error {
	err := engram.Errorf(engram.CodeInvalid, "%s", message).
		WithHint("call again without project and reason for a fresh recovery_token, ask the user, then send their choice with it").
		WithCause(&project.Problem{Reason: why, Available: p.Available})
	return refusal(err, message)
}

// withToken adds a recovery token to an ambiguous_project refusal.
func (d *dialect) withToken(err error, session string, p *project.Problem) error {
	f, ok := errors.AsType[*tool.Failure](err)
	if !ok {
		return err
	}
	r, _ := f.Object.(refused) // as every refusal has
	r.AvailableProjects = p.Available
	r.RecoveryToken = d.recovery.issue(ask(session, d.Dir, p.Available), d.Engine.Now())
	r.TokenTTLSeconds = int(tokenLife.Seconds())
	r.Hint = "ask the user which of available_projects it is, then call again with project, project_choice_reason=" + userChose +
		" and this recovery_token"
	return &tool.Failure{Object: r, Err: f.Err}
}
