package mem

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type conflictsArgs struct {
	Action  string `json:"action" enum:"list,stats,scan,ignore" default:"list"`
	Project string `json:"project" doc:"default: this folder's"`
	Status  string `json:"status" doc:"of list: pending, judged, ignored, orphaned or all" default:"pending"`
	Limit   int    `json:"limit" default:"20" min:"1" max:"100" lax:"true"`
	Apply   bool   `json:"apply" doc:"of scan: keep what is found"`
	ID      string `json:"judgment_id" doc:"of ignore"`
	Reason  string `json:"reason" doc:"of ignore"`
}

type conflictsAnswer struct {
	envelope
	Total     int           `json:"total"`
	Conflicts []conflictRow `json:"conflicts,omitempty"`
}

type conflictRow struct {
	ID     string `json:"judgment_id"`
	Verb   string `json:"relation"`
	Status string `json:"judgment_status"`
	Source int64  `json:"source_id"`
	Target int64  `json:"target_id"`
}

func (d *dialect) conflicts(ctx context.Context, by tool.Caller, a conflictsArgs) (conflictsAnswer, error) {
	at, err := d.reading(ctx, a.Project)
	if err != nil {
		return conflictsAnswer{}, err
	}
	e := d.as(by)
	switch a.Action {
	case "stats":
		return countedConflicts(ctx, e, at)
	case "scan":
		found, err := e.Scan(ctx, engine.ScanInput{Project: at.Name, Apply: a.Apply, Progress: by.Progress})
		if err != nil {
			return conflictsAnswer{}, err
		}
		text := fmt.Sprintf("Looked at %d memories: %d may contradict each other, %d of them known, %d kept for a verdict.",
			found.Inspected, found.Found, found.AlreadyRelated, found.Inserted)
		return conflictsAnswer{envelope: enveloped(at, text), Total: found.Found}, nil
	case "ignore":
		if strings.TrimSpace(a.ID) == "" {
			return conflictsAnswer{}, invalid("judgment_id is required for ignore")
		}
		c, err := e.Ignore(ctx, engram.RelationRef{ID: a.ID}, a.Reason)
		if err != nil {
			return conflictsAnswer{}, err
		}
		return conflictsAnswer{envelope: enveloped(at, "Ignored: "+conflictLine(c)), Total: 1, Conflicts: []conflictRow{conflictRowOf(c)}}, nil
	}
	f := engine.ConflictFilter{Project: at.Name, Status: engram.RelationStatus(strings.ToLower(strings.TrimSpace(a.Status))), Page: engram.Page{Limit: a.Limit}}
	if f.Status == "all" {
		f.Status = ""
	}
	list, total, err := e.Conflicts(ctx, f)
	if err != nil {
		return conflictsAnswer{}, err
	}
	lines := []string{fmt.Sprintf("%d in all, %d shown:", total, len(list))}
	for _, c := range list {
		lines = append(lines, conflictLine(c))
	}
	if total == 0 {
		lines = []string{"Nothing waits for a verdict."}
	}
	return conflictsAnswer{enveloped(at, strings.Join(lines, "\n")), total, document.Each(list, conflictRowOf)}, nil
}

func countedConflicts(ctx context.Context, e *engine.Engine, at engine.ProjectInForce) (conflictsAnswer, error) {
	counts, err := e.ConflictStats(ctx, at.Name)
	if err != nil {
		return conflictsAnswer{}, err
	}
	total := 0
	var lines []string
	for _, status := range slices.Sorted(maps.Keys(counts.ByStatus)) {
		total += counts.ByStatus[status]
		lines = append(lines, fmt.Sprintf("%s: %d", status, counts.ByStatus[status]))
	}
	for _, verb := range slices.Sorted(maps.Keys(counts.ByVerb)) {
		lines = append(lines, fmt.Sprintf("judged %s: %d", verb, counts.ByVerb[verb]))
	}
	return conflictsAnswer{envelope: enveloped(at, strings.Join(append([]string{fmt.Sprintf("%d in all", total)}, lines...), "\n")), Total: total}, nil
}

func conflictRowOf(c engine.Conflict) conflictRow {
	return conflictRow{c.Relation.ID, document.VerbOf(c.Relation), string(c.Status()), c.Source.Num, c.Target.Num}
}

// conflictLine is one of them on a line: its id, and what is said of what.
func conflictLine(c engine.Conflict) string {
	return fmt.Sprintf("%s: #%d %q %s #%d %q (%s)", c.Relation.ID, c.Source.Num, render.Line(c.Source.Title, 80), c.Relation.Verb,
		c.Target.Num, render.Line(c.Target.Title, 80), c.Status())
}
