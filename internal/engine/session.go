package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/suspicion"
)

// SessionInput starts a session. Project is required; without an ID one is made.
type SessionInput struct{ ID, Project, Directory string }

// StartSession starts a session. It is idempotent: an existing session keeps its
// project and directory, only empty ones are filled in.
func (e *Engine) StartSession(ctx context.Context, in SessionInput) (engram.Session, error) {
	return e.startSession(ctx, in, func(*op, engram.Session) error { return nil })
}

// startSession is StartSession and, in the same transaction, what then does in the session.
func (e *Engine) startSession(ctx context.Context, in SessionInput, then func(*op, engram.Session) error) (engram.Session, error) {
	if err := (raw{{"session id", in.ID}, {"project", in.Project}, {"directory", in.Directory}}).check(); err != nil {
		return engram.Session{}, err
	}
	s := engram.Session{ID: line(in.ID), Project: normalProject(in.Project), Directory: line(in.Directory)}
	if s.Project == "" {
		return s, engram.Errorf(engram.CodeInvalid, "project is required")
	}
	if s.ID == "" {
		s.ID = "session-" + digest(string(e.newID()))
	}
	if err := s.Validate(); err != nil {
		return s, err
	}
	err := e.write(ctx, "session_start", func(o *op) (err error) {
		if s, err = o.started(ctx, s); err != nil {
			return err
		}
		return then(o, s)
	})
	return s, err
}

// started is the session as it is there, made or filled in if need be.
func (o *op) started(ctx context.Context, s engram.Session) (engram.Session, error) {
	was, err := o.tx.Session(ctx, s.ID)
	if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
		return s, err
	}
	known := err == nil
	if known && was.Project != "" && (was.Directory != "" || s.Directory == "") {
		return was, nil
	}
	if !known || was.Project == "" {
		if s.Project, _, err = o.ensureProject(ctx, s.Project); err != nil {
			return s, err
		}
	}
	if !known {
		s.StartedAt, s.ActiveAt = o.at, o.at
		return s, o.putSession(ctx, nil, s, "started")
	}
	now := was
	now.Project, now.Directory = cmp.Or(was.Project, s.Project), cmp.Or(was.Directory, s.Directory)
	return now, o.putSession(ctx, &was, now, "filled in")
}

