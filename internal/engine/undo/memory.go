package undo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/forget"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Bookkeeping reports whether a field changes by itself: a later change of it does not prevent an undo, and stays.
func Bookkeeping(field string) bool {
	switch field {
	case "updated_at", "touched_at", "strength", "access_count", "last_accessed_at", "duplicate_count", "last_seen_at",
		"revision_count", "review_after", "summary", "session_id", "active_at":
		return true
	}
	return false
}

// fieldsSince are the fields that were changed after an operation, with the value that it left: the old value of the
// next entry.
type fieldsSince map[string]change

type change struct {
	left json.RawMessage
	by   engram.Mutation
}

func sinceOf(later []engram.Mutation) (fieldsSince, error) {
	since := fieldsSince{}
	for _, entry := range later {
		var was ledger.OldFields
		if err := ledger.ReadWas(entry, &was); err != nil {
			return nil, err
		}
		for name, old := range was {
			if _, known := since[name]; !known {
				since[name] = change{old, entry}
			}
		}
	}
	return since, nil
}

func (s fieldsSince) left() ledger.OldFields {
	was := make(ledger.OldFields, len(s))
	for name, c := range s {
		was[name] = c.left
	}
	return was
}

// moved reports whether a field has changed since; now is its value.
func (s fieldsSince) moved(name string, now json.RawMessage) (by engram.Mutation, moved bool) {
	c, changed := s[name]
	if !changed || bytes.Equal(c.left, now) {
		return engram.Mutation{}, false
	}
	return c.by, true
}

// changedSince is the error of a thing that was changed after the operation.
func (u *undoing) changedSince(what string, fields []string, by engram.Mutation) error {
	return offering(engram.Errorf(engram.CodeConflict, "%s was changed since, by operation %d (%s): %s", what, by.Op, by.Operation, strings.Join(fields, ", ")),
		by.Op, "run {undo %d} first; nothing was changed")
}

func values(fields map[string]any) (ledger.OldFields, error) {
	out := make(ledger.OldFields, len(fields))
	for name, v := range fields {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		out[name] = b
	}
	return out, nil
}

// restorable returns the names of an entry's fields that still have what the operation left in them, sorted. Another
// one is a conflict, unless it is bookkeeping.
func (u *undoing) restorable(what string, was ledger.OldFields, now map[string]any, since fieldsSince) ([]string, error) {
	is, err := values(now)
	if err != nil {
		return nil, err
	}
	var names, taken []string
	var by engram.Mutation
	for name := range was {
		current, known := is[name]
		if !known {
			continue // a text, or a field of a later version
		}
		other, moved := since.moved(name, current)
		switch {
		case !moved:
			names = append(names, name)
		case !Bookkeeping(name):
			taken, by = append(taken, name), other
		}
	}
	slices.Sort(names)
	slices.Sort(taken)
	if len(taken) > 0 {
		return nil, u.changedSince(what, taken, by)
	}
	return names, nil
}

// restoreFields gives the restorable fields of an entry their old values, and returns their names.
func (u *undoing) restoreFields(entry engram.Mutation, what string, now ledger.FieldTable, was ledger.OldFields, since fieldsSince) ([]string, error) {
	names, err := u.restorable(what, was, now.Values(), since)
	if err != nil {
		return nil, err
	}
	return names, ledger.InEntry(entry, now.Restore(was, names...))
}

func (u *undoing) takeMemory(ctx context.Context, entry engram.Mutation) error {
	num := ledger.NumOf(entry.Key)
	m, found, err := walk.IfThere(u.tx.Store.Memory(ctx, engram.ByNum(num)))
	switch {
	case err != nil:
		return err
	case !found:
		u.leave("memory #%d was erased", num)
		return nil
	case entry.Reason == ledger.TopicResolved:
		return u.takeResolved(ctx, entry, m)
	case entry.Reason == ledger.PlaceResolved:
		return nil // resolvePlacesOf decides
	}
	was, since, err := u.read(ctx, entry)
	if err != nil {
		return err
	}
	if was == nil {
		return u.unmakeMemory(ctx, entry, m, since)
	}
	return u.restoreMemory(ctx, entry, m, was, since)
}

