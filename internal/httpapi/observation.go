package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
	"github.com/alanbuscaglia/engram/internal/project"
)

// maxList is the longest list of any route.
const maxList = 1000

// clock is a time as the older routes write it: RFC 3339 in UTC to the second, omitted when zero.
type clock time.Time

// IsZero lets omitzero omit it.
func (c clock) IsZero() bool { return time.Time(c).IsZero() }

// MarshalJSON implements json.Marshaler.
func (c clock) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(c).UTC().Format(`"2006-01-02T15:04:05Z"`)), nil
}

// observation is a memory as the older routes show it.
type observation struct {
	ID             int64        `json:"id"`
	SyncID         string       `json:"sync_id"`
	SessionID      string       `json:"session_id"`
	Type           engram.Type  `json:"type"`
	Title          string       `json:"title"`
	Content        string       `json:"content"`
	ToolName       string       `json:"tool_name,omitempty"`
	Project        string       `json:"project,omitempty"`
	Scope          engram.Scope `json:"scope"`
	TopicKey       string       `json:"topic_key,omitempty"`
	RevisionCount  int          `json:"revision_count"`
	DuplicateCount int          `json:"duplicate_count"`
	LastSeenAt     clock        `json:"last_seen_at,omitzero"`
	ReviewAfter    clock        `json:"review_after,omitzero"`
	CreatedAt      clock        `json:"created_at"`
	UpdatedAt      clock        `json:"updated_at"`
	DeletedAt      clock        `json:"deleted_at,omitzero"`

	Origin  engram.Origin     `json:"origin"`
	Flagged []string          `json:"suspect,omitempty"` // why it is flagged as instruction-like; absent otherwise
	Anchors []document.Anchor `json:"anchors,omitempty"` // the code that it refers to, with its state if checked
}

func observationOf(m engram.Memory, n engram.Note) observation {
	return observation{
		ID: m.Num, SyncID: m.SyncID, SessionID: m.SessionID, Type: m.Type, Title: m.Title, Content: m.Content, ToolName: m.ToolName,
		Project: m.Project, Scope: m.Scope, TopicKey: m.TopicKey, RevisionCount: m.RevisionCount, DuplicateCount: m.DuplicateCount,
		LastSeenAt: clock(m.LastSeenAt), ReviewAfter: clock(m.ReviewAfter), CreatedAt: clock(m.CreatedAt),
		UpdatedAt: clock(m.UpdatedAt), DeletedAt: clock(m.DeletedAt), Origin: m.Origin, Flagged: n.Flagged,
		Anchors: document.AnchorsOf(m, n),
	}
}

// kept is the outcome for a thing named by number.
type kept struct {
	ID     int64  `json:"id"`
	Status string `json:"status"`
}

type observationBody struct {
	SessionID string `json:"session_id" example:"s1" required:"true" doc:"the saving session; created if unknown"`
	Title     string `json:"title" example:"Auth model" required:"true" doc:"short and searchable"`
	Content   string `json:"content" example:"Access tokens live 15 minutes." required:"true" doc:"the text to remember"`
	Type      string `json:"type" example:"decision" default:"manual" doc:"decision, bugfix, pattern, …"`
	ToolName  string `json:"tool_name" doc:"the tool it came from"`
	Project   string `json:"project" example:"shop" doc:"default: that of the session"`
	Scope     string `json:"scope" doc:"project, personal or global; anything else is project"`
	TopicKey  string `json:"topic_key" example:"architecture/auth-model" doc:"family/description: the same key revises the same memory"`

	Files []string `json:"files" doc:"code it refers to: PATH, PATH:FIRST-LAST or PATH#L3-L9, absolute or relative to the session's folder"`
}

// savedObservation says what became of a memory, and what needs a verdict.
type savedObservation struct {
	kept
	placed
	Anchors []document.Anchor `json:"anchors,omitempty"` // the code it is anchored to, requested or named in its text
	*judgment
}

