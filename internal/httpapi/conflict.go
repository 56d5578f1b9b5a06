package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
	"github.com/alanbuscaglia/engram/internal/text"
)

type conflictPage struct {
	Total     int                 `json:"total"`
	Limit     int                 `json:"limit"`
	Offset    int                 `json:"offset"`
	Relations []document.Conflict `json:"relations"`
}

func (a *API) conflicts(q *route.Request) (route.Reply, error) {
	f := relate.ConflictFilter{Project: q.Query.Get("project"), Status: engram.RelationStatus(strings.TrimSpace(q.Query.Get("status"))),
		Page: engram.Page{Limit: q.Lenient("limit"), Offset: q.Lenient("offset")}, Since: q.When("since", a.Engine.Now())}
	if q.Err != nil {
		return route.Reply{}, route.Worded(q.Err, engram.CodeInvalid, "invalid since parameter: must be RFC3339")
	}
	list, total, err := a.Engine.Conflicts(q.Context(), f)
	return route.Reply{Body: conflictPage{total, f.Page.Limit, f.Page.Offset, document.Each(list, func(c relate.Conflict) document.Conflict {
		return document.ConflictOf(c.Relation, c.Status(), c.Source, c.Target)
	})}}, err
}

type conflictCounts struct {
	Project  string                        `json:"project"`
	ByVerb   map[string]int                `json:"by_relation"`
	ByStatus map[engram.RelationStatus]int `json:"by_judgment_status"`
	Deferred int                           `json:"deferred"`
	Dead     int                           `json:"dead"`
}

func (a *API) conflictStats(q *route.Request) (route.Reply, error) {
	project := q.Query.Get("project")
	s, err := a.Engine.ConflictStats(q.Context(), project)
	byVerb := map[string]int{}
	for verb, n := range s.ByVerb {
		byVerb[document.VerbOf(engram.Relation{Verb: verb})] = n
	}
	if n := s.ByStatus[engram.RelationPending]; n > 0 {
		byVerb[string(engram.RelationPending)] = n
	}
	if err != nil {
		return route.Reply{}, err
	}
	counts := conflictCounts{Project: project, ByVerb: byVerb, ByStatus: s.ByStatus}
	return route.Reply{Body: &counts}, a.countDeferred(q.Context(), project, &counts.Deferred, &counts.Dead)
}

func (a *API) conflict(q *route.Request) (route.Reply, error) {
	num, err := strconv.ParseInt(q.PathValue("id"), 10, 64)
	if err != nil {
		return route.Reply{}, route.Invalid("invalid relation_id: must be an integer")
	}
	c, err := a.Engine.Conflict(q.Context(), engram.RelationRef{Num: num})
	return route.Reply{Body: document.ConflictShownOf(c.Relation, c.Status(), c.Source, c.Target)},
		route.Worded(err, engram.CodeNotFound, "GetRelationByIntID: relation id %d not found", num)
}

type judgeBody struct {
	ID         string   `json:"judgment_id" required:"true" doc:"rel-…, from the list or the save"`
	Relation   string   `json:"relation" required:"true" doc:"relates_to, compatible, scoped, contradicts, supersedes or not_conflict"`
	Reason     string   `json:"reason" doc:"why"`
	Evidence   string   `json:"evidence" doc:"the evidence"`
	Confidence *float64 `json:"confidence" min:"0" max:"1" doc:"default: 1"`
	SessionID  string   `json:"session_id" doc:"the judging session"`
	Model      string   `json:"marked_by_model" doc:"the judging model"`
}

type verdictDoc struct {
	Relation document.Judged `json:"relation"`
}

func (a *API) judgeConflict(q *route.Request, in judgeBody) (route.Reply, error) {
	if blank(in.ID) {
		return route.Reply{}, route.Invalid("judgment_id is required")
	}
	verb, err := verdictOf("JudgeRelation", in.Relation)
	if err != nil {
		return route.Reply{}, err
	}
	c, err := a.Engine.Judge(q.Context(), relate.JudgeInput{Ref: engram.RelationRef{ID: in.ID}, Verb: verb, Reason: in.Reason,
		Evidence: in.Evidence, Confidence: in.Confidence, SessionID: in.SessionID, Model: in.Model})
	if engram.CodeOf(err) == engram.CodeNotFound {
		err = route.Refuse(http.StatusBadRequest, route.Worded(err, engram.CodeNotFound, "JudgeRelation: relation %q not found", in.ID))
	}
	return route.Reply{Body: verdictDoc{document.JudgedOf(c.Relation, c.Source, c.Target)}}, err
}

// verdicts lists the verdicts in the spelling of older clients.
const verdicts = "relates_to, compatible, scoped, contradicts, supersedes, not_conflict"

