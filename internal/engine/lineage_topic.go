package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// topicSettled is the reason of entries that show or hide a topic key that was written
// otherwise: of memories that came from elsewhere several may have one topic, and one shows it.
const topicSettled = "topic key that several have"

// topicPart is the part that is held of a memory whose topic another one shows.
const topicPart engram.Part = "topic_key"

// contest is a topic that somebody could not be shown with.
type contest struct {
	project string
	scope   engram.Scope
	topic   string
}

// contender is a live memory that was written with a contested topic.
type contender struct {
	memory  engram.Memory
	lineage engram.Lineage
}

// ahead reports whether c shows the topic rather than o: whose text is the later one, so that
// every replica that has both shows the same.
func (c contender) ahead(o contender) bool {
	if d := c.lineage.Of(engram.PartText).Compare(o.lineage.Of(engram.PartText)); d != 0 {
		return d > 0
	}
	return strings.Compare(string(c.memory.ID), string(o.memory.ID)) < 0
}

// settleAfter settles contested topics when a memory became another that may matter to them.
// An undo settles them when all is taken back: until then a topic may belong to what goes.
func (o *op) settleAfter(ctx context.Context, was, now engram.Memory) error {
	same := was.TopicKey == now.TopicKey && was.Project == now.Project && was.Scope == now.Scope && was.Forgotten() == now.Forgotten()
	if o.undoes != 0 || same && was.Title == now.Title && was.Content == now.Content {
		return nil
	}
	l, err := memoryLineage(ctx, o.tx, now)
	if err != nil {
		return err
	}
	may := contest{now.Project, now.Scope, now.TopicKey}
	heldValue(l, topicPart, &may.topic)
	return o.settleContests(ctx, contest{was.Project, was.Scope, was.TopicKey}, may)
}

// settleContests is settleTopics for these topics alone; those that are "" are passed over.
func (o *op) settleContests(ctx context.Context, some ...contest) error {
	some = slices.DeleteFunc(slices.Compact(some), func(c contest) bool { return c.topic == "" })
	for _, c := range some {
		keys, err := o.tx.HeldTopic(ctx, c.topic)
		if err != nil {
			return err
		}
		if err := o.settleHeld(ctx, keys, some); err != nil {
			return err
		}
	}
	return nil
}

// settleTopics shows each contested topic with the memory that is ahead of the others. It is
// called after whatever may change that of many memories, and costs one look-up where nothing
// is contested.
func (o *op) settleTopics(ctx context.Context) error {
	keys, err := o.tx.HeldBack(ctx, engram.EntityMemory, topicPart)
	if err != nil {
		return err
	}
	return o.settleHeld(ctx, keys, nil)
}

// settleHeld settles the contests of memories whose topic is held; nil for all of them.
func (o *op) settleHeld(ctx context.Context, keys []string, some []contest) error {
	if len(keys) == 0 {
		return nil
	}
	lineages, err := o.tx.Lineages(ctx, engram.EntityMemory, keys)
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
		heldValue(lineages[k], topicPart, &c.topic)
		if some != nil && !slices.Contains(some, c) {
			continue
		}
		if all[c] == nil {
			order = append(order, c)
		}
		all[c] = append(all[c], contender{m, lineages[k]})
	}
	for _, c := range order {
		if err := o.settleTopic(ctx, c, all[c]); err != nil {
			return err
		}
	}
	return nil
}

// settleTopic shows a topic with one of those that were written with it.
func (o *op) settleTopic(ctx context.Context, c contest, without []contender) error {
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
		l, err := memoryLineage(ctx, o.tx, m)
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

// showTopic shows a memory with the topic that was written, or without it.
func (o *op) showTopic(ctx context.Context, c contender, topic string) error {
	was, now, l := c.memory, c.memory, withoutHeld(c.lineage, topicPart)
	if now.TopicKey = topic; topic == "" {
		l = withHeld(c.lineage, topicPart, was.TopicKey)
	}
	if err := o.tx.PutLineage(ctx, engram.EntityMemory, key(was.Num), l); err != nil {
		return err
	}
	return o.rewriteMemory(ctx, was, now, engram.Stamp{}, topicSettled)
}

// takeSettled hides a topic again that an operation let be shown, so that the memory that
// had it may get it back; settleTopics has the last word.
func (u *undoing) takeSettled(ctx context.Context, entry engram.Mutation, m engram.Memory) error {
	if m.TopicKey == "" {
		return nil
	}
	l, err := memoryLineage(ctx, u.tx, m)
	if err != nil {
		return err
	}
	u.changed(entry, "its topic key is looked at again: %s", m.Title)
	return u.showTopic(ctx, contender{m, l}, "")
}
