package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
)

// The tests of this file call every method of a transaction in one space with the names and numbers of another.
// The calls are made by reflection, so that a new method is among them, or the test says what it lacks.

// mark is in every text of the space that must not be seen.
const mark = "othersecret"

// day is a time of the things of both spaces.
func day() time.Time { return time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC) }

// model is an embedding model of both spaces.
func model() engram.Model { return engram.Model{Name: "m", Fingerprint: "m1", Dimensions: 4} }

// fill puts something of every kind into a space; text is in all of it. Names, numbers and ids are the same in
// every space.
func fill(ctx context.Context, tx engram.Tx, text string) error {
	memory := func(n int) *engram.Memory {
		return &engram.Memory{ID: engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, n)), SyncID: fmt.Sprintf("obs-%016x", n), Project: "app", SessionID: "s",
			Scope: engram.ScopeProject, Type: engram.TypeManual, Origin: engram.OriginAgent, Title: text, Content: text, TopicKey: fmt.Sprint("topic/", n), Tags: []string{"tag"},
			Metadata: map[string]any{"k": text}, Anchors: []engram.Anchor{{Repository: "r", Path: "a/b.go", Blob: strings.Repeat("a", 40)}}, Importance: 0.9, Strength: 1,
			TouchedAt: day(), CreatedAt: day(), UpdatedAt: day(), ReviewAfter: day(), RevisionCount: 2, DuplicateCount: 1, NormalizedHash: strings.Repeat("ab", 32)}
	}
	first, second, third := memory(1), memory(2), memory(3)
	third.DeletedAt, third.TopicKey = day(), ""
	prompt := &engram.Prompt{SyncID: "prompt-1", Project: "app", SessionID: "s", Content: text, CreatedAt: day()}
	r := tx.ReplicaTx()
	writes := []func() error{
		func() error {
			return tx.PutProject(ctx, engram.Project{Name: "app", Root: text, Aliases: []string{"alias"}, Decay: &engram.ProjectDecay{}, CreatedAt: day()})
		},
		func() error { return tx.PutProject(ctx, engram.Project{Name: "empty", Root: text, CreatedAt: day()}) },
		func() error {
			return tx.PutSession(ctx, engram.Session{ID: "s", Project: "app", Summary: text, StartedAt: day(), ActiveAt: day()})
		},
		func() error {
			return tx.PutSession(ctx, engram.Session{ID: "unused", Project: "app", Summary: text, StartedAt: day(), ActiveAt: day()})
		},
		func() error { return tx.InsertMemory(ctx, first) },
		func() error { return tx.InsertMemory(ctx, second) },
		func() error { return tx.InsertMemory(ctx, third) },
		func() error { return tx.InsertPrompt(ctx, prompt) },
		func() error {
			return tx.InsertRevision(ctx, engram.Revision{Memory: 1, Number: 1, Type: engram.TypeManual, Title: text, Content: text, WrittenAt: day(), ReplacedAt: day(), Reason: text})
		},
		func() error {
			return tx.InsertRelation(ctx, &engram.Relation{ID: "rel-1", Source: 1, Target: 2, Verb: engram.VerbSupersedes, Status: engram.RelationJudged, Reason: text, CreatedAt: day(), UpdatedAt: day()})
		},
		func() error {
			return tx.Append(ctx, &engram.Mutation{At: 7, Actor: "cli", Operation: "save", Entity: engram.EntityMemory, Key: "1", Project: "app", Reason: text, Was: json.RawMessage(`{"x":"` + text + `"}`)},
				&engram.Mutation{At: 8, Actor: "cli", Operation: "save", Entity: engram.EntitySession, Key: "s", Project: "app", Reason: text})
		},
		func() error { return tx.PutFact(ctx, "fact", text) },
		func() error {
			return tx.PutTrust(ctx, engram.Trust{Memory: 1, Mark: engram.TrustFlagged, Reasons: []string{text}, At: day()})
		},
		func() error {
			return tx.NoteAnchors(ctx, map[int64]engram.AnchorState{1: engram.AnchorChanged})
		},
		func() error {
			return tx.RecordUse(ctx, engram.Use{Accessed: []int64{1}, At: day(), Exposures: []engram.Exposure{{At: day(), SessionID: "s", Project: "app", Operation: "search", Query: text, Memory: 1, Rank: 1}},
				Counters: []engram.Counter{{Day: day(), Project: "app", Operation: "search", Outcome: text, Tally: engram.Tally{Events: 1}}}})
		},
		func() error {
			return tx.PutVectors(ctx, model(), []engram.Vector{{Num: 1, Values: []float32{1, 0, 0, 0}}, {Num: 2, Values: []float32{0, 1, 0, 0}}})
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
		func() error { return r.PutPulled(ctx, "app", "batch", day()) },
		func() error {
			return r.PutErased(ctx, engram.Erased{Entity: engram.EntityMemory, ID: text, SyncID: "obs-9", Project: "app", At: 9})
		},
		func() error {
			return r.PutDeferred(ctx, &engram.Deferred{Project: "app", Batch: "batch", By: text, Why: engram.DeferredDecided, FirstAt: day(), LastAt: day(), Record: engram.Record{Project: &engram.Project{Name: "p"}}})
		},
	}
	for _, write := range writes {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// pools returns values for the parameters of methods, by type: names and numbers of fill.
func pools() map[reflect.Type][]any {
	all := map[reflect.Type][]any{}
	add := func(values ...any) { all[reflect.TypeOf(values[0])] = values }
	m := engram.Memory{Num: 1, ID: engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, 9)), SyncID: "obs-new", Project: "app", SessionID: "s", Scope: engram.ScopeProject, Type: "t",
		Title: "new", Content: "new", CreatedAt: day(), UpdatedAt: day(), TouchedAt: day(), RevisionCount: 1, DuplicateCount: 1, NormalizedHash: strings.Repeat("cd", 32)}
	inserted := m
	inserted.Num = 0
	relation := engram.Relation{Num: 1, ID: "rel-1", Source: 1, Target: 2, Verb: engram.VerbRelatesTo, Status: engram.RelationJudged, CreatedAt: day(), UpdatedAt: day()}
	another := relation
	another.Num, another.ID = 0, "rel-2"
	prompt := engram.Prompt{Num: 1, SyncID: "prompt-1", Project: "app", Content: "new", CreatedAt: day(), DeletedAt: day()}
	newPrompt := engram.Prompt{SyncID: "prompt-2", Project: "app", Content: "new", CreatedAt: day()}
	add(engram.ByNum(1), engram.ByID(engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, 1))), engram.Ref{SyncID: "obs-0000000000000001"}, engram.Ref{Topic: "topic/1"}, engram.Ref{Project: "app", Topic: "topic/1"}, engram.Ref{ID: engram.IDPrefix + "0"})
	add(engram.Filter{}, engram.Filter{Project: "app"}, engram.Filter{SessionID: "s"}, engram.Filter{Forgotten: true}, engram.Filter{Tags: []string{"tag"}}, engram.Filter{TopicKey: "topic/1"}, engram.Filter{Anchor: "a"},
		engram.Filter{Stale: true}, engram.Filter{Mark: engram.TrustFlagged}, engram.Filter{Current: true}, engram.Filter{WithForgotten: true}, engram.Filter{Lasting: true}, engram.Filter{DueBefore: day().Add(time.Hour)}, engram.Filter{Unembedded: "m2"},
		engram.Filter{Hash: strings.Repeat("ab", 32)}, engram.Filter{Title: mark}, engram.Filter{Metadata: map[string]any{"k": mark}})
	add(engram.Page{Limit: 100}, engram.Page{Limit: 100, Order: engram.OrderNumber})
	add([]int64{1, 2, 3})
	add("app", "s", "alias", "fact", "topic", "m1", "rel-1", "gone", "batch", "1", "obs-9", "memory obs-9\tapp", "")
	add([]string{"1", "s", "gone", "batch", "obs-9", "obs-0000000000000001"})
	add(int64(1), int64(0))
	add(10)
	add(true, false)
	add(day().Add(time.Hour))
	add([]time.Time{day().Add(-time.Hour), day().Add(time.Hour)})
	add(engram.LexicalQuery{Terms: []engram.Term{{Word: mark, Written: mark}}, Limit: 10})
	add([]engram.Term{{Word: mark, Written: mark}})
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
	add(engram.Revision{Memory: 2, Number: 1, Type: "t", Title: "new", Content: "new", WrittenAt: day(), ReplacedAt: day()})
	add(map[int64]engram.AnchorState{1: engram.AnchorGone, 2: engram.AnchorVerified})
	add(engram.Trust{Memory: 1, Mark: engram.TrustFlagged, Reasons: []string{"new"}, At: day()})
	add(engram.TrustFlagged)
	add(engram.Cut{Revisions: []engram.Revision{{Memory: 1, Number: 1, Title: "cut", Content: "cut"}}, Mutations: []engram.Mutation{{Seq: 1, Reason: "cut"}}, Prompts: []engram.Prompt{{Num: 1, Content: "cut"}}})
	add(&another)
	add(relation)
	add(engram.Session{ID: "s", Project: "app", Summary: "new", StartedAt: day(), ActiveAt: day()})
	add(&newPrompt)
	add(prompt)
	add(engram.Project{Name: "app", Root: "new", Aliases: []string{"other"}, CreatedAt: day()})
	add(engram.Moved{Memories: []int64{1, 2}, Sessions: []string{"s"}, Prompts: []int64{1}, Topics: map[int64]string{1: "topic/9"}})
	add(&engram.Mutation{At: 99, Actor: "cli", Operation: "update", Entity: engram.EntityMemory, Key: "1", Project: "app"})
	add(engram.Use{Accessed: []int64{1, 2}, At: day(), Exposures: []engram.Exposure{{At: day(), SessionID: "s", Project: "app", Operation: "get", Memory: 2}}, Counters: []engram.Counter{{Day: day(), Project: "app", Operation: "get", Outcome: "found"}}})
	add(model())
	add([]engram.Vector{{Num: 1, Values: []float32{0, 0, 0, 1}}})
	add(map[string]engram.CausalMetadata{"1": {Base: engram.VersionStamp{At: 99, Device: "new"}}})
	add(engram.Clock(1 << 40))
	add(engram.VersionStamp{At: 99, Device: "new"})
	add(engram.ThingState{Entity: engram.EntityMemory, Key: "1", Digest: 10})
	add(engram.Erased{Entity: engram.EntityMemory, ID: "new", SyncID: "obs-9", Project: "app", At: 99})
	add(&engram.Deferred{Num: 1, Project: "app", Batch: "batch", Why: engram.DeferredDecided, FirstAt: day(), LastAt: day(), Record: engram.Record{Project: &engram.Project{Name: "p"}}})
	return all
}

