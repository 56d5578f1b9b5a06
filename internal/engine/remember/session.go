package remember

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/render"
)

// SessionInput starts a session. Project is required; an empty ID is generated.
type SessionInput struct{ ID, Project, Directory string }

// StartSession starts a session. It is idempotent: an existing session keeps project and directory unless
// empty.
func (w *Writer) StartSession(ctx context.Context, in SessionInput) (engram.Session, error) {
	return w.OpenSession(ctx, in, func(*ledger.Tx, engram.Session) error { return nil })
}

// OpenSession is StartSession and runs then in the same transaction.
func (w *Writer) OpenSession(ctx context.Context, in SessionInput, then func(*ledger.Tx, engram.Session) error) (engram.Session, error) {
	if err := (screen.Raw{"session id", in.ID, "project", in.Project, "directory", in.Directory}).Check(); err != nil {
		return engram.Session{}, err
	}
	s := engram.Session{ID: screen.Line(in.ID), Project: screen.NormalProject(in.Project), Directory: screen.Line(in.Directory)}
	if s.Project == "" {
		return s, engram.Errorf(engram.CodeInvalid, "project is required")
	}
	if s.ID == "" {
		s.ID = "session-" + ledger.Digest(string(w.ledger.NewID()))
	}
	if err := s.Validate(); err != nil {
		return s, err
	}
	err := w.ledger.Write(ctx, "session_start", func(o *ledger.Tx) (err error) {
		if s, err = started(ctx, o, s); err != nil {
			return err
		}
		return then(o, s)
	})
	return s, err
}

// started returns the existing session, created or completed if need be.
func started(ctx context.Context, o *ledger.Tx, s engram.Session) (engram.Session, error) {
	was, err := o.Store.Session(ctx, s.ID)
	if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
		return s, err
	}
	known := err == nil
	if known && was.Project != "" && (was.Directory != "" || s.Directory == "") {
		return was, nil
	}
	if !known || was.Project == "" {
		if s.Project, _, err = projects.EnsureProject(ctx, o, s.Project); err != nil {
			return s, err
		}
	}
	if !known {
		s.StartedAt, s.ActiveAt = o.At, o.At
		return s, o.PutSession(ctx, nil, s, "started")
	}
	now := was
	now.Project, now.Directory = cmp.Or(was.Project, s.Project), cmp.Or(was.Directory, s.Directory)
	return now, o.PutSession(ctx, &was, now, "filled in")
}

// RunningSession returns the id of the one running session of a project, for callers that end it without naming
// it: not_found if none runs, conflict with the ids if several do. Manual sessions do not count.
func (w *Writer) RunningSession(ctx context.Context, project string) (string, error) {
	project = screen.NormalProject(project)
	all, err := w.Sessions(ctx, project, engram.Page{Limit: 1000})
	if err != nil {
		return "", err
	}
	var ids []string
	for _, s := range all {
		if s.EndedAt.IsZero() && !strings.HasPrefix(s.ID, projects.ManualSession) {
			ids = append(ids, s.ID)
		}
	}
	switch {
	case len(ids) == 0:
		return "", engram.Errorf(engram.CodeNotFound, "no session of project %q is running", project).WithHint("{session list} shows the sessions")
	case len(ids) > 1:
		named := strings.Join(ids[:min(len(ids), 5)], ", ")
		return "", engram.Errorf(engram.CodeConflict, "%d sessions of project %q are running: %s", len(ids), project, named).WithHint("name the one to end")
	}
	return ids[0], nil
}

// Sessions lists sessions, newest activity first. Limit 0 is 5, at most 1000.
func (w *Writer) Sessions(ctx context.Context, project string, p engram.Page) (all []engram.SessionActivity, err error) {
	return w.sessions(ctx, engram.SessionFilter{Project: screen.NormalProject(project)}, p)
}

