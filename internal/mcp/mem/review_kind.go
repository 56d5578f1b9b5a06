package mem

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

// reviewKind tells what waits for a person, by title alone: what reads like an order is not
// put before an agent because it asked what waits. No tool approves: that is a person's to do.
func (d *dialect) reviewKind(ctx context.Context, by tool.Caller, at engine.ProjectInForce, kind string, limit int) (reviewed, error) {
	kinds, err := engram.ParseQueueKinds([]string{tool.Clip(kind)})
	if err != nil {
		return reviewed{}, &tool.Failure{Text: "Failed to list reviews: " + reason(err), Err: err}
	}
	q, err := d.as(by).Queue(ctx, engine.QueueInput{Project: at.Name, Kinds: kinds, Page: engram.Page{Limit: limit}})
	if err != nil {
		return reviewed{}, &tool.Failure{Text: "Failed to list reviews: " + reason(err), Err: err}
	}
	if len(q.Items) == 0 {
		return reviewed{envelope: enveloped(at, "Nothing waits for that.")}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d wait for a person, who decides with engram review (%s):", q.Counts[kinds[0]], kind)
	var rows []dueResult
	for _, i := range q.Items {
		m := i.Memory
		typ, project, title := string(m.Type), m.Project, m.Title
		if i.Waiting != nil {
			doc := document.WaitingOf(*i.Waiting)
			typ, project, title = doc.Kind, doc.Project, doc.Title
			if doc.Source != "" {
				project += " | from: " + doc.Source + " " + doc.Place + ", " + render.Time(time.Time(doc.At), d.text)
			}
		} else {
			rows = append(rows, dueResult{m.Num, m.SyncID, m.Title, typ, string(i.State), m.Project, stamp(m.ReviewAfter), nil})
		}
		fmt.Fprintf(&b, "\n%s [%s] %s | project: %s", nameOf(i), render.Line(typ, 0), render.QuoteLine(render.Preview(title, 100)), render.Line(project, 0))
	}
	return reviewed{envelope: enveloped(at, b.String()), Observations: rows}, nil
}

// waitingElse says, below what is due, how much waits for another reason; "" for nothing.
func (d *dialect) waitingElse(ctx context.Context, by tool.Caller, project string) (string, error) {
	kinds := slices.DeleteFunc(engram.QueueKinds(), func(k engram.QueueKind) bool { return k == engram.QueueDue || k == engram.QueueChanged })
	q, err := d.as(by).Queue(ctx, engine.QueueInput{Project: project, Kinds: kinds, Page: engram.Page{Limit: 1}})
	if err != nil {
		return "", err
	}
	var waits []string
	for _, k := range kinds {
		if n := q.Counts[k]; n > 0 {
			waits = append(waits, fmt.Sprintf("%d %s", n, k))
		}
	}
	if len(waits) == 0 {
		return "", nil
	}
	return "\nFor a person there is more to review: " + strings.Join(waits, ", ") + ". A list with one of these words as kind has them.", nil
}

// nameOf is how a list calls what waits: #12, or w3 of what is no memory yet.
func nameOf(i engram.QueueItem) string {
	if i.Waiting != nil {
		return i.Name()
	}
	return "#" + i.Name()
}

// reviewRefuse forgets a memory.
func (d *dialect) reviewRefuse(ctx context.Context, by tool.Caller, a reviewArgs) (reviewed, error) {
	res, err := d.as(by).Refuse(ctx, engram.ByNum(int64(a.ID)))
	if err != nil {
		return reviewed{}, &tool.Failure{Text: "Failed to refuse: " + reason(err), Err: err}
	}
	m := res.Memory
	text := fmt.Sprintf("Memory refused: #%d is forgotten; mem_undo of op %d brings it back", m.Num, res.Op)
	return reviewed{envelope: d.here(ctx, text).envelope, ID: m.Num, SyncID: m.SyncID}, nil
}