// mostCalls bounds the calls of one method.
const mostCalls = 60

// arguments returns combinations of values for the parameters of a method.
func arguments(t *testing.T, name string, f reflect.Type, from map[reflect.Type][]any, seen *[]any) (all [][]reflect.Value) {
	t.Helper()
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
			t.Fatalf("%s: say what of type %v another space has", name, in)
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

// methods calls fn for each method of a transaction that takes a context.
func methods(fn func(name string, of func(engram.Tx) reflect.Value)) (n int) {
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

// TestIsolationOfOwner is TestIsolation by row-level security alone for a user who owns the tables and may not make
// roles: where there is no role to take on, forced policies hold.
func TestIsolationOfOwner(t *testing.T) {
	server := postgrestest.Start(t)
	database := server.Fresh(t)
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	owner := "owner_of_" + name
	server.SQL(t, database, "CREATE ROLE "+owner+" LOGIN; ALTER DATABASE "+name+" OWNER TO "+owner+"; ALTER SCHEMA public OWNER TO "+owner)
	t.Cleanup(func() { server.SQL(t, server.URL(), "DROP DATABASE "+name+" WITH (FORCE); DROP ROLE "+owner) })
	u.User = url.User(owner)
	isolated(t, server, database, true, true, func(o *postgres.Options) { o.URL = u.String() })
}

// TestIsolation calls every method in a space with what another one has, in an empty space and in one with the same
// names and numbers, by both walls and by row-level security alone, all as superuser: nothing of the other is seen
// or changed.
func TestIsolation(t *testing.T) {
	server := postgrestest.Start(t)
	for _, loose := range []bool{false, true} {
		for _, full := range []bool{false, true} {
			t.Run(fmt.Sprintf("row-level security alone %v, with the same names %v", loose, full), func(t *testing.T) {
				database := server.Fresh(t)
				isolated(t, server, database, loose, full, func(o *postgres.Options) { o.URL = database })
			})
		}
	}
}

// isolated calls every method in a space of a database, which another one shares.
func isolated(t *testing.T, server *postgrestest.Server, database string, loose, full bool, as func(*postgres.Options)) {
	t.Helper()
	other, own := postgrestest.Space(), postgrestest.Space()
	with := func(o *postgres.Options) { o.Loose = loose }
	theirs, ours := open(t, server, other, as, with), open(t, server, own, as, with)
	if err := theirs.Update(t.Context(), func(tx engram.Tx) error { return fill(t.Context(), tx, mark) }); err != nil {
		t.Fatalf("fill the other space: %v", err)
	}
	if full {
		if err := ours.Update(t.Context(), func(tx engram.Tx) error { return fill(t.Context(), tx, "ours") }); err != nil {
			t.Fatalf("fill the own space: %v", err)
		}
	}
	before := contents(t, server, database, other)
	n := methods(func(name string, of func(engram.Tx) reflect.Value) { callAll(t, ours, name, of) })
	if after := contents(t, server, database, other); after != before {
		t.Errorf("the other space was\n%s\nand is\n%s", before, after)
	}
	t.Logf("%d methods", n)
}

// TestPooler lets two spaces work at once behind a pooler of transactions that has few connections for many: no
// setting of one is left to the other.
func TestPooler(t *testing.T) {
	server := postgrestest.Start(t)
	database := server.Fresh(t)
	through := func(o *postgres.Options) { o.URL = server.Pooler(t, database) }
	other, own := postgrestest.Space(), postgrestest.Space()
	theirs, ours := open(t, server, other, through), open(t, server, own, through)
	if err := theirs.Update(t.Context(), func(tx engram.Tx) error { return fill(t.Context(), tx, mark) }); err != nil {
		t.Fatalf("fill the other space: %v", err)
	}
	before := contents(t, server, database, other)
	const writers, each = 8, 10
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				err := ours.Update(t.Context(), func(tx engram.Tx) error {
					n, err := tx.Fact(t.Context(), "n")
					if err != nil {
						return err
					}
					return tx.PutFact(t.Context(), "n", n+"x")
				})
				errs := theirs.View(t.Context(), func(r engram.Reader) error {
					ms, err := r.List(t.Context(), engram.Filter{}, engram.Page{Limit: 9})
					if len(ms) != 2 {
						t.Errorf("the other space lists %d memories", len(ms))
					}
					return err
				})
				if err != nil || errs != nil {
					t.Errorf("write %v, read %v", err, errs)
				}
			}
		})
	}
	wg.Wait()
	methods(func(name string, of func(engram.Tx) reflect.Value) { callAll(t, ours, name, of) })
	if after := contents(t, server, database, other); after != before {
		t.Errorf("the other space was\n%s\nand is\n%s", before, after)
	}
	if got := server.SQL(t, database, "SELECT length(value) FROM facts WHERE key = 'n' AND space = '"+own+"'"); got != fmt.Sprintln(writers*each) {
		t.Errorf("%d writes left %s", writers*each, got)
	}
}

