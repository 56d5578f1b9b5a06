package cli

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/render"
)

// conflictsDoc is the answer of `conflicts list`.
type conflictsDoc struct {
	Project   string                `json:"project"` // "" is every project
	Status    engram.RelationStatus `json:"status"`  // that was asked for; "" is every one
	Limit     int                   `json:"limit"`
	Offset    int                   `json:"offset"`
	Total     int                   `json:"total"`
	Conflicts []conflictDoc         `json:"conflicts"` // newest first
}

// conflictDoc is a candidate or a verdict.
type conflictDoc struct {
	Num        int64                 `json:"num"`
	ID         string                `json:"id"` // rel-…
	Relation   engram.Verb           `json:"relation"`
	Status     engram.RelationStatus `json:"status"` // pending, judged, ignored or orphaned
	Reason     string                `json:"reason"`
	Evidence   string                `json:"evidence"`
	Confidence float64               `json:"confidence"` // 0 to 1
	Actor      string                `json:"actor"`
	ActorKind  string                `json:"actor_kind"` // agent, human or system
	Model      string                `json:"model"`
	SessionID  string                `json:"session_id"`
	Source     conflictEnd           `json:"source"`
	Target     conflictEnd           `json:"target"`
	CreatedAt  document.Stamp        `json:"created_at"`
	UpdatedAt  document.Stamp        `json:"updated_at"`
}

// conflictEnd is one of the memories, in short.
type conflictEnd struct {
	Num       int64     `json:"num"`
	ID        engram.ID `json:"id"`
	Title     string    `json:"title"`
	Forgotten bool      `json:"forgotten"`
}

func endOf(m engram.Memory) conflictEnd { return conflictEnd{m.Num, m.ID, m.Title, m.Forgotten()} }

func conflictOf(c engine.Conflict) conflictDoc {
	r := c.Relation
	return conflictDoc{r.Num, r.ID, r.Verb, c.Status(), r.Reason, r.Evidence, r.Confidence, r.Actor, r.ActorKind, r.Model, r.SessionID,
		endOf(c.Source), endOf(c.Target), document.Stamp(r.CreatedAt), document.Stamp(r.UpdatedAt)}
}

func conflictsOf(f engine.ConflictFilter, list []engine.Conflict, total int) conflictsDoc {
	return conflictsDoc{f.Project, f.Status, f.Page.Limit, f.Page.Offset, total, document.Each(list, conflictOf)}
}

// conflictShownDoc is the answer of `conflicts show`, `judge` and `ignore`.
type conflictShownDoc struct {
	Conflict conflictDoc     `json:"conflict"`
	Source   document.Memory `json:"source"`
	Target   document.Memory `json:"target"`
}

func conflictShownOf(e *engine.Engine, c engine.Conflict) conflictShownDoc {
	return conflictShownDoc{conflictOf(c), document.MemoryOf(c.Source, e.StateOf(c.Source)), document.MemoryOf(c.Target, e.StateOf(c.Target))}
}

// conflictStatsDoc is the answer of `conflicts stats`. What is not there has no entry.
type conflictStatsDoc struct {
	Project  string                        `json:"project"`     // "" is every project
	ByVerb   map[engram.Verb]int           `json:"by_relation"` // verdicts
	ByStatus map[engram.RelationStatus]int `json:"by_status"`
}

// projectText is how a heading names a project.
func projectText(name string) string {
	if name == "" {
		return "all"
	}
	return render.Line(name, 0)
}

func writeConflicts(b *strings.Builder, project string, list []engine.Conflict, total int, o render.Options) {
	fmt.Fprintf(b, "Conflicts List (project: %s)\n", projectText(project))
	fmt.Fprintf(b, "  Total:  %d\n  Showing: %d\n", total, len(list))
	for _, c := range list {
		r := c.Relation
		fmt.Fprintf(b, "\n  id: %d\n  sync_id: %s\n  relation: %s\n  status: %s\n", r.Num, r.ID, r.Verb, c.Status())
		fmt.Fprintf(b, "  source: %s\n  target: %s\n  created_at: %s\n", endText(c.Source), endText(c.Target), render.Time(r.CreatedAt, o))
	}
}

// endText is a memory of a conflict in a line.
func endText(m engram.Memory) string {
	text := fmt.Sprintf("#%d %s", m.Num, render.Line(m.Title, 0))
	if m.Forgotten() {
		text += " (forgotten)"
	}
	return text
}

func writeConflict(b *strings.Builder, c engine.Conflict, o render.Options) {
	r := c.Relation
	fmt.Fprintf(b, "Conflict #%d\n  sync_id: %s\n  relation: %s\n  status: %s\n", r.Num, r.ID, r.Verb, c.Status())
	for _, l := range []struct{ name, value string }{
		{"reason", render.Line(r.Reason, 0)}, {"evidence", render.Line(r.Evidence, 0)}, {"confidence", confidenceText(r.Confidence)},
		{"judged by", judgeText(c)}, {"created_at", render.Time(r.CreatedAt, o)}, {"updated_at", render.Time(r.UpdatedAt, o)},
	} {
		if l.value != "" {
			fmt.Fprintf(b, "  %s: %s\n", l.name, l.value)
		}
	}
	for _, end := range []struct {
		name string
		m    engram.Memory
	}{{"source", c.Source}, {"target", c.Target}} {
		fmt.Fprintf(b, "\n%s: %s\n    %s\n", end.name, endText(end.m), render.Line(gist.Line(end.m, 300), 0))
	}
}

func confidenceText(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", v)
}

// judgeText is who judged; "" while nobody has.
func judgeText(c engine.Conflict) string {
	if c.Relation.Status != engram.RelationJudged {
		return ""
	}
	text := render.Line(c.Relation.Actor, 0) + " (" + render.Line(c.Relation.ActorKind, 0)
	if c.Relation.Model != "" {
		text += ", " + render.Line(c.Relation.Model, 0)
	}
	return text + ")"
}

func writeConflictStats(b *strings.Builder, project string, s engine.ConflictStats) {
	fmt.Fprintf(b, "Conflicts Stats (project: %s)\n", projectText(project))
	for _, status := range engine.ConflictStatuses() {
		fmt.Fprintf(b, "  %-13s %d\n", string(status)+":", s.ByStatus[status])
	}
	for _, verb := range engine.Verdicts() {
		if n := s.ByVerb[verb]; n > 0 {
			fmt.Fprintf(b, "  %-13s %d\n", string(verb)+":", n)
		}
	}
}

// writeVerdict says what became of a candidate, for somebody who knows what it was about.
func writeVerdict(b *strings.Builder, c engine.Conflict) {
	if c.Relation.Status == engram.RelationIgnored {
		fmt.Fprintf(b, "Conflict #%d dismissed: %s, %s\n", c.Relation.Num, endText(c.Source), endText(c.Target))
		return
	}
	fmt.Fprintf(b, "Conflict #%d judged: %s %s %s\n", c.Relation.Num, endText(c.Source), c.Relation.Verb, endText(c.Target))
	if c.Relation.Verb == engram.VerbSupersedes {
		fmt.Fprintf(b, "  #%d is hidden now; --superseded shows it\n", c.Target.Num)
	}
}