// RunningSession returns the id of the one session of a project that was started and has not ended,
// for who ends it without saying which: not_found where none runs, conflict with their ids where
// several do. The sessions of saves without a session are none.
func (e *Engine) RunningSession(ctx context.Context, project string) (string, error) {
	project = normalProject(project)
	all, err := e.Sessions(ctx, project, engram.Page{Limit: 1000})
	if err != nil {
		return "", err
	}
	var ids []string
	for _, s := range all {
		if s.EndedAt.IsZero() && !strings.HasPrefix(s.ID, manualSession) {
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

// Session returns one session.
func (e *Engine) Session(ctx context.Context, id string) (s engram.Session, err error) {
	err = e.store.View(ctx, func(r engram.Reader) error {
		if s, err = r.Session(ctx, line(id)); err != nil {
			return err
		}
		one := []engram.SessionActivity{{Session: s}}
		err = e.shownSessions(ctx, r, one)
		s = one[0].Session
		return err
	})
	return s, err
}

// Sessions lists sessions, newest activity first. Limit 0 is 5, at most 1000.
func (e *Engine) Sessions(ctx context.Context, project string, p engram.Page) (all []engram.SessionActivity, err error) {
	if p, err = pageOf(p, 5); err != nil {
		return nil, err
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		if all, err = r.Sessions(ctx, normalProject(project), p); err != nil {
			return err
		}
		return e.shownSessions(ctx, r, all)
	})
	return all, err
}

// DeleteSession removes a session that has no memories (forgotten ones count):
// conflict otherwise, with the number. Its prompts stay. It can be undone, unless hard
// says that its summary is to leave the journal too.
func (e *Engine) DeleteSession(ctx context.Context, id string, hard bool) error {
	id = line(id)
	verb := "session_delete"
	if hard {
		verb = "session_erase"
	}
	return e.write(ctx, verb, func(o *op) error {
		s, err := o.tx.Session(ctx, id)
		if err != nil {
			return err
		}
		n, err := o.tx.CountInSession(ctx, id, true)
		if err != nil {
			return err
		}
		if n > 0 {
			return engram.Errorf(engram.CodeConflict, "session still has observations: session %q has %d observation(s)", id, n).
				WithHint("erase them first: forgotten ones count")
		}
		if err := o.leaveSession(ctx, s); err != nil {
			return err
		}
		return o.deleteSession(ctx, s, hard)
	})
}

// leaveSession takes the prompts out of a session that goes, hidden ones too: what hid
// them may be undone after it was.
func (o *op) leaveSession(ctx context.Context, s engram.Session) error {
	leave := func(ps []engram.Prompt) error {
		for _, p := range ps {
			now := p
			now.SessionID = ""
			if err := o.replacePrompt(ctx, p, now, "its session was deleted"); err != nil {
				return err
			}
		}
		return nil
	}
	for {
		// What has left is not in the list any more.
		ps, err := o.tx.Prompts(ctx, "", s.ID, engram.Page{Limit: 500})
		if err != nil {
			return err
		}
		if len(ps) == 0 {
			break
		}
		if err := leave(ps); err != nil {
			return err
		}
	}
	hidden, err := o.tx.DeletedPromptsIn(ctx, s.ID)
	if err != nil {
		return err
	}
	return leave(hidden)
}

// EndedSession says what became of a session that was to end.
type EndedSession struct {
	Known    bool     // it existed
	Warnings []string // what was cut out of its summary, and that it reads like an order to an agent
}

// EndSession marks a session as ended and keeps its summary, as a memory too. Where nobody
// summed the session up, a summary is made of its memories. An unknown id is fine. Ending
// twice keeps the first end; another summary takes the place of the first.
func (e *Engine) EndSession(ctx context.Context, id, summary string) (ended EndedSession, err error) {
	return e.endSession(ctx, ending{id: id, summary: summary, sumUp: true})
}

// CloseSession ends a session that is over each time that something was kept in it: none is made
// of what it has. It ended at a time which is not later than now; zero is now.
func (e *Engine) CloseSession(ctx context.Context, id string, at time.Time) error {
	_, err := e.endSession(ctx, ending{id: id, at: at})
	return err
}

// ending is how a session is to end.
type ending struct {
	id, summary string
	at          time.Time // not later than now; zero is now
	sumUp       bool      // a summary is made of its memories where nobody wrote one
}

// endSession ends a session, no earlier than it began.
func (e *Engine) endSession(ctx context.Context, as ending) (ended EndedSession, err error) {
	w := e.washing()
	id, summary := line(as.id), w.text(as.summary)
	if id == "" {
		return EndedSession{}, engram.Errorf(engram.CodeInvalid, "session id is required")
	}
	err = e.write(ctx, "session_end", func(o *op) error {
		was, err := o.tx.Session(ctx, id)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		ended = EndedSession{true, w.warning()}
		now := was
		if now.EndedAt.IsZero() {
			now.EndedAt = later(o.happened(as.at), was.StartedAt)
		}
		if summary != "" {
			now.Summary = summary
			ended.Warnings = append(ended.Warnings, summaryWarning(now)...)
		}
		if now != was {
			if err := now.Validate(); err != nil {
				return err
			}
			if err := o.putSession(ctx, &was, now, "ended"); err != nil {
				return err
			}
		}
		switch {
		case now.Summary != was.Summary:
			return o.keepSummary(ctx, now, SaveInput{Content: now.Summary, At: as.at}, was.Summary)
		case now.Summary == "" && as.sumUp:
			return o.sumUp(ctx, now, was.EndedAt.IsZero(), as.at)
		}
		return nil
	})
	return ended, err
}

// Summarize saves what a session came to: a session_summary memory titled "Session
// summary: PROJECT". It takes the place of one that nobody wrote.
func (e *Engine) Summarize(ctx context.Context, in SaveInput) (SaveResult, error) {
	return e.Save(ctx, asSummary(in))
}

// asSummary is what is saved as the summary of a session.
func asSummary(in SaveInput) SaveInput {
	in.Type, in.Title = engram.TypeSessionSummary, "Session summary: "+normalProject(in.Project)
	if normalProject(in.Project) == "" {
		in.Title = "Session summary"
	}
	return in
}

// keepSummary saves the summary of a session as a memory, where none of the session says the same.
// It takes the place of one that nobody wrote, and of the one that says what the session's summary
// was before. Of a session in which all is personal it is personal, too.
func (o *op) keepSummary(ctx context.Context, s engram.Session, in SaveInput, before string) error {
	in.Project, in.SessionID = s.Project, s.ID
	t, err := o.intakeOf(asSummary(in))
	if err != nil {
		return err
	}
	said, err := o.tx.List(ctx, engram.Filter{SessionID: s.ID}, engram.Page{Limit: sumUpMemories})
	same := func(m engram.Memory) bool {
		return m.Type == engram.TypeSessionSummary && m.NormalizedHash == t.draft.NormalizedHash
	}
	if err != nil || slices.ContainsFunc(said, same) {
		return err
	}
	shared := func(m engram.Memory) bool { return m.Scope != engram.ScopePersonal }
	if len(said) > 0 && !slices.ContainsFunc(said, shared) {
		t.draft.Scope = engram.ScopePersonal
	}
	if before != "" {
		t.instead = hashOf(before)
	}
	_, err = newSaver(o, &outlook{}).save(ctx, t)
	return err
}

// How many memories of a session are looked at to sum it up, and how many prompts, the first of
// which says what it was about; how many summaries of its own it has at most.
const (
	sumUpMemories = 200
	sumUpPrompts  = 500
	manySummaries = 100
)

// sumUp makes a summary of the memories of a session that nobody summed up. Left out is what is
// shown as a quotation or reads like an order to an agent, whoever wrote it, for a summary is nobody's
// word; and what is personal, for the summary is of the project. One that somebody forgot is not made
// again unless the session ends only now.
func (o *op) sumUp(ctx context.Context, s engram.Session, first bool, at time.Time) error {
	if strings.HasPrefix(s.ID, manualSession) { // it holds what was saved outside one, and never is over
		return nil
	}
	all, err := o.tx.List(ctx, engram.Filter{SessionID: s.ID, Current: true}, engram.Page{Limit: sumUpMemories})
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
		case m.Scope == engram.ScopeProject && !render.Quoted(m, engram.Note{}) && len(suspicionsIn(shownTexts(m))) == 0:
			ms = append(ms, m)
		}
	}
	if len(ms) == 0 {
		return nil
	}
	if !first && !made {
		gone, err := o.tx.List(ctx, engram.Filter{SessionID: s.ID, Tags: []string{lifecycle.TagMadeSummary}, Forgotten: true}, engram.Page{Limit: 1})
		if err != nil || len(gone) > 0 {
			return err
		}
	}
	goal, err := o.firstPrompt(ctx, s.ID)
	if err != nil {
		return err
	}
	slices.Reverse(ms) // the oldest first
	text := gist.Session(goal, ms)
	if readsLikeAnOrder(text) {
		return nil
	}
	return o.keepSummary(ctx, s, SaveInput{Content: text, Tags: []string{lifecycle.TagMadeSummary}, At: at}, "")
}

