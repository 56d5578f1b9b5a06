package mem

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type reviewArgs struct {
	Action  string `json:"action" enum:"list,mark_reviewed,snooze,refuse" schema:"only" required:"schema"`
	Project string `json:"project"`
	Kind    string `json:"kind" enum:"changed,due,suspect,waiting,proposal" schema:"only"` // of a list; "" is changed and due
	// Defaults and ranges are here and not in the schema, which costs every agent tokens.
	Limit int     `json:"limit"` // 10, at most 100
	ID    tool.ID `json:"observation_id"`
	Alias tool.ID `json:"id" schema:"-"`          // the same
	Days  *int    `json:"days" doc:"of a snooze"` // 30
}

// reviewed is the answer of every action: Observations of list, the rest of the others.
type reviewed struct {
	envelope
	Observations []dueResult `json:"observations,omitempty" schema:"-"`
	ID           int64       `json:"id,omitempty" schema:"-"`
	SyncID       string      `json:"sync_id,omitempty" schema:"-"`
	State        string      `json:"state,omitempty" schema:"-"`
	ReviewAfter  string      `json:"review_after,omitempty" schema:"-"`
}

type dueResult struct {
	ID          int64    `json:"id"`
	SyncID      string   `json:"sync_id"`
	Title       string   `json:"title"`
	Type        string   `json:"type"`
	State       string   `json:"state"`
	Project     string   `json:"project,omitempty"`
	ReviewAfter string   `json:"review_after,omitempty"`
	Reasons     []string `json:"reasons,omitempty"` // say what happened to each file of a memory whose code changed
}

func (d *dialect) review(ctx context.Context, by tool.Caller, a reviewArgs) (reviewed, error) {
	a.ID = cmp.Or(a.ID, a.Alias)
	switch action := strings.ToLower(strings.TrimSpace(a.Action)); action {
	case "list":
		return d.reviewList(ctx, by, a)
	case "mark_reviewed", "snooze", "refuse":
		if a.ID == 0 {
			return reviewed{}, invalid("observation_id is required for " + action)
		}
		if action == "refuse" {
			return d.reviewRefuse(ctx, by, a)
		}
		if action == "snooze" && a.Days != nil && *a.Days < 1 {
			return reviewed{}, invalid("days must be 1 or more")
		}
		return d.reviewOne(ctx, by, a, action == "snooze")
	}
	return reviewed{}, invalid("action must be one of: list, mark_reviewed, snooze, refuse; a person approves with engram review approve")
}

