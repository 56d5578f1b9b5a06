package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// List returns memories newest first. Limit 0 is 20, at most 1000.
func (e *Engine) List(ctx context.Context, f engram.Filter, p engram.Page) ([]engram.Memory, error) {
	ms, _, err := e.ListAsOf(ctx, f, p, time.Time{})
	return ms, err
}

// Listed is a page of memories.
type Listed struct {
	Memories []engram.Memory // newest first
	Notes    engram.Notes    // of Memories
	Degraded []string        // what could not be told of a time past
}

// ListNoted is ListAsOf for a reader of the memories: it tells what changes how each should
// be read.
func (e *Engine) ListNoted(ctx context.Context, f engram.Filter, p engram.Page, at time.Time) (Listed, error) {
	return e.listAt(ctx, f, p, at, true)
}

// ListAsOf is List as it would have answered at a time past; the zero time is now.
// degraded says what could not be told of it.
func (e *Engine) ListAsOf(ctx context.Context, f engram.Filter, p engram.Page, at time.Time) (ms []engram.Memory, degraded []string, err error) {
	l, err := e.listAt(ctx, f, p, at, false)
	return l.Memories, l.Degraded, err
}

func (e *Engine) listAt(ctx context.Context, f engram.Filter, p engram.Page, at time.Time, noted bool) (Listed, error) {
	p, err := pageOf(p, 20)
	if err != nil {
		return Listed{}, err
	}
	if f, err = cleanFilter(f); err != nil {
		return Listed{}, err
	}
	now := at
	if now.IsZero() {
		now = e.now()
	}
	var l Listed
	err = e.store.View(ctx, func(r engram.Reader) error {
		if r, l.Degraded, err = e.readerAt(ctx, r, at); err != nil {
			return err
		}
		if l.Memories, err = e.list(ctx, r, f, p); err != nil {
			return err
		}
		if err := e.recalled(ctx, r, l.Memories); err != nil || !noted {
			return err
		}
		l.Notes, err = notesOn(ctx, r, now, l.Memories)
		return err
	})
	if err != nil {
		return Listed{}, err
	}
	return l, nil
}

// StateOf says whether m is due for review now.
func (e *Engine) StateOf(m engram.Memory) engram.State { return lifecycle.State(m, e.now()) }

// pageOf checks a page from outside.
func pageOf(p engram.Page, fallback int) (engram.Page, error) {
	var err error
	if p.Limit, err = limited("limit", p.Limit, fallback, 1000); err != nil {
		return p, err
	}
	if p.Offset < 0 {
		return p, engram.Errorf(engram.CodeInvalid, "offset %d is negative", p.Offset)
	}
	return p, nil
}

// SuggestTopic proposes a topic key; title and content both empty is invalid.
func (e *Engine) SuggestTopic(typ engram.Type, title, content string) (string, error) {
	title, content = line(title), redact.Private(content)
	if title == "" && strings.TrimSpace(content) == "" {
		return "", engram.Errorf(engram.CodeInvalid, "provide title or content to suggest a topic_key")
	}
	return topic.Suggest(engram.Type(strings.ToLower(line(string(typ)))), title, content), nil
}

// Topics returns the topic keys of live memories of a project ("" is every one) that begin
// with prefix, by name. Limit 0 is 20, at most 1000.
func (e *Engine) Topics(ctx context.Context, project, prefix string, limit int) (keys []string, err error) {
	if limit, err = limited("limit", limit, 20, 1000); err != nil {
		return nil, err
	}
	return view(ctx, e, func(r engram.Reader) ([]string, error) {
		return r.Topics(ctx, normalProject(project), topic.Normalize(prefix), limit)
	})
}

// Timeline tells what was saved around a live memory in its session. Negative counts
// are invalid; at most 100 each.
func (e *Engine) Timeline(ctx context.Context, ref engram.Ref, before, after int) (engram.Timeline, error) {
	const most = 100
	if min(before, after) < 0 || max(before, after) > most {
		name, n := "before", before
		if before >= 0 && before <= most {
			name, n = "after", after
		}
		return engram.Timeline{}, engram.Errorf(engram.CodeInvalid, "%s %d is out of range", name, n).WithHint("from 0 to %d", most)
	}
	var t engram.Timeline
	err := e.store.View(ctx, func(r engram.Reader) error {
		var err error
		if t.Focus, err = live(ctx, r, ref); err != nil {
			return err
		}
		if err := around(ctx, r, &t, before, after); err != nil {
			return err
		}
		focus := []engram.Memory{t.Focus}
		for _, ms := range [][]engram.Memory{focus, t.Before, t.After} {
			if err := e.recalled(ctx, r, ms); err != nil {
				return err
			}
		}
		t.Focus = focus[0]
		t.Notes, err = notesOn(ctx, r, e.now(), slices.Concat(t.Before, []engram.Memory{t.Focus}, t.After))
		return err
	})
	if err != nil {
		return engram.Timeline{}, err
	}
	return t, nil
}

// around adds to t what was saved around its focus.
func around(ctx context.Context, r engram.Reader, t *engram.Timeline, before, after int) (err error) {
	if t.Focus.SessionID == "" {
		t.Total = 1
		return nil
	}
	if t.Session, err = r.Session(ctx, t.Focus.SessionID); err != nil {
		return err
	}
	t.Suspect = SuspectSummary(t.Session)
	if t.Total, err = r.CountInSession(ctx, t.Focus.SessionID, false); err != nil {
		return err
	}
	t.Before, t.After, err = r.Neighbours(ctx, t.Focus.SessionID, t.Focus.Num, before, after)
	return err
}
