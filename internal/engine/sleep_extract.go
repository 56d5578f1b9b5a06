package engine

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// extract asks for the pattern of each bunch of the plan, and keeps what it is told. The
// model is asked outside any transaction, for it may take minutes. Where it does not
// answer, the rest is left to another night.
func (s *sleep) extract(ctx context.Context) error {
	for _, step := range s.res.Plan {
		if step.Action != lifecycle.StepExtract {
			continue
		}
		ms, err := s.sources(ctx, step)
		if err != nil {
			return err
		}
		if len(ms) < len(step.Memories) {
			s.skip(step, changedMeanwhile)
			continue
		}
		p, found, err := s.extractor.Extract(ctx, ms)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.res.Degraded = append(s.res.Degraded, "no patterns were looked for: "+err.Error())
			s.skip(step, "the language model did not answer")
			return nil
		}
		if err := s.answer(ctx, step, ms, p, found); err != nil {
			return err
		}
		s.tell(tellExtracting, s.res.Applied+len(s.res.Skipped), len(s.res.Plan))
	}
	return nil
}

const tellExtracting = "looking for patterns"

const changedMeanwhile = "changed meanwhile"

func (s *sleep) skip(step lifecycle.Step, why string) {
	s.res.Skipped = append(s.res.Skipped, lifecycle.SkippedStep{Step: step, Reason: why})
}

// sources are the memories of a bunch that are still there and of which no pattern was
// made meanwhile.
func (s *sleep) sources(ctx context.Context, step lifecycle.Step) (ms []engram.Memory, err error) {
	err = s.store.View(ctx, func(r engram.Reader) error {
		said, err := saidBefore(ctx, r, step.Memories)
		if err != nil {
			return err
		}
		ms, err = r.Memories(ctx, step.Memories)
		ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { return m.Forgotten() || said[m.Num] })
		return err
	})
	return ms, err
}

// answer keeps what the model said of a bunch: a memory of type pattern that is derived
// from it, or that it has none. An answer that is not fit to be a memory is none.
func (s *sleep) answer(ctx context.Context, step lifecycle.Step, ms []engram.Memory, p engram.Pattern, found bool) error {
	m, err := s.draft(SaveInput{Title: p.Title, Content: p.Content, Type: engram.TypePattern, Project: ms[0].Project, Scope: ms[0].Scope,
		Origin: engram.OriginTool, ToolName: "engram sleep", SessionID: ms[0].SessionID, Metadata: map[string]any{"model": s.extractor.Model()}})
	found = found && err == nil
	var first int64
	made, taken := engram.Memory{}, true
	err = s.write(ctx, sleepVerb, func(o *op) error {
		if taken, err = o.sourcesUnchanged(ctx, ms); err != nil || !taken {
			return err
		}
		if made = m; found {
			if err := o.derive(ctx, &made, ms, step.Reason, s.extractor.Model()); err != nil {
				return err
			}
		}
		first = o.first
		return o.asked(ctx, ms, found)
	})
	switch {
	case err != nil:
		return err
	case !taken:
		s.skip(step, changedMeanwhile)
		return nil
	case found:
		s.res.Made = append(s.res.Made, made.Num)
		s.res.Ops = append(s.res.Ops, first)
	}
	s.res.Applied++
	return nil
}

// sourcesUnchanged reports whether the memories are live, say what they said, and have had no
// pattern made of them.
func (o *op) sourcesUnchanged(ctx context.Context, ms []engram.Memory) (bool, error) {
	nums := make([]int64, len(ms))
	for i, m := range ms {
		nums[i] = m.Num
	}
	now, err := o.tx.Memories(ctx, nums)
	if err != nil {
		return false, err
	}
	said, err := saidBefore(ctx, o.tx, nums)
	return len(said) == 0 && slices.EqualFunc(ms, now, func(a, b engram.Memory) bool {
		return a.Num == b.Num && a.Title == b.Title && a.Content == b.Content && a.Project == b.Project && !b.Forgotten()
	}), err
}

// derive adds a pattern and what it comes from.
func (o *op) derive(ctx context.Context, m *engram.Memory, from []engram.Memory, reason, model string) error {
	if err := o.insertMemory(ctx, m, reason); err != nil {
		return err
	}
	for _, source := range from {
		r := engram.Relation{Source: m.Num, Target: source.Num, Verb: engram.VerbDerivedFrom, Status: engram.RelationJudged, Strength: 1,
			Reason: "pattern found by sleep", Actor: systemActor, ActorKind: systemKind, Model: model, SessionID: m.SessionID}
		if err := o.insertRelation(ctx, &r, m.Project, reason); err != nil {
			return err
		}
	}
	return nil
}

// asked remembers that a bunch was asked about, and when it was in vain.
func (o *op) asked(ctx context.Context, ms []engram.Memory, found bool) error {
	project := ms[0].Project
	fact, err := bunchFactOf(ctx, o.tx, project)
	if err != nil {
		return err
	}
	fact.At = o.at.UnixMilli()
	if !found {
		fact.Asked = append(fact.Asked, bunchKey(ms))
		fact.Asked = fact.Asked[max(0, len(fact.Asked)-bunchesAsked):]
	}
	text, err := json.Marshal(fact)
	if err != nil {
		return err
	}
	return o.tx.PutFact(ctx, bunchName(project), string(text))
}
