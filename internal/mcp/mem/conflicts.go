package mem

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type conflictsArgs struct {
	Action  string `json:"action" enum:"list,stats,scan,ignore" default:"list"`
	Project string `json:"project" doc:"default: this folder's"`
	Status  string `json:"status" doc:"of list: pending, judged, ignored, orphaned or all" default:"pending"`
	Limit   int    `json:"limit" default:"20" min:"1" max:"100" lax:"true"`
	Apply   bool   `json:"apply" doc:"of scan: save candidates"`
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
	e := d.As(by)
	switch a.Action {
	case "stats":
		return countedConflicts(ctx, e, at)
	case "scan":
		found, err := e.Scan(ctx, relate.ScanInput{Project: at.Name, Apply: a.Apply, Progress: by.Progress})
		text := fmt.Sprintf("Scanned %d memories: %d may contradict each other, %d of them known, %d saved for a verdict.",
			found.Inspected, found.Found, found.AlreadyRelated, found.Inserted)
		return conflictsAnswer{envelope: enveloped(at, text), Total: found.Found}, err
	case "ignore":
		if strings.TrimSpace(a.ID) == "" {
			return conflictsAnswer{}, invalid("judgment_id is required for ignore")
		}
		c, err := e.Ignore(ctx, engram.RelationRef{ID: a.ID}, a.Reason)
		return conflictsAnswer{envelope: enveloped(at, "Ignored: "+conflictLine(c)), Total: 1, Conflicts: []conflictRow{conflictRowOf(c)}}, err
	}
	f := relate.ConflictFilter{Project: at.Name, Status: engram.RelationStatus(strings.ToLower(strings.TrimSpace(a.Status))), Page: engram.Page{Limit: a.Limit}}
	if f.Status == "all" {
		f.Status = ""
	}
	list, total, err := e.Conflicts(ctx, f)
	lines := []string{fmt.Sprintf("%d in all, %d shown:", total, len(list))}
	for _, c := range list {
		lines = append(lines, conflictLine(c))
	}
	if total == 0 {
		lines = []string{"No candidates found."}
	}
	return conflictsAnswer{enveloped(at, strings.Join(lines, "\n")), total, document.Each(list, conflictRowOf)}, err
}

func countedConflicts(ctx context.Context, e *engine.Engine, at projects.ProjectInForce) (conflictsAnswer, error) {
	counts, err := e.ConflictStats(ctx, at.Name)
	total := 0
	var lines []string
	for _, status := range slices.Sorted(maps.Keys(counts.ByStatus)) {
		total += counts.ByStatus[status]
		lines = append(lines, fmt.Sprintf("%s: %d", status, counts.ByStatus[status]))
	}
	for _, verb := range slices.Sorted(maps.Keys(counts.ByVerb)) {
		lines = append(lines, fmt.Sprintf("judged %s: %d", verb, counts.ByVerb[verb]))
	}
	return conflictsAnswer{envelope: enveloped(at, strings.Join(append([]string{fmt.Sprintf("%d in all", total)}, lines...), "\n")), Total: total}, err
}

func conflictRowOf(c relate.Conflict) conflictRow {
	return conflictRow{c.Relation.ID, document.VerbOf(c.Relation), string(c.Status()), c.Source.Num, c.Target.Num}
}

// conflictLine is one line: the id, and which memory says what of which.
func conflictLine(c relate.Conflict) string {
	return fmt.Sprintf("%s: #%d %q %s #%d %q (%s)", c.Relation.ID, c.Source.Num, render.Line(c.Source.Title, 80), c.Relation.Verb,
		c.Target.Num, render.Line(c.Target.Title, 80), c.Status())
}

type judgeArgs struct {
	ID         string   `json:"judgment_id" required:"schema"`
	Relation   string   `json:"relation" enum:"relates_to,compatible,scoped,contradicts,supersedes,not_conflict" schema:"only" required:"schema"`
	Reason     string   `json:"reason"`
	Evidence   string   `json:"evidence"`
	Confidence *float64 `json:"confidence" min:"0" max:"1" schema:"only"`
	SessionID  string   `json:"session_id"`
}

type judged struct {
	Relation document.Judged `json:"relation" schema:"-"`
}

func (d *dialect) judge(ctx context.Context, by tool.Caller, a judgeArgs) (judged, error) {
	if strings.TrimSpace(a.ID) == "" {
		return judged{}, invalid("judgment_id is required")
	}
	verb, err := verdictOf("JudgeRelation", a.Relation)
	if err != nil {
		return judged{}, err
	}
	if c := a.Confidence; c != nil && (*c < 0 || *c > 1) {
		return judged{}, invalid("confidence must be between 0.0 and 1.0")
	}
	c, err := d.As(by).Judge(ctx, relate.JudgeInput{Ref: engram.RelationRef{ID: a.ID}, Verb: verb, Reason: a.Reason,
		Evidence: a.Evidence, Confidence: a.Confidence, SessionID: a.SessionID})
	if engram.CodeOf(err) == engram.CodeNotFound {
		return judged{}, &tool.Failure{Text: fmt.Sprintf("JudgeRelation: relation %q not found", echo(a.ID)), Err: err}
	}
	return judged{document.JudgedOf(c.Relation, c.Source, c.Target)}, worded("JudgeRelation", err)
}