// verdictOf reads a verdict. what opens the error message, which older clients know.
func verdictOf(what, word string) (engram.Verb, error) {
	if blank(word) {
		return "", route.Invalid("relation is required")
	}
	verb, err := engram.ParseVerb(word)
	if err != nil || !relate.IsVerdict(verb) {
		return "", route.Invalid("%s: invalid relation verb %q — must be one of: %s", what, word, verdicts)
	}
	return verb, nil
}

type compareBody struct {
	A          int64    `json:"memory_id_a" required:"true" min:"1" doc:"the number of a memory"`
	B          int64    `json:"memory_id_b" required:"true" min:"1" doc:"the number of another"`
	Relation   string   `json:"relation" required:"true" doc:"relates_to, compatible, scoped, contradicts, supersedes or not_conflict"`
	Confidence *float64 `json:"confidence" required:"true" min:"0" max:"1" doc:"the confidence"`
	Reasoning  string   `json:"reasoning" required:"true" doc:"why"`
	Model      string   `json:"model" doc:"the judging model"`
}

// compared names the recorded verdict; "" for not_conflict.
type compared struct {
	SyncID string `json:"sync_id"`
}

func (a *API) compareMemories(q *route.Request, in compareBody) (route.Reply, error) {
	switch {
	case in.A == 0:
		return route.Reply{}, route.Invalid("memory_id_a is required (integer observation id)")
	case in.B == 0:
		return route.Reply{}, route.Invalid("memory_id_b is required (integer observation id)")
	case in.Confidence == nil:
		return route.Reply{}, route.Invalid("confidence is required (float 0.0..1.0)")
	case blank(in.Reasoning):
		return route.Reply{}, route.Invalid("reasoning is required")
	}
	verb, err := verdictOf("JudgeBySemantic", in.Relation)
	if err != nil {
		return route.Reply{}, err
	}
	c, err := a.Engine.Compare(q.Context(), relate.CompareInput{A: engram.ByNum(in.A), B: engram.ByNum(in.B), Verb: verb,
		Confidence: *in.Confidence, Reasoning: in.Reasoning, Model: in.Model})
	if absent, ok := errors.AsType[*relate.Absent](err); ok {
		err = route.Worded(err, engram.CodeNotFound, "%s", fmt.Sprintf("observation id=%d not found: %s", absent.Ref.Num, route.MessageOf(err)))
	}
	row := compared{}
	if verb != engram.VerbNotConflict { // the dialect names no row for it, though one is kept
		row.SyncID = c.Relation.ID
	}
	return route.Reply{Body: row}, err
}

// noRunner is the error that older clients know when no judge is configured.
const noRunner = "failed to resolve agent runner: invalid runner name: ENGRAM_AGENT_CLI is not set; supported values are: claude, opencode"

type scannedDoc struct {
	Project         string `json:"project"`
	Inspected       int    `json:"inspected"`
	Candidates      int    `json:"candidates_found"`
	AlreadyRelated  int    `json:"already_related"`
	Inserted        int    `json:"inserted"`
	Capped          bool   `json:"capped"`
	DryRun          bool   `json:"dry_run"`
	SemanticJudged  int    `json:"semantic_judged"`
	SemanticSkipped int    `json:"semantic_skipped"`
	SemanticErrors  int    `json:"semantic_errors"`
	Warning         string `json:"warning,omitempty"`
}

type scanBody struct {
	Project     string `json:"project" required:"true" doc:"the project to scan"`
	Since       string `json:"since" doc:"only memories created at or after this time"`
	Apply       bool   `json:"apply" default:"false" doc:"save candidates; otherwise only count them"`
	MaxInsert   *int   `json:"max_insert" min:"1" max:"10000" default:"100" doc:"maximum number of candidates to save"`
	Semantic    bool   `json:"semantic" default:"false" doc:"let the configured agent judge them"`
	Concurrency *int   `json:"concurrency" min:"1" max:"20" default:"5" doc:"concurrent calls"`
	Timeout     *int   `json:"timeout_per_call_seconds" min:"1" max:"600" default:"60" doc:"time limit of a call"`
	MaxSemantic *int   `json:"max_semantic" min:"1" max:"10000" default:"100" doc:"maximum number of pairs to judge"`
}

