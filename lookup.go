package engram

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"
)

// ByTopic returns the live memory with a topic key; found is false for none. Project "" is memories without one.
func ByTopic(ctx context.Context, r MemoryReader, project string, scope Scope, key string) (m Memory, found bool, err error) {
	if key == "" {
		return m, false, nil
	}
	return firstOf(r.List(ctx, Filter{Project: project, Projectless: project == "", Scope: scope, TopicKey: key}, Page{Limit: 1}))
}

// ByHash returns the project's newest live memory made at since or later with this NormalizedHash for which
// same is true; found is false for none. Project "" is memories without one.
func ByHash(ctx context.Context, r MemoryReader, project, hash string, since time.Time, same func(Memory) bool) (m Memory, found bool, err error) {
	p := Page{Order: OrderLatest, Limit: 50}
	for ; ; p.Offset += p.Limit {
		ms, err := r.List(ctx, Filter{Project: project, Projectless: project == "", Hash: hash, Since: since}, p)
		for _, m := range ms {
			if same(m) {
				return m, true, err
			}
		}
		if err != nil || len(ms) < p.Limit {
			return Memory{}, false, err
		}
	}
}

// MemoriesAfter returns memories with a greater number, by number, forgotten ones included. Project "" is every
// project.
func MemoriesAfter(ctx context.Context, r Reader, project string, after int64, limit int) ([]Memory, error) {
	return r.List(ctx, Filter{Project: project, WithForgotten: true}, Page{Order: OrderNumber, Limit: limit, After: Position{Num: after}})
}

// RelationsOf returns the relations of any of the memories with these verbs (nil is all), oldest first. With most
// above 0 they are the newest most for each memory, verb and direction.
func RelationsOf(ctx context.Context, r RelationReader, memories []int64, verbs []Verb, most int) ([]Relation, error) {
	if len(memories) == 0 {
		return nil, nil
	}
	return r.Relations(ctx, RelationFilter{Of: memories, Verbs: verbs, Most: most, OldestFirst: true}, unlimited())
}

// RelationsTo returns, for each of the memories and verbs, the newest most relations to it, oldest first.
func RelationsTo(ctx context.Context, r RelationReader, memories []int64, verbs []Verb, most int) ([]Relation, error) {
	if len(memories) == 0 {
		return nil, nil
	}
	return r.Relations(ctx, RelationFilter{Of: memories, Verbs: verbs, Most: most, Incoming: true, OldestFirst: true}, unlimited())
}

// RelationsBetween returns the relations between two memories, oldest first.
func RelationsBetween(ctx context.Context, r RelationReader, a, b int64) ([]Relation, error) {
	return r.Relations(ctx, RelationFilter{Of: []int64{a}, With: []int64{b}, OldestFirst: true}, unlimited())
}

// RemovedRelations returns relations of any of the memories removed at since or later, oldest first; the zero time
// is all.
func RemovedRelations(ctx context.Context, r RelationReader, memories []int64, since time.Time) ([]Relation, error) {
	if len(memories) == 0 {
		return nil, nil
	}
	return r.Relations(ctx, RelationFilter{Of: memories, Removed: true, RemovedSince: since, OldestFirst: true}, unlimited())
}

// RelationsAfter returns relations with a greater number, by number, removed ones included; for a project, those
// with both memories in it. Project "" is every project.
func RelationsAfter(ctx context.Context, r Reader, project string, after int64, limit int) ([]Relation, error) {
	return r.Relations(ctx, RelationFilter{Project: project, Inside: true, WithRemoved: true, OldestFirst: true, After: after}, Page{Limit: limit})
}

// SessionsAfter returns sessions with a greater id, by id. Project "" is every project.
func SessionsAfter(ctx context.Context, r Reader, project, after string, limit int) ([]Session, error) {
	all, err := r.Sessions(ctx, SessionFilter{Project: project, ByID: true, After: after}, Page{Limit: limit})
	sessions := make([]Session, len(all))
	for i, s := range all {
		sessions[i] = s.Session
	}
	return sessions, err
}