func (a *API) saveObservation(q *route.Request, in observationBody) (route.Reply, error) {
	if blank(in.SessionID, in.Title, in.Content) {
		return route.Reply{}, route.Invalid("session_id, title, and content are required")
	}
	res, err := a.Engine.Save(q.Context(), remember.SaveInput{
		Title: in.Title, Content: in.Content, Type: engram.Type(in.Type), Scope: engram.Scope(in.Scope), Project: in.Project,
		TopicKey: in.TopicKey, SessionID: in.SessionID, NewSession: true, ToolName: in.ToolName, Files: in.Files,
	})
	body := savedObservation{kept{res.Memory.Num, "saved"}, placed{res.Memory.Project, res.Warnings}, document.AnchorsOf(res.Memory, engram.Note{}), judgmentOf(res.Candidates)}
	return route.Reply{Status: http.StatusCreated, Body: body, Degraded: res.Warnings}, mismatched(err)
}

// judgment is what needs a verdict after a save, as mem_save reports it.
type judgment struct {
	Required   bool                        `json:"judgment_required"`
	Status     engram.RelationStatus       `json:"judgment_status"`
	ID         string                      `json:"judgment_id"` // of the likeliest candidate
	Candidates []document.FlaggedCandidate `json:"candidates"`  // possible contradictions, likeliest first
}

// judgmentOf returns nil, which omits it, when there is nothing to judge.
func judgmentOf(cs []relate.Candidate) *judgment {
	if len(cs) == 0 {
		return nil
	}
	return &judgment{true, engram.RelationPending, cs[0].Relation.ID, document.Each(cs, func(c relate.Candidate) document.FlaggedCandidate {
		return document.FlaggedCandidateOf(c.Memory, c.Relation, c.Score, c.Reason)
	})}
}

// mismatched words err as older clients know it when a session belongs to another project.
func mismatched(err error) error {
	p, ok := errors.AsType[*project.Problem](err)
	if !ok || p.Reason != project.ReasonSession {
		return err
	}
	mismatch := engram.Errorf(engram.CodeConflict, "session project does not match requested project").
		WithHint("leave the project out, or use a session of its own").WithCause(err)
	return route.Refuse(http.StatusBadRequest, mismatch)
}

type captureBody struct {
	SessionID string `json:"session_id" required:"true" doc:"the saving session"`
	Content   string `json:"content" doc:"a text, with or without learnings"`
	Project   string `json:"project" doc:"default: that of the session"`
	Source    string `json:"source" doc:"where the text comes from"`
}

type captured struct {
	Extracted  int `json:"extracted"`
	Saved      int `json:"saved"`
	Duplicates int `json:"duplicates"`
	placed
}

func (a *API) capture(q *route.Request, in captureBody) (route.Reply, error) {
	if blank(in.SessionID) {
		return route.Reply{}, route.Invalid("session_id is required")
	}
	res, err := a.Engine.Capture(q.Context(), remember.CaptureInput{
		Content: in.Content, SessionID: in.SessionID, NewSession: true, Project: in.Project, Source: in.Source,
	})
	return route.Reply{Body: captured{res.Extracted, res.Saved, res.Duplicates, placed{res.Project, res.Warnings}}, Degraded: res.Warnings}, mismatched(err)
}

func (a *API) observations(q *route.Request) (route.Reply, error) {
	if sort := q.Query.Get("sort"); sort != "" && sort != "created_at:desc" {
		return route.Reply{}, route.Invalid("unsupported sort: use created_at:desc")
	}
	return a.recentObservations(q)
}

func (a *API) recentObservations(q *route.Request) (route.Reply, error) {
	filter := engram.Filter{Project: q.Query.Get("project"), Scope: scopeOf(q), Current: current(q)}
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	list, err := a.Engine.ListNoted(q.Context(), filter, engram.Page{Limit: q.Lenient("limit")}, time.Time{})
	if err != nil {
		return route.Reply{}, err
	}
	elsewhere, err := a.elsewhere(q, filter.Project, len(list.Memories) > 0, false)
	all := document.Each(list.Memories, func(m engram.Memory) observation { return observationOf(m, list.Notes[m.Num]) })
	return route.Reply{Body: all, Elsewhere: elsewhere}, err
}