func (a *API) scanConflicts(q *route.Request, in scanBody) (route.Reply, error) {
	if blank(in.Project) {
		return route.Reply{}, route.Invalid("project is required")
	}
	scan := relate.ScanInput{Project: in.Project, Apply: in.Apply, Semantic: in.Semantic}
	for _, n := range []struct {
		name  string
		given *int
		most  int
		put   func(int)
	}{
		{"max_insert", in.MaxInsert, relate.MostScanPairs, func(n int) { scan.MaxInsert = n }},
		{"max_semantic", in.MaxSemantic, relate.MostScanPairs, func(n int) { scan.MaxSemantic = n }},
		{"concurrency", in.Concurrency, relate.MostScanCalls, func(n int) { scan.Concurrency = n }},
		{"timeout_per_call_seconds", in.Timeout, int(relate.MostScanWait / time.Second), func(n int) { scan.TimeoutPerCall = time.Duration(n) * time.Second }},
	} {
		if n.given == nil {
			continue
		}
		if *n.given < 1 || *n.given > n.most {
			return route.Reply{}, route.Invalid("%s must be between 1 and %d", n.name, n.most)
		}
		n.put(*n.given)
	}
	if since := strings.TrimSpace(in.Since); since != "" {
		t, ok := text.When(since, a.Engine.Now().UTC())
		if !ok {
			return route.Reply{}, route.Invalid("invalid since: must be RFC3339").WithHint("use %s", text.WhenForms)
		}
		scan.Since = t.UTC()
	}
	res, err := a.Engine.Scan(q.Context(), scan)
	if engram.CodeOf(err) == engram.CodeUnavailable && in.Semantic && !a.Engine.CanJudge() {
		return route.Reply{}, route.Refuse(http.StatusInternalServerError, engram.Errorf(engram.CodeUnavailable, noRunner).WithCause(err))
	}
	return route.Reply{Body: scannedOf(res)}, err
}

func scannedOf(s relate.Scanned) scannedDoc {
	d := scannedDoc{s.Project, s.Inspected, s.Found, s.AlreadyRelated, s.Inserted, s.Capped, s.DryRun, s.Judged, s.Skipped, s.Errors, ""}
	if s.Errors > 0 {
		d.Warning = s.Trouble
	}
	return d
}

type deferredPage struct {
	Total int           `json:"total"`
	Limit int           `json:"limit"`
	Rows  []deferredRow `json:"rows"`
}

type deferredRow struct {
	SyncID        string            `json:"sync_id"`
	Entity        string            `json:"entity"`
	Payload       *document.Pending `json:"payload,omitempty"`
	PayloadRaw    string            `json:"payload_raw"`
	PayloadValid  bool              `json:"payload_valid"`
	ApplyStatus   string            `json:"apply_status"` // deferred or dead
	RetryCount    int               `json:"retry_count"`
	LastError     string            `json:"last_error,omitempty"`
	LastAttempted clock             `json:"last_attempted_at,omitzero"`
	FirstSeen     clock             `json:"first_seen_at"`
}

func (a *API) deferred(q *route.Request) (route.Reply, error) {
	status, page := strings.TrimSpace(q.Query.Get("status")), deferredPage{Rows: []deferredRow{}}
	if states := q.Param("status").Enum; status != "" && !slices.Contains(states, status) {
		return route.Reply{}, route.Invalid("status %q does not exist", route.Clip(status)).WithHint("use one of %s", strings.Join(states, ", "))
	}
	var offset int
	for name, n := range map[string]*int{"limit": &page.Limit, "offset": &offset} {
		if *n = q.Number(name); q.Err != nil {
			return route.Reply{}, route.Invalid("%s", route.MessageOf(q.Err)).WithHint("leave it out for %d", q.Param(name).Whole())
		}
	}
	all, err := a.Engine.Deferred(q.Context(), "")
	for _, d := range all {
		if status != "" && document.DeferredStatus(d) != status {
			continue
		}
		if page.Total++; page.Total > offset && len(page.Rows) < page.Limit {
			page.Rows = append(page.Rows, deferredRowOf(d))
		}
	}
	return route.Reply{Body: page}, err
}

func deferredRowOf(d engram.Deferred) deferredRow {
	r := document.DeferredRowOf(d)
	raw, err := json.Marshal(r.Payload)
	return deferredRow{SyncID: r.SyncID, Entity: r.Entity, Payload: &r.Payload, PayloadRaw: string(raw), PayloadValid: err == nil,
		ApplyStatus: r.ApplyStatus, RetryCount: r.RetryCount, LastError: r.LastError, LastAttempted: clock(d.LastAt), FirstSeen: clock(d.FirstAt)}
}

type replayed struct {
	Retried   int `json:"retried"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"` // still pending
	Dead      int `json:"dead"`   // of Failed: retried often
}

func (a *API) replayDeferred(q *route.Request) (route.Reply, error) {
	res, err := a.Engine.RetryDeferred(q.Context(), "")
	return route.Reply{Body: replayed{res.Taken + len(res.Left), res.Taken, len(res.Left), dead(res.Left)}}, err
}

// countDeferred counts the pending changes of a project; "" counts all.
func (a *API) countDeferred(ctx context.Context, project string, deferred, givenUp *int) error {
	all, err := a.Engine.Deferred(ctx, project)
	*givenUp = dead(all)
	*deferred = len(all) - *givenUp
	if engram.CodeOf(err) == engram.CodeNotFound {
		return nil // a project without data has nothing pending
	}
	return err
}

// dead counts the changes that were retried often.
func dead(all []engram.Deferred) (n int) {
	for _, d := range all {
		if document.DeferredStatus(d) == "dead" {
			n++
		}
	}
	return n
}
