package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// conflictPage is a page of candidates and verdicts.
type conflictPage struct {
	Total     int                 `json:"total"`
	Limit     int                 `json:"limit"`
	Offset    int                 `json:"offset"`
	Relations []document.Conflict `json:"relations"`
}

func (a *API) conflicts(q request) (reply, error) {
	f := engine.ConflictFilter{Project: q.query.Get("project"), Status: engram.RelationStatus(strings.TrimSpace(q.query.Get("status")))}
	f.Page = engram.Page{Limit: q.lenient("limit"), Offset: q.lenient("offset")}
	var err error
	if f.Since, err = q.when("since", a.Engine.Now()); err != nil {
		return reply{}, worded(err, engram.CodeInvalid, "invalid since parameter: must be RFC3339")
	}
	list, total, err := a.Engine.Conflicts(q.Context(), f)
	return reply{body: conflictPage{total, f.Page.Limit, f.Page.Offset, document.Each(list, func(c engine.Conflict) document.Conflict {
		return document.ConflictOf(c.Relation, c.Status(), c.Source, c.Target)
	})}}, err
}

// conflictCounts counts candidates and verdicts.
type conflictCounts struct {
	Project  string                        `json:"project"`
	ByVerb   map[string]int                `json:"by_relation"`
	ByStatus map[engram.RelationStatus]int `json:"by_judgment_status"`
	Deferred int                           `json:"deferred"`
	Dead     int                           `json:"dead"`
}

func (a *API) conflictStats(q request) (reply, error) {
	project := q.query.Get("project")
	s, err := a.Engine.ConflictStats(q.Context(), project)
	byVerb := map[string]int{}
	for verb, n := range s.ByVerb {
		byVerb[document.VerbOf(engram.Relation{Verb: verb})] = n
	}
	if n := s.ByStatus[engram.RelationPending]; n > 0 {
		byVerb[string(engram.RelationPending)] = n
	}
	if err != nil {
		return reply{}, err
	}
	counts := conflictCounts{Project: project, ByVerb: byVerb, ByStatus: s.ByStatus}
	return reply{body: &counts}, a.countDeferred(q.Context(), project, &counts.Deferred, &counts.Dead)
}

func (a *API) conflict(q request) (reply, error) {
	num, err := strconv.ParseInt(q.PathValue("id"), 10, 64)
	if err != nil {
		return reply{}, invalid("invalid relation_id: must be an integer")
	}
	c, err := a.Engine.Conflict(q.Context(), engram.RelationRef{Num: num})
	return reply{body: document.ConflictShownOf(c.Relation, c.Status(), c.Source, c.Target)},
		worded(err, engram.CodeNotFound, "GetRelationByIntID: relation id %d not found", num)
}

// judgeBody is a verdict on a candidate.
type judgeBody struct {
	ID         string   `json:"judgment_id" required:"true" doc:"rel-…, as the list and the save tell it"`
	Relation   string   `json:"relation" required:"true" doc:"relates_to, compatible, scoped, contradicts, supersedes or not_conflict"`
	Reason     string   `json:"reason" doc:"why"`
	Evidence   string   `json:"evidence" doc:"what shows it"`
	Confidence *float64 `json:"confidence" min:"0" max:"1" doc:"1 when it is left out"`
	SessionID  string   `json:"session_id" doc:"the session that judges"`
	Model      string   `json:"marked_by_model" doc:"the model that judges"`
}

// verdictDoc is a verdict that was recorded.
type verdictDoc struct {
	Relation document.Judged `json:"relation"`
}

func (a *API) judgeConflict(q request, in judgeBody) (reply, error) {
	if blank(in.ID) {
		return reply{}, invalid("judgment_id is required")
	}
	verb, err := verdictOf("JudgeRelation", in.Relation)
	if err != nil {
		return reply{}, err
	}
	c, err := a.Engine.Judge(q.Context(), engine.JudgeInput{Ref: engram.RelationRef{ID: in.ID}, Verb: verb, Reason: in.Reason,
		Evidence: in.Evidence, Confidence: in.Confidence, SessionID: in.SessionID, Model: in.Model})
	if engram.CodeOf(err) == engram.CodeNotFound {
		err = refuse(http.StatusBadRequest, worded(err, engram.CodeNotFound, "JudgeRelation: relation %q not found", in.ID))
	}
	return reply{body: verdictDoc{document.JudgedOf(c.Relation, c.Source, c.Target)}}, err
}

// verdicts are those of the engine as older clients spell them.
const verdicts = "relates_to, compatible, scoped, contradicts, supersedes, not_conflict"

// verdictOf reads a verdict; what, a name older clients know, opens the error for one that is none.
func verdictOf(what, word string) (engram.Verb, error) {
	if blank(word) {
		return "", invalid("relation is required")
	}
	verb, err := engram.ParseVerb(word)
	if err != nil || !engine.IsVerdict(verb) {
		return "", invalid("%s: invalid relation verb %q — must be one of: %s", what, word, verdicts)
	}
	return verb, nil
}

// compareBody is a verdict on two memories.
type compareBody struct {
	A          int64    `json:"memory_id_a" required:"true" min:"1" doc:"the number of a memory"`
	B          int64    `json:"memory_id_b" required:"true" min:"1" doc:"the number of another"`
	Relation   string   `json:"relation" required:"true" doc:"relates_to, compatible, scoped, contradicts, supersedes or not_conflict"`
	Confidence *float64 `json:"confidence" required:"true" min:"0" max:"1" doc:"how sure that is"`
	Reasoning  string   `json:"reasoning" required:"true" doc:"why"`
	Model      string   `json:"model" doc:"the model that judges"`
}

// compared names the verdict; "" where the dialect has none.
type compared struct {
	SyncID string `json:"sync_id"`
}

func (a *API) compareMemories(q request, in compareBody) (reply, error) {
	switch {
	case in.A == 0:
		return reply{}, invalid("memory_id_a is required (integer observation id)")
	case in.B == 0:
		return reply{}, invalid("memory_id_b is required (integer observation id)")
	case in.Confidence == nil:
		return reply{}, invalid("confidence is required (float 0.0..1.0)")
	case blank(in.Reasoning):
		return reply{}, invalid("reasoning is required")
	}
	verb, err := verdictOf("JudgeBySemantic", in.Relation)
	if err != nil {
		return reply{}, err
	}
	c, err := a.Engine.Compare(q.Context(), engine.CompareInput{A: engram.ByNum(in.A), B: engram.ByNum(in.B), Verb: verb,
		Confidence: *in.Confidence, Reasoning: in.Reasoning, Model: in.Model})
	if absent, ok := errors.AsType[*engine.Absent](err); ok {
		err = worded(err, engram.CodeNotFound, "%s", fmt.Sprintf("observation id=%d not found: %s", absent.Ref.Num, messageOf(err)))
	}
	row := compared{}
	if verb != engram.VerbNotConflict { // the dialect names no row there, though one is kept
		row.SyncID = c.Relation.ID
	}
	return reply{body: row}, err
}