func (u *undoing) unmakeMemory(ctx context.Context, entry engram.Mutation, m engram.Memory, since fieldsSince) error {
	what := fmt.Sprintf("memory #%d", m.Num)
	if _, err := u.restorable(what, since.left(), ledger.MemoryFields(m), since); err != nil {
		return err
	}
	if _, err := u.oldText(ctx, m, since, what); err != nil {
		return err
	}
	if m.Forgotten() {
		return nil
	}
	u.changed(entry, "forgotten: %s", m.Title)
	return forget.Forget(ctx, u.tx, &m, u.reason())
}

// oldText returns the revision of a replaced text; the zero Revision when it was not replaced since, or is the
// current text again.
func (u *undoing) oldText(ctx context.Context, m engram.Memory, since fieldsSince, what string) (engram.Revision, error) {
	c, replaced := since[view.TextField]
	if !replaced {
		return engram.Revision{}, nil
	}
	left, err := u.revision(ctx, m.Num, c.left)
	if err != nil {
		return left, err
	}
	if left.Title != m.Title || left.Content != m.Content {
		return left, u.changedSince(what, []string{"text"}, c.by)
	}
	return left, nil
}

func (u *undoing) revision(ctx context.Context, num int64, number json.RawMessage) (engram.Revision, error) {
	n, err := strconv.Atoi(string(number))
	if err != nil {
		return engram.Revision{}, fmt.Errorf("revision of memory %d: %w", num, err)
	}
	all, err := u.tx.Store.Revisions(ctx, num)
	if err != nil {
		return engram.Revision{}, err
	}
	for _, r := range all {
		if r.Number == n {
			return r, nil
		}
	}
	return engram.Revision{}, engram.Errorf(engram.CodeInternal, "revision %d of memory #%d is missing", n, num)
}

// restoreMemory restores values and text of a memory. Its revision count goes on: it numbers the revisions.
func (u *undoing) restoreMemory(ctx context.Context, entry engram.Mutation, m engram.Memory, was ledger.OldFields, since fieldsSince) error {
	what := fmt.Sprintf("memory #%d", m.Num)
	if before, shown := was[ledger.ApprovalField]; shown {
		return u.takeApproval(ctx, entry, m, string(before) == "true")
	}
	number, texts := was[view.TextField]
	delete(was, "revision_count")
	if m.LastAccessedAt.After(entry.At.Time()) {
		// Accesses are not journaled: the later ones would be lost.
		delete(was, "access_count")
		delete(was, "last_accessed_at")
	}
	now := m
	names, err := u.restoreFields(entry, what, ledger.TableOf(&now), was, since)
	if err != nil {
		return err
	}
	shown := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return Bookkeeping(name) && name != "review_after" })
	if texts {
		if _, err := u.oldText(ctx, m, since, what); err != nil {
			return err
		}
		old, err := u.revision(ctx, m.Num, number)
		if err != nil {
			return err
		}
		now.Title, now.Content, now.NormalizedHash = old.Title, old.Content, screen.HashOf(old.Content)
		now.RevisionCount = m.RevisionCount + 1
		shown = append(shown, "text")
	}
	if len(names) == 0 && !texts {
		return nil
	}
	if err := u.projectExists(ctx, now); err != nil {
		return err
	}
	u.changed(entry, "%s: %s", restored(m, now, shown), now.Title)
	return u.tx.ReplaceMemory(ctx, m, now, u.reason())
}

func restored(was, now engram.Memory, fields []string) string {
	switch {
	case was.Forgotten() && !now.Forgotten():
		return "brought back"
	case !was.Forgotten() && now.Forgotten():
		return "forgotten"
	case len(fields) == 0:
		return "counters set back"
	}
	return "restored " + strings.Join(fields, ", ")
}

// projectExists rejects restoring a memory into a project that does not exist any more.
func (u *undoing) projectExists(ctx context.Context, m engram.Memory) error {
	if m.Project == "" {
		return nil
	}
	_, known, err := u.tx.Store.Project(ctx, m.Project)
	if err != nil || known {
		return err
	}
	return engram.Errorf(engram.CodeConflict, "memory #%d was in project %q, which is gone", m.Num, m.Project).
		WithHint("undo what removed the project first; {log --all-projects} shows it")
}