// callAll calls one method with all its arguments, each in an Update of its own.
func callAll(t *testing.T, s engram.Store, name string, of func(engram.Tx) reflect.Value) {
	t.Helper()
	var seen []any
	var calls [][]reflect.Value
	for i := 0; calls == nil || i < len(calls); i++ {
		err := s.Update(t.Context(), func(tx engram.Tx) error {
			method := of(tx)
			if calls == nil {
				calls = arguments(t, name, method.Type(), pools(), &seen)
			}
			out := method.Call(append([]reflect.Value{reflect.ValueOf(t.Context())}, calls[i]...))
			err, _ := out[len(out)-1].Interface().(error)
			for _, v := range out[:len(out)-1] {
				if printed := fmt.Sprintf("%+v", v.Interface()); err == nil && strings.Contains(printed, mark) {
					t.Errorf("%s shows what another space has: %.300s", name, printed)
				}
			}
			return err
		})
		if engram.CodeOf(err) == engram.CodeInternal {
			t.Errorf("%s %v: %v", name, calls[i], err)
		}
	}
	if printed := fmt.Sprintf("%+v", seen); strings.Contains(printed, mark) {
		t.Errorf("%s shows what another space has: %.300s", name, printed)
	}
}

// contents returns a digest of each table's part of a space.
func contents(t *testing.T, server *postgrestest.Server, database, space string) string {
	t.Helper()
	tables := strings.Fields(server.SQL(t, database, `SELECT relname FROM pg_class WHERE relkind = 'r' AND relrowsecurity ORDER BY 1`))
	var all []string
	for _, table := range tables {
		all = append(all, fmt.Sprintf(`SELECT '%s', count(*), md5(coalesce(string_agg(t::text, ',' ORDER BY t::text COLLATE "C"), '')) FROM %[1]s t WHERE space = '%s'`, table, space))
	}
	return server.SQL(t, database, strings.Join(all, ";\n"))
}
