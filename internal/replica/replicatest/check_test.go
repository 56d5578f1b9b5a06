package replicatest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// check returns what is wrong in the end.
func (h *history) check(ctx context.Context) error {
	if err := h.personal(ctx); err != nil {
		return err
	}
	dumps, err := h.dumps(ctx)
	if err != nil {
		return err
	}
	for n, p := range h.peers {
		if dumps[n] != dumps[0] {
			return fmt.Errorf("%s and %s differ:\n%s%s", h.peers[0].name, p.name, differing(dumps[0], dumps[n]), h.waiting(ctx, h.peers[0], p))
		}
	}
	for _, p := range h.peers {
		if err := h.texts(ctx, p); err != nil {
			return err
		}
		if err := h.ties(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// waiting formats what some peers wait for; "" for nothing.
func (h *history) waiting(ctx context.Context, some ...*peer) (told string) {
	for _, p := range some {
		for _, project := range h.projects {
			all, err := p.Deferred(ctx, project)
			for _, d := range all {
				told += fmt.Sprintf("%s waits in %s for %s: %s\n", p.name, project, nameOf(d.Record), d.Reason)
			}
			if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
				told += err.Error() + "\n"
			}
		}
	}
	return told
}

// personal collects personal memories and the sessions that have them.
func (h *history) personal(ctx context.Context) error {
	h.owned = map[string]bool{}
	for _, p := range h.peers {
		err := p.store.View(ctx, func(r engram.Reader) error {
			for id, f := range h.outcomes {
				m, err := r.Memory(ctx, engram.ByID(id))
				if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
					return err
				}
				if err == nil && m.Scope == engram.ScopePersonal {
					f.personal, h.owned[m.SessionID] = true, true
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// saidBy reports whether a peer was the first to write any of it.
func (f *outcome) saidBy(name string) bool {
	for _, by := range f.texts {
		if by == name {
			return true
		}
	}
	return false
}

// texts checks that every text is kept by its memory, by one version per number.
func (h *history) texts(ctx context.Context, p *peer) error {
	return p.store.View(ctx, func(r engram.Reader) error {
		for id, f := range h.outcomes {
			if f.erased {
				continue // one who edited it meanwhile has lost that, too: it was asked for
			}
			m, err := r.Memory(ctx, engram.ByID(id))
			if h.kept["memory "+string(id)] && engram.CodeOf(err) == engram.CodeNotFound {
				continue
			}
			if f.personal && !f.saidBy(p.name) && engram.CodeOf(err) == engram.CodeNotFound {
				continue // it came in no file
			}
			if err != nil {
				return fmt.Errorf("%s has lost %s: %w", p.name, id, err)
			}
			revisions, err := r.Revisions(ctx, m.Num)
			if err != nil {
				return err
			}
			kept, numbers := map[string]bool{m.Content: true}, map[int]bool{m.RevisionCount: true}
			said := map[string]bool{}
			for _, v := range revisions {
				kept[v.Content] = true
				text := v.Stamp.String() + v.Title + v.Content
				if said[text] {
					return fmt.Errorf("%s has %q of %s by %s twice", p.name, v.Content, id, v.Stamp)
				}
				said[text] = true
				if numbers[v.Number] {
					return fmt.Errorf("%s has two versions %d of %s", p.name, v.Number, id)
				}
				numbers[v.Number] = true
			}
			for text, by := range f.texts {
				if by != p.name && (f.personal || h.kept["memory "+string(id)]) {
					continue // it travels by files alone, which may be older than the text
				}
				if !kept[text] {
					return fmt.Errorf("%s has lost %q of %s: %v", p.name, text, id, kept)
				}
			}
		}
		return nil
	})
}

// ties checks that no two visible relations say the same.
func (h *history) ties(ctx context.Context, p *peer) error {
	return p.store.View(ctx, func(r engram.Reader) error {
		var all []engram.Relation
		var err error
		for _, project := range h.projects {
			some, failed := engram.RelationsAfter(ctx, r, project, 0, 10_000)
			all, err = append(all, some...), errors.Join(err, failed)
		}
		shown, ids := map[string]string{}, map[string]bool{}
		for _, rel := range all {
			if ids[rel.ID] {
				return fmt.Errorf("%s has relation %s twice", p.name, rel.ID)
			}
			ids[rel.ID] = true
			says := fmt.Sprintf("#%d %s #%d", rel.Source, rel.Verb, rel.Target)
			if other, twice := shown[says]; twice && !rel.Removed() {
				return fmt.Errorf("%s shows %s twice, as %s and %s", p.name, says, other, rel.ID)
			}
			if !rel.Removed() {
				shown[says] = rel.ID
			}
		}
		return err
	})
}

// differing returns the lines that only one of two dumps has.
func differing(a, b string) string {
	in := func(text string) map[string]bool {
		all := map[string]bool{}
		for line := range strings.Lines(text) {
			all[line] = true
		}
		return all
	}
	var out strings.Builder
	as, bs := in(a), in(b)
	for line := range strings.Lines(a) {
		if !bs[line] {
			out.WriteString("< " + line)
		}
	}
	for line := range strings.Lines(b) {
		if !as[line] {
			out.WriteString("> " + line)
		}
	}
	return out.String()
}
