package replicatest_test

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
)

// write lets one peer do something at random.
func (h *history) write(ctx context.Context, p *peer) error {
	h.tally.Writes++
	text := fmt.Sprintf("text %d of %s in %s", h.tally.Writes, p.name, h.project)
	project := h.word(h.project, h.project, h.projects[1])
	live, err := p.List(ctx, engram.Filter{Project: project}, engram.Page{Limit: 50})
	if err != nil {
		return err
	}
	if len(live) == 0 {
		return h.save(ctx, p, project, text)
	}
	m, other := live[h.rng.IntN(len(live))], live[h.rng.IntN(len(live))]
	ref := engram.ByNum(m.Num)
	what := ""
	switch step := h.rng.IntN(26); step {
	case 0, 1, 2, 3, 4:
		return h.save(ctx, p, project, text)
	case 5, 6, 7:
		what = "edits " + string(m.ID)
		var now remember.Updated
		if now, err = p.Update(ctx, remember.UpdateInput{Ref: ref, Content: &text}); err == nil {
			h.remember(p, now.Memory)
		}
	case 8:
		what = "rates " + string(m.ID)
		_, err = p.Update(ctx, remember.UpdateInput{Ref: ref, Importance: new(float64(h.rng.IntN(10)) / 10), Permanent: new(h.rng.IntN(2) == 0)})
	case 9:
		what = "tags " + string(m.ID)
		_, err = p.Update(ctx, remember.UpdateInput{Ref: ref, AddTags: []string{h.word("api", "db", "ui")}})
	case 10:
		what = "untags " + string(m.ID)
		_, err = p.Update(ctx, remember.UpdateInput{Ref: ref, RemoveTags: []string{h.word("api", "db", "ui")}})
	case 11:
		what = "moves the topic of " + string(m.ID)
		_, err = p.Update(ctx, remember.UpdateInput{Ref: ref, TopicKey: new(h.topic())})
	case 12:
		what = "forgets " + string(m.ID)
		_, err = p.Forget(ctx, ref)
	case 13:
		if h.rng.IntN(3) > 0 {
			return nil
		}
		what = "erases " + string(m.ID)
		if _, err = p.Delete(ctx, true, ref); err == nil {
			h.outcomes[m.ID].erased = true
			h.tally.Erased++
		}
	case 14:
		what = fmt.Sprintf("links %s and %s", m.ID, other.ID)
		verbs := engram.Verbs()
		_, err = p.Link(ctx, relate.LinkInput{Source: ref, Target: engram.ByNum(other.Num), Verb: verbs[h.rng.IntN(len(verbs))], Reason: text})
	case 15:
		what = fmt.Sprintf("judges %s and %s", m.ID, other.ID)
		verdicts := relate.Verdicts()
		_, err = p.Compare(ctx, relate.CompareInput{A: ref, B: engram.ByNum(other.Num), Verb: verdicts[h.rng.IntN(len(verdicts))], Confidence: 0.5, Reasoning: text})
	case 16:
		what = fmt.Sprintf("unlinks %s and %s", m.ID, other.ID)
		_, err = p.Unlink(ctx, relate.UnlinkInput{A: ref, B: engram.ByNum(other.Num)})
	case 17, 18:
		what = "takes back the latest"
		if _, err = p.Undo(ctx, undo.UndoInput{Project: project}); err == nil {
			h.tally.Undone++
		}
	case 19:
		if len(p.pulls) == 0 {
			return nil
		}
		op := p.pulls[h.rng.IntN(len(p.pulls))]
		what = fmt.Sprintf("takes back the pull %d", op)
		if _, err = p.Undo(ctx, undo.UndoInput{Op: op}); err == nil {
			h.tally.Unpulled++
		}
	case 20:
		what, err = h.talk(ctx, p, project, text)
	case 21:
		to := h.word(h.projects[:2]...)
		what = fmt.Sprintf("moves %s to %s", m.ID, to)
		_, err = p.Update(ctx, remember.UpdateInput{Ref: ref, Project: &to})
		h.tally.Moved++
	case 22:
		scope := engram.Scope(h.word(string(engram.ScopePersonal), string(engram.ScopeProject)))
		what = fmt.Sprintf("makes %s %s", m.ID, scope)
		_, err = p.Update(ctx, remember.UpdateInput{Ref: ref, Scope: &scope})
		h.tally.Scoped++
	case 23:
		what, err = h.join(ctx, p)
	case 24, 25:
		what = "anchors " + string(m.ID)
		p.code.Write("a.go", text)
		_, err = p.Update(ctx, remember.UpdateInput{Ref: ref, Files: [...]*[]string{{}, {"a.go"}, {"a.go:1-2"}}[h.rng.IntN(3)]})
	}
	return h.minor(p, what, err)
}