func (u *undoing) takeRelation(ctx context.Context, entry engram.Mutation) error {
	num := ledger.NumOf(entry.Key)
	r, found, err := walk.IfThere(u.tx.Store.Relation(ctx, engram.RelationRef{Num: num}))
	switch {
	case err != nil:
		return err
	case !found:
		u.leave("relation %d was erased with a memory", num)
		return nil
	case entry.Reason == ledger.RelationResolved:
		return u.takeResolvedRelation(ctx, entry, r)
	}
	was, since, err := u.read(ctx, entry)
	if err != nil {
		return err
	}
	what, now := fmt.Sprintf("relation %d", num), r
	if was != nil {
		if _, err := u.restoreFields(entry, what, ledger.TableOf(&now), was, since); err != nil {
			return err
		}
		u.changed(entry, "restored: #%d %s #%d", now.Source, now.Verb, now.Target)
	} else {
		if _, err := u.restorable(what, since.left(), ledger.RelationFields(r), since); err != nil {
			return err
		}
		if r.Removed() {
			return u.dropHidden(ctx, entry, r)
		}
		if now.RemovedAt = u.tx.At; !u.tx.Hides {
			now.UpdatedAt = u.tx.At
		}
		u.changed(entry, "removed: #%d %s #%d", r.Source, r.Verb, r.Target)
	}
	u.relations = append(u.relations, r.Num)
	return u.tx.ReplaceRelation(ctx, r, now, entry.Project, u.reason())
}

// dropHidden removes a relation that the operation made and that another one is shown for.
func (u *undoing) dropHidden(ctx context.Context, entry engram.Mutation, r engram.Relation) error {
	l, known, err := ledger.ShadowedMetadata(ctx, u.tx.Store, r.Num)
	if err != nil || !known {
		return err
	}
	if u.tx.Hides {
		l = ledger.WithShadowed(ledger.WithoutShadowed(l, engram.PartVerdict), engram.PartDeleted, time.Time{})
	} else {
		l = lifecycle.Retagged(ledger.WithoutShadowed(l, engram.PartVerdict), []string{""}, nil, u.tx.Stamp())
	}
	if err := u.tx.PutMetadata(ctx, engram.EntityRelation, ledger.Key(r.Num), l); err != nil {
		return err
	}
	now := r
	now.RemovedAt, u.tx.RelationsChanged = u.tx.At, true
	u.changed(entry, "removed: #%d %s #%d", r.Source, r.Verb, r.Target)
	return u.tx.RewriteRelation(ctx, r, now, entry.Project, u.reason())
}

// checkRelations checks the restored relations against later ones: one judgment per pair, and no cycle of supersedes.
// It runs at the end, because there may be two on the way.
func (u *undoing) checkRelations(ctx context.Context) error {
	for _, num := range u.relations {
		r, err := u.tx.Store.Relation(ctx, engram.RelationRef{Num: num})
		if err != nil {
			return err
		}
		if !r.Judgment() {
			continue
		}
		pair, err := engram.RelationsBetween(ctx, u.tx.Store, r.Source, r.Target)
		if err != nil {
			return err
		}
		for _, other := range pair {
			if other.Num != r.Num && other.Judgment() {
				return u.judgedSince(ctx, other)
			}
		}
		if r.Supersedes() {
			if err := u.tx.Acyclic(ctx, r.Source, r.Target); err != nil {
				return err
			}
		}
	}
	return nil
}

func (u *undoing) judgedSince(ctx context.Context, other engram.Relation) error {
	entries, err := u.tx.Store.Mutations(ctx, engram.JournalSpan{Entity: engram.EntityRelation, Key: ledger.Key(other.Num)}, engram.Page{Limit: 1})
	if err != nil {
		return err
	}
	refused := engram.Errorf(engram.CodeConflict, "#%d and #%d were judged since: %s", other.Source, other.Target, other.Verb)
	if len(entries) > 0 {
		return offering(refused, entries[0].Op, "run {undo %d} first; nothing was changed")
	}
	return refused
}

// read returns the old values of an entry, nil when the thing did not exist, and the later changes.
func (u *undoing) read(ctx context.Context, entry engram.Mutation) (was ledger.OldFields, since fieldsSince, err error) {
	if err := ledger.ReadWas(entry, &was); err != nil {
		return nil, nil, err
	}
	later, err := u.since(ctx, entry)
	if err != nil {
		return nil, nil, err
	}
	// Which relation is visible was resolved, not written.
	since, err = sinceOf(slices.DeleteFunc(later, func(m engram.Mutation) bool { return m.Reason == ledger.RelationResolved }))
	return was, since, err
}
