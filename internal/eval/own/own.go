// Package own builds sets of questions with known answers from a user's own data: titles and their texts,
// prompts and searches with the memories that followed, changelog lines and their commits.
//
// It only reads. The answers are not judged by people, and a question may have other answers, too: use the
// figures to compare, not to boast.
package own

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/eval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Source provides the memories; engram.Store is one.
type Source interface {
	View(ctx context.Context, fn func(engram.Reader) error) error
}

// Limits on what is read, newest first, since a set is loaded as a whole.
const (
	maxMemories  = 20_000
	maxPrompts   = 5_000
	maxExposures = 50_000
	pageSize     = 1_000
)

// MaxQuestions limits the questions of a set; they are spread evenly.
const MaxQuestions = 500

// Sets returns the sets titles and prompts of a project, "" for every project. A set may have no questions.
// Errors are those of the Source.
func Sets(ctx context.Context, from Source, project string) ([]eval.Set, error) {
	var kept kept
	err := from.View(ctx, func(r engram.Reader) error { return kept.read(ctx, r, project) })
	if err != nil {
		return nil, err
	}
	return []eval.Set{titles(kept.memories).Head(MaxQuestions), prompts(kept).Head(MaxQuestions)}, nil
}

// Complete returns those of the sets whose documents are whole memories, with their titles.
func Complete(sets []eval.Set) (complete []eval.Set) {
	for _, s := range sets {
		if s.Name == promptsName {
			complete = append(complete, s)
		}
	}
	return complete
}

const promptsName = "prompts"

// kept is the data read.
type kept struct {
	memories  []engram.Memory   // newest first
	prompts   []engram.Prompt   // newest first
	exposures []engram.Exposure // oldest first
}

func (k *kept) read(ctx context.Context, r engram.Reader, project string) (err error) {
	k.memories, err = pages(maxMemories, func(p engram.Page) ([]engram.Memory, error) { return r.List(ctx, engram.Filter{Project: project}, p) })
	if err != nil {
		return err
	}
	k.prompts, err = pages(maxPrompts, func(p engram.Page) ([]engram.Prompt, error) {
		return r.Prompts(ctx, engram.PromptFilter{Project: project}, p)
	})
	if err != nil {
		return err
	}
	k.exposures, err = pages(maxExposures, func(p engram.Page) ([]engram.Exposure, error) { return r.Exposures(ctx, "", p) })
	return err
}

// pages reads page after page, up to most records.
func pages[T any](most int, read func(engram.Page) ([]T, error)) (all []T, err error) {
	for at := 0; at < most; at += pageSize {
		page, err := read(engram.Page{Limit: pageSize, Offset: at})
		if all = append(all, page...); err != nil || len(page) < pageSize {
			return all, err
		}
	}
	return all, nil
}

