package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// wanted is a topic key that a memory of the file has, and that another one had here when
// the memory was written.
type wanted struct {
	memory int64
	topic  string
	item   string
	name   engram.ID
	out    fate // what became of the memory without it
}

// freeTopic takes m's topic key away when another live memory has it here, for a topic has
// one memory, and returns it: whoever has it may be about to give it up.
func (i *importing) freeTopic(ctx context.Context, m *engram.Memory) (taken string, err error) {
	if m.TopicKey == "" || m.Forgotten() {
		return "", nil
	}
	other, has, err := i.tx.ByTopic(ctx, m.Project, m.Scope, m.TopicKey)
	if err != nil || !has || other.Num == m.Num {
		return "", err
	}
	taken, m.TopicKey = m.TopicKey, ""
	return taken, nil
}

// want notes that m is to have the topic when all that is in the file is here.
func (i *importing) want(topic string, m engram.Memory, item string, out fate) {
	if topic != "" {
		i.topics = append(i.topics, wanted{m.Num, topic, item, m.ID, out})
	}
}

// settleTopics gives memories the topics that are free by now, as when two of them changed
// places, and says of the rest who has them.
func (i *importing) settleTopics(ctx context.Context) error {
	for _, w := range i.topics {
		was, err := i.tx.Memory(ctx, engram.ByNum(w.memory))
		if err != nil {
			return err
		}
		if was.Forgotten() {
			continue // an item further on forgot it
		}
		other, has, err := i.tx.ByTopic(ctx, was.Project, was.Scope, w.topic)
		switch {
		case err != nil:
			return err
		case has && other.Num == was.Num:
			continue
		case has:
			i.res.Note(engram.ImportNote{Item: w.item, Name: string(w.name), Reason: "topic " + w.topic + " belongs to memory #" + key(other.Num) + " here: it comes in without"})
			continue
		}
		now := was
		now.TopicKey = w.topic
		if err := i.replaceMemory(ctx, was, now, "import"); err != nil {
			return err
		}
		if w.out == unchanged {
			i.res.Memories.Unchanged--
			i.res.Memories.Changed++
		}
	}
	return nil
}
