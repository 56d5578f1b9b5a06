package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// What another process writes between the look and the write is seen by the write, and nothing is lost.
func TestAnUpdateAfterALookSeesWhatWasWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.db")
	s, other := open(t, path), open(t, path)
	defer closed(t, s)
	defer closed(t, other)
	for _, meanwhile := range []bool{false, true} {
		var before, after engram.Head
		err := s.UpdateAfter(t.Context(), func(r engram.Reader) (err error) {
			if before, err = r.Replica().Head(t.Context()); err != nil || !meanwhile {
				return err
			}
			return other.Update(t.Context(), func(tx engram.Tx) error {
				return tx.Append(t.Context(), &engram.Mutation{At: before.Clock + 1, Operation: "save", Entity: engram.EntityMemory, Key: "1"})
			})
		}, func(tx engram.Tx) (err error) {
			if after, err = tx.Replica().Head(t.Context()); err != nil {
				return err
			}
			m := &engram.Mutation{At: after.Clock + 1, Operation: "save", Entity: engram.EntityMemory, Key: "2"}
			if err := tx.Append(t.Context(), m); err != nil {
				return err
			}
			if m.Seq != after.Seq+1 || m.Op != m.Seq {
				t.Errorf("entry %d of operation %d after entry %d", m.Seq, m.Op, after.Seq)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if moved := after.Seq - before.Seq; moved != 0 != meanwhile {
			t.Errorf("written meanwhile: %v; the newest entry was %d, then %d", meanwhile, before.Seq, after.Seq)
		}
	}
	view(t, other, func(r engram.Reader) error {
		all, err := r.Mutations(t.Context(), engram.JournalSpan{OldestFirst: true}, engram.Page{Limit: 10})
		if err != nil || len(all) != 3 {
			t.Errorf("got %d entries, %v, want 3", len(all), err)
		}
		for i, m := range all {
			if m.Seq != int64(i+1) || m.Op != m.Seq {
				t.Errorf("entry %d: number %d, operation %d", i+1, m.Seq, m.Op)
			}
		}
		return nil
	})
}

// What a look has read is remembered for the next one only while it is true.
func TestALookSeesWhatWasWrittenSinceTheLastOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engram.db")
	s, other := open(t, path), open(t, path)
	defer closed(t, s)
	defer closed(t, other)
	ctx := t.Context()
	model := engram.Model{Name: "m", Fingerprint: "f", Dimensions: 2}
	var a, b engram.Memory
	type seen struct {
		title     string
		vectors   int
		relations int
	}
	// look reads what a save does; write runs after it, in the same transaction.
	look := func(write func(tx engram.Tx) error) (got seen) {
		t.Helper()
		err := s.UpdateAfter(ctx, func(r engram.Reader) error {
			ms, err := r.Memories(ctx, []int64{a.Num, b.Num})
			if err != nil {
				return err
			}
			vs, err := r.Vectors(ctx, model.Fingerprint, []int64{a.Num, b.Num})
			if err != nil {
				return err
			}
			rs, err := engram.RelationsOf(ctx, r, []int64{a.Num}, []engram.Verb{engram.VerbRelatesTo}, 5)
			got = seen{ms[0].Title, len(vs), len(rs)}
			return err
		}, write)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	nothing := func(engram.Tx) error { return nil }
	err := s.Update(ctx, func(tx engram.Tx) error {
		if err := tx.PutProject(ctx, engram.Project{Name: "p", CreatedAt: now()}); err != nil {
			return err
		}
		for i, m := range []*engram.Memory{&a, &b} {
			*m = draft("p", i)
			m.Project, m.SessionID = "p", ""
			if err := tx.InsertMemory(ctx, m); err != nil {
				return err
			}
		}
		return tx.PutVectors(ctx, model, []engram.Vector{{Num: a.Num, Values: []float32{1, 0}}})
	})
	if err != nil {
		t.Fatal(err)
	}
	retitle := func(title string) func(tx engram.Tx) error {
		return func(tx engram.Tx) error {
			a.Title = title
			return tx.ReplaceMemory(ctx, a)
		}
	}
	relate := func(id string) func(tx engram.Tx) error {
		return func(tx engram.Tx) error {
			return tx.InsertRelation(ctx, &engram.Relation{ID: id, Source: a.Num, Target: b.Num, Verb: engram.VerbRelatesTo, Status: engram.RelationJudged,
				CreatedAt: now(), UpdatedAt: now()})
		}
	}
	want := seen{a.Title, 1, 0}
	for _, step := range []struct {
		name string
		do   func()
		now  func(*seen)
	}{
		{"nothing", func() {}, func(*seen) {}},
		{"a relation after a look", func() { look(relate("r1")) }, func(s *seen) { s.relations++ }},
		{"a first vector after a look", func() {
			look(func(tx engram.Tx) error {
				return tx.PutVectors(ctx, model, []engram.Vector{{Num: b.Num, Values: []float32{0, 1}}})
			})
		}, func(s *seen) { s.vectors++ }},
		{"a title after a look, which takes the vector", func() { look(retitle("one")) }, func(s *seen) { s.title, s.vectors = "one", s.vectors-1 }},
		{"a title without a look", func() {
			if err := s.Update(ctx, retitle("two")); err != nil {
				t.Fatal(err)
			}
		}, func(s *seen) { s.title = "two" }},
		{"a title of another process", func() {
			if err := other.Update(ctx, retitle("three")); err != nil {
				t.Fatal(err)
			}
		}, func(s *seen) { s.title = "three" }},
		{"a title taken back", func() {
			failed := errors.New("failed")
			err := s.UpdateAfter(ctx, func(engram.Reader) error { return nil }, func(tx engram.Tx) error {
				return errors.Join(retitle("four")(tx), func() error { _, err := tx.Memories(ctx, []int64{a.Num}); return err }(), failed)
			})
			if !errors.Is(err, failed) {
				t.Fatal(err)
			}
			a.Title = "three"
		}, func(*seen) {}},
	} {
		look(nothing) // which remembers
		step.do()
		step.now(&want)
		if got := look(nothing); got != want {
			t.Errorf("after %s: %+v, want %+v", step.name, got, want)
		}
	}
}

// A batch is one of many: what the look of the next one asks for is mostly what the last one has read.
func TestALookRemembersWhatWasReadBeforeABatch(t *testing.T) {
	t.Parallel()
	var read []string
	s := open(t, filepath.Join(t.TempDir(), "engram.db"), func(o *sqlite.Options) {
		o.Ran = func(query string) {
			if strings.HasPrefix(query, "SELECT") && (strings.Contains(query, "memories") || strings.Contains(query, "vectors v")) {
				read = append(read, query)
			}
		}
	})
	defer closed(t, s)
	ctx := t.Context()
	model := engram.Model{Name: "m", Fingerprint: "f", Dimensions: 2}
	saved := 0
	for range 3 {
		err := s.UpdateAfter(ctx, func(r engram.Reader) error {
			if read = nil; saved == 0 {
				return nil
			}
			ms, err := r.Memories(ctx, []int64{1, 2})
			if err != nil || len(ms) != 2 {
				return fmt.Errorf("got %d memories: %w", len(ms), err)
			}
			vs, err := r.Vectors(ctx, model.Fingerprint, []int64{1, 2})
			if err != nil || len(vs) != 2 {
				return fmt.Errorf("got %d vectors: %w", len(vs), err)
			}
			return nil
		}, func(tx engram.Tx) error {
			if saved == 0 {
				if err := tx.PutProject(ctx, engram.Project{Name: "p", CreatedAt: now()}); err != nil {
					return err
				}
			}
			for range 100 {
				m := draft("p", saved)
				m.Project, m.SessionID = "p", ""
				if err := tx.InsertMemory(ctx, &m); err != nil {
					return err
				}
				if err := tx.PutVectors(ctx, model, []engram.Vector{{Num: m.Num, Values: []float32{1, float32(saved)}}}); err != nil {
					return err
				}
				saved++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(read) > 0 {
		t.Errorf("the last look read anew: %q", read)
	}
}