func (a *API) observation(q *route.Request) (route.Reply, error) {
	ref := numberedOf(q, "observation")
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	d, err := a.readMemory(q, ref)
	return route.Reply{Body: observationOf(d.Memory, d.Note())}, route.Worded(err, engram.CodeNotFound, "observation not found")
}

// observationChange holds the changes of a memory; absent fields stay.
type observationChange struct {
	Type     *engram.Type  `json:"type"`
	Title    *string       `json:"title"`
	Content  *string       `json:"content"`
	Project  *string       `json:"project"`
	Scope    *engram.Scope `json:"scope" doc:"project, personal or global; anything else is project"`
	TopicKey *string       `json:"topic_key" doc:"family/description"`
	Files    *[]string     `json:"files" doc:"replaces its anchors: PATH, PATH:FIRST-LAST or PATH#L3-L9, absolute or relative to its session's folder"`
}

func (a *API) updateObservation(q *route.Request) (route.Reply, error) {
	ref, in := numberedOf(q, "observation"), route.Decode[observationChange](q)
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	if in.Type == nil && in.Title == nil && in.Content == nil && in.Project == nil && in.Scope == nil && in.TopicKey == nil && in.Files == nil {
		return route.Reply{}, route.Invalid("at least one field is required")
	}
	m, err := a.Engine.Update(q.Context(), remember.UpdateInput{
		Ref: ref, Type: in.Type, Title: in.Title, Content: in.Content, Project: in.Project, Scope: in.Scope, TopicKey: in.TopicKey,
		Files: in.Files, InSession: true,
	})
	if _, is := errors.AsType[*anchors.FileError](err); !is { // it is not the file that is missing
		err = route.Worded(err, engram.CodeNotFound, "observation not found")
	}
	return route.Reply{Body: observationOf(m.Memory, engram.Note{Flagged: m.Flagged}), Degraded: m.Warnings}, err
}

type deletedObservation struct {
	Hard   bool   `json:"hard_delete"`
	ID     int64  `json:"id"`
	Status string `json:"status"`
}

// deleteObservation erases only for an explicit hard=true; any other value means no.
func (a *API) deleteObservation(q *route.Request) (route.Reply, error) {
	ref := numberedOf(q, "observation")
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	hard := q.Flag("hard")
	_, err := a.Engine.Delete(q.Context(), hard, ref)
	return route.Reply{Body: deletedObservation{hard, ref.Num, "deleted"}}, route.Worded(err, engram.CodeNotFound, "observation not found")
}

// numbered reads the number of a thing, called what in errors.
func numbered(text, what string) (engram.Ref, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return engram.Ref{}, route.Invalid("invalid %s id", what).WithHint("use a whole number")
	case n < 1:
		return engram.Ref{}, engram.Errorf(engram.CodeNotFound, "%s not found", what)
	}
	return engram.ByNum(n), nil
}

func numberedOf(q *route.Request, what string) engram.Ref {
	ref, err := numbered(q.PathValue("id"), what)
	q.Bad(err)
	return ref
}

// rememberRows are the tools remember, recall and forget as routes. They search all projects (package recall of
// mcp says why). A new memory goes to the named project, else to that of the session, the settings or the
// server's folder.
func (a *API) rememberRows() []route.Route {
	return []route.Route{
		route.Write("POST", "/remember", route.Decoded(a.remember), "remember one thing; a near-duplicate is merged").AsNewer().Takes(rememberBody{}).Gives(remembered{}, http.StatusOK, created),
		// Its reads are counted, so it needs the token.
		route.Write("POST", "/recall", route.Decoded(a.recollect), "search memories, ranked by likeness × strength").AsNewer().Takes(recollectBody{}).Gives(document.Recollection{}),
		route.Write("POST", "/forget", route.Decoded(a.forget), "forget a memory").AsNewer().Takes(forgetBody{}).Gives(document.Forgotten{}).FailsWith(notFound, conflict),
	}
}

