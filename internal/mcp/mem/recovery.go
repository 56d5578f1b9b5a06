package mem

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

const (
	// userChose is the only reason for which a write may pick a project of an
	// ambiguous folder: the agent asked its user.
	userChose = "user_selected_after_ambiguous_project"
	// tokenLife is how long a recovery token is good for.
	tokenLife = 5 * time.Minute
	// maxTokens bounds what a client that never recovers can make the process keep.
	maxTokens = 256
)

// recovery keeps the tokens that were given out with ambiguous_project errors. A
// token shows that the choice answers that very error, so that an agent cannot pick
// a project on its own. The zero value is ready; it may be used concurrently.
type recovery struct {
	mu     sync.Mutex
	grants map[string]*grant
}

// grant is what one token is good for.
type grant struct {
	asked   question
	choice  string // the project it was first used for; it is good for no other
	expires time.Time
}

// question is the error that a token was given out with.
type question struct {
	session, dir, available string
}

func ask(session, dir string, available []string) question {
	return question{session: session, dir: dir, available: strings.Join(available, "\n")}
}

// issue makes a token for q.
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

// accept reports whether token allows choice as the answer to q, and from then on
// binds the token to that choice.
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

// chosen decides the project of a write that can recover from an ambiguous folder. r
// is how the project is decided when nobody chose.
func (d *dialect) chosen(ctx context.Context, c choice, r engine.ProjectRequest) (engine.ProjectInForce, error) {
	if c.Reason == userChose {
		if p := d.ambiguous(ctx); p != nil {
			name, err := d.pick(c, p)
			if err != nil {
				return engine.ProjectInForce{}, err
			}
			r = engine.ProjectRequest{Chosen: name, SessionID: r.SessionID}
		}
	}
	at, err := d.writing(ctx, r)
	p, ok := errors.AsType[*project.Problem](err)
	switch {
	case ok && p.Reason == project.ReasonAmbiguous:
		return at, d.withToken(err, c.Session, p)
	case ok && p.Reason == project.ReasonUnknown:
		// It may be one of the choices, without the user's word for it.
		if choices := d.ambiguous(ctx); choices != nil && isChoice(choices, c.Project) {
			return at, d.withToken(err, c.Session, choices)
		}
	}
	return at, err
}

// ambiguous returns the problem of the working folder if it holds several projects.
func (d *dialect) ambiguous(ctx context.Context) *project.Problem {
	_, err := d.engine.ProjectFor(ctx, engine.ProjectRequest{Dir: d.dir, Write: true})
	p, ok := errors.AsType[*project.Problem](err)
	if !ok || p.Reason != project.ReasonAmbiguous {
		return nil
	}
	return p
}

// choiceAt is the place of a project among the choices of an ambiguous folder; -1 for none.
func choiceAt(p *project.Problem, want string) int {
	return slices.IndexFunc(p.Available, func(name string) bool { return strings.EqualFold(name, want) })
}

func isChoice(p *project.Problem, want string) bool {
	return choiceAt(p, strings.TrimSpace(redact.Private(want))) >= 0
}

// pick returns the name of the project that was chosen, if the choice is good.
func (d *dialect) pick(c choice, p *project.Problem) (string, error) {
	want := strings.TrimSpace(redact.Private(c.Project))
	at := choiceAt(p, want)
	switch {
	case want == "":
		return "", unchosen(project.ReasonChoice, p, "Project choice is empty; choose one of available_projects")
	case at < 0:
		return "", unchosen(project.ReasonChoice, p, fmt.Sprintf("Project choice %q is not one of available_projects", brief(want)))
	case c.Token == "":
		return "", unchosen(project.ReasonMissingToken, p, fmt.Sprintf(
			"project_choice_reason=%s for %q requires the recovery_token from the ambiguous_project error", userChose, want))
	}
	name := p.Available[at]
	if !d.recovery.accept(c.Token, ask(c.Session, d.dir, p.Available), name, d.engine.Now()) {
		return "", unchosen(project.ReasonToken, p, fmt.Sprintf(
			"recovery_token is invalid, stale, or not valid for selected project %q", want))
	}
	return name, nil
}

// unchosen is the refusal of a choice.
func unchosen(why project.Reason, p *project.Problem, message string) error {
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
	r, ok := f.Object.(refused)
	if !ok {
		return err
	}
	r.AvailableProjects = p.Available
	r.RecoveryToken = d.recovery.issue(ask(session, d.dir, p.Available), d.engine.Now())
	r.TokenTTLSeconds = int(tokenLife.Seconds())
	r.Hint = "ask the user which of available_projects it is, then call again with project, project_choice_reason=" + userChose +
		" and this recovery_token"
	return &tool.Failure{Object: r, Err: f.Err}
}
