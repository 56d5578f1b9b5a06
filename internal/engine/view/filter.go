package view

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// Restore takes entries, newest first, back from a memory. text is the number of the revision with the text of that
// time; 0 for an unchanged text.
func Restore(ctx context.Context, r engram.Reader, m engram.Memory, entries []engram.Mutation) (was engram.Memory, text int, err error) {
	for _, entry := range entries {
		table := ledger.TableOf(&m)
		table[TextField] = &text
		if err := table.TakeBack(entry); err != nil {
			return m, 0, err
		}
	}
	if text == 0 {
		return m, 0, nil
	}
	revisions, err := r.Revisions(ctx, m.Num)
	i := slices.IndexFunc(revisions, func(rev engram.Revision) bool { return rev.Number == text })
	if i >= 0 {
		m.Title, m.Content, m.NormalizedHash = revisions[i].Title, revisions[i].Content, screen.HashOf(revisions[i].Content)
	}
	return m, text, err
}

// few is the limit for looking things up one by one; above it, reading all changes is cheaper.
const few = 100

// NewestFirst orders memories by creation, newest first.
func NewestFirst(a, b engram.Memory) int {
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Num, a.Num))
}

// MostRelations is how many relations of one memory, verb and direction are read, the newest. What is related to
// everything says little.
const MostRelations = 100

// Passes reports whether a live memory from an unfiltered channel passes the filter.
func Passes(m engram.Memory, f engram.Filter) bool {
	return !m.Forgotten() && !f.Forgotten &&
		(f.Project == "" || f.Project == m.Project) && (f.SessionID == "" || f.SessionID == m.SessionID) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, m.Type)) && (f.Scope == "" || f.Scope == m.Scope) && (!f.Beyond || m.Scope != engram.ScopeProject) &&
		(f.Topic == "" || m.TopicKey == f.Topic || strings.HasPrefix(m.TopicKey, f.Topic+"/")) &&
		!m.CreatedAt.Before(f.Since) && (f.Until.IsZero() || m.CreatedAt.Before(f.Until)) &&
		containsAll(m.Tags, f.Tags) && hasMetadata(m.Metadata, f.Metadata)
}

func containsAll(have, want []string) bool {
	return !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
}

// hasMetadata compares values as JSON, where all numbers are of one kind.
func hasMetadata(have, want map[string]any) bool {
	for key, w := range want {
		h, ok := have[key]
		if !ok || !sameJSON(h, w) {
			return false
		}
	}
	return true
}

// sameJSON reports whether two values have the same JSON.
func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// TextField is the field of entries that replaced title or content.
const TextField = "revision"