func (w *Writer) sessions(ctx context.Context, f engram.SessionFilter, p engram.Page) (all []engram.SessionActivity, err error) {
	if p, err = screen.PageOf(p, 5); err != nil {
		return nil, err
	}
	err = w.ledger.View(ctx, func(r engram.Reader) error {
		if all, err = r.Sessions(ctx, f, p); err != nil {
			return err
		}
		return w.screen.ShownSessions(ctx, r, all)
	})
	return all, err
}

// RunningSessions lists the sessions that have not ended, newest activity first, without manual ones, which never end.
// Limit 0 is 5, at most 1000.
func (w *Writer) RunningSessions(ctx context.Context, project string, p engram.Page) (all []engram.SessionActivity, err error) {
	return w.sessions(ctx, engram.SessionFilter{Project: screen.NormalProject(project), Open: true, SkipPrefix: projects.ManualSession}, p)
}

// EndedSession is the result of ending a session.
type EndedSession struct {
	Known    bool     // it existed
	Warnings []string // redacted secrets; a flagged summary
}

// EndSession ends a session and saves its summary, as a memory too. Without a summary one is generated from the
// session's memories. An unknown id is fine. Ending twice keeps the first end; a new summary replaces the
// first.
func (w *Writer) EndSession(ctx context.Context, id, summary string) (ended EndedSession, err error) {
	return w.endSession(ctx, ending{id: id, summary: summary, sumUp: true})
}

// CloseSession ends a session that is written at once, without generating a summary. at is when it ended, not
// later than now; zero is now.
func (w *Writer) CloseSession(ctx context.Context, id string, at time.Time) error {
	_, err := w.endSession(ctx, ending{id: id, at: at})
	return err
}

// ending says how a session ends.
type ending struct {
	id, summary string
	at          time.Time // not later than now; zero is now
	sumUp       bool      // generate a summary if none was written
}

// endSession ends a session, not before its start.
func (w *Writer) endSession(ctx context.Context, as ending) (ended EndedSession, err error) {
	redactor := w.screen.Redactor()
	id, summary := screen.Line(as.id), redactor.Text(as.summary)
	if id == "" {
		return EndedSession{}, engram.Errorf(engram.CodeInvalid, "session id is required")
	}
	err = w.ledger.Write(ctx, "session_end", func(o *ledger.Tx) error {
		was, err := o.Store.Session(ctx, id)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		ended = EndedSession{true, redactor.Warning()}
		now := was
		if now.EndedAt.IsZero() {
			now.EndedAt = ledger.Later(o.Happened(as.at), was.StartedAt)
		}
		if summary != "" {
			now.Summary = summary
			ended.Warnings = append(ended.Warnings, summaryWarning(now)...)
		}
		if now != was {
			if err := now.Validate(); err != nil {
				return err
			}
			if err := o.PutSession(ctx, &was, now, "ended"); err != nil {
				return err
			}
		}
		switch {
		case now.Summary != was.Summary:
			return w.keepSummary(ctx, o, now, SaveInput{Content: now.Summary, At: as.at}, was.Summary)
		case now.Summary == "" && as.sumUp:
			return w.sumUp(ctx, o, now, was.EndedAt.IsZero(), as.at)
		}
		return nil
	})
	return ended, err
}

// Summarize saves a session's result as a session_summary memory titled "Session summary: PROJECT". It replaces
// a generated one.
func (w *Writer) Summarize(ctx context.Context, in SaveInput) (SaveResult, error) {
	return w.Save(ctx, asSummary(in))
}

// asSummary turns a save into that of a session summary.
func asSummary(in SaveInput) SaveInput {
	in.Type, in.Title = engram.TypeSessionSummary, "Session summary: "+screen.NormalProject(in.Project)
	if screen.NormalProject(in.Project) == "" {
		in.Title = "Session summary"
	}
	return in
}

