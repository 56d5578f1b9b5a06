package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// wanted is a topic key that a memory that came in has, and that another one had here when
// the memory was written.
type wanted struct {
	topic string
	item  string
	name  engram.ID
	out   fate // what became of the memory without it
}

// holdTopic holds m's topic key back when another live memory has it here: a topic has one
// memory, and which of them it is is settled when all that comes is here.
func (i *importing) holdTopic(ctx context.Context, m *engram.Memory, l *engram.Lineage, item string, out fate) error {
	held := isHeld(*l, topicPart)
	*l = withoutHeld(*l, topicPart)
	i.wanted = nil
	if m.TopicKey == "" || m.Forgotten() {
		return nil
	}
	other, has, err := i.tx.ByTopic(ctx, m.Project, m.Scope, m.TopicKey)
	if err != nil || !has && !held || has && other.Num == m.Num {
		return err
	}
	*l = withHeld(*l, topicPart, m.TopicKey)
	i.wanted = &wanted{m.TopicKey, item, m.ID, out}
	m.TopicKey = ""
	return nil
}

// noteTopic notes for a memory, which has its number now, what holdTopic held back.
func (i *importing) noteTopic(m engram.Memory) {
	if i.wanted != nil {
		i.topics[m.Num] = *i.wanted
		i.wanted = nil
	}
}

// tellTopics settles which memory is shown with each topic, and says of those that came in
// and are not who has theirs.
func (i *importing) tellTopics(ctx context.Context) error {
	if err := i.settleTopics(ctx); err != nil {
		return err
	}
	for _, num := range slices.Sorted(maps.Keys(i.topics)) {
		w := i.topics[num]
		m, err := i.tx.Memory(ctx, engram.ByNum(num))
		if err != nil {
			return err
		}
		switch {
		case m.Forgotten(): // an item further on forgot it
		case m.TopicKey == w.topic && w.out == unchanged:
			i.res.Memories.Unchanged--
			i.res.Memories.Changed++
		case m.TopicKey == "":
			other, has, err := i.tx.ByTopic(ctx, m.Project, m.Scope, w.topic)
			if err != nil {
				return err
			}
			if has {
				i.res.Note(engram.ImportNote{Item: w.item, Name: string(w.name), Reason: "topic " + w.topic + " belongs to memory #" + key(other.Num) + " here: it comes in without"})
			}
		}
	}
	return nil
}
