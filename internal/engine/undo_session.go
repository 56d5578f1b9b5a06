package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
)

func (u *undoing) takePrompt(ctx context.Context, entry engram.Mutation) error {
	p, err := u.tx.Prompt(ctx, numOf(entry.Key))
	if engram.CodeOf(err) == engram.CodeNotFound {
		u.leave("prompt #%s was erased", entry.Key)
		return nil
	}
	if err != nil || entry.Reason == placeSettled {
		return err
	}
	was, since, err := u.read(ctx, entry)
	if err != nil {
		return err
	}
	now := p
	if was == nil {
		if p.Deleted() {
			return nil
		}
		now.DeletedAt = u.at
		u.changed(entry, "deleted")
		return u.replacePrompt(ctx, p, now, u.reason())
	}
	names, err := u.restorable(fmt.Sprintf("prompt #%d", p.Num), was, promptFields(p), since)
	if err != nil {
		return err
	}
	if err := promptTable(&now).restore(was, names...); err != nil {
		return inEntry(entry, err)
	}
	u.changed(entry, "restored")
	return u.replacePrompt(ctx, p, now, u.reason())
}

func (u *undoing) takeSession(ctx context.Context, entry engram.Mutation) error {
	s, err := u.tx.Session(ctx, entry.Key)
	known := err == nil
	switch {
	case !known && engram.CodeOf(err) != engram.CodeNotFound:
		return err
	case entry.Was == nil && !known, entry.Was != nil && (entry.Reason == placeSettled || entry.Reason == sessionTold):
		return nil
	case entry.Was == nil:
		return u.unmakeSession(ctx, entry, s)
	}
	now := s
	if !known {
		now.ID = entry.Key
	} else if err := u.unmoved(ctx, entry, fmt.Sprintf("session %q", s.ID), sessionFields(s)); err != nil {
		return err
	}
	begun, err := sessionTable(&now).takeBackWith(entry, "started_at")
	switch {
	case err != nil:
		return err
	case !known && !begun:
		u.leave("session %q is gone", entry.Key)
		return nil
	case !known:
		now.ActiveAt = now.StartedAt
		u.changed(entry, "made again")
		return u.putSession(ctx, nil, now, u.reason())
	case now == s:
		return nil
	}
	u.changed(entry, "restored")
	return u.putSession(ctx, &s, now, u.reason())
}

// unmoved is an error when a field of an entry is not any more what the operation left
// in it.
func (u *undoing) unmoved(ctx context.Context, entry engram.Mutation, what string, now map[string]any) error {
	was, since, err := u.read(ctx, entry)
	if err != nil {
		return err
	}
	_, err = u.restorable(what, was, now, since)
	return err
}

// madeAnew reports whether a thing is not the one that the entry made, but another that was made later
// under its name: born is the field that says when it was made, at what it says now. It returns what
// became of the thing since, too.
func (u *undoing) madeAnew(ctx context.Context, entry engram.Mutation, born string, at time.Time) (anew bool, since fieldsSince, err error) {
	later, err := u.since(ctx, entry)
	if err != nil {
		return false, nil, err
	}
	for _, e := range later {
		made := at
		if err := (fieldTable{born: &made}).takeBack(e); err != nil {
			return false, nil, err
		}
		if erases(e.Verb) || !made.Equal(at) {
			return true, nil, nil
		}
	}
	since, err = sinceOf(later)
	return false, since, err
}

// unmakeSession removes a session that the operation made, if nothing is in it. A
// memory that was forgotten stands in it still. A session that was changed since is a conflict.
func (u *undoing) unmakeSession(ctx context.Context, entry engram.Mutation, s engram.Session) error {
	anew, since, err := u.madeAnew(ctx, entry, "started_at", s.StartedAt)
	if err != nil {
		return err
	}
	if anew {
		u.leave("session %q was deleted since, and made anew", s.ID)
		return nil
	}
	if _, err := u.restorable(fmt.Sprintf("session %q", s.ID), since.left(), sessionFields(s), since); err != nil {
		return err
	}
	memories, err := u.tx.CountInSession(ctx, s.ID, true)
	if err != nil {
		return err
	}
	prompts, err := u.tx.Prompts(ctx, "", s.ID, engram.Page{Limit: 1})
	if err != nil {
		return err
	}
	hidden, err := u.tx.DeletedPromptsIn(ctx, s.ID)
	if err != nil {
		return err
	}
	if memories > 0 || len(prompts) > 0 || len(hidden) > 0 {
		return nil
	}
	u.changed(entry, "removed")
	return u.deleteSession(ctx, s, false)
}