// verdicts lists the verdicts in the dialect's spelling.
const verdicts = "relates_to, compatible, scoped, contradicts, supersedes, not_conflict"

// verdictOf reads a verdict. what opens the error message, which older clients know.
func verdictOf(what, word string) (engram.Verb, error) {
	if strings.TrimSpace(word) == "" {
		return "", invalid("relation is required")
	}
	verb, err := engram.ParseVerb(word)
	if err != nil || !relate.IsVerdict(verb) {
		return "", invalid(fmt.Sprintf("%s: invalid relation verb %q — must be one of: %s", what, echo(word), verdicts))
	}
	return verb, nil
}

type compareArgs struct {
	A          *tool.ID `json:"memory_id_a" required:"schema"`
	B          *tool.ID `json:"memory_id_b" required:"schema"`
	Relation   string   `json:"relation" doc:"as mem_judge" required:"schema"`
	Confidence *float64 `json:"confidence" min:"0" max:"1" schema:"only" required:"schema"`
	Reasoning  string   `json:"reasoning" required:"schema"`
	Model      string   `json:"model"`
}

type compared struct {
	SyncID string `json:"sync_id" schema:"-"`
}

func (d *dialect) compare(ctx context.Context, by tool.Caller, a compareArgs) (compared, error) {
	if a.A == nil {
		return compared{}, invalid("memory_id_a is required (integer observation id)")
	}
	if a.B == nil {
		return compared{}, invalid("memory_id_b is required (integer observation id)")
	}
	verb, err := verdictOf("JudgeBySemantic", a.Relation)
	if err != nil {
		return compared{}, err
	}
	if a.Confidence == nil {
		return compared{}, invalid("confidence is required (float 0.0..1.0)")
	}
	if *a.Confidence < 0 || *a.Confidence > 1 {
		return compared{}, invalid("confidence must be between 0.0 and 1.0")
	}
	if strings.TrimSpace(a.Reasoning) == "" {
		return compared{}, invalid("reasoning is required")
	}
	c, err := d.As(by).Compare(ctx, relate.CompareInput{A: engram.ByNum(int64(*a.A)), B: engram.ByNum(int64(*a.B)), Verb: verb,
		Confidence: *a.Confidence, Reasoning: a.Reasoning, Model: a.Model})
	if absent, ok := errors.AsType[*relate.Absent](err); ok {
		return compared{}, &tool.Failure{Text: fmt.Sprintf("observation id=%d not found: %s", absent.Ref.Num, tool.Reason(err)), Err: err}
	}
	if verb == engram.VerbNotConflict {
		c.Relation.ID = "" // the dialect names no row for it, though one is kept
	}
	return compared{c.Relation.ID}, worded("JudgeBySemantic", err)
}

// later is the choice that leaves a candidate pending.
const later = "later"

// askVerdict asks the person at the client about the likeliest candidate of a save and records the answer. It
// returns a line about it, "" without an answer, and the candidates that are still pending. It asks only once
// per save.
func (d *dialect) askVerdict(ctx context.Context, by tool.Caller, res remember.SaveResult) (line string, pending []relate.Candidate) {
	pending = res.Candidates
	if by.Ask == nil || len(pending) == 0 {
		return "", pending
	}
	c := pending[0]
	answer, ok := by.Ask(ctx, tool.Question{
		Message: conflictQuestion(res.Memory, c),
		Choices: append(strings.Split(verdicts, ", "), later),
		Reason:  "Why? (may be left empty)",
	})
	if !ok || answer.Choice == later {
		return "", pending
	}
	verb, err := verdictOf("JudgeRelation", answer.Choice)
	if err != nil {
		return "", pending
	}
	judged, err := d.As(by).Judge(ctx, relate.JudgeInput{Ref: engram.RelationRef{ID: c.Relation.ID}, Verb: verb, Reason: answer.Reason,
		SessionID: res.Memory.SessionID, ActorKind: relate.KindHuman})
	if err != nil {
		return "Cannot record the user's verdict: " + tool.Reason(err), pending
	}
	line = fmt.Sprintf("The user judged it against #%d %q: %s", c.Memory.Num, c.Memory.Title, document.VerbOf(judged.Relation))
	if judged.Relation.Reason != "" {
		line += " (" + judged.Relation.Reason + ")"
	}
	return line, pending[1:]
}

// conflictQuestion shows the person both memories, so that it can be answered without looking anything up.
func conflictQuestion(saved engram.Memory, c relate.Candidate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Two memories of project %q may contradict each other (%s).\n", saved.Project, render.Line(c.Reason, 200))
	for _, m := range []struct {
		when   string
		memory engram.Memory
	}{{"Saved now", saved}, {"Earlier", c.Memory}} {
		fmt.Fprintf(&b, "\n%s: #%d %s\n  %s\n", m.when, m.memory.Num, render.Line(m.memory.Title, 120), render.SetOff(render.Preview(m.memory.Content, 500), "  "))
	}
	b.WriteString("\nHow does the one saved now relate to the earlier one? supersedes hides the earlier one.")
	return b.String()
}
