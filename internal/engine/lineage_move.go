package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// moveProject gives everything of a project to another and stamps it. A topic that is lost
// by it is a write of its own.
func (o *op) moveProject(ctx context.Context, from, to string) (engram.Moved, error) {
	s, err := o.stamp(ctx)
	if err != nil {
		return engram.Moved{}, err
	}
	if err := o.tx.StampProject(ctx, from, "project", s); err != nil {
		return engram.Moved{}, err
	}
	moved, err := o.tx.MoveProject(ctx, from, to)
	if err != nil {
		return moved, err
	}
	if err := o.stampTopics(ctx, moved.Topics); err != nil {
		return moved, err
	}
	return moved, o.settleMoved(ctx, moved)
}

// giveBack gives some things of a project to another and stamps them, and the topics that
// they got back.
func (o *op) giveBack(ctx context.Context, some engram.Moved, from, to string) (engram.Moved, error) {
	moved, err := o.tx.MoveBack(ctx, some, from, to)
	if err != nil {
		return moved, err
	}
	s, err := o.stamp(ctx)
	if err != nil {
		return moved, err
	}
	for _, of := range []struct {
		entity engram.Entity
		keys   []string
	}{{engram.EntityMemory, mapped(moved.Memories, key)}, {engram.EntityPrompt, mapped(moved.Prompts, key)}, {engram.EntitySession, moved.Sessions}} {
		all, err := o.tx.Lineages(ctx, of.entity, of.keys)
		if err != nil {
			return moved, err
		}
		for _, k := range of.keys {
			if l, known := all[k]; known {
				if err := o.tx.PutLineage(ctx, of.entity, k, lifecycle.Stamped(withoutHeld(l, projectPart), []engram.Part{projectPart}, s)); err != nil {
					return moved, err
				}
			}
		}
	}
	if err := o.stampTopics(ctx, moved.Topics); err != nil {
		return moved, err
	}
	return moved, o.settleMoved(ctx, moved)
}

// settleMoved settles places and topics when things went to another project. What an undo
// moves is settled when all is taken back.
func (o *op) settleMoved(ctx context.Context, moved engram.Moved) error {
	if o.undoes == 0 {
		if err := o.settlePlaces(ctx, moved.Sessions); err != nil {
			return err
		}
	}
	return o.settleTopics(ctx)
}

// stampTopics stamps the topics that memories lost, or got back.
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

// removeProject removes a project that nothing is in. Its entry in the journal is written.
func (o *op) removeProject(ctx context.Context, p engram.Project) error {
	l, err := lineageOf(ctx, o.tx, engram.EntityProject, p.Name, engram.Record{Project: &p})
	if err != nil {
		return err
	}
	s, err := o.stamp(ctx)
	if err != nil {
		return err
	}
	if err := o.tx.PutLineage(ctx, engram.EntityProject, p.Name, lifecycle.Stamped(l, []engram.Part{engram.PartDeleted}, s)); err != nil {
		return err
	}
	return o.tx.DeleteProject(ctx, p.Name)
}
