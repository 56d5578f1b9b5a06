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
	if l, err = i.movedIn(ctx, there, l, projectPart, sessionPart); err != nil {
		return unchanged, err
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
	if err := i.keep(ctx, engram.EntityPrompt, key(p.Num), engram.Lineage{}, false, state.Lineage.Digest(), l); err != nil {
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
	if err := i.show(ctx, engram.EntityPrompt, key(was.Num), was.DeletedAt, p.DeletedAt, as,
		placing{&now.Project, &now.SessionID, &now.DeletedAt}, now.CreatedAt, &to); err != nil {
		return unchanged, err
	}
	if err := i.keep(ctx, engram.EntityPrompt, key(was.Num), l, known, came, to); err != nil {
		return unchanged, err
	}
	if len(changes(promptFields(was), promptFields(now))) == 0 {
		return unchanged, nil
	}
	return changed, i.rewritePrompt(ctx, was, now, i.reason)
}
