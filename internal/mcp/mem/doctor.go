package mem

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
)

type doctorArgs struct {
	Project string `json:"project"`
	Check   string `json:"check" doc:"this check_id alone"`
}

// doctor answers with a report also where that is bad: it is what was asked for. Only
// one with an error is told as a failure, so that nobody takes it for good news.
func (d *dialect) doctor(ctx context.Context, by tool.Caller, a doctorArgs) (document.Report, error) {
	in := engine.DoctorInput{Check: a.Check, Project: engine.ProjectRequest{Explicit: a.Project, Override: d.project, Dir: d.dir}}
	r, err := d.as(by).Doctor(ctx, in)
	if err != nil {
		return document.Report{}, unread(err, redact.Private(a.Project))
	}
	doc := document.ReportOf(r)
	if r.Status == health.Failed {
		return doc, &tool.Failure{Object: doc, Err: engram.Errorf(engram.CodeInternal, "the store is not well")}
	}
	return doc, nil
}
