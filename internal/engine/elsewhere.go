package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Elsewhere is what is stored beside the memories and has all the words of a question.
type Elsewhere struct {
	Prompts  []engram.Prompt          // those that were deleted and can be brought back too; by number
	Sessions []engram.SessionActivity // whose summaries have them, the latest activity first
}

// mostPrompts is how many of the prompts that have one of the words are looked through
// for all of them.
const mostPrompts = 10000

// Elsewhere looks through the prompts and the summaries of the sessions of a project for
// all the words of query: forgetting memories leaves those alone. Nothing when query has
// no words that carry meaning.
func (e *Engine) Elsewhere(ctx context.Context, query, project string) (found Elsewhere, err error) {
	project = normalProject(project)
	terms := slices.DeleteFunc(text.Query(redact.Private(query)), func(t engram.Term) bool { return t.Stop || t.Joined })
	if len(terms) == 0 {
		return found, nil
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		if found.Prompts, err = promptsWith(ctx, r, terms, project); err != nil {
			return err
		}
		if found.Sessions, err = sessionsWith(ctx, r, terms, project); err != nil {
			return err
		}
		return errors.Join(e.shownPrompts(ctx, r, found.Prompts), e.shownSessions(ctx, r, found.Sessions))
	})
	return found, err
}

func promptsWith(ctx context.Context, r engram.Reader, terms []engram.Term, project string) ([]engram.Prompt, error) {
	live, err := r.SearchPrompts(ctx, terms, project, mostPrompts)
	if err != nil {
		return nil, err
	}
	deleted, err := r.DeletedPrompts(ctx, project)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(slices.Concat(live, deleted), func(p engram.Prompt) bool { return !hasAll(p.Content, terms) })
	slices.SortFunc(all, func(a, b engram.Prompt) int { return int(a.Num - b.Num) })
	return all, nil
}

func sessionsWith(ctx context.Context, r engram.Reader, terms []engram.Term, project string) (all []engram.SessionActivity, err error) {
	const page = 500
	for offset := 0; ; offset += page {
		list, err := r.Sessions(ctx, project, engram.Page{Limit: page, Offset: offset})
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			if s.Summary != "" && hasAll(s.Summary, terms) {
				all = append(all, s)
			}
		}
		if len(list) < page {
			return all, nil
		}
	}
}

// hasAll reports whether a text has every word, as the index would find them.
func hasAll(s string, terms []engram.Term) bool {
	_, tokens := text.Index("", s)
	words := map[string]bool{}
	for word := range strings.SplitSeq(tokens, " ") {
		words[word] = true
	}
	return !slices.ContainsFunc(terms, func(t engram.Term) bool { return !words[t.Word] })
}

// Nothing says where was looked when nothing was found, and what is elsewhere. It counts the
// memories of each project, which a caller asks for only then. Projects that are kept apart do
// not count.
func (e *Engine) Nothing(ctx context.Context, project string) (n engram.Nothing, err error) {
	n.Project = normalProject(project)
	err = e.store.View(ctx, func(r engram.Reader) error {
		if p, known, err := r.Project(ctx, n.Project); err != nil {
			return err
		} else if known {
			n.Project = p.Name
		}
		all, err := r.Projects(ctx)
		if err != nil {
			return err
		}
		for _, p := range all {
			if n.Project == "" || p.Name == n.Project {
				n.Here += p.Memories
			} else {
				n.Others += p.Memories
			}
		}
		if n.Project == "" { // those of no project are no project's
			s, err := r.Stats(ctx, "")
			if err != nil {
				return err
			}
			n.Here = s.Memories
		}
		n.Stored = n.Here+n.Others > 0
		if n.Project != "" && n.Others > 0 {
			return r.Vitals(ctx, engram.Filter{Beyond: true}, func(m engram.Memory) bool {
				if m.Project != n.Project && m.Project != "" {
					n.Others--
				}
				return true
			})
		}
		if !n.Stored {
			any, err := r.List(ctx, engram.Filter{}, engram.Page{Limit: 1})
			n.Stored = len(any) > 0
			return err
		}
		return nil
	})
	return n, err
}
