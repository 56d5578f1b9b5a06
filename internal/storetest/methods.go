package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Mark is a text that Values asks for: a store that must not see another one has it there.
const Mark = "othersecret"

// Day returns the time of all things of Fill.
func Day() time.Time { return time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC) }

// TestModel returns the embedding model of Fill.
func TestModel() engram.Model { return engram.Model{Name: "m", Fingerprint: "m1", Dimensions: 4} }

// Fill puts something of every kind into an empty store; text is in all of it. Names, numbers and ids are always
// the same.
func Fill(ctx context.Context, tx engram.Tx, text string) error {
	memory := func(n int) *engram.Memory {
		return &engram.Memory{ID: engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, n)), SyncID: fmt.Sprintf("obs-%016x", n), Project: "app", SessionID: "s",
			Scope: engram.ScopeProject, Type: engram.TypeManual, Origin: engram.OriginAgent, Title: text, Content: text, TopicKey: fmt.Sprint("topic/", n), Tags: []string{"tag"},
			Metadata: map[string]any{"k": text}, Anchors: []engram.Anchor{{Repository: "r", Path: "a/b.go", Blob: strings.Repeat("a", 40)}}, Importance: 0.9, Strength: 1,
			TouchedAt: Day(), CreatedAt: Day(), UpdatedAt: Day(), ReviewAfter: Day(), RevisionCount: 2, DuplicateCount: 1, NormalizedHash: strings.Repeat("ab", 32)}
	}
	first, second, third := memory(1), memory(2), memory(3)
	third.DeletedAt, third.TopicKey = Day(), ""
	prompt := &engram.Prompt{SyncID: "prompt-1", Project: "app", SessionID: "s", Content: text, CreatedAt: Day()}
	r := tx.ReplicaTx()
	writes := []func() error{
		func() error {
			return tx.PutProject(ctx, engram.Project{Name: "app", Root: text, Aliases: []string{"alias"}, Decay: &engram.ProjectDecay{}, CreatedAt: Day()})
		},
		func() error { return tx.PutProject(ctx, engram.Project{Name: "empty", Root: text, CreatedAt: Day()}) },
		func() error {
			return tx.PutSession(ctx, engram.Session{ID: "s", Project: "app", Summary: text, StartedAt: Day(), ActiveAt: Day()})
		},
		func() error {
			return tx.PutSession(ctx, engram.Session{ID: "unused", Project: "app", Summary: text, StartedAt: Day(), ActiveAt: Day()})
		},
		func() error { return tx.InsertMemory(ctx, first) },
		func() error { return tx.InsertMemory(ctx, second) },
		func() error { return tx.InsertMemory(ctx, third) },
		func() error { return tx.InsertPrompt(ctx, prompt) },
		func() error {
			return tx.InsertRevision(ctx, engram.Revision{Memory: 1, Number: 1, Type: engram.TypeManual, Title: text, Content: text, WrittenAt: Day(), ReplacedAt: Day(), Reason: text})
		},
		func() error {
			return tx.InsertRelation(ctx, &engram.Relation{ID: "rel-1", Source: 1, Target: 2, Verb: engram.VerbSupersedes, Status: engram.RelationJudged, Reason: text, CreatedAt: Day(), UpdatedAt: Day()})
		},
		func() error {
			return tx.Append(ctx, &engram.Mutation{At: 7, Actor: "cli", Operation: "save", Entity: engram.EntityMemory, Key: "1", Project: "app", Reason: text, Was: json.RawMessage(`{"x":"` + text + `"}`)},
				&engram.Mutation{At: 8, Actor: "cli", Operation: "save", Entity: engram.EntitySession, Key: "s", Project: "app", Reason: text})
		},
		func() error { return tx.PutFact(ctx, "fact", text) },
		func() error {
			return tx.PutTrust(ctx, engram.Trust{Memory: 1, Mark: engram.TrustFlagged, Reasons: []string{text}, At: Day()})
		},
		func() error {
			return tx.NoteAnchors(ctx, map[int64]engram.AnchorState{1: engram.AnchorChanged})
		},
		func() error {
			return tx.RecordUse(ctx, engram.Use{Accessed: []int64{1}, At: Day(), Exposures: []engram.Exposure{{At: Day(), SessionID: "s", Project: "app", Operation: "search", Query: text, Memory: 1, Rank: 1}},
				Counters: []engram.Counter{{Day: Day(), Project: "app", Operation: "search", Outcome: text, Tally: engram.Tally{Events: 1}}}})
		},
		func() error {
			return tx.PutVectors(ctx, TestModel(), []engram.Vector{{Num: 1, Values: []float32{1, 0, 0, 0}}, {Num: 2, Values: []float32{0, 1, 0, 0}}})
		},
		func() error {
			return r.PutCausalMetadata(ctx, engram.EntityMemory, map[string]engram.CausalMetadata{"1": {Base: engram.VersionStamp{At: 7, Device: text},
				Parts: map[engram.Part]engram.VersionStamp{"project": {At: 7, Device: text}}, Shadowed: map[engram.Part]json.RawMessage{"topic_key": json.RawMessage(`"` + text + `"`)}}})
		},
		func() error {
			return r.PutCausalMetadata(ctx, engram.EntitySession, map[string]engram.CausalMetadata{"gone": {Base: engram.VersionStamp{At: 7, Device: text}}})
		},
		func() error { return r.PutTombstone(ctx, "gone", "app") },
		func() error {
			return r.PutReplicated(ctx, []string{"batch", text}, engram.ThingState{Entity: engram.EntityMemory, Key: "1", Digest: 9})
		},
		func() error { return r.PutPulled(ctx, "app", "batch", Day()) },
		func() error {
			return r.PutErased(ctx, engram.Erased{Entity: engram.EntityMemory, ID: text, SyncID: "obs-9", Project: "app", At: 9})
		},
		func() error {
			return r.PutDeferred(ctx, &engram.Deferred{Project: "app", Batch: "batch", By: text, Why: engram.DeferredDecided, FirstAt: Day(), LastAt: Day(), Record: engram.Record{Project: &engram.Project{Name: "p"}}})
		},
	}
	for _, write := range writes {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// Values returns values for the parameters of methods, by type: names and numbers of Fill, and new things.
func Values() map[reflect.Type][]any {
	all := map[reflect.Type][]any{}
	add := func(values ...any) { all[reflect.TypeOf(values[0])] = values }
	m := engram.Memory{Num: 1, ID: engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, 9)), SyncID: "obs-new", Project: "app", SessionID: "s", Scope: engram.ScopeProject, Type: "t",
		Title: "new", Content: "new", CreatedAt: Day(), UpdatedAt: Day(), TouchedAt: Day(), RevisionCount: 1, DuplicateCount: 1, NormalizedHash: strings.Repeat("cd", 32)}
	inserted := m
	inserted.Num = 0
	relation := engram.Relation{Num: 1, ID: "rel-1", Source: 1, Target: 2, Verb: engram.VerbRelatesTo, Status: engram.RelationJudged, CreatedAt: Day(), UpdatedAt: Day()}
	another := relation
	another.Num, another.ID = 0, "rel-2"
	prompt := engram.Prompt{Num: 1, SyncID: "prompt-1", Project: "app", Content: "new", CreatedAt: Day(), DeletedAt: Day()}
	newPrompt := engram.Prompt{SyncID: "prompt-2", Project: "app", Content: "new", CreatedAt: Day()}
	add(engram.ByNum(1), engram.ByID(engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, 1))), engram.Ref{SyncID: "obs-0000000000000001"}, engram.Ref{Topic: "topic/1"}, engram.Ref{Project: "app", Topic: "topic/1"}, engram.Ref{ID: engram.IDPrefix + "0"})
	add(engram.Filter{}, engram.Filter{Project: "app"}, engram.Filter{SessionID: "s"}, engram.Filter{Forgotten: true}, engram.Filter{Tags: []string{"tag"}}, engram.Filter{TopicKey: "topic/1"}, engram.Filter{Anchor: "a"},
		engram.Filter{Stale: true}, engram.Filter{Mark: engram.TrustFlagged}, engram.Filter{Current: true}, engram.Filter{WithForgotten: true}, engram.Filter{Lasting: true}, engram.Filter{DueBefore: Day().Add(time.Hour)}, engram.Filter{Unembedded: "m2"},
		engram.Filter{Hash: strings.Repeat("ab", 32)}, engram.Filter{Title: Mark}, engram.Filter{Metadata: map[string]any{"k": Mark}})
	add(engram.Page{Limit: 100}, engram.Page{Limit: 100, Order: engram.OrderNumber})
	add([]int64{1, 2, 3})
	add("app", "s", "alias", "fact", "topic", "m1", "rel-1", "gone", "batch", "1", "obs-9", "memory obs-9\tapp", "")
	add([]string{"1", "s", "gone", "batch", "obs-9", "obs-0000000000000001"})
	add(int64(1), int64(0))
	add(10)
	add(true, false)
	add(Day().Add(time.Hour))
	add([]time.Time{Day().Add(-time.Hour), Day().Add(time.Hour)})
	add(engram.LexicalQuery{Terms: []engram.Term{{Word: Mark, Written: Mark}}, Limit: 10})
	add([]engram.Term{{Word: Mark, Written: Mark}})
	add(engram.VectorQuery{Model: "m1", Vector: []float32{1, 0, 0, 0}, Limit: 10, Vectors: map[int64][]float32{}})
	add(engram.SessionFilter{}, engram.SessionFilter{Project: "app"}, engram.SessionFilter{ByID: true})
	add(engram.PromptFilter{}, engram.PromptFilter{Nums: []int64{1}}, engram.PromptFilter{SyncIDs: []string{"prompt-1"}}, engram.PromptFilter{Project: "app"}, engram.PromptFilter{SessionID: "s"})
	add(engram.JournalSpan{}, engram.JournalSpan{Entity: engram.EntityMemory, Key: "1"}, engram.JournalSpan{Op: 1})
	add(engram.JournalFilter{}, engram.JournalFilter{Project: "app"}, engram.JournalFilter{Entity: engram.EntityMemory, Key: "1"}, engram.JournalFilter{Op: 1})
	add(engram.RelationRef{Num: 1}, engram.RelationRef{ID: "rel-1"})
	add(engram.RelationFilter{}, engram.RelationFilter{Project: "app", Inside: true}, engram.RelationFilter{Of: []int64{1}}, engram.RelationFilter{Of: []int64{1}, With: []int64{2}}, engram.RelationFilter{Of: []int64{1}, Most: 3}, engram.RelationFilter{Judgments: true, Ends: engram.EndsLive})
	add(engram.CounterQuery{}, engram.CounterQuery{Project: "app", ByDay: true, ByProject: true})
	add(engram.ByProject, engram.ByType)
	add(engram.EntityMemory, engram.EntitySession, engram.EntityPrompt, engram.EntityRelation, engram.EntityProject, engram.EntityErased)
	add(engram.Part("topic_key"), engram.PartText)
	add(engram.Deferral(""), engram.DeferredDecided)
	add(&inserted)
	add(m)
	add(engram.Revision{Memory: 2, Number: 1, Type: "t", Title: "new", Content: "new", WrittenAt: Day(), ReplacedAt: Day()})
	add(map[int64]engram.AnchorState{1: engram.AnchorGone, 2: engram.AnchorVerified})
	add(engram.Trust{Memory: 1, Mark: engram.TrustFlagged, Reasons: []string{"new"}, At: Day()})
	add(engram.TrustFlagged)
	add(engram.Cut{Revisions: []engram.Revision{{Memory: 1, Number: 1, Title: "cut", Content: "cut"}}, Mutations: []engram.Mutation{{Seq: 1, Reason: "cut"}}, Prompts: []engram.Prompt{{Num: 1, Content: "cut"}}})
	add(&another)
	add(relation)
	add(engram.Session{ID: "s", Project: "app", Summary: "new", StartedAt: Day(), ActiveAt: Day()})
	add(&newPrompt)
	add(prompt)
	add(engram.Project{Name: "app", Root: "new", Aliases: []string{"other"}, CreatedAt: Day()})
	add(engram.Moved{Memories: []int64{1, 2}, Sessions: []string{"s"}, Prompts: []int64{1}, Topics: map[int64]string{1: "topic/9"}})
	add(&engram.Mutation{At: 99, Actor: "cli", Operation: "update", Entity: engram.EntityMemory, Key: "1", Project: "app"})
	add(engram.Use{Accessed: []int64{1, 2}, At: Day(), Exposures: []engram.Exposure{{At: Day(), SessionID: "s", Project: "app", Operation: "get", Memory: 2}}, Counters: []engram.Counter{{Day: Day(), Project: "app", Operation: "get", Outcome: "found"}}})
	add(TestModel())
	add([]engram.Vector{{Num: 1, Values: []float32{0, 0, 0, 1}}})
	add(map[string]engram.CausalMetadata{"1": {Base: engram.VersionStamp{At: 99, Device: "new"}}})
	add(engram.Clock(1 << 40))
	add(engram.VersionStamp{At: 99, Device: "new"})
	add(engram.ThingState{Entity: engram.EntityMemory, Key: "1", Digest: 10})
	add(engram.Erased{Entity: engram.EntityMemory, ID: "new", SyncID: "obs-9", Project: "app", At: 99})
	add(&engram.Deferred{Num: 1, Project: "app", Batch: "batch", Why: engram.DeferredDecided, FirstAt: Day(), LastAt: Day(), Record: engram.Record{Project: &engram.Project{Name: "p"}}})
	return all
}

