package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// next is a clock that no write has yet. Journal entries come after the stamps of what they
// are about, so that the newest entry has the greatest clock.
func (o *op) next() engram.Clock {
	o.clock = o.clock.Tick(o.at)
	return o.clock
}

// stamp names a new write of this store.
func (o *op) stamp(ctx context.Context) (engram.Stamp, error) {
	if o.device == "" {
		var err error
		if o.device, err = o.tx.Device(ctx); err != nil {
			return engram.Stamp{}, err
		}
	}
	return engram.Stamp{At: o.next(), Device: o.device}, nil
}

// born gives something that was made here its lineage.
func (o *op) born(ctx context.Context, entity engram.Entity, key string) error {
	s, err := o.stamp(ctx)
	if err != nil {
		return err
	}
	return o.tx.PutLineage(ctx, entity, key, engram.Lineage{Base: s})
}

// lineageOf reads the lineage of a thing; one without has that which its state says.
func lineageOf(ctx context.Context, r engram.Reader, entity engram.Entity, key string, state engram.Record) (engram.Lineage, error) {
	all, err := r.Lineages(ctx, entity, []string{key})
	if err != nil {
		return engram.Lineage{}, err
	}
	if l, known := all[key]; known {
		return l, nil
	}
	return lifecycle.Derived(state), nil
}

// memoryLineage is lineageOf for a memory.
func memoryLineage(ctx context.Context, r engram.Reader, m engram.Memory) (engram.Lineage, error) {
	return lineageOf(ctx, r, engram.EntityMemory, key(m.Num), engram.Record{Memory: &engram.MemoryRecord{Memory: m}})
}

// edit is a local write of a thing that is there.
type edit struct {
	lineage  engram.Lineage // before
	was, now map[string]any // fields
	gone     string         // the field that says when it was forgotten; "" when none does
	part     func(field string) engram.Part
	// The members of its set before and after; nil for none.
	had, has []string
	words    bool // title or content became others
}