// builder collects a set.
type builder struct {
	set    eval.Set
	groups map[string]bool
	ids    map[string]string // of questions, by group and text
	texts  map[string]string // of documents, as lower-case words
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

// question adds a question with the document that answers it; a repeated question gets a second answer.
// Questions with fewer than two significant words, and those contained literally in their answer, are left
// out: any search would find it.
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

// plain returns s in lower case with single spaces.
func plain(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

// titles asks for the text of each memory by its title. The documents have no titles, or the question would
// find itself. Session summaries are left out: they share one title.
func titles(newest []engram.Memory) eval.Set {
	b := newBuilder("titles")
	for i, m := range slices.Backward(newest) {
		b.document(eval.Document{ID: string(m.ID), Text: m.Content, Time: m.CreatedAt, Group: m.Project, Session: m.SessionID, Seq: len(newest) - 1 - i})
	}
	for _, m := range slices.Backward(newest) {
		if m.Type != engram.TypeSessionSummary {
			b.question("title-"+string(m.ID), m.Project, m.Title, string(m.ID))
		}
	}
	return b.set
}

const (
	// A later memory has probably nothing to do with the prompt.
	rightAfter = 30 * time.Minute
	// A prompt followed by many memories is about none of them in particular.
	mostAfter = 3
)

// prompts asks prompts, answered by the memories saved right after them in the same session, and searches,
// answered by the hits that were then read in full.
func prompts(k kept) eval.Set {
	b := newBuilder(promptsName)
	byNum := map[int64]engram.Memory{}
	bySession := map[string][]engram.Memory{} // oldest first
	for i, m := range slices.Backward(k.memories) {
		b.document(eval.Document{ID: string(m.ID), Title: m.Title, Text: m.Content, Time: m.CreatedAt, Group: m.Project, Session: m.SessionID, Seq: len(k.memories) - 1 - i})
		byNum[m.Num] = m
		bySession[m.SessionID] = append(bySession[m.SessionID], m)
	}
	next := map[string]time.Time{} // time of the session's next prompt
	for _, p := range k.prompts {
		end := p.CreatedAt.Add(rightAfter)
		if n, ok := next[p.SessionID]; ok && n.Before(end) {
			end = n
		}
		next[p.SessionID] = p.CreatedAt
		for _, m := range between(bySession[p.SessionID], p.CreatedAt, end) {
			b.question(fmt.Sprintf("prompt-%d", p.Num), m.Project, p.Content, string(m.ID))
		}
	}
	type shown struct {
		session string
		memory  int64
	}
	asked := map[shown]string{}
	for i, u := range k.exposures {
		what := shown{u.SessionID, u.Memory}
		m, ok := byNum[u.Memory]
		switch {
		case !ok:
		case u.Operation == "get" && asked[what] != "":
			b.question(fmt.Sprintf("search-%d", i), m.Project, asked[what], string(m.ID))
		case u.Operation != "get" && u.Query != "":
			asked[what] = u.Query
		}
	}
	return b.set
}

// between returns the memories of a session, oldest first, saved from start on and before end; none if they
// are more than mostAfter.
func between(session []engram.Memory, start, end time.Time) []engram.Memory {
	var found []engram.Memory
	for _, m := range session {
		if m.Type != engram.TypeSessionSummary && !m.CreatedAt.Before(start) && m.CreatedAt.Before(end) {
			found = append(found, m)
		}
	}
	if len(found) > mostAfter {
		return nil
	}
	return found
}

// Line is an entry of a changelog.
type Line struct {
	Text   string
	Commit string // hash of the commit that wrote it
}

// Commit is a commit with its message.
type Commit struct {
	Hash          string
	Subject, Body string
	At            time.Time
}

// mostLines is the most entries per commit that still describe it: a commit with more is a release, or moved
// the file.
const mostLines = 3

// Changelog asks changelog entries, answered by the commits that wrote them. The commits come oldest first.
// Hints such as issue numbers, names, links and hashes are removed from the questions.
func Changelog(lines []Line, commits []Commit) eval.Set {
	b := newBuilder("changelog")
	known := map[string]bool{}
	for i, c := range commits {
		known[c.Hash] = true
		b.document(eval.Document{ID: c.Hash, Title: c.Subject, Text: cmp.Or(strings.TrimSpace(c.Body), c.Subject), Time: c.At, Group: "changelog", Seq: i})
	}
	wrote := map[string]int{}
	for _, l := range lines {
		wrote[l.Commit]++
	}
	giveaway := regexp.MustCompile(`https?://[^\s)\]>]+|\[?#\d+\]?|@[\w-]+|\b[0-9a-f]{7,40}\b|[*_` + "`" + `]`)
	emptied := regexp.MustCompile(`[(\[][\s()\[\]]*[)\]]`) // brackets emptied by that
	for i, l := range lines {
		if known[l.Commit] && wrote[l.Commit] <= mostLines {
			asked := emptied.ReplaceAllString(giveaway.ReplaceAllString(l.Text, " "), " ")
			b.question(fmt.Sprintf("line-%d", i+1), "changelog", strings.Join(strings.Fields(asked), " "), l.Commit)
		}
	}
	return b.set.Head(MaxQuestions)
}
