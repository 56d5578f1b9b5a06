package httpapi

import (
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// sleepBody asks for a sleep.
type sleepBody struct {
	Project string                 `json:"project" doc:"empty is every project"`
	DryRun  bool                   `json:"dry_run" default:"false" doc:"change nothing, and say what would be"`
	Only    []lifecycle.StepAction `json:"only" doc:"steps: fade, boost, merge, prune, extract; none is all; a prune has none"`
	Below   *float64               `json:"below" min:"0" max:"1" doc:"forget what is weaker; above 0"`
}

// sleep consolidates memories, or says what that would be.
func (a *API) sleep(q request, b sleepBody) (reply, error) {
	return a.slept(q, b, b.Only)
}

// prune forgets what is too weak, or says what that is.
func (a *API) prune(q request, b sleepBody) (reply, error) {
	if len(b.Only) > 0 {
		return reply{}, invalid("a prune has no only").WithHint("POST /sleep has")
	}
	return a.slept(q, b, []lifecycle.StepAction{lifecycle.StepPrune})
}

func (a *API) slept(q request, b sleepBody, only []lifecycle.StepAction) (reply, error) {
	in := engine.SleepInput{Project: b.Project, DryRun: b.DryRun}
	if len(only) > 0 {
		in.Only = only
	}
	if b.Below != nil {
		if *b.Below == 0 { // the engine takes 0 for its default
			return reply{}, invalid("below 0 forgets nothing").WithHint("a strength above 0, such as 0.1")
		}
		in.Below = *b.Below
	}
	if err := a.known(q, in.Project); err != nil {
		return reply{}, err
	}
	res, err := a.Engine.Sleep(q.Context(), in)
	if err != nil {
		return reply{}, err
	}
	return reply{body: document.SleepOf(res, in.DryRun)}, nil
}

// diagnostics are memories that deserve a look.
func (a *API) diagnostics(q request) (reply, error) {
	in := engine.DiagnosticsInput{Project: q.query.Get("project")}
	var err error
	if in.Limit, err = q.number("limit"); err != nil {
		return reply{}, err
	}
	if err := a.known(q, in.Project); err != nil {
		return reply{}, err
	}
	d, err := a.Engine.Diagnose(q.Context(), in)
	if err != nil {
		return reply{}, err
	}
	return reply{body: document.DiagnosticsOf(d)}, nil
}
