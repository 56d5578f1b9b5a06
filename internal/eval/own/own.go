// Package own makes sets of questions with known answers out of what a user has
// remembered and written: titles and what stands under them (titles.go), prompts and
// searches and the memories that came of them (prompts.go), lines of a changelog and
// the commits that wrote them (changelog.go).
//
// It only reads. Nobody judged these answers: a question may have others than the one
// it is known to have, so the figures are for comparing, not for boasting.
package own

import (
	"context"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Source is where memories are read from; engram.Store is one.
type Source interface {
	View(ctx context.Context, fn func(engram.Reader) error) error
}

// Bounds of what is read, newest first: a set is loaded as a whole.
const (
	maxMemories = 20_000
	maxPrompts  = 5_000
	maxUses     = 50_000
	pageSize    = 1_000
)

// MaxQuestions is how many questions a set has at most, spread evenly over all.
const MaxQuestions = 500

// Sets returns the sets that the memories of a project make, "" for those of every
// project: titles and prompts. A set may have no questions. Errors are those of the
// Source.
func Sets(ctx context.Context, from Source, project string) ([]eval.Set, error) {
	var kept kept
	err := from.View(ctx, func(r engram.Reader) error { return kept.read(ctx, r, project) })
	if err != nil {
		return nil, err
	}
	return []eval.Set{titles(kept.memories).Head(MaxQuestions), prompts(kept).Head(MaxQuestions)}, nil
}

// kept is what was read.
type kept struct {
	memories []engram.Memory // newest first
	prompts  []engram.Prompt // newest first
	uses     []engram.Use    // oldest first
}

func (k *kept) read(ctx context.Context, r engram.Reader, project string) error {
	err := pages(maxMemories, func(p engram.Page) (int, error) {
		ms, err := r.List(ctx, engram.Filter{Project: project}, p)
		k.memories = append(k.memories, ms...)
		return len(ms), err
	})
	if err != nil {
		return err
	}
	err = pages(maxPrompts, func(p engram.Page) (int, error) {
		ps, err := r.Prompts(ctx, project, "", p)
		k.prompts = append(k.prompts, ps...)
		return len(ps), err
	})
	if err != nil {
		return err
	}
	return pages(maxUses, func(p engram.Page) (int, error) {
		us, err := r.Uses(ctx, "", p)
		k.uses = append(k.uses, us...)
		return len(us), err
	})
}

// pages reads page after page, up to most things.
func pages(most int, read func(engram.Page) (int, error)) error {
	for at := 0; at < most; at += pageSize {
		n, err := read(engram.Page{Limit: pageSize, Offset: at})
		if err != nil || n < pageSize {
			return err
		}
	}
	return nil
}

// builder collects a set.
type builder struct {
	set    eval.Set
	groups map[string]bool
	ids    map[string]string // of questions, by group and text
	texts  map[string]string // of documents, as words in lower case
}

func newBuilder(name string) *builder {
	return &builder{set: eval.Set{Name: name, Relevant: map[string]eval.Relevant{}}, groups: map[string]bool{}, ids: map[string]string{}, texts: map[string]string{}}
}

func (b *builder) document(d eval.Document) {
	if !b.groups[d.Group] {
		b.groups[d.Group] = true
		b.set.Groups = append(b.set.Groups, d.Group)
	}
	b.texts[d.ID] = plain(d.Title + "\n" + d.Text)
	b.set.Documents = append(b.set.Documents, d)
}

// question adds a question with the document that answers it. The same question twice
// is one with two answers. Left out are a question of fewer than two words that mean
// anything, and one that stands in its answer word for word: any search finds that.
func (b *builder) question(id, group, question, answer string) {
	asked := plain(question)
	if words := text.Query(question); len(words) < 2 || words[0].Stop || strings.Contains(b.texts[answer], asked) {
		return
	}
	key := group + "\n" + asked
	if b.ids[key] == "" {
		b.ids[key] = id
		b.set.Questions = append(b.set.Questions, eval.Question{ID: id, Text: question, Group: group})
		b.set.Relevant[id] = eval.Relevant{}
	}
	b.set.Relevant[b.ids[key]][answer] = true
}

// plain is s in lower case, words joined by one space.
func plain(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }
