package postgres_test

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// TestNames lets two stores of one space rename what the other knows, and one take back what it began.
func TestNames(t *testing.T) {
	server := postgrestest.Start(t)
	space := postgrestest.Space()
	s, other := open(t, server, space), open(t, server, space)
	ctx := t.Context()
	named := func(s engram.Store, name string) (p engram.Project) {
		t.Helper()
		err := s.View(ctx, func(r engram.Reader) (err error) { p, _, err = r.Project(ctx, name); return err })
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	put := func(p engram.Project, then error) {
		t.Helper()
		p.CreatedAt = storetest.Day()
		if err := s.Update(ctx, func(tx engram.Tx) error { return cmp.Or(tx.PutProject(ctx, p), then) }); !errors.Is(err, then) {
			t.Fatal(err)
		}
	}
	fact := func(s engram.Store) (v string) {
		t.Helper()
		if err := s.View(ctx, func(r engram.Reader) (err error) { v, err = r.Fact(ctx, "k"); return err }); err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, value := range []string{"", "first", "second"} {
		if value != "" {
			if err := other.Update(ctx, func(tx engram.Tx) error { return tx.PutFact(ctx, "k", value) }); err != nil {
				t.Fatal(err)
			}
		}
		undone := s.Update(ctx, func(tx engram.Tx) error { return cmp.Or(tx.PutFact(ctx, "k", "undone"), context.Canceled) })
		if one, two := fact(s), fact(other); one != value || two != value || undone == nil {
			t.Errorf("a fact is %q and %q, not %q", one, two, value)
		}
	}
	put(engram.Project{Name: "a", Aliases: []string{"x"}}, nil)
	for _, of := range []engram.Store{s, other} {
		if got := named(of, "x").Name; got != "a" {
			t.Errorf("x is %q", got)
		}
	}
	put(engram.Project{Name: "b", Aliases: []string{"x"}}, context.Canceled) // which takes it back
	if got := named(s, "x").Name; got != "a" {
		t.Errorf("x is %q after a write that was undone", got)
	}
	put(engram.Project{Name: "b", Aliases: []string{"x"}}, nil)
	put(engram.Project{Name: "a", Root: "/a"}, nil)
	for _, of := range []engram.Store{s, other} {
		if got := named(of, "x").Name; got != "b" {
			t.Errorf("x is %q and was given to b", got)
		}
		if got := named(of, "a"); got.Root != "/a" || got.Aliases != nil {
			t.Errorf("a is %+v", got)
		}
	}
}

// TestRoundTrips counts what a transaction costs where each statement travels: a write waits for the next read or for
// the commit.
func TestRoundTrips(t *testing.T) {
	server := postgrestest.Start(t)
	var trips [][]string
	s := open(t, server, postgrestest.Space(), func(o *postgres.Options) { o.Sent = func(all []string) { trips = append(trips, slices.Clone(all)) } })
	ctx := t.Context()
	if err := s.Update(ctx, func(tx engram.Tx) error { return storetest.Fill(ctx, tx, "text") }); err != nil {
		t.Fatal(err)
	}
	update := func(fn func(engram.Tx) error) func() error { return func() error { return s.Update(ctx, fn) } }
	view := func(fn func(engram.Reader) error) func() error { return func() error { return s.View(ctx, fn) } }
	saved := storetest.Values()
	memory := saved[reflect.TypeFor[*engram.Memory]()][0].(*engram.Memory)
	for _, tt := range []struct {
		name string
		run  func() error
		want int
	}{
		{"a view that reads nothing", view(func(engram.Reader) error { return nil }), 2},
		{"a write that writes nothing", update(func(engram.Tx) error { return nil }), 2},
		{"the head, which came with the beginning", view(func(r engram.Reader) error { _, err := r.Replica().Head(ctx); return err }), 2},
		{"writes without reads", update(func(tx engram.Tx) error {
			for range 20 {
				if err := tx.PutFact(ctx, "k", "v"); err != nil {
					return err
				}
			}
			return nil
		}), 2},
		{"a look and a write, of which the end of one is the beginning of the other", func() error {
			return s.UpdateAfter(ctx, func(r engram.Reader) error { _, err := r.Fact(ctx, "k"); return err }, func(tx engram.Tx) error { return tx.PutFact(ctx, "k", "v") })
		}, 4},
		{"what a look has read is known to the write, too", func() error {
			project := func(r engram.Reader) error { _, _, err := r.Project(ctx, "app"); return err }
			return s.UpdateAfter(ctx, project, func(tx engram.Tx) error { return project(tx) })
		}, 4},
		// Begin, session, the insert, commit: the version that the last write made knows names and models.
		{"a memory with all that belongs to it", update(func(tx engram.Tx) error { return saveWhole(ctx, tx, memory) }), 5}, // its kind is new
		{"two memories: names, the model and numbers are known then", update(func(tx engram.Tx) error {
			second := *memory
			second.ID, second.SyncID = memory.ID[:20]+"y"+memory.ID[21:], "obs-other"
			memory.ID, memory.SyncID = memory.ID[:20]+"x"+memory.ID[21:], "obs-another"
			if err := saveWhole(ctx, tx, memory); err != nil {
				return err
			}
			return saveWhole(ctx, tx, &second)
		}), 6}, // the new kind is read once
		{"a replaced memory", update(func(tx engram.Tx) error {
			return tx.ReplaceMemory(ctx, saved[reflect.TypeFor[engram.Memory]()][0].(engram.Memory))
		}), 4}, // begin, the memory, whether it waits for a segment, commit
		{"an erased memory", update(func(tx engram.Tx) error { return tx.EraseMemory(ctx, 2) }), 8},
		{"relations of a save", update(func(tx engram.Tx) error {
			r := func(id string, verb engram.Verb) *engram.Relation {
				return &engram.Relation{ID: id, Source: 1, Target: 3, Verb: verb, Status: engram.RelationJudged, CreatedAt: storetest.Day(), UpdatedAt: storetest.Day()}
			}
			return tx.InsertRelation(ctx, r("rel-3", engram.VerbRelatesTo), r("rel-4", engram.VerbCausedBy), r("rel-5", engram.VerbScoped))
		}), 3},
	} {
		trips = nil
		if err := tt.run(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if len(trips) > tt.want {
			t.Errorf("%s: %d round trips, want at most %d:", tt.name, len(trips), tt.want)
			for _, all := range trips {
				t.Logf("%.1200s", strings.Join(all, ";\n"))
			}
		}
		t.Logf("%s: %d", tt.name, len(trips))
	}
}

// TestTogether reads in functions that run together, one within another, and with one that fails.
func TestTogether(t *testing.T) {
	server := postgrestest.Start(t)
	var trips int
	s := open(t, server, postgrestest.Space(), func(o *postgres.Options) {
		o.Sent = func(all []string) {
			if all[0] != "ROLLBACK" {
				trips++
			}
		}
	})
	ctx := t.Context()
	if err := s.Update(ctx, func(tx engram.Tx) error { return storetest.Fill(ctx, tx, "text") }); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for _, fails := range []error{nil, broken} {
		var lists, prompts, sessions, later int
		trips = 0
		err := s.View(ctx, func(r engram.Reader) error {
			list := func(ctx context.Context) error {
				ms, err := r.List(ctx, engram.Filter{}, engram.Page{Limit: 10})
				lists += len(ms)
				return err
			}
			return engram.Together(ctx, r, list, func(ctx context.Context) error {
				ps, err := r.Prompts(ctx, engram.PromptFilter{}, engram.Page{Limit: 10})
				if prompts = len(ps); err != nil {
					return err
				}
				return engram.Together(ctx, r, list, func(ctx context.Context) error {
					ss, err := r.Sessions(ctx, engram.SessionFilter{}, engram.Page{Limit: 10})
					sessions = len(ss)
					return cmp.Or(fails, err)
				})
			}, func(context.Context) error { later++; return nil })
		})
		if !errors.Is(err, fails) || lists == 0 || lists%2 != 0 || prompts == 0 || sessions == 0 || later != 1 {
			t.Errorf("with %v: got %v, twice %d memories, %d prompts, %d sessions", fails, err, lists, prompts, sessions)
		}
		if trips != 3 { // the beginning, two reads and two reads
			t.Errorf("with %v: %d round trips, want 3", fails, trips)
		}
	}
}

// saveWhole writes a memory with what a save writes beside it.
func saveWhole(ctx context.Context, tx engram.Tx, m *engram.Memory) error {
	if _, _, err := tx.Project(ctx, m.Project); err != nil {
		return err
	}
	if _, err := tx.Session(ctx, m.SessionID); err != nil {
		return err
	}
	m.Num, m.Tags = 0, []string{"a", "b"}
	if err := tx.InsertMemory(ctx, m); err != nil {
		return err
	}
	head, err := tx.Replica().Head(ctx)
	if err != nil {
		return err
	}
	key := map[string]engram.CausalMetadata{"9": {Base: engram.VersionStamp{At: head.Clock + 1, Device: head.Device}}}
	if err := tx.ReplicaTx().PutCausalMetadata(ctx, engram.EntityMemory, key); err != nil {
		return err
	}
	if err := tx.Append(ctx, &engram.Mutation{At: head.Clock + 1, Actor: "cli", Operation: "save", Entity: engram.EntityMemory, Key: "9", Project: m.Project}); err != nil {
		return err
	}
	if err := tx.PutTrust(ctx, engram.Trust{Memory: m.Num, Mark: engram.TrustFlagged, At: storetest.Day()}); err != nil {
		return err
	}
	if err := tx.PutVectors(ctx, storetest.TestModel(), []engram.Vector{{Num: m.Num, Values: []float32{1, 0, 0, 0}}}); err != nil {
		return err
	}
	return tx.RecordUse(ctx, engram.Use{At: storetest.Day(), Counters: []engram.Counter{{Day: storetest.Day(), Project: m.Project, Operation: "save", Outcome: "inserted", Tally: engram.Tally{Events: 1}}}})
}