// reviewList lists the memories to check: those whose code changed, and those that are due; of every project
// unless one is named.
func (d *dialect) reviewList(ctx context.Context, by tool.Caller, a reviewArgs) (reviewed, error) {
	at := everywhere()
	if a.Project != "" {
		var err error
		if at, err = d.reading(ctx, a.Project); err != nil {
			return reviewed{}, err
		}
	}
	limit := 10
	if a.Limit > 0 {
		limit = min(a.Limit, 100)
	}
	kind := strings.ToLower(strings.TrimSpace(a.Kind))
	if kind != "" && kind != string(engram.QueueDue) && kind != string(engram.QueueChanged) {
		return d.reviewKind(ctx, by, at, kind, limit)
	}
	kinds := []engram.QueueKind{engram.QueueChanged, engram.QueueDue}
	if kind != "" {
		kinds = []engram.QueueKind{engram.QueueKind(kind)}
	}
	q, err := d.queue(ctx, by, at.Name, kinds, limit)
	if err != nil {
		return reviewed{}, err
	}
	others, err := d.pendingElse(ctx, by, at.Name)
	if err != nil {
		return reviewed{}, err
	}
	if len(q.Items) == 0 {
		return reviewed{envelope: enveloped(at, "No memories need review."+others)}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Memories that need review (%d):", q.Counts[engram.QueueChanged]+q.Counts[engram.QueueDue])
	var rows []dueResult
	for _, i := range q.Items {
		m, reasons := i.Memory, i.Reasons
		why := render.Line(strings.Join(reasons, "; "), 200)
		if i.Kind == engram.QueueDue {
			reasons, why = nil, "due since "+render.Time(m.ReviewAfter, d.text)
		}
		fmt.Fprintf(&b, "\n#%d [%s] %s | %s | project: %s", m.Num, render.Line(string(m.Type), 0), render.Line(m.Title, 0), why, render.Line(m.Project, 0))
		rows = append(rows, dueResult{m.Num, m.SyncID, m.Title, string(m.Type), string(i.State), m.Project, timestamp(m.ReviewAfter), reasons})
	}
	b.WriteString("\nCheck each: mark_reviewed what holds, mem_update what changed, snooze or refuse the rest.")
	return reviewed{envelope: enveloped(at, b.String()+others), Observations: rows}, nil
}

func (d *dialect) queue(ctx context.Context, by tool.Caller, project string, kinds []engram.QueueKind, limit int) (review.Queue, error) {
	q, err := d.As(by).Queue(ctx, review.QueueInput{Project: project, Kinds: kinds, Page: engram.Page{Limit: limit}})
	return q, worded("Failed to list reviews", err)
}

func (d *dialect) reviewOne(ctx context.Context, by tool.Caller, a reviewArgs, snooze bool) (reviewed, error) {
	ref := engram.ByNum(int64(a.ID))
	res, err, what, doing := review.ReviewResult{}, error(nil), "mark reviewed", "marked reviewed"
	if snooze {
		days := 30
		if a.Days != nil {
			days = *a.Days
		}
		what, doing = "snooze", "snoozed"
		res, err = d.As(by).Snooze(ctx, ref, d.Engine.Now().AddDate(0, 0, days))
	} else {
		res, err = d.As(by).Reviewed(ctx, ref)
	}
	if err != nil {
		return reviewed{}, worded("Failed to "+what, err)
	}
	m := res.Memory
	text := fmt.Sprintf("Memory %s: #%d %q (%s)", doing, m.Num, m.Title, m.Type)
	done := res.Decided()
	if anew := strings.TrimSuffix(render.AnchorChanges(done.Anchored, done.Released), "\n"); anew != "" {
		text += "\n" + anew
	}
	for _, why := range res.Degraded {
		text += "\n" + why
	}
	return reviewed{envelope: d.here(ctx, text).envelope, ID: m.Num, SyncID: m.SyncID, State: string(d.Engine.StateOf(m)), ReviewAfter: timestamp(m.ReviewAfter)}, nil
}

// reviewKind lists the items pending for a person by title only: an agent that asks for them should not read
// instruction-like text. No tool approves; only a person may.
func (d *dialect) reviewKind(ctx context.Context, by tool.Caller, at projects.ProjectInForce, kind string, limit int) (reviewed, error) {
	kinds, err := engram.ParseQueueKinds([]string{tool.Clip(kind)})
	if err != nil {
		return reviewed{}, worded("Failed to list reviews", err)
	}
	q, err := d.queue(ctx, by, at.Name, kinds, limit)
	if err != nil {
		return reviewed{}, err
	}
	if len(q.Items) == 0 {
		return reviewed{envelope: enveloped(at, "Nothing of that kind is pending.")}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d are pending for a person, who decides with engram review (%s):", q.Counts[kinds[0]], kind)
	var rows []dueResult
	for _, i := range q.Items {
		m := i.Memory
		name, typ, project, title := i.Name(), string(m.Type), m.Project, m.Title
		if i.Pending != nil {
			doc := document.PendingOf(*i.Pending)
			typ, project, title = doc.Kind, doc.Project, doc.Title
			if doc.Source != "" {
				project += " | from: " + doc.Source + " " + doc.Place + ", " + render.Time(time.Time(doc.At), d.text)
			}
		} else {
			name = "#" + name
			rows = append(rows, dueResult{m.Num, m.SyncID, m.Title, typ, string(i.State), m.Project, timestamp(m.ReviewAfter), nil})
		}
		fmt.Fprintf(&b, "\n%s [%s] %s | project: %s", name, render.Line(typ, 0), render.QuoteLine(render.Preview(title, 100)), render.Line(project, 0))
	}
	return reviewed{envelope: enveloped(at, b.String()), Observations: rows}, nil
}

// pendingElse counts the pending items of the other kinds in a line; "" for none.
func (d *dialect) pendingElse(ctx context.Context, by tool.Caller, project string) (string, error) {
	kinds := slices.DeleteFunc(engram.QueueKinds(), func(k engram.QueueKind) bool { return k == engram.QueueDue || k == engram.QueueChanged })
	q, err := d.queue(ctx, by, project, kinds, 1)
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
	return "\nAlso pending for a person: " + strings.Join(waits, ", ") + ". List them by kind.", nil
}

func (d *dialect) reviewRefuse(ctx context.Context, by tool.Caller, a reviewArgs) (reviewed, error) {
	res, err := d.As(by).Refuse(ctx, engram.ByNum(int64(a.ID)))
	if err != nil {
		return reviewed{}, worded("Failed to refuse", err)
	}
	m := res.Memory
	text := fmt.Sprintf("Memory refused: #%d is forgotten; mem_undo of op %d brings it back", m.Num, res.Op)
	return reviewed{envelope: d.here(ctx, text).envelope, ID: m.Num, SyncID: m.SyncID}, nil
}