// keepSummary saves a session's summary as a memory, unless one of the session says the same. It replaces a
// generated summary, and the one with the text before. It is personal if all memories of the session are.
func (w *Writer) keepSummary(ctx context.Context, o *ledger.Tx, s engram.Session, in SaveInput, before string) error {
	in.Project, in.SessionID = s.Project, s.ID
	t, err := w.IntakeOf(asSummary(in))
	if err != nil {
		return err
	}
	said, err := o.Store.List(ctx, engram.Filter{SessionID: s.ID}, engram.Page{Limit: sumUpMemories})
	same := func(m engram.Memory) bool {
		return m.Type == engram.TypeSessionSummary && m.NormalizedHash == t.Draft.NormalizedHash
	}
	if err != nil || slices.ContainsFunc(said, same) {
		return err
	}
	shared := func(m engram.Memory) bool { return m.Scope != engram.ScopePersonal }
	if len(said) > 0 && !slices.ContainsFunc(said, shared) {
		t.Draft.Scope = engram.ScopePersonal
	}
	if before != "" {
		t.instead = screen.HashOf(before)
	}
	_, err = NewSaver(w, o, &Lookahead{}).Save(ctx, t)
	return err
}

// Limits for generating a summary: memories and prompts read (the first prompt states the goal), and existing
// summaries.
const (
	sumUpMemories = 200
	sumUpPrompts  = 500
	manySummaries = 100
)

// sumUp generates a summary of a session without one. It excludes quoted and flagged memories of any author, since
// a summary has none, and personal memories, since the summary belongs to the project. A forgotten summary is
// generated again only when the session ends for the first time.
func (w *Writer) sumUp(ctx context.Context, o *ledger.Tx, s engram.Session, first bool, at time.Time) error {
	if strings.HasPrefix(s.ID, projects.ManualSession) { // a manual session never ends
		return nil
	}
	all, err := o.Store.List(ctx, engram.Filter{SessionID: s.ID, Current: true}, engram.Page{Limit: sumUpMemories})
	if err != nil {
		return err
	}
	var ms []engram.Memory
	made := false
	for _, m := range all {
		switch {
		case lifecycle.IsMadeSummary(m):
			made = true
		case m.Type == engram.TypeSessionSummary:
			return nil
		case m.Scope == engram.ScopeProject && !render.Quoted(m, engram.Note{}) && len(screen.SuspicionsIn(screen.ShownTexts(m))) == 0:
			ms = append(ms, m)
		}
	}
	if len(ms) == 0 {
		return nil
	}
	if !first && !made {
		gone, err := o.Store.List(ctx, engram.Filter{SessionID: s.ID, Tags: []string{lifecycle.TagMadeSummary}, Forgotten: true}, engram.Page{Limit: 1})
		if err != nil || len(gone) > 0 {
			return err
		}
	}
	goal, err := firstPrompt(ctx, o, s.ID)
	if err != nil {
		return err
	}
	slices.Reverse(ms) // oldest first
	text := gist.Session(goal, ms)
	if screen.InstructionLike(text) {
		return nil
	}
	return w.keepSummary(ctx, o, s, SaveInput{Content: text, Tags: []string{lifecycle.TagMadeSummary}, At: at}, "")
}

// firstPrompt returns the first prompt of a session; "" if it is flagged, or if there are too many prompts to
// find it cheaply.
func firstPrompt(ctx context.Context, o *ledger.Tx, session string) (string, error) {
	ps, err := o.Store.Prompts(ctx, engram.PromptFilter{SessionID: session}, engram.Page{Limit: sumUpPrompts})
	if err != nil || len(ps) == 0 || len(ps) == sumUpPrompts {
		return "", err
	}
	first := ps[len(ps)-1].Content
	if screen.InstructionLike(first) {
		return "", nil
	}
	return first, nil
}

// summariesOf returns the live summaries of a session, newest first.
func summariesOf(ctx context.Context, r engram.Reader, session string) ([]engram.Memory, error) {
	return r.List(ctx, engram.Filter{SessionID: session, Types: []engram.Type{engram.TypeSessionSummary}}, engram.Page{Limit: manySummaries})
}

