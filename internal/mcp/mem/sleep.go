package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

type sleepArgs struct {
	DryRun  bool     `json:"dry_run" doc:"only report the plan"`
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
	in := consolidate.SleepInput{Project: at.Name, DryRun: a.DryRun, Below: a.Below, Progress: by.Progress}
	for _, word := range strings.Fields(strings.ToLower(strings.Join(a.Only, " "))) {
		in.Only = append(in.Only, lifecycle.StepAction(word))
	}
	res, err := d.As(by).Sleep(ctx, in)
	return slept{enveloped(at, render.Slept(res, a.DryRun)), a.DryRun, len(res.Plan), res.Applied, res.Made, res.Ops, res.Degraded}, err
}

type decayArgs struct {
	ID      tool.ID `json:"observation_id" doc:"only this one"`
	Project string  `json:"project" doc:"default: this folder's"`
	Limit   int     `json:"limit" default:"10" min:"1" max:"100" lax:"true"`
	Below   float64 `json:"below" doc:"only weaker memories" min:"0" max:"1"`
	Days    int     `json:"days" doc:"how far ahead" default:"30" min:"1" max:"3650"`
}

func (d *dialect) decay(ctx context.Context, by tool.Caller, a decayArgs) (message, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return message{}, err
	}
	in := consolidate.DecayInput{Filter: engram.Filter{Project: at.Name}, Limit: a.Limit, Days: a.Days, Below: a.Below}
	if a.ID != 0 {
		in.Refs = []engram.Ref{engram.ByNum(int64(a.ID))}
	}
	out, err := d.As(by).Decay(ctx, in)
	if err != nil {
		return message{}, worded("Failed to read strengths", err)
	}
	if len(out.Memories) == 0 {
		nothing, err := d.nothing(ctx, by, at.Name, false)
		return message{envelope: enveloped(at, nothing)}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Strength now, and in %d days, the weakest first (%d of %d):", out.Days, len(out.Memories), out.Total)
	for _, f := range out.Memories {
		fmt.Fprintf(&b, "\n%.2f → %.2f  #%d [%s] %s | %s", f.Now, f.Later, f.Memory.Num, render.Line(string(f.Memory.Type), 0), render.Line(f.Memory.Title, 0), f.Reason)
	}
	return message{envelope: enveloped(at, b.String())}, nil
}

type diagnosticsArgs struct {
	Project string `json:"project" doc:"default: this folder's"`
	Limit   int    `json:"limit" doc:"of each list" default:"10" min:"1" max:"100" lax:"true"`
}

func (d *dialect) diagnostics(ctx context.Context, by tool.Caller, a diagnosticsArgs) (message, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return message{}, err
	}
	out, err := d.As(by).Diagnose(ctx, consolidate.DiagnosticsInput{Project: at.Name, Limit: a.Limit, Progress: by.Progress})
	return message{envelope: enveloped(at, render.Diagnosed(out))}, err
}

type doctorArgs struct {
	Project string `json:"project"`
	Check   string `json:"check" doc:"this check_id alone"`
}

// doctor answers with a report, good or bad. Only one with an error is a failure, so that it cannot pass as
// good news.
func (d *dialect) doctor(ctx context.Context, by tool.Caller, a doctorArgs) (document.Report, error) {
	in := consolidate.DoctorInput{Check: a.Check, Project: projects.ProjectRequest{Explicit: a.Project, Override: d.Project, Dir: d.Dir}}
	r, err := d.As(by).Doctor(ctx, in)
	if err != nil {
		return document.Report{}, readRefusal(err, redact.Private(a.Project))
	}
	doc := document.ReportOf(r)
	if r.Status == health.Failed {
		return doc, &tool.Failure{Object: doc, Err: engram.Errorf(engram.CodeInternal, "the store has errors")}
	}
	return doc, nil
}

type statsArgs struct {
	Project string `json:"project" doc:"only echoed; counts are of everything"`
}

func (d *dialect) stats(ctx context.Context, by tool.Caller, a statsArgs) (message, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return message{}, err
	}
	s, err := d.As(by).Stats(ctx, "")
	if err != nil {
		return message{}, err
	}
	text := fmt.Sprintf("Memory System Stats:\n- Sessions: %d\n- Observations: %d\n- Prompts: %d\n- Projects: %s",
		s.Sessions, s.Memories, s.Prompts, projectList(s))
	e, err := d.As(by).Embedded(ctx)
	if err != nil {
		return message{}, err
	}
	if !e.Complete() {
		text += "\n- Vectors: " + document.VectorsOf(e).Line()
	}
	if s.Memories == 0 {
		nothing, err := d.nothing(ctx, by, "", false)
		if err != nil {
			return message{}, err
		}
		text += "\n" + nothing
	}
	return message{envelope: enveloped(at, text)}, nil
}
