package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// next returns a clock later than every write. Journal entries come after the stamps of their things, so that the
// newest entry has the greatest clock.
func (o *Tx) next() engram.Clock {
	o.Clock = o.Clock.Tick(o.At)
	return o.Clock
}

// Stamp returns the version stamp of a new write of this store.
func (o *Tx) Stamp() engram.VersionStamp {
	return engram.VersionStamp{At: o.next(), Device: o.Device}
}

// MemoryMetadata returns the causal metadata of a memory.
func MemoryMetadata(ctx context.Context, r engram.Reader, m engram.Memory) (engram.CausalMetadata, error) {
	return metadataOf(ctx, r, MemoryRecord(m))
}

// Edit is a local write of an existing thing.
type Edit struct {
	metadata engram.CausalMetadata // before the write
	Was, Now map[string]any        // field values
	deleted  string                // the field with the time of deletion; "" for none
	Part     func(field string) engram.Part
	// The members of its set before and after; nil for none.
	Had, Has []string
	words    bool // title or content changed
}

// stamped returns the causal metadata after an edit: changed parts are stamped, and a part written with its shadowed
// value is no longer shadowed. An operation that hides does not stamp that something was forgotten.
func (o *Tx) stamped(e Edit) engram.CausalMetadata {
	l, s := e.metadata.Clone(), o.Stamp()
	var parts []engram.Part
	if e.words {
		parts = append(parts, engram.PartText)
	}
	for field := range Changes(e.Was, e.Now) {
		p := e.Part(field)
		if p == "" || field == e.deleted {
			continue
		}
		as := shadowedAs(l, p, e.Now[field])
		if delete(l.Shadowed, p); !as && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	return o.stampLife(lifecycle.Retagged(lifecycle.Stamped(l, parts, s), e.Had, e.Has, s), e, s)
}

// StampEdit stamps the parts of a thing that an edit changes.
func (o *Tx) StampEdit(ctx context.Context, was engram.Record, e Edit) (err error) {
	if e.metadata, err = metadataOf(ctx, o.Store, was); err != nil {
		return err
	}
	return o.PutMetadata(ctx, was.Entity(), KeyOf(was), o.stamped(e))
}

// stampLife adds to causal metadata that a thing was forgotten or came back. Writing the shadowed deletion of something
// that stays forgotten does not bring it back.
func (o *Tx) stampLife(l engram.CausalMetadata, e Edit, s engram.VersionStamp) engram.CausalMetadata {
	if e.deleted == "" {
		return l
	}
	was, _ := e.Was[e.deleted].(time.Time)
	now, _ := e.Now[e.deleted].(time.Time)
	shadowed := IsShadowed(l, engram.PartDeleted)
	if !was.Equal(now) {
		as := shadowedAs(l, engram.PartDeleted, now)
		if o.Hides && !now.IsZero() && !shadowed {
			return WithShadowed(l, engram.PartDeleted, was)
		}
		if delete(l.Shadowed, engram.PartDeleted); as {
			return l
		}
	} else if shadowed {
		return l
	}
	switch gone := !now.IsZero(); {
	case gone && (!was.Equal(now) || !lifecycle.Forgotten(l)):
		return lifecycle.Stamped(l, []engram.Part{engram.PartDeleted}, o.Stamp()) // later than what else is written with it
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
func (o *Tx) relationEdit(l engram.CausalMetadata, was, now engram.Relation) engram.CausalMetadata {
	e := Edit{metadata: l, Was: RelationFields(was), Now: RelationFields(now), Part: PartOf[engram.Relation]}
	shadowed := IsShadowed(l, engram.PartDeleted) || IsShadowed(l, engram.PartVerdict)
	switch {
	case was.Removed() == now.Removed():
		return refreshed(l, o.stamped(e), now)
	case now.Removed() && o.Hides && !shadowed:
		return WithShadowed(o.stamped(e), engram.PartDeleted, was.RemovedAt)
	case now.Removed() && !shadowed:
		e.Had = []string{""}
	case !now.Removed() && !shadowed:
		e.Has = []string{""}
	}
	e.metadata = WithoutShadowed(WithoutShadowed(l, engram.PartDeleted), engram.PartVerdict)
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

// DeletedSession returns a session without a row as it was written: deleted, or only hidden here, in which case the
// shadowed value is the session.
func DeletedSession(s engram.Session, l engram.CausalMetadata) engram.Record {
	hidden := engram.Session{}
	if ShadowedValue(l, engram.PartDeleted, &hidden); hidden.ID != "" {
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
func (o *Tx) past(ctx context.Context, was, now engram.Memory, old, l engram.CausalMetadata) (int64, error) {
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
	all, err := o.Store.Revisions(ctx, was.Num)
	if err != nil {
		return 0, err
	}
	if replaced {
		all = append(all, text)
	}
	return lifecycle.Past(all, now.Title, now.Content, l.Of(engram.PartText)), nil
}

// MoveProject gives everything of a project to another and stamps it. A topic that is lost by it is a write of its
// own.
func (o *Tx) MoveProject(ctx context.Context, from, to string) (engram.Moved, error) {
	if err := o.Store.ReplicaTx().StampProject(ctx, from, "project", o.Stamp()); err != nil {
		return engram.Moved{}, err
	}
	moved, err := o.Store.MoveProject(ctx, from, to)
	if err != nil {
		return moved, err
	}
	if err := o.stampTopics(ctx, moved.Topics); err != nil {
		return moved, err
	}
	return moved, o.resolveMoved(ctx, moved)
}

// GiveBack moves some things back to another project, and stamps them and the topics they got back.
func (o *Tx) GiveBack(ctx context.Context, some engram.Moved, from, to string) (engram.Moved, error) {
	moved, err := o.Store.MoveBack(ctx, some, from, to)
	if err != nil {
		return moved, err
	}
	s := o.Stamp()
	for _, of := range []struct {
		entity engram.Entity
		keys   []string
	}{{engram.EntityMemory, walk.Mapped(moved.Memories, Key)}, {engram.EntityPrompt, walk.Mapped(moved.Prompts, Key)}, {engram.EntitySession, moved.Sessions}} {
		all, err := o.Store.Replica().CausalMetadata(ctx, of.entity, of.keys)
		if err != nil {
			return moved, err
		}
		for k, l := range all {
			all[k] = lifecycle.Stamped(WithoutShadowed(l, ProjectPart), []engram.Part{ProjectPart}, s)
		}
		if err := o.Store.ReplicaTx().PutCausalMetadata(ctx, of.entity, all); err != nil {
			return moved, err
		}
	}
	if err := o.stampTopics(ctx, moved.Topics); err != nil {
		return moved, err
	}
	return moved, o.resolveMoved(ctx, moved)
}

// resolveMoved resolves places and topics after a move. An undo does that once at its end.
func (o *Tx) resolveMoved(ctx context.Context, moved engram.Moved) error {
	if o.Undoes == 0 {
		if err := o.ResolvePlaces(ctx, moved.Sessions); err != nil {
			return err
		}
	}
	return o.ResolveTopics(ctx)
}

func (o *Tx) stampTopics(ctx context.Context, topics map[int64]string) error {
	for _, num := range slices.Sorted(maps.Keys(topics)) {
		m, err := o.Store.Memory(ctx, engram.ByNum(num))
		if err != nil {
			return err
		}
		was := m
		if was.TopicKey = ""; m.TopicKey == "" {
			was.TopicKey = topics[num]
		}
		if _, err := o.StampMemory(ctx, was, m); err != nil {
			return err
		}
	}
	return nil
}

// RemoveProject removes an empty project and stamps that. The caller has journaled it.
func (o *Tx) RemoveProject(ctx context.Context, p engram.Project) error {
	l, err := metadataOf(ctx, o.Store, ProjectRecord(p))
	if err != nil {
		return err
	}
	l = lifecycle.Stamped(l, []engram.Part{engram.PartDeleted}, o.Stamp())
	if err := o.PutMetadata(ctx, engram.EntityProject, p.Name, l); err != nil {
		return err
	}
	return o.Store.DeleteProject(ctx, p.Name)
}

// TopicResolved is the reason of entries that show or hide a topic key: several memories from different stores may
// have one topic, of which one shows it.
const TopicResolved = "several memories have this topic key"

// TopicPart is the part that is shadowed when another memory shows the topic.
const TopicPart engram.Part = "topic_key"

// contest is a topic that is shadowed in at least one memory.
type contest struct {
	project string
	scope   engram.Scope
	topic   string
}

// Contender is a live memory that was written with a contested topic.
type Contender struct {
	Memory   engram.Memory
	Metadata engram.CausalMetadata
}

// ahead reports whether c shows the topic rather than o. The later text wins, so that all replicas with both show the
// same.
func (c Contender) ahead(o Contender) bool {
	if d := c.Metadata.Of(engram.PartText).Compare(o.Metadata.Of(engram.PartText)); d != 0 {
		return d > 0
	}
	return strings.Compare(string(c.Memory.ID), string(o.Memory.ID)) < 0
}

// resolveAfter resolves contested topics after a change of a memory that may affect them. An undo does that once at
// its end: until then a topic may belong to something that it removes.
func (o *Tx) resolveAfter(ctx context.Context, was, now engram.Memory) error {
	same := was.TopicKey == now.TopicKey && was.Project == now.Project && was.Scope == now.Scope && was.Forgotten() == now.Forgotten()
	if o.Undoes != 0 || same && was.Title == now.Title && was.Content == now.Content {
		return nil
	}
	l, err := MemoryMetadata(ctx, o.Store, now)
	if err != nil {
		return err
	}
	may := contest{now.Project, now.Scope, now.TopicKey}
	ShadowedValue(l, TopicPart, &may.topic)
	return o.resolveContests(ctx, contest{was.Project, was.Scope, was.TopicKey}, may)
}

// resolveContests is resolveTopics for these topics only; it skips "".
func (o *Tx) resolveContests(ctx context.Context, some ...contest) error {
	some = slices.DeleteFunc(slices.Compact(some), func(c contest) bool { return c.topic == "" })
	for _, c := range some {
		keys, err := o.Store.Replica().ShadowedTopic(ctx, c.topic)
		if err != nil {
			return err
		}
		if err := o.resolveShadowed(ctx, keys, some); err != nil {
			return err
		}
	}
	return nil
}

// ResolveTopics shows each contested topic with the memory that is ahead of the others. It is called after changes to
// many memories, and costs one look-up where nothing is contested.
func (o *Tx) ResolveTopics(ctx context.Context) error {
	keys, err := o.Store.Replica().Shadowed(ctx, engram.EntityMemory, TopicPart)
	if err != nil {
		return err
	}
	return o.resolveShadowed(ctx, keys, nil)
}

// resolveShadowed resolves the contests of memories with a shadowed topic; some is nil for all of them.
func (o *Tx) resolveShadowed(ctx context.Context, keys []string, some []contest) error {
	if len(keys) == 0 {
		return nil
	}
	metadata, err := o.Store.Replica().CausalMetadata(ctx, engram.EntityMemory, keys)
	if err != nil {
		return err
	}
	all := map[contest][]Contender{}
	var order []contest
	for _, k := range keys {
		m, err := o.Store.Memory(ctx, engram.ByNum(NumOf(k)))
		if err != nil {
			return err
		}
		if m.Forgotten() || m.TopicKey != "" {
			continue
		}
		c := contest{project: m.Project, scope: m.Scope}
		ShadowedValue(metadata[k], TopicPart, &c.topic)
		if some != nil && !slices.Contains(some, c) {
			continue
		}
		if all[c] == nil {
			order = append(order, c)
		}
		all[c] = append(all[c], Contender{m, metadata[k]})
	}
	for _, c := range order {
		if err := o.resolveTopic(ctx, c, all[c]); err != nil {
			return err
		}
	}
	return nil
}

// resolveTopic shows a topic with one of the memories that were written with it.
func (o *Tx) resolveTopic(ctx context.Context, c contest, without []Contender) error {
	first := without[0]
	for _, other := range without[1:] {
		if other.ahead(first) {
			first = other
		}
	}
	m, shown, err := engram.ByTopic(ctx, o.Store, c.project, c.scope, c.topic)
	if err != nil {
		return err
	}
	if shown {
		l, err := MemoryMetadata(ctx, o.Store, m)
		if err != nil {
			return err
		}
		holder := Contender{m, l}
		if !first.ahead(holder) {
			return nil
		}
		if err := o.ShowTopic(ctx, holder, ""); err != nil {
			return err
		}
	}
	return o.ShowTopic(ctx, first, c.topic)
}

// ShowTopic gives a topic key to a contender for it.
func (o *Tx) ShowTopic(ctx context.Context, c Contender, topic string) error {
	was, now, l := c.Memory, c.Memory, WithoutShadowed(c.Metadata, TopicPart)
	if now.TopicKey = topic; topic == "" {
		l = WithShadowed(c.Metadata, TopicPart, was.TopicKey)
	}
	if err := o.PutMetadata(ctx, engram.EntityMemory, Key(was.Num), l); err != nil {
		return err
	}
	return o.rewriteMemory(ctx, was, now, engram.VersionStamp{}, TopicResolved)
}
