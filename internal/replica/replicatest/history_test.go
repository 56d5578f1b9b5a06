package replicatest_test

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// write lets one person do something by chance.
func (h *history) write(ctx context.Context, p *peer) error {
	h.tally.Writes++
	text := fmt.Sprintf("text %d of %s in %s", h.tally.Writes, p.name, h.project)
	live, err := p.List(ctx, engram.Filter{Project: h.project}, engram.Page{Limit: 50})
	if err != nil {
		return err
	}
	if len(live) == 0 {
		return h.save(ctx, p, text)
	}
	m, other := live[h.rng.IntN(len(live))], live[h.rng.IntN(len(live))]
	ref := engram.ByNum(m.Num)
	what := ""
	switch step := h.rng.IntN(21); step {
	case 0, 1, 2, 3, 4:
		return h.save(ctx, p, text)
	case 5, 6, 7:
		what = "edits " + string(m.ID)
		var now engine.Updated
		if now, err = p.Update(ctx, engine.UpdateInput{Ref: ref, Content: &text}); err == nil {
			h.remember(p, now.Memory)
		}
	case 8:
		what = "rates " + string(m.ID)
		_, err = p.Update(ctx, engine.UpdateInput{Ref: ref, Importance: new(float64(h.rng.IntN(10)) / 10), Permanent: new(h.rng.IntN(2) == 0)})
	case 9:
		what = "tags " + string(m.ID)
		_, err = p.Update(ctx, engine.UpdateInput{Ref: ref, AddTags: []string{h.word("api", "db", "ui")}})
	case 10:
		what = "untags " + string(m.ID)
		_, err = p.Update(ctx, engine.UpdateInput{Ref: ref, RemoveTags: []string{h.word("api", "db", "ui")}})
	case 11:
		what = "moves the topic of " + string(m.ID)
		_, err = p.Update(ctx, engine.UpdateInput{Ref: ref, TopicKey: new(h.topic())})
	case 12:
		what = "forgets " + string(m.ID)
		_, err = p.Forget(ctx, ref)
	case 13:
		if h.rng.IntN(3) > 0 {
			return nil
		}
		what = "erases " + string(m.ID)
		if _, err = p.Erase(ctx, ref); err == nil {
			h.fates[m.ID].erased = true
			h.tally.Erased++
		}
	case 14:
		what = fmt.Sprintf("links %s and %s", m.ID, other.ID)
		verbs := engram.Verbs()
		_, err = p.Link(ctx, engine.LinkInput{Source: ref, Target: engram.ByNum(other.Num), Verb: verbs[h.rng.IntN(len(verbs))], Reason: text})
	case 15:
		what = fmt.Sprintf("judges %s and %s", m.ID, other.ID)
		verdicts := engine.Verdicts()
		_, err = p.Compare(ctx, engine.CompareInput{A: ref, B: engram.ByNum(other.Num), Verb: verdicts[h.rng.IntN(len(verdicts))], Confidence: 0.5, Reasoning: text})
	case 16:
		what = fmt.Sprintf("unlinks %s and %s", m.ID, other.ID)
		_, err = p.Unlink(ctx, engine.UnlinkInput{A: ref, B: engram.ByNum(other.Num)})
	case 17, 18:
		what = "takes back the latest"
		if _, err = p.Undo(ctx, engine.UndoInput{Project: h.project}); err == nil {
			h.tally.Undone++
		}
	case 19:
		if len(p.pulls) == 0 {
			return nil
		}
		op := p.pulls[h.rng.IntN(len(p.pulls))]
		what = fmt.Sprintf("takes back the pull %d", op)
		if _, err = p.Undo(ctx, engine.UndoInput{Op: op}); err == nil {
			h.tally.Unpulled++
		}
	case 20:
		what, err = h.talk(ctx, p, text)
	}
	return h.minor(p, what, err)
}

// talk is what people do beside memories.
func (h *history) talk(ctx context.Context, p *peer, text string) (what string, err error) {
	id := h.project + "-" + h.word("s1", "s2")
	switch h.rng.IntN(6) {
	case 0:
		_, err = p.StartSession(ctx, engine.SessionInput{ID: id, Project: h.project, Directory: "/src/" + p.name})
		return "starts " + id, err
	case 1:
		_, err = p.EndSession(ctx, id, text)
		return "ends " + id, err
	case 2:
		return "deletes " + id, p.DeleteSession(ctx, id, false)
	case 3:
		ps, err := p.Prompts(ctx, h.project, engram.Page{Limit: 10})
		if err != nil || len(ps) == 0 {
			return "has no prompt to delete", err
		}
		one := ps[h.rng.IntN(len(ps))]
		return "deletes the prompt " + one.SyncID, p.DeletePrompt(ctx, one.Num, h.rng.IntN(4) == 0)
	}
	_, err = p.SavePrompt(ctx, engine.PromptInput{Content: text, Project: h.project, SessionID: id, NewSession: true})
	return "asks in " + id, err
}

// minor tells what was done; what a verb refuses is part of life.
func (h *history) minor(p *peer, what string, err error) error {
	h.say("%s %s: %v", p.name, what, err)
	switch engram.CodeOf(err) {
	case "", engram.CodeInvalid, engram.CodeNotFound, engram.CodeConflict, engram.CodeForbidden:
		return nil
	}
	return fmt.Errorf("%s %s: %w", p.name, what, err)
}

func (h *history) save(ctx context.Context, p *peer, text string) error {
	in := engine.SaveInput{Title: text, Content: text + ", at length", Project: h.project, TopicKey: h.topic(), Tags: []string{h.word("api", "db", "ui")}}
	if h.rng.IntN(10) == 0 {
		in.Scope = engram.ScopePersonal
		h.tally.Personal++
	}
	res, err := p.Save(ctx, in)
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	h.remember(p, res.Memory)
	if in.Scope == engram.ScopePersonal {
		h.fates[res.Memory.ID].personal = p.name
	}
	h.say("%s saves %s as %s (%s)", p.name, text, res.Memory.ID, res.Memory.TopicKey)
	return nil
}

// remember notes what a memory says now, and who said so.
func (h *history) remember(p *peer, m engram.Memory) {
	f := h.fates[m.ID]
	if f == nil {
		f = &fate{texts: map[string]string{}}
		h.fates[m.ID] = f
	}
	if _, known := f.texts[m.Content]; !known {
		f.texts[m.Content] = p.name
		h.tally.Texts++
	}
}

// topic is one of few, so that people take the same, or none.
func (h *history) topic() string { return h.word("", "", "a/b", "c/d") }

func (h *history) word(words ...string) string { return words[h.rng.IntN(len(words))] }
