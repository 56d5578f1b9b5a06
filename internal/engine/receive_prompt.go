package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// prompt adds a prompt, or brings the one that is here together with it.
func (i *importing) prompt(ctx context.Context, r incoming) (fate, error) {
	p := *r.Prompt
	was, found, err := i.knownPrompt(ctx, &p)
	if err != nil {
		return unchanged, err
	}
	there := r.Record
	there.Prompt = &p
	if p.SyncID != r.Prompt.SyncID {
		there.Lineage = nil // a copy goes its own way
	}
	if err := i.refuseErased(ctx, engram.EntityPrompt, p.Project, was.Project, p.SyncID); err != nil {
		return unchanged, err
	}
	if found {
		return i.promptAgain(ctx, was, there)
	}
	state := lifecycle.Normal(there)
	p, l := *state.Prompt, *state.Lineage
	to, err := i.meant(ctx, spot{p.Project, p.SessionID})
	if err != nil {
		return unchanged, err
	}
	if to, err = i.shownAt(ctx, to, p.CreatedAt, &l); err != nil {
		return unchanged, err
	}
	p.Project, p.SessionID = to.project, to.session
	if i.border != "" && i.batch == "" && there.Lineage != nil {
		s, err := i.stamp(ctx)
		if err != nil {
			return unchanged, err
		}
		l = lifecycle.Stamped(l, []engram.Part{"project", "session_id"}, s)
	}
	if err := i.tx.InsertPrompt(ctx, &p); err != nil {
		return unchanged, err
	}
	i.seen.prompts.add(p.Num)
	if p.Deleted() {
		if err := i.tx.ReplacePrompt(ctx, p); err != nil {
			return unchanged, err
		}
	}
	if err := i.putLineage(ctx, engram.EntityPrompt, key(p.Num), l, nil, false); err != nil {
		return unchanged, err
	}
	if err := i.carry(ctx, engram.EntityPrompt, key(p.Num), engram.Lineage{}, state.Lineage.Digest(), l); err != nil {
		return unchanged, err
	}
	return added, i.log(ctx, engram.EntityPrompt, key(p.Num), p.Project, i.reason, nil)
}

// promptAgain brings a prompt that is here together with the state of it that came in.
func (i *importing) promptAgain(ctx context.Context, was engram.Prompt, there engram.Record) (fate, error) {
	i.seen.prompts.add(was.Num)
	l, known, err := i.lineage(ctx, engram.EntityPrompt, key(was.Num))
	if err != nil {
		return unchanged, err
	}
	p := *there.Prompt
	as, err := i.meant(ctx, spot{p.Project, p.SessionID})
	if err != nil {
		return unchanged, err
	}
	p.Project, p.SessionID = as.project, as.session
	there.Prompt = &p
	state, came, err := i.merged(ctx, writtenPrompt(was, l, known), there)
	if err != nil {
		return unchanged, err
	}
	now, to := *state.Prompt, *state.Lineage
	now.Num, to.Held = was.Num, l.Held
	now.Content, now.CreatedAt = was.Content, was.CreatedAt // what was asked does not change
	if err := i.showPrompt(ctx, was, p, &now, &to); err != nil {
		return unchanged, err
	}
	if err := i.putLineage(ctx, engram.EntityPrompt, key(was.Num), to, &l, known); err != nil {
		return unchanged, err
	}
	if err := i.carry(ctx, engram.EntityPrompt, key(was.Num), l, came, to); err != nil {
		return unchanged, err
	}
	if len(changes(promptFields(was), promptFields(now))) == 0 {
		return unchanged, nil
	}
	return changed, i.rewritePrompt(ctx, was, now, i.reason)
}

// showPrompt is showMemory for prompts.
func (i *importing) showPrompt(ctx context.Context, was, there engram.Prompt, now *engram.Prompt, l *engram.Lineage) error {
	hidden, revive := isHeld(*l, engram.PartDeleted), false
	if was.Deleted() && !there.Deleted() && i.batch == "" {
		if revive = hidden; !revive {
			var err error
			if revive, err = i.undone(ctx, engram.EntityPrompt, key(was.Num)); err != nil {
				return err
			}
		}
	}
	switch {
	case revive:
		s, err := i.stamp(ctx)
		if err != nil {
			return err
		}
		*l = withoutHeld(*l, engram.PartDeleted)
		if now.Deleted() {
			*l = lifecycle.Stamped(*l, []engram.Part{engram.PartRestored}, s)
			now.DeletedAt = there.DeletedAt
		}
		if now.Project != there.Project || now.SessionID != there.SessionID {
			now.Project, now.SessionID = there.Project, there.SessionID
			*l = lifecycle.Stamped(*l, []engram.Part{"project", "session_id"}, s)
		}
	case hidden:
		*l = withHeld(*l, engram.PartDeleted, now.DeletedAt)
		now.DeletedAt = was.DeletedAt
	}
	at, err := i.shownAt(ctx, spot{now.Project, now.SessionID}, now.CreatedAt, l)
	now.Project, now.SessionID = at.project, at.session
	return err
}