// PromptAt returns the prompt with a number, deleted or not; not_found for none.
func PromptAt(ctx context.Context, r PromptReader, num int64) (Prompt, error) {
	p, found, err := firstOf(r.Prompts(ctx, PromptFilter{Nums: []int64{num}, WithDeleted: true}, Page{Limit: 1}))
	if err == nil && !found {
		err = Errorf(CodeNotFound, "prompt #%d does not exist", num)
	}
	return p, err
}

// PromptBySyncID returns the prompt, deleted or not; found is false for none.
func PromptBySyncID(ctx context.Context, r PromptReader, syncID string) (p Prompt, found bool, err error) {
	return firstOf(r.Prompts(ctx, PromptFilter{SyncIDs: []string{syncID}, WithDeleted: true}, Page{Limit: 1}))
}

// PromptsAfter returns prompts with a greater number, by number, deleted ones included. Project "" is every project.
func PromptsAfter(ctx context.Context, r Reader, project string, after int64, limit int) ([]Prompt, error) {
	return r.Prompts(ctx, PromptFilter{Project: project, WithDeleted: true, ByNumber: true, After: after}, Page{Limit: limit})
}

// DeletedPrompts returns the deleted prompts of a project or a session, one of which is "", by number.
func DeletedPrompts(ctx context.Context, r PromptReader, project, session string) ([]Prompt, error) {
	if project == "" && session == "" {
		return nil, nil
	}
	return r.Prompts(ctx, PromptFilter{Project: project, SessionID: session, Deleted: true, ByNumber: true}, unlimited())
}

// LastMutation returns the newest entry of the journal; the zero Mutation for none.
func LastMutation(ctx context.Context, r JournalReader) (Mutation, error) {
	m, _, err := firstOf(r.Mutations(ctx, JournalSpan{}, Page{Limit: 1}))
	return m, err
}

// OperationOf returns an operation and its entries, oldest first; not_found for none, or when the journal no longer
// has it.
func OperationOf(ctx context.Context, r JournalReader, op int64) (Operation, []Mutation, error) {
	o, found, err := firstOf(r.Operations(ctx, JournalFilter{Op: op}, Page{Limit: 1}))
	if err == nil && !found {
		err = Errorf(CodeNotFound, "the journal has no operation %d", op).WithHint("see {log}")
	}
	if err != nil {
		return Operation{}, nil, err
	}
	all, err := FirstEntries(ctx, r, o, o.Entries)
	return o, all, err
}

// FirstEntries returns at most most entries of an operation, oldest first: it may have one for every memory of the
// store.
func FirstEntries(ctx context.Context, r JournalReader, o Operation, most int) ([]Mutation, error) {
	most = min(most, o.Entries)
	return r.Mutations(ctx, JournalSpan{Op: o.Op, Before: o.Op + int64(most), OldestFirst: true}, Page{Limit: max(1, most)})
}

// FactJournalBegins names the fact that stores since when the journal is complete, in milliseconds since 1970.
const FactJournalBegins = "journal_begins"

// JournalBegins returns the time from which the journal is complete; zero when nothing was ever removed.
func JournalBegins(ctx context.Context, r JournalReader) (time.Time, error) {
	v, err := r.Fact(ctx, FactJournalBegins)
	if err != nil || v == "" {
		return time.Time{}, err
	}
	ms, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("fact %s: %w", FactJournalBegins, err)
	}
	return time.UnixMilli(ms).UTC(), nil
}

// ProjectNames returns the names of all projects, in order.
func ProjectNames(ctx context.Context, r ProjectReader) ([]string, error) {
	all, err := r.Projects(ctx, false)
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.Name
	}
	return names, err
}

// SecretKept returns the memories with the mark TrustSecret, forgotten or not.
func SecretKept(ctx context.Context, r MemoryReader) (map[int64]bool, error) {
	kept := map[int64]bool{}
	for _, forgotten := range []bool{false, true} {
		err := r.Outlines(ctx, Filter{Mark: TrustSecret, Forgotten: forgotten}, 0, func(m Memory) bool {
			kept[m.Num] = true
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return kept, nil
}

func unlimited() Page { return Page{Limit: math.MaxInt} }

func firstOf[T any](all []T, err error) (one T, found bool, _ error) {
	if err != nil || len(all) == 0 {
		return one, false, err
	}
	return all[0], true, nil
}