// firstPrompt is what was asked for first in a session; "" where that reads like an order, and where
// so much was asked that it would be long to look for.
func (o *op) firstPrompt(ctx context.Context, session string) (string, error) {
	ps, err := o.tx.Prompts(ctx, "", session, engram.Page{Limit: sumUpPrompts})
	if err != nil || len(ps) == 0 || len(ps) == sumUpPrompts {
		return "", err
	}
	first := ps[len(ps)-1].Content
	if readsLikeAnOrder(first) {
		return "", nil
	}
	return first, nil
}

// summariesOf are the live memories that sum up a session, the newest first.
func summariesOf(ctx context.Context, r engram.Reader, session string) ([]engram.Memory, error) {
	return r.List(ctx, engram.Filter{SessionID: session, Types: []engram.Type{engram.TypeSessionSummary}}, engram.Page{Limit: manySummaries})
}

// knowSummaries adds the summary of m's session that says the same, whenever that was, and the one
// in whose place m comes.
func (s *saver) knowSummaries(ctx context.Context, t intake, m engram.Memory, known *lifecycle.Known) error {
	all, err := summariesOf(ctx, s.tx, m.SessionID)
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

// LeaveSession ends a session that its agent has left, at a time as CloseSession has it, summed
// up as by EndSession. One in which nothing was kept goes, so that the list of sessions is of those in which something
// happened: a window that was opened and closed again leaves no trace but the journal's. An
// unknown id is fine.
func (e *Engine) LeaveSession(ctx context.Context, id string, at time.Time) error {
	id = line(id)
	if id == "" {
		return engram.Errorf(engram.CodeInvalid, "session id is required")
	}
	var empty, known bool
	err := e.store.View(ctx, func(r engram.Reader) (err error) {
		empty, known, err = isEmpty(ctx, r, id)
		return err
	})
	if err != nil || !known {
		return err
	}
	if !empty {
		_, err = e.endSession(ctx, ending{id: id, at: at, sumUp: true})
		return err
	}
	return e.write(ctx, "session_end", func(o *op) error {
		empty, known, err := isEmpty(ctx, o.tx, id)
		if err != nil || !known || !empty { // somebody has begun to work in it meanwhile
			return err
		}
		s, err := o.tx.Session(ctx, id)
		if err != nil {
			return err
		}
		return o.deleteSession(ctx, s, false)
	})
}

// manyUses is more than a session is shown in which nothing happens.
const manyUses = 200

// isEmpty reports whether nothing was kept in a session, forgotten and hidden things counting,
// and nothing was asked for in it; what it was told unasked is nothing.
func isEmpty(ctx context.Context, r engram.Reader, id string) (empty, known bool, err error) {
	s, err := r.Session(ctx, id)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return false, false, nil
	}
	if err != nil || s.Summary != "" {
		return false, true, err
	}
	if n, err := r.CountInSession(ctx, id, true); err != nil || n > 0 {
		return false, true, err
	}
	prompts, err := r.Prompts(ctx, "", id, engram.Page{Limit: 1})
	if err != nil || len(prompts) > 0 {
		return false, true, err
	}
	if prompts, err = r.DeletedPromptsIn(ctx, id); err != nil || len(prompts) > 0 {
		return false, true, err
	}
	uses, err := r.Uses(ctx, id, engram.Page{Limit: manyUses})
	for _, u := range uses {
		if u.Operation != useContext && u.Operation != useRemind {
			return false, true, err
		}
	}
	return len(uses) < manyUses, true, err
}

