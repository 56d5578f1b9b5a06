package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// next returns a clock later than every write. Journal entries come after the stamps of their things, so that the
// newest entry has the greatest clock.
func (o *op) next() engram.Clock {
	o.clock = o.clock.Tick(o.at)
	return o.clock
}

// stamp returns the version stamp of a new write of this store.
func (o *op) stamp() engram.VersionStamp {
	return engram.VersionStamp{At: o.next(), Device: o.device}
}

// stampNew gives a thing that was made here its causal metadata.
func (o *op) stampNew(ctx context.Context, entity engram.Entity, key string) error {
	return o.tx.PutCausalMetadata(ctx, entity, key, engram.CausalMetadata{Base: o.stamp()})
}

func memoryMetadata(ctx context.Context, r engram.Reader, m engram.Memory) (engram.CausalMetadata, error) {
	return metadataOf(ctx, r, memoryRecord(m))
}

// edit is a local write of an existing thing.
type edit struct {
	metadata engram.CausalMetadata // before the write
	was, now map[string]any        // field values
	deleted  string                // the field with the time of deletion; "" for none
	part     func(field string) engram.Part
	// The members of its set before and after; nil for none.
	had, has []string
	words    bool // title or content changed
}

// stamped returns the causal metadata after an edit: changed parts are stamped, and a part written with its shadowed
// value is no longer shadowed. An op that hides does not stamp that something was forgotten.
func (o *op) stamped(e edit) engram.CausalMetadata {
	l, s := e.metadata.Clone(), o.stamp()
	var parts []engram.Part
	if e.words {
		parts = append(parts, engram.PartText)
	}
	for field := range changes(e.was, e.now) {
		p := e.part(field)
		if p == "" || field == e.deleted {
			continue
		}
		as := shadowedAs(l, p, e.now[field])
		if delete(l.Shadowed, p); !as && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	return o.stampLife(lifecycle.Retagged(lifecycle.Stamped(l, parts, s), e.had, e.has, s), e, s)
}

func (o *op) stampEdit(ctx context.Context, was engram.Record, e edit) (err error) {
	if e.metadata, err = metadataOf(ctx, o.tx, was); err != nil {
		return err
	}
	return o.tx.PutCausalMetadata(ctx, was.Entity(), keyOf(was), o.stamped(e))
}

// stampLife adds to causal metadata that a thing was forgotten or came back. Writing the shadowed deletion of something
// that stays forgotten does not bring it back.
func (o *op) stampLife(l engram.CausalMetadata, e edit, s engram.VersionStamp) engram.CausalMetadata {
	if e.deleted == "" {
		return l
	}
	was, _ := e.was[e.deleted].(time.Time)
	now, _ := e.now[e.deleted].(time.Time)
	shadowed := isShadowed(l, engram.PartDeleted)
	if !was.Equal(now) {
		as := shadowedAs(l, engram.PartDeleted, now)
		if o.hides && !now.IsZero() && !shadowed {
			return withShadowed(l, engram.PartDeleted, was)
		}
		if delete(l.Shadowed, engram.PartDeleted); as {
			return l
		}
	} else if shadowed {
		return l
	}
	switch gone := !now.IsZero(); {
	case gone && (!was.Equal(now) || !lifecycle.Forgotten(l)):
		return lifecycle.Stamped(l, []engram.Part{engram.PartDeleted}, o.stamp()) // later than what else is written with it
	case !gone && lifecycle.Forgotten(l):
		return revived(lifecycle.Stamped(l, []engram.Part{engram.PartRestored}, s))
	}
	return l
}

// revived returns the metadata of a thing that came back, without the deletion.
func revived(l engram.CausalMetadata) engram.CausalMetadata {
	if l.Parts = maps.Clone(l.Parts); !lifecycle.Forgotten(l) {
		delete(l.Parts, engram.PartDeleted)
	}
	return l
}

// relationEdit returns the causal metadata after an edit of a relation, which is there as the member of a set.
func (o *op) relationEdit(l engram.CausalMetadata, was, now engram.Relation) engram.CausalMetadata {
	e := edit{metadata: l, was: relationFields(was), now: relationFields(now), part: partOf[engram.Relation]}
	shadowed := isShadowed(l, engram.PartDeleted) || isShadowed(l, engram.PartVerdict)
	switch {
	case was.Removed() == now.Removed():
		return refreshed(l, o.stamped(e), now)
	case now.Removed() && o.hides && !shadowed:
		return withShadowed(o.stamped(e), engram.PartDeleted, was.RemovedAt)
	case now.Removed() && !shadowed:
		e.had = []string{""}
	case !now.Removed() && !shadowed:
		e.has = []string{""}
	}
	e.metadata = withoutShadowed(withoutShadowed(l, engram.PartDeleted), engram.PartVerdict)
	return o.stamped(e)
}

// refreshed adds the relation to its set again when the verdict was rewritten: a replica that removed it had not seen
// this verdict.
func refreshed(old, l engram.CausalMetadata, now engram.Relation) engram.CausalMetadata {
	s := l.Of(engram.PartVerdict)
	if now.Removed() || s == old.Of(engram.PartVerdict) {
		return l
	}
	there := []string{""}
	return lifecycle.Retagged(lifecycle.Retagged(l, there, nil, s), nil, there, s)
}

// deletedSession returns a session without a row as it was written: deleted, or only hidden here, in which case the
// shadowed value is the session.
func deletedSession(s engram.Session, l engram.CausalMetadata) engram.Record {
	hidden := engram.Session{}
	if shadowedValue(l, engram.PartDeleted, &hidden); hidden.ID != "" {
		return engram.Record{Session: &hidden, Causal: &l}
	}
	return engram.Record{Session: &s, Causal: &l, Tombstone: true}
}

// shadowedAs reports whether value is the shadowed value of a part.
func shadowedAs(l engram.CausalMetadata, p engram.Part, value any) bool {
	was, shadowed := l.Shadowed[p]
	if !shadowed {
		return false
	}
	now, _ := json.Marshal(value) // a text or a time
	return bytes.Equal(was, now)
}

// past computes CausalMetadata.Past of a memory that becomes now, with the metadata l; old is the metadata before.
func (o *op) past(ctx context.Context, was, now engram.Memory, old, l engram.CausalMetadata) (int64, error) {
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
	// Older texts without Past: the memory had no metadata.
	all, err := o.tx.Revisions(ctx, was.Num)
	if err != nil {
		return 0, err
	}
	if replaced {
		all = append(all, text)
	}
	return lifecycle.Past(all, now.Title, now.Content, l.Of(engram.PartText)), nil
}

// moveProject gives everything of a project to another and stamps it. A topic that is lost by it is a write of its
// own.
func (o *op) moveProject(ctx context.Context, from, to string) (engram.Moved, error) {
	if err := o.tx.StampProject(ctx, from, "project", o.stamp()); err != nil {
		return engram.Moved{}, err
	}
	moved, err := o.tx.MoveProject(ctx, from, to)
	if err != nil {
		return moved, err
	}
	if err := o.stampTopics(ctx, moved.Topics); err != nil {
		return moved, err
	}
	return moved, o.resolveMoved(ctx, moved)
}

// giveBack moves some things back to another project, and stamps them and the topics they got back.
func (o *op) giveBack(ctx context.Context, some engram.Moved, from, to string) (engram.Moved, error) {
	moved, err := o.tx.MoveBack(ctx, some, from, to)
	if err != nil {
		return moved, err
	}
	s := o.stamp()
	for _, of := range []struct {
		entity engram.Entity
		keys   []string
	}{{engram.EntityMemory, mapped(moved.Memories, key)}, {engram.EntityPrompt, mapped(moved.Prompts, key)}, {engram.EntitySession, moved.Sessions}} {
		all, err := o.tx.CausalMetadata(ctx, of.entity, of.keys)
		if err != nil {
			return moved, err
		}
		for _, k := range of.keys {
			if l, known := all[k]; known {
				if err := o.tx.PutCausalMetadata(ctx, of.entity, k, lifecycle.Stamped(withoutShadowed(l, projectPart), []engram.Part{projectPart}, s)); err != nil {
					return moved, err
				}
			}
		}
	}
	if err := o.stampTopics(ctx, moved.Topics); err != nil {
		return moved, err
	}
	return moved, o.resolveMoved(ctx, moved)
}

// resolveMoved resolves places and topics after a move. An undo does that once at its end.
func (o *op) resolveMoved(ctx context.Context, moved engram.Moved) error {
	if o.undoes == 0 {
		if err := o.resolvePlaces(ctx, moved.Sessions); err != nil {
			return err
		}
	}
	return o.resolveTopics(ctx)
}

func (o *op) stampTopics(ctx context.Context, topics map[int64]string) error {
	for _, num := range slices.Sorted(maps.Keys(topics)) {
		m, err := o.tx.Memory(ctx, engram.ByNum(num))
		if err != nil {
			return err
		}
		was := m
		if was.TopicKey = ""; m.TopicKey == "" {
			was.TopicKey = topics[num]
		}
		if _, err := o.stampMemory(ctx, was, m); err != nil {
			return err
		}
	}
	return nil
}

// removeProject removes an empty project and stamps that. The caller has journaled it.
func (o *op) removeProject(ctx context.Context, p engram.Project) error {
	l, err := metadataOf(ctx, o.tx, projectRecord(p))
	if err != nil {
		return err
	}
	l = lifecycle.Stamped(l, []engram.Part{engram.PartDeleted}, o.stamp())
	if err := o.tx.PutCausalMetadata(ctx, engram.EntityProject, p.Name, l); err != nil {
		return err
	}
	return o.tx.DeleteProject(ctx, p.Name)
}

// topicResolved is the reason of entries that show or hide a topic key: several memories from different stores may
// have one topic, of which one shows it.
const topicResolved = "several memories have this topic key"

// topicPart is the part that is shadowed when another memory shows the topic.
const topicPart engram.Part = "topic_key"

// contest is a topic that is shadowed in at least one memory.
type contest struct {
	project string
	scope   engram.Scope
	topic   string
}

// contender is a live memory that was written with a contested topic.
type contender struct {
	memory   engram.Memory
	metadata engram.CausalMetadata
}

// ahead reports whether c shows the topic rather than o. The later text wins, so that all replicas with both show the
// same.
func (c contender) ahead(o contender) bool {
	if d := c.metadata.Of(engram.PartText).Compare(o.metadata.Of(engram.PartText)); d != 0 {
		return d > 0
	}
	return strings.Compare(string(c.memory.ID), string(o.memory.ID)) < 0
}

// resolveAfter resolves contested topics after a change of a memory that may affect them. An undo does that once at
// its end: until then a topic may belong to something that it removes.
func (o *op) resolveAfter(ctx context.Context, was, now engram.Memory) error {
	same := was.TopicKey == now.TopicKey && was.Project == now.Project && was.Scope == now.Scope && was.Forgotten() == now.Forgotten()
	if o.undoes != 0 || same && was.Title == now.Title && was.Content == now.Content {
		return nil
	}
	l, err := memoryMetadata(ctx, o.tx, now)
	if err != nil {
		return err
	}
	may := contest{now.Project, now.Scope, now.TopicKey}
	shadowedValue(l, topicPart, &may.topic)
	return o.resolveContests(ctx, contest{was.Project, was.Scope, was.TopicKey}, may)
}

// resolveContests is resolveTopics for these topics only; it skips "".
func (o *op) resolveContests(ctx context.Context, some ...contest) error {
	some = slices.DeleteFunc(slices.Compact(some), func(c contest) bool { return c.topic == "" })
	for _, c := range some {
		keys, err := o.tx.ShadowedTopic(ctx, c.topic)
		if err != nil {
			return err
		}
		if err := o.resolveShadowed(ctx, keys, some); err != nil {
			return err
		}
	}
	return nil
}

// resolveTopics shows each contested topic with the memory that is ahead of the others. It is called after changes to
// many memories, and costs one look-up where nothing is contested.
func (o *op) resolveTopics(ctx context.Context) error {
	keys, err := o.tx.Shadowed(ctx, engram.EntityMemory, topicPart)
	if err != nil {
		return err
	}
	return o.resolveShadowed(ctx, keys, nil)
}

// resolveShadowed resolves the contests of memories with a shadowed topic; some is nil for all of them.
func (o *op) resolveShadowed(ctx context.Context, keys []string, some []contest) error {
	if len(keys) == 0 {
		return nil
	}
	metadata, err := o.tx.CausalMetadata(ctx, engram.EntityMemory, keys)
	if err != nil {
		return err
	}
	all := map[contest][]contender{}
	var order []contest
	for _, k := range keys {
		m, err := o.tx.Memory(ctx, engram.ByNum(numOf(k)))
		if err != nil {
			return err
		}
		if m.Forgotten() || m.TopicKey != "" {
			continue
		}
		c := contest{project: m.Project, scope: m.Scope}
		shadowedValue(metadata[k], topicPart, &c.topic)
		if some != nil && !slices.Contains(some, c) {
			continue
		}
		if all[c] == nil {
			order = append(order, c)
		}
		all[c] = append(all[c], contender{m, metadata[k]})
	}
	for _, c := range order {
		if err := o.resolveTopic(ctx, c, all[c]); err != nil {
			return err
		}
	}
	return nil
}

// resolveTopic shows a topic with one of the memories that were written with it.
func (o *op) resolveTopic(ctx context.Context, c contest, without []contender) error {
	first := without[0]
	for _, other := range without[1:] {
		if other.ahead(first) {
			first = other
		}
	}
	m, shown, err := o.tx.ByTopic(ctx, c.project, c.scope, c.topic)
	if err != nil {
		return err
	}
	if shown {
		l, err := memoryMetadata(ctx, o.tx, m)
		if err != nil {
			return err
		}
		holder := contender{m, l}
		if !first.ahead(holder) {
			return nil
		}
		if err := o.showTopic(ctx, holder, ""); err != nil {
			return err
		}
	}
	return o.showTopic(ctx, first, c.topic)
}

func (o *op) showTopic(ctx context.Context, c contender, topic string) error {
	was, now, l := c.memory, c.memory, withoutShadowed(c.metadata, topicPart)
	if now.TopicKey = topic; topic == "" {
		l = withShadowed(c.metadata, topicPart, was.TopicKey)
	}
	if err := o.tx.PutCausalMetadata(ctx, engram.EntityMemory, key(was.Num), l); err != nil {
		return err
	}
	return o.rewriteMemory(ctx, was, now, engram.VersionStamp{}, topicResolved)
}

// takeResolved hides a topic that an operation showed, so that the earlier memory may get it back; resolveTopics
// decides.
func (u *undoing) takeResolved(ctx context.Context, entry engram.Mutation, m engram.Memory) error {
	if m.TopicKey == "" {
		return nil
	}
	l, err := memoryMetadata(ctx, u.tx, m)
	if err != nil {
		return err
	}
	u.changed(entry, "topic key resolved again: %s", m.Title)
	return u.showTopic(ctx, contender{m, l}, "")
}