// stamped is the lineage after an edit: what changed is stamped, what is written as it is
// held is held no longer. An op that hides does not stamp that something was forgotten.
func (o *op) stamped(ctx context.Context, e edit) (engram.Lineage, error) {
	l := e.lineage.Clone()
	s, err := o.stamp(ctx)
	if err != nil {
		return l, err
	}
	var parts []engram.Part
	if e.words {
		parts = append(parts, engram.PartText)
	}
	for field := range changes(e.was, e.now) {
		p := e.part(field)
		if p == "" || field == e.gone {
			continue
		}
		as, err := heldAs(l, p, e.now[field])
		if err != nil {
			return l, err
		}
		if delete(l.Held, p); !as && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	retagged := lifecycle.Retagged(lifecycle.Stamped(l, parts, s), e.had, e.has, s)
	return o.stampLife(ctx, retagged, e, s)
}

// stampLife adds to the lineage that a thing was forgotten or came back. What was
// written of what stays forgotten is no reason to bring it back.
func (o *op) stampLife(ctx context.Context, l engram.Lineage, e edit, s engram.Stamp) (engram.Lineage, error) {
	if e.gone == "" {
		return l, nil
	}
	was, _ := e.was[e.gone].(time.Time)
	now, _ := e.now[e.gone].(time.Time)
	_, held := l.Held[engram.PartDeleted]
	if !was.Equal(now) {
		as, err := heldAs(l, engram.PartDeleted, now)
		if err != nil {
			return l, err
		}
		if o.hides && !now.IsZero() && !held {
			return withHeld(l, engram.PartDeleted, was), nil
		}
		if delete(l.Held, engram.PartDeleted); as {
			return l, nil
		}
	} else if held {
		return l, nil
	}
	switch gone := !now.IsZero(); {
	case gone && (!was.Equal(now) || !lifecycle.Forgotten(l)):
		after, err := o.stamp(ctx) // later than what else is written with it
		return lifecycle.Stamped(l, []engram.Part{engram.PartDeleted}, after), err
	case !gone && lifecycle.Forgotten(l):
		return alive(lifecycle.Stamped(l, []engram.Part{engram.PartRestored}, s)), nil
	}
	return l, nil
}

// alive is the lineage of what came back: that it was forgotten before says nothing any more.
func alive(l engram.Lineage) engram.Lineage {
	if l.Parts = maps.Clone(l.Parts); !lifecycle.Forgotten(l) {
		delete(l.Parts, engram.PartDeleted)
	}
	return l
}

// memoryPart is the part that a field of a memory belongs to; "" when it does not travel as
// one. Title and content are no fields, and the origin goes with them.
func memoryPart(field string) engram.Part {
	switch field {
	case "project", "scope", "type", "summary", "tool_name", "metadata", "anchors", "topic_key", "session_id", "importance", "permanent", "review_after", "valid_from", "valid_to":
		return engram.Part(field)
	}
	return ""
}

// fieldPart is the part of a session, a prompt or a project that is called as its field.
func fieldPart(field string) engram.Part {
	switch field {
	case "project", "session_id", "directory", "started_at", "ended_at", "summary", "remote", "decay":
		return engram.Part(field)
	}
	return ""
}

// relationPart is the part that a field of a relation belongs to.
func relationPart(field string) engram.Part {
	if field == "updated_at" || field == "removed_at" {
		return ""
	}
	return engram.PartVerdict
}

// relationEdit is the edit of a relation, which is there as the member of a set.
func (o *op) relationEdit(ctx context.Context, l engram.Lineage, was, now engram.Relation) (engram.Lineage, error) {
	e := edit{lineage: l, was: relationFields(was), now: relationFields(now), part: relationPart}
	held := isHeld(l, engram.PartDeleted) || isHeld(l, engram.PartVerdict)
	switch {
	case was.Removed() == now.Removed():
		after, err := o.stamped(ctx, e)
		return refreshed(l, after, now), err
	case now.Removed() && o.hides && !held:
		l, err := o.stamped(ctx, e)
		return withHeld(l, engram.PartDeleted, was.RemovedAt), err
	case now.Removed() && !held:
		e.had = []string{""}
	case !now.Removed() && !held:
		e.has = []string{""}
	}
	e.lineage = withoutHeld(withoutHeld(l, engram.PartDeleted), engram.PartVerdict)
	return o.stamped(ctx, e)
}

// refreshed is the lineage of a relation that was there and is, with a life of its own where
// the verdict was written anew: who removed it without having seen that removed something else.
func refreshed(old, l engram.Lineage, now engram.Relation) engram.Lineage {
	s := l.Of(engram.PartVerdict)
	if now.Removed() || s == old.Of(engram.PartVerdict) {
		return l
	}
	there := []string{""}
	return lifecycle.Retagged(lifecycle.Retagged(l, there, nil, s), nil, there, s)
}

// writtenSession is a session that has no row as it was written: gone, or only hidden here.
// Then what is held is the session.
func writtenSession(s engram.Session, l engram.Lineage) engram.Record {
	hidden := engram.Session{}
	if heldValue(l, engram.PartDeleted, &hidden); hidden.ID != "" {
		return engram.Record{Session: &hidden, Lineage: &l}
	}
	return engram.Record{Session: &s, Lineage: &l, Gone: true}
}

// heldAs reports whether a part is held, and the value is what was written of it.
func heldAs(l engram.Lineage, p engram.Part, value any) (bool, error) {
	was, held := l.Held[p]
	if !held {
		return false, nil
	}
	now, err := json.Marshal(value)
	return bytes.Equal(was, now), err
}

// past is Lineage.Past of a memory that becomes now, of the lineage l; old is the one before.
func (o *op) past(ctx context.Context, was, now engram.Memory, old, l engram.Lineage) (int64, error) {
	replaced := was.Title != now.Title || was.Content != now.Content
	if !replaced && (was.RevisionCount < 2 || old.Past != 0) {
		return old.Past, nil
	}
	text := engram.Revision{Title: was.Title, Content: was.Content, Stamp: old.Of(engram.PartText)}
	if was.RevisionCount < 2 || old.Past != 0 {
		if past, known := lifecycle.PastWith(old.Past, text); known {
			return past, nil
		}
	}
	// What has older texts and no Past had no lineage.
	all, err := o.tx.Revisions(ctx, was.Num)
	if err != nil {
		return 0, err
	}
	if replaced {
		all = append(all, text)
	}
	return lifecycle.Past(all, now.Title, now.Content, l.Of(engram.PartText)), nil
}
