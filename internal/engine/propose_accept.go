package engine

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// ProposalEdit is what a person has otherwise of a proposal; "" leaves what is proposed.
type ProposalEdit struct {
	Title, Content string
	Type           engram.Type
	// Read says that the person was shown all of the text, and why it reads like an order where it
	// does (SuspicionsOf): then that is approved with it (Approve).
	Read bool
}

// AcceptProposal saves what was proposed as Save does, with the time at which it happened,
// in the session that it was found in. It is an operation of its own, which Undo takes
// back: the memory is forgotten, and what was proposed waits again.
//
// To take something in is not to approve of an order that stands in it: unless the edit says that
// it was read, a memory that reads like one is told to nobody unasked and waits as suspect, and
// the warnings say so.
//
// CodeNotFound for a number under which nothing waits, CodeInvalid for what is no proposal.
func (e *Engine) AcceptProposal(ctx context.Context, num int64, edit ProposalEdit) (SaveResult, error) {
	d, err := view(ctx, e, func(r engram.Reader) (engram.Deferred, error) { return waitsAt(ctx, r, num) })
	if err != nil {
		return SaveResult{}, err
	}
	if d.Why != engram.DeferredProposal || d.Record.Memory == nil {
		return SaveResult{}, engram.Errorf(engram.CodeInvalid, "what waits under number %d is no proposal", num).WithHint("{sync deferred} shows what it is")
	}
	t, err := e.intakeOf(proposedInput(d, edit))
	if err != nil {
		return SaveResult{}, err
	}
	begun := e.tally.begin()
	all, err := e.acceptIntake(ctx, d, t, edit.Read)
	e.tally.saved(begun, actionsOf(all), err)
	if err != nil {
		return SaveResult{}, err
	}
	return all[0], nil
}

// isProposal reports whether what waits under a number is a proposal.
func (e *Engine) isProposal(ctx context.Context, num int64) (proposed bool, err error) {
	err = e.store.View(ctx, func(r engram.Reader) error {
		d, found, err := r.DeferredAt(ctx, num)
		proposed = found && d.Why == engram.DeferredProposal // CodeNotFound is AcceptDeferred's
		return err
	})
	return proposed, err
}

// acceptedProposal accepts a proposal as AcceptDeferred tells it; err is why that cannot be
// known.
func (e *Engine) acceptedProposal(ctx context.Context, num int64, err error) (Accepted, error) {
	if err != nil {
		return Accepted{}, err
	}
	saved, err := e.AcceptProposal(ctx, num, ProposalEdit{})
	if err != nil {
		return Accepted{}, err
	}
	res := Accepted{Imported: engram.Imported{Mode: ImportMerge, Op: saved.Op}, Memory: saved.Memory.Num, Warnings: saved.Warnings}
	if saved.Action == ActionInserted {
		res.Memories.Added = 1
	} else {
		res.Memories.Changed = 1
	}
	return res, nil
}

// proposedInput is a proposal as what is to be saved.
func proposedInput(d engram.Deferred, edit ProposalEdit) SaveInput {
	m := d.Record.Memory.Memory
	return SaveInput{Title: cmp.Or(strings.TrimSpace(edit.Title), m.Title), Content: cmp.Or(strings.TrimSpace(edit.Content), m.Content),
		Type: cmp.Or(edit.Type, m.Type), Project: d.Project, SessionID: m.SessionID, ToolName: m.ToolName, Origin: m.Origin, Tags: m.Tags, Importance: &m.Importance}
}

// acceptIntake saves one proposal in one transaction, in which it waits no longer.
func (e *Engine) acceptIntake(ctx context.Context, d engram.Deferred, t intake, read bool) ([]SaveResult, error) {
	at := d.Record.Memory.Memory.CreatedAt
	out, err := e.lookAhead(ctx, []intake{t})
	if err != nil {
		return nil, err
	}
	all := make([]SaveResult, 1)
	err = e.write(ctx, "save", func(o *op) error {
		o.embedded = out.embedded
		if _, err := o.waiting(ctx, d.Num); err != nil { // somebody else may have decided meanwhile
			return err
		}
		t := t // of this try: a transaction may be tried again
		if !at.After(o.at) {
			t.draft.CreatedAt, t.draft.UpdatedAt = at, at
		}
		if t.draft.SessionID, err = o.pastSession(ctx, t.draft.SessionID, d.Project, at); err != nil {
			return err
		}
		if all[0], err = newSaver(o, out).save(ctx, t); err != nil {
			return err
		}
		if err := o.approveRead(ctx, t.draft, read, &all[0]); err != nil {
			return err
		}
		all[0].tell(t, out)
		all[0].Op = o.first
		if err := o.decided(ctx, d, all[0].Memory.Num, "a person took it"); err != nil {
			return err
		}
		return o.countSaves(ctx, all)
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// approveRead approves what of a memory was read in a draft. It may have been there before, with texts
// of its own that nobody has shown anybody.
func (o *op) approveRead(ctx context.Context, draft engram.Memory, read bool, res *SaveResult) error {
	shown := map[string]bool{}
	if read {
		for _, s := range suspicionsOf(draft) {
			shown[s.digest] = true
		}
	}
	if err := o.approveThat(ctx, res.Memory, func(s suspicious) bool { return shown[s.digest] }); err != nil {
		return err
	}
	warnings, err := o.warnTakenIn(ctx, res.Memory)
	res.Warnings = append(res.Warnings, warnings...)
	return err
}

// warnTakenIn says of a memory that a person has just taken in that it is told to nobody unasked, if
// it is: to take it in was not to approve of the order.
func (o *op) warnTakenIn(ctx context.Context, m engram.Memory) ([]string, error) {
	why, err := suspects(ctx, o.tx, []engram.Memory{m})
	if err != nil || len(why[m.Num]) == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("Memory #%d reads like an order to an agent (%s): it is told to nobody unasked until engram review approve %d",
		m.Num, strings.Join(why[m.Num], "; "), m.Num)}, nil
}

// pastSession makes the session that was read about, as it is over. "" where there is none,
// or where one of that name is of another project: then what is saved belongs to the open
// session.
func (o *op) pastSession(ctx context.Context, id, project string, at time.Time) (string, error) {
	if id == "" {
		return "", nil
	}
	was, err := o.tx.Session(ctx, id)
	if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
		return "", err
	}
	name, _, ensured := o.ensureProject(ctx, project)
	switch {
	case ensured != nil:
		return "", ensured
	case err == nil && was.Project != name:
		return "", nil
	case err == nil:
		return id, o.reach(ctx, was, at)
	}
	if at.IsZero() {
		at = o.at
	}
	s := engram.Session{ID: id, Project: name, StartedAt: at, ActiveAt: at, EndedAt: at}
	if err := s.Validate(); err != nil {
		return "", err
	}
	return id, o.putSession(ctx, nil, s, "read in a transcript")
}

// reach has a session that is over, and that only what was read of it tells of, last from the first
// to the last of its memories: nobody has noted when it began and ended.
func (o *op) reach(ctx context.Context, was engram.Session, at time.Time) error {
	s := was
	if at.IsZero() || at.After(o.at) || s.EndedAt.IsZero() || s.Directory != "" {
		return nil
	}
	if at.Before(s.StartedAt) {
		s.StartedAt = at
	}
	if at.After(s.EndedAt) {
		s.ActiveAt, s.EndedAt = at, at
	}
	if s == was {
		return nil
	}
	return o.putSession(ctx, &was, s, "more was read in its transcript")
}