// join joins two projects, or renames one.
func (h *history) join(ctx context.Context, p *peer) (what string, err error) {
	if h.rng.IntN(4) > 0 {
		return "thinks of other names", nil
	}
	from, to := h.word(h.projects...), h.word(h.projects...)
	if from == to {
		return "thinks of a name that it has", nil
	}
	h.joined = true
	h.tally.Joined++
	if h.rng.IntN(2) == 0 {
		_, err = p.RenameProject(ctx, from, to)
		return fmt.Sprintf("renames %s to %s", from, to), err
	}
	_, err = p.MergeProjects(ctx, []string{from}, to)
	return fmt.Sprintf("merges %s into %s", from, to), err
}

// agree lets all peers use one name for each project, because aliases are local and no remote
// shares them.
func (h *history) agree(ctx context.Context) error {
	h.say("everybody agrees on one project")
	for _, p := range h.peers {
		for _, name := range h.projects[1:] {
			if _, err := p.StartSession(ctx, remember.SessionInput{ID: name + "-" + p.name, Project: name}); err != nil {
				return fmt.Errorf("%s hears of %s: %w", p.name, name, err)
			}
		}
		if _, err := p.MergeProjects(ctx, h.projects[1:], h.project); err != nil {
			return fmt.Errorf("%s joins: %w", p.name, err)
		}
	}
	h.projects = h.projects[:1]
	return nil
}

// talk does what people do besides memories.
func (h *history) talk(ctx context.Context, p *peer, project, text string) (what string, err error) {
	id := project + "-" + h.word("s1", "s2")
	switch h.rng.IntN(6) {
	case 0:
		_, err = p.StartSession(ctx, remember.SessionInput{ID: id, Project: project, Directory: "/src/" + p.name})
		return "starts " + id, err
	case 1:
		_, err = p.EndSession(ctx, id, text)
		return "ends " + id, err
	case 2:
		return "deletes " + id, p.DeleteSession(ctx, id, false)
	case 3:
		ps, err := p.Prompts(ctx, project, engram.Page{Limit: 10})
		if err != nil || len(ps) == 0 {
			return "has no prompt to delete", err
		}
		one := ps[h.rng.IntN(len(ps))]
		return "deletes the prompt " + one.SyncID, p.DeletePrompt(ctx, one.Num, h.rng.IntN(4) == 0)
	}
	_, err = p.SavePrompt(ctx, remember.PromptInput{Content: text, Project: project, SessionID: id, NewSession: true})
	return "asks in " + id, err
}

// minor records what was done; refusals are expected.
func (h *history) minor(p *peer, what string, err error) error {
	h.say("%s %s: %v", p.name, what, err)
	switch engram.CodeOf(err) {
	case "", engram.CodeInvalid, engram.CodeNotFound, engram.CodeConflict, engram.CodeForbidden:
		return nil
	}
	return fmt.Errorf("%s %s: %w", p.name, what, err)
}

func (h *history) save(ctx context.Context, p *peer, project, text string) error {
	in := remember.SaveInput{Title: text, Content: text + ", at length", Project: project, TopicKey: h.topic(), Tags: []string{h.word("api", "db", "ui")}}
	if h.rng.IntN(10) == 0 {
		in.Scope = engram.ScopePersonal
		h.tally.Personal++
	}
	res, err := p.Save(ctx, in)
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	h.remember(p, res.Memory)
	h.say("%s saves %s as %s (%s)", p.name, text, res.Memory.ID, res.Memory.TopicKey)
	return nil
}

// remember records a memory's text and its author.
func (h *history) remember(p *peer, m engram.Memory) {
	f := h.outcomes[m.ID]
	if f == nil {
		f = &outcome{texts: map[string]string{}}
		h.outcomes[m.ID] = f
	}
	if _, known := f.texts[m.Content]; !known {
		f.texts[m.Content] = p.name
		h.tally.Texts++
	}
}

// topic returns one of few topics, so that peers share some, or none.
func (h *history) topic() string { return h.word("", "", "a/b", "c/d") }

func (h *history) word(words ...string) string { return words[h.rng.IntN(len(words))] }
