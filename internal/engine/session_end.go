package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/render"
)

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
