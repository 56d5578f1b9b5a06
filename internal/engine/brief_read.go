package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/render"
)

// read reads what there is to tell.
func (b *briefing) read(ctx context.Context, r engram.Reader) error {
	if p, known, err := r.Project(ctx, b.in.Project); err != nil {
		return err
	} else if known {
		b.in.Project = p.Name
	}
	ms, err := b.ofProject(ctx, r)
	if err != nil {
		return err
	}
	if err := b.before(ctx, r, ms); err != nil {
		return err
	}
	beyond, err := b.beyond(ctx, r)
	if err != nil {
		return err
	}
	ms = slices.DeleteFunc(slices.Concat(ms, beyond), func(m engram.Memory) bool { return m.Type == engram.TypeSessionSummary })
	if ms, err = byWorth(ctx, r, ms, b.now); err != nil {
		return err
	}
	if ms, err = b.unseen(ctx, r, ms); err != nil {
		return err
	}
	ms = lastingFirst(ms, briefLasting, briefLearned)
	if err := b.weigh(ctx, r, ms[:min(len(ms), briefWeighed)]); err != nil {
		return err
	}
	b.notes, err = notesOn(ctx, r, b.now, b.worth)
	return err
}

// lastingFirst puts the first so many memories that last before all others, and then the
// first so many of what was learned. Worth fades with age, and would tell the facts of the
// week rather than what the person asked for once and for all, which no prompt brings up;
// and where much holds for all work, nothing else would be told.
func lastingFirst(ms []engram.Memory, most, learned int) []engram.Memory {
	var first, then, rest []engram.Memory
	for _, m := range ms {
		switch {
		case len(first) < most && lasts(m):
			first = append(first, m)
		case len(then) < learned && !holds(m) && !lasts(m):
			then = append(then, m)
		default:
			rest = append(rest, m)
		}
	}
	return slices.Concat(first, then, rest)
}

// weigh keeps of memories those that may be told. To look through their texts is a tenth of what
// a start costs, and most of them would not be told for want of room.
func (b *briefing) weigh(ctx context.Context, r engram.Reader, ms []engram.Memory) error {
	const enough = briefMemories + briefSpare
	for len(ms) > 0 && len(b.worth) < enough {
		n := min(len(ms), enough-len(b.worth))
		yes, withheld, err := b.injectable(ctx, r, ms[:n])
		if err != nil {
			return err
		}
		b.worth, b.out.Withheld, ms = append(b.worth, yes...), b.out.Withheld+withheld, ms[n:]
	}
	return nil
}

// ofProject are the memories of the project that may be worth telling, and how many wait for
// a person.
func (b *briefing) ofProject(ctx context.Context, r engram.Reader) ([]engram.Memory, error) {
	if b.in.Project == "" {
		return nil, nil
	}
	if err := b.countWaiting(ctx, r); err != nil {
		return nil, err
	}
	return worthWeighing(ctx, r, engram.Filter{Project: b.in.Project, Current: true}, briefNewest)
}

// countWaiting counts what waits for a person: what is due, what is suspect, what is no memory
// yet.
func (b *briefing) countWaiting(ctx context.Context, r engram.Reader) error {
	due, err := r.Due(ctx, b.in.Project, b.now, engram.Page{Limit: waitingMost})
	if err != nil {
		return err
	}
	suspect, err := r.CountSuspects(ctx, b.in.Project)
	if err != nil {
		return err
	}
	n := len(due) + suspect
	for _, why := range []engram.Deferral{engram.DeferredReview, engram.DeferredProposal} {
		records, err := r.CountDeferred(ctx, b.in.Project, why)
		if err != nil {
			return err
		}
		n += records
	}
	b.out.Waiting = min(n, waitingMost)
	return nil
}

// before is what the session before this one came to: what it said in the end, or the
// newest summary that was saved. One that nobody wrote says no more than the memories do, which
// are told themselves.
func (b *briefing) before(ctx context.Context, r engram.Reader, ms []engram.Memory) error {
	if b.in.Project == "" {
		return nil
	}
	sessions, err := r.Sessions(ctx, b.in.Project, engram.Page{Limit: contextSessions})
	if err != nil {
		return err
	}
	if err := sourcesOf(ctx, r, sessions); err != nil {
		return err
	}
	for _, s := range sessions {
		if s.ID != b.in.SessionID && s.Summary != "" && !readsLikeAnOrder(s.Summary+"\n"+s.ID) {
			b.earlier = render.Earlier{Text: b.CleanText(s.Summary), At: s.ActiveAt, Origin: s.From, SessionID: s.ID}
			break
		}
	}
	var newest engram.Memory
	for _, m := range ms {
		over := !m.ValidTo.IsZero() && !m.ValidTo.After(b.now)
		if m.Type == engram.TypeSessionSummary && !lifecycle.IsMadeSummary(m) && !over && (m.SessionID == "" || m.SessionID != b.in.SessionID) && m.CreatedAt.After(newest.CreatedAt) && m.UpdatedAt.After(b.earlier.At) {
			newest = m
		}
	}
	if newest.Num == 0 {
		return nil
	}
	yes, _, err := b.injectable(ctx, r, []engram.Memory{newest})
	if len(yes) > 0 {
		b.earlier = render.Earlier{Text: yes[0].Content, At: newest.UpdatedAt, Origin: newest.Origin, Num: newest.Num}
	}
	return err
}

// beyond are the memories of other projects and of none that are of the person or of
// everybody.
func (b *briefing) beyond(ctx context.Context, r engram.Reader) (all []engram.Memory, err error) {
	for _, s := range []engram.Scope{engram.ScopePersonal, engram.ScopeGlobal} {
		ms, err := r.Lasting(ctx, "", s, briefMemories)
		if err != nil {
			return nil, err
		}
		all = append(all, ms...)
	}
	return current(ctx, r, all, engram.Filter{})
}

// unseen leaves out what the session was shown, unless it has forgotten; then it learns
// what it saved, too.
func (b *briefing) unseen(ctx context.Context, r engram.Reader, ms []engram.Memory) ([]engram.Memory, error) {
	if !b.in.Again {
		ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { return slices.Contains(b.in.Told, m.Num) })
	}
	s, err := r.Session(ctx, b.in.SessionID)
	if engram.CodeOf(err) == engram.CodeNotFound || b.in.SessionID == "" {
		return ms, nil
	}
	if err != nil {
		return nil, err
	}
	if b.in.Again {
		saved, err := r.List(ctx, engram.Filter{SessionID: s.ID}, engram.Page{Limit: briefSaved})
		if err != nil {
			return nil, err
		}
		b.saved, _, err = b.injectable(ctx, r, saved) // a tool may have written in its name
		return ms, err
	}
	seen, err := seenIn(ctx, r, s)
	return slices.DeleteFunc(ms, func(m engram.Memory) bool { return seen[m.Num] }), err
}