// FlaggedSummary says why the summary of a session reads like an order to an agent, in words; nil
// where it does not. Such a summary is told to nobody unasked. The memory that says it waits for a
// person; who wants the session's own line told ends the session with other words.
func FlaggedSummary(s engram.Session) (why []string) {
	for _, r := range suspicion.Of(s.Summary) {
		why = append(why, r.Why)
	}
	return why
}

// summaryWarning is what whoever ends a session is told of its summary; nothing where that is told.
func summaryWarning(s engram.Session) []string {
	why := FlaggedSummary(s)
	if len(why) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The summary reads like an order to an agent (%s): it is shown where somebody asks for the session, and told unasked to nobody; ending the session with other words replaces it",
		strings.Join(why, "; "))}
}

// sourcesOf sets where the summaries of sessions were written that were not written here: in a file
// that knew no stamps, or in another store.
func sourcesOf(ctx context.Context, r engram.Reader, all []engram.SessionActivity) error {
	here, err := r.Device(ctx)
	if err != nil {
		return err
	}
	ids := mapped(all, func(s engram.SessionActivity) string { return s.ID })
	lineages, err := r.CausalMetadata(ctx, engram.EntitySession, ids)
	if err != nil {
		return err
	}
	for i, s := range all {
		l, known := lineages[s.ID]
		switch written := l.Of("summary"); {
		case s.Summary == "" || !known || written.Device == here:
		case written.Derived():
			all[i].From = engram.OriginImport
		default:
			all[i].From = engram.OriginSync
		}
	}
	return nil
}