type rememberBody struct {
	Content  string         `json:"content" required:"true"`
	Category engram.Type    `json:"category" doc:"decision, pattern, fact, preference, insight, …"`
	Metadata map[string]any `json:"metadata"`
	Project  string         `json:"project" doc:"default: that of the session, the server's settings or the server's folder"`
	Session  string         `json:"session_id" doc:"the saving session; created if unknown"`
}

type remembered struct {
	document.Remembered
	placed
}

// placed says in which project something was saved, with warnings.
type placed struct {
	Project  string   `json:"project,omitempty"`  // normalised; absent for none
	Warnings []string `json:"warnings,omitempty"` // on the project's name, on removed text or failed parts
}

func (a *API) remember(q *route.Request, in rememberBody) (route.Reply, error) {
	if blank(in.Content) {
		return route.Reply{}, route.Invalid("content is required")
	}
	var err error
	if in.Project == "" {
		if in.Project, err = a.projectOf(q.Context(), in.Session); err != nil {
			return route.Reply{}, err
		}
	}
	res, err := a.Engine.Save(q.Context(), remember.SaveInput{Content: in.Content, Type: in.Category, Metadata: in.Metadata,
		Project: in.Project, SessionID: in.Session, NewSession: true, Directory: a.Dir, Admit: remember.AdmitMerging})
	rep := route.Reply{Body: remembered{document.RememberedOf(res.Memory, res.Known(), res.Contested()), placed{res.Memory.Project, res.Warnings}},
		Location: "/memories/" + string(res.Memory.ID), Degraded: res.Warnings}
	if !res.Known() {
		rep.Status = http.StatusCreated
	}
	return rep, mismatched(err)
}

// projectOf returns the project for something that names none: "" where its session has one, which then counts,
// else that of the settings or the server's folder.
func (a *API) projectOf(ctx context.Context, session string) (string, error) {
	if session != "" {
		switch s, err := a.Engine.Session(ctx, session); {
		case err == nil && s.Project != "":
			return "", nil
		case err != nil && engram.CodeOf(err) != engram.CodeNotFound:
			return "", err
		}
	}
	at, err := a.Engine.ProjectFor(ctx, projects.ProjectRequest{Override: a.Project, Dir: a.Dir, Lenient: true, Write: true})
	return at.Name, err
}

type recollectBody struct {
	Query       string         `json:"query" doc:"a question or words; empty lists the newest"`
	Limit       *int           `json:"limit" min:"1" max:"100" default:"10"`
	Category    engram.Type    `json:"category" doc:"only this one"`
	MinStrength *float64       `json:"min_strength" min:"0" max:"1" default:"0.1" doc:"leave out what has faded below"`
	Metadata    map[string]any `json:"metadata_filter" doc:"only what has all of this, exactly"`
}

func (a *API) recollect(q *route.Request, in recollectBody) (route.Reply, error) {
	ask := read.RecollectInput{Query: in.Query, Category: string(in.Category), MinStrength: in.MinStrength, Metadata: in.Metadata}
	if in.Limit != nil && *in.Limit == 0 {
		return route.Reply{}, route.Invalid("limit 0 is out of range").WithHint("use a number from 1 to 100")
	} else if in.Limit != nil {
		ask.Limit = *in.Limit
	}
	found, err := a.Engine.Recollect(q.Context(), ask)
	return route.Reply{Body: document.RecollectionOf(found), Degraded: found.Degraded}, err
}

type forgetBody struct {
	ID string `json:"id" required:"true" doc:"an id, a number or topic:KEY"`
}

func (a *API) forget(q *route.Request, in forgetBody) (route.Reply, error) {
	if blank(in.ID) {
		return route.Reply{}, route.Invalid("id is required")
	}
	ref := parsed(q, in.ID)
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	_, err := a.Engine.Forget(q.Context(), ref)
	return route.Reply{Body: document.Forgotten{Forgotten: true}}, err
}