// mostCalls bounds the calls of one method.
const mostCalls = 60

// Arguments returns combinations of values for the parameters of a method of that type; what Outlines passes on is
// added to seen.
func Arguments(t *testing.T, name string, f reflect.Type, seen *[]any) (all [][]reflect.Value) {
	t.Helper()
	from := Values()
	all = [][]reflect.Value{nil}
	for i := 1; i < f.NumIn(); i++ { // the first is the context
		in := f.In(i)
		if f.IsVariadic() && i == f.NumIn()-1 {
			in = in.Elem()
		}
		pool := from[in]
		if in.Kind() == reflect.Func { // of Outlines
			pool = []any{func(m engram.Memory) bool { *seen = append(*seen, m); return true }}
		}
		if len(pool) == 0 {
			t.Fatalf("%s: say in storetest.Values what of type %v a store has", name, in)
		}
		var more [][]reflect.Value
		for n := range pool {
			for k, have := range all {
				if len(more) < mostCalls {
					more = append(more, append(have[:len(have):len(have)], reflect.ValueOf(pool[(n+k)%len(pool)])))
				}
			}
		}
		all = more
	}
	return all
}

// Methods calls fn for each method of engram.Tx and engram.ReplicaTx that takes a context, by reflection, so that a
// new one is among them, and returns how many there are.
func Methods(fn func(name string, of func(engram.Tx) reflect.Value)) (n int) {
	replica := reflect.TypeFor[engram.ReplicaTx]()
	for _, of := range []reflect.Type{reflect.TypeFor[engram.Tx](), replica} {
		for i := range of.NumMethod() {
			m := of.Method(i)
			if m.Type.NumIn() == 0 { // Replica and ReplicaTx
				continue
			}
			n++
			fn(m.Name, func(tx engram.Tx) reflect.Value {
				if of == replica {
					return reflect.ValueOf(tx.ReplicaTx()).MethodByName(m.Name)
				}
				return reflect.ValueOf(tx).MethodByName(m.Name)
			})
		}
	}
	return n
}