// knowSummaries adds the session's summary with the same text, however old, and the one that m replaces.
func (s *Saver) knowSummaries(ctx context.Context, t Intake, m engram.Memory, known *lifecycle.Known) error {
	all, err := summariesOf(ctx, s.tx.Store, m.SessionID)
	for _, old := range all {
		switch {
		case old.NormalizedHash == m.NormalizedHash:
			known.Repeat = &old
		case lifecycle.IsMadeSummary(old) || old.NormalizedHash == t.instead:
			known.Standing = &old
		}
	}
	return err
}

// LeaveSession ends a session that its agent left, at a time as in CloseSession, with a summary as in
// EndSession. A session in which nothing was kept is deleted, so that opening and closing a window leaves a
// trace only in the journal. An unknown id is fine.
func (w *Writer) LeaveSession(ctx context.Context, id string, at time.Time) error {
	id = screen.Line(id)
	if id == "" {
		return engram.Errorf(engram.CodeInvalid, "session id is required")
	}
	var empty, known bool
	err := w.ledger.View(ctx, func(r engram.Reader) (err error) {
		empty, known, err = isEmpty(ctx, r, id)
		return err
	})
	if err != nil || !known {
		return err
	}
	if !empty {
		_, err = w.endSession(ctx, ending{id: id, at: at, sumUp: true})
		return err
	}
	return w.ledger.Write(ctx, "session_end", func(o *ledger.Tx) error {
		empty, known, err := isEmpty(ctx, o.Store, id)
		if err != nil || !known || !empty { // work in it has begun meanwhile
			return err
		}
		s, err := o.Store.Session(ctx, id)
		if err != nil {
			return err
		}
		return o.DeleteSession(ctx, s, false)
	})
}

// manyExposures is more exposures than a session without activity has.
const manyExposures = 200

// isEmpty reports whether a session kept nothing, not even forgotten or hidden, and requested nothing; injected
// memories do not count.
func isEmpty(ctx context.Context, r engram.Reader, id string) (empty, known bool, err error) {
	s, err := r.Session(ctx, id)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return false, false, nil
	}
	if err != nil || s.Summary != "" {
		return false, true, err
	}
	if n, err := r.Count(ctx, engram.Filter{SessionID: id, WithForgotten: true}); err != nil || n > 0 {
		return false, true, err
	}
	if prompts, err := r.Prompts(ctx, engram.PromptFilter{SessionID: id}, engram.Page{Limit: 1}); err != nil || len(prompts) > 0 {
		return false, true, err
	}
	if prompts, err := engram.DeletedPrompts(ctx, r, "", id); err != nil || len(prompts) > 0 {
		return false, true, err
	}
	exposures, err := r.Exposures(ctx, id, engram.Page{Limit: manyExposures})
	for _, u := range exposures {
		if u.Operation != exposure.OpContext && u.Operation != exposure.OpRemind {
			return false, true, err
		}
	}
	return len(exposures) < manyExposures, true, err
}

// summaryWarning warns the caller about a flagged summary.
func summaryWarning(s engram.Session) []string {
	why := read.FlaggedSummary(s)
	if len(why) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The summary was flagged as instruction-like (%s): it is shown on request but not injected; end the session with other words to replace it",
		strings.Join(why, "; "))}
}

// SourcesOf sets the origin of session summaries written elsewhere: imported from a file without version
// stamps, or replicated.
func SourcesOf(ctx context.Context, r engram.Reader, all []engram.SessionActivity) error {
	var ids []string
	for _, s := range all {
		if s.Summary != "" {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	head, err := r.Replica().Head(ctx)
	if err != nil {
		return err
	}
	lineages, err := r.Replica().CausalMetadata(ctx, engram.EntitySession, ids)
	if err != nil {
		return err
	}
	for i, s := range all {
		l, known := lineages[s.ID]
		switch written := l.Of("summary"); {
		case s.Summary == "" || !known || written.Device == head.Device:
		case written.Derived():
			all[i].From = engram.OriginImport
		default:
			all[i].From = engram.OriginSync
		}
	}
	return nil
}
