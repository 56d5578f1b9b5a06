package mem

import (
	"context"
	"strings"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type sleepArgs struct {
	DryRun  bool     `json:"dry_run" doc:"only tell the plan"`
	Only    []string `json:"only" doc:"of fade, boost, merge, prune, extract; default: all"`
	Below   float64  `json:"below" doc:"forget what is weaker; default 0.05" min:"0" max:"1"`
	Project string   `json:"project" doc:"default: this folder's"`
}

type slept struct {
	envelope
	DryRun   bool     `json:"dry_run"`
	Steps    int      `json:"steps"`   // of the plan
	Applied  int      `json:"applied"` // of them, those that were taken
	Made     []int64  `json:"made,omitempty"`
	Ops      []int64  `json:"ops,omitempty"`
	Degraded []string `json:"degraded,omitempty"`
}

func (d *dialect) sleep(ctx context.Context, by tool.Caller, a sleepArgs) (slept, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return slept{}, err
	}
	in := engine.SleepInput{Project: at.Name, DryRun: a.DryRun, Below: a.Below, Progress: by.Progress}
	for _, word := range strings.Fields(strings.ToLower(strings.Join(a.Only, " "))) {
		in.Only = append(in.Only, lifecycle.StepAction(word))
	}
	res, err := d.as(by).Sleep(ctx, in)
	if err != nil {
		return slept{}, err
	}
	return slept{enveloped(at, render.Slept(res, a.DryRun)), a.DryRun, len(res.Plan), res.Applied, res.Made, res.Ops, res.Degraded}, nil
}
