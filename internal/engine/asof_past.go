package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/alanbuscaglia/engram"
)

// restore takes entries, newest first, back from a memory. text is the number of the
// revision that holds what it said then; 0 when its text did not change.
func restore(ctx context.Context, r engram.Reader, m engram.Memory, entries []engram.Mutation) (was engram.Memory, text int, err error) {
	for _, entry := range entries {
		table := memoryTable(&m)
		table[textField] = &text
		if err := table.takeBack(entry); err != nil {
			return m, 0, err
		}
	}
	if text == 0 {
		return m, 0, nil
	}
	revisions, err := r.Revisions(ctx, m.Num)
	i := slices.IndexFunc(revisions, func(rev engram.Revision) bool { return rev.Number == text })
	if i >= 0 {
		m.Title, m.Content, m.NormalizedHash = revisions[i].Title, revisions[i].Content, hashOf(revisions[i].Content)
	}
	return m, text, err
}

// few is up to how many things are looked up one by one: reading all that changed costs
// more then.
const few = 100

// readAll brings back every memory that changed since.
func (p *pastReader) readAll(ctx context.Context) error {
	if p.whole {
		return nil
	}
	entries, err := p.since.all(ctx, engram.EntityMemory)
	if err != nil {
		return err
	}
	first, err := p.since.firstMade(ctx, engram.EntityMemory)
	if err != nil {
		return err
	}
	nums := make([]int64, 0, len(entries))
	for key := range entries {
		num, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			return fmt.Errorf("journal entry %d: %w", entries[key][0].Seq, err)
		}
		if num < first {
			nums = append(nums, num)
		}
	}
	now, err := p.Reader.Memories(ctx, nums)
	if err != nil {
		return err
	}
	p.whole = true
	return p.bringBack(ctx, now, entries)
}

// read brings back memories as far as they changed since; now is what they are.
func (p *pastReader) read(ctx context.Context, now []engram.Memory) error {
	if p.whole {
		return nil
	}
	if len(now) > few {
		return p.readAll(ctx)
	}
	entries := map[string][]engram.Mutation{}
	var changed []engram.Memory
	for _, m := range now {
		if p.looked[m.Num] {
			continue
		}
		p.looked[m.Num] = true
		es, err := p.since.of(ctx, engram.EntityMemory, key(m.Num))
		if err != nil {
			return err
		}
		if len(es) > 0 {
			entries[key(m.Num)] = es
			changed = append(changed, m)
		}
	}
	return p.bringBack(ctx, changed, entries)
}

func (p *pastReader) bringBack(ctx context.Context, now []engram.Memory, entries map[string][]engram.Mutation) error {
	for _, m := range now {
		if !m.CreatedAt.Before(p.at) {
			continue
		}
		was, text, err := restore(ctx, p.Reader, m, entries[key(m.Num)])
		if err != nil {
			return err
		}
		p.was[m.Num], p.texts[m.Num] = was, text
	}
	return nil
}

// memory is what the move changed of one memory, as an entry of its own would note it.
func (w projectWas) memory(num int64) (json.RawMessage, error) {
	fields := map[string]any{"project": w.From}
	if topic, lost := w.Topics[num]; lost {
		fields["topic_key"] = topic
	} else if _, got := w.Given[num]; got {
		fields["topic_key"] = ""
	}
	return json.Marshal(fields)
}
