package postgrestest_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// near draws vectors around a few centres, as those of texts are.
type near struct {
	*rand.Rand
	centres [][]float32
}

func (n *near) vector() []float32 {
	v := make([]float32, 72)
	for i := range v {
		v[i] = float32(n.NormFloat64())
	}
	if len(n.centres) < 40 {
		n.centres = append(n.centres, v)
	}
	for i, x := range n.centres[n.IntN(len(n.centres))] {
		v[i] += 1.5 * x
	}
	return v
}

// TestNearestAreTheSame gives both stores the same memories with vectors, and changes of all kinds: both find the same
// by codes, in the same order.
func TestNearestAreTheSame(t *testing.T) {
	server, space := postgrestest.Start(t), postgrestest.Space()
	reopened := func() *postgres.Store {
		s, err := postgres.Open(t.Context(), postgres.Options{URL: server.URL(), Space: space})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	one, other := engram.Model{Name: "one", Fingerprint: "1", Dimensions: 72}, engram.Model{Name: "other", Fingerprint: "2", Dimensions: 72}
	both := []engram.Store{newFile(t), reopened()}
	rnd := &near{Rand: rand.New(rand.NewPCG(1, 2))}
	for range 40 {
		rnd.vector()
	}
	c := storetest.NewCorpus(1)
	update := func(fn func(engram.Tx) error) {
		t.Helper()
		for _, s := range both {
			if err := s.Update(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range c.Projects() {
		update(func(tx engram.Tx) error {
			return tx.PutProject(t.Context(), engram.Project{Name: name, CreatedAt: storetest.Day()})
		})
	}
	var all []engram.Memory
	save := func(n int) {
		t.Helper()
		ms, vs := make([]engram.Memory, n), make([]engram.Vector, n)
		for i := range ms {
			ms[i] = c.Memory(storetest.Day().Add(time.Duration(len(all)+i) * time.Minute))
			ms[i].SessionID = ""
			vs[i].Values = rnd.vector()
		}
		update(func(tx engram.Tx) error {
			for i := range ms {
				if err := tx.InsertMemory(t.Context(), &ms[i]); err != nil {
					return err
				}
				vs[i].Num = ms[i].Num
			}
			if err := tx.PutVectors(t.Context(), other, vs[:n/2]); err != nil {
				return err
			}
			return tx.PutVectors(t.Context(), one, vs[:n-1]) // one memory lacks it
		})
		all = append(all, ms...)
	}
	change := func() {
		t.Helper()
		replaced, forgotten, erased, again := all[3], all[len(all)-7], all[11], all[20].Num
		all = slices.Delete(all, 11, 12)
		replaced.Content += " and more"
		forgotten.DeletedAt = storetest.Day()
		vs := []engram.Vector{{Num: again, Values: rnd.vector()}, {Num: erased.Num, Values: rnd.vector()}, {Num: replaced.Num, Values: rnd.vector()}}
		update(func(tx engram.Tx) error {
			for _, m := range []engram.Memory{replaced, forgotten} {
				if err := tx.ReplaceMemory(t.Context(), m); err != nil {
					return err
				}
			}
			if err := tx.EraseMemory(t.Context(), erased.Num); err != nil {
				return err
			}
			return tx.PutVectors(t.Context(), one, vs)
		})
	}
	// Half of the memories stand in segments, which are made beside: closing waits for them.
	for range 8 {
		save(50)
		change()
		if err := both[1].(*postgres.Store).Close(); err != nil {
			t.Fatal(err)
		}
		both[1] = reopened()
	}
	save(100)
	for _, m := range []engram.Model{one, other} {
		for i := range 60 {
			f := engram.Filter{}
			switch i % 4 {
			case 1:
				f.Project = c.Project()
			case 2:
				f.Types = engram.KnownTypes()[i%3 : i%3+2]
			case 3:
				f.Since = storetest.Day().Add(time.Duration(i) * time.Minute)
			}
			q := engram.VectorQuery{Model: m.Fingerprint, Vector: rnd.vector(), Filter: f, Limit: 10, Close: i%5 == 0}
			alike(t, both, fmt.Sprintf("nearest by %s, %+v", m.Name, f), func(ctx context.Context, r engram.Reader) ([]engram.Ranked, error) {
				found, err := r.Nearest(ctx, q)
				for i := range found {
					found[i].Score = math.Round(found[i].Score*1e6) / 1e6
				}
				if i == 0 && len(found) != 10 {
					t.Errorf("found %d", len(found))
				}
				return found, err
			})
		}
		alike(t, both, "newest by "+m.Name, func(ctx context.Context, r engram.Reader) (all [][]float32, err error) {
			of, err := r.NewestVectors(ctx, m.Fingerprint, c.Projects()[0], 40)
			for i := range of.Count {
				all = append(all, make([]float32, of.Dimensions))
				of.Read(i, all[i])
			}
			return all, err
		})
		alike(t, both, "unembedded by "+m.Name, func(ctx context.Context, r engram.Reader) (nums []int64, err error) {
			ms, err := r.List(ctx, engram.Filter{Unembedded: m.Fingerprint}, engram.Page{Order: engram.OrderNumber, Limit: 300})
			for _, m := range ms {
				nums = append(nums, m.Num)
			}
			return nums, err
		})
	}
	alike(t, both, "models", func(ctx context.Context, r engram.Reader) ([]engram.ModelCoverage, error) { return r.Models(ctx) })
	if codes := server.SQL(t, server.URL(), `SELECT count(*) > 0 FROM codes WHERE space = '`+space+`'`); !strings.HasPrefix(codes, "t") {
		t.Errorf("the space has no codes: %s", codes)
	}
	facts, err := postgres.Examine(t.Context(), postgres.Options{URL: server.URL(), Space: space}, health.Query{Checks: []health.ID{health.VectorsInStep}, Model: one, Most: 5})
	if v := facts.Vectors; err != nil || v.Broken != nil || v.Have == 0 || v.Stale.Count+v.Misfit.Count+v.OffCode.Count > 0 {
		t.Errorf("the vectors are not in step: %+v, %v", v, err)
	}
	update(func(tx engram.Tx) error { return tx.DropModel(t.Context(), one.Fingerprint) })
	alike(t, both, "models after a drop", func(ctx context.Context, r engram.Reader) ([]engram.ModelCoverage, error) { return r.Models(ctx) })
}

// alike compares what both stores answer.
func alike[T any](t *testing.T, both []engram.Store, what string, ask func(context.Context, engram.Reader) (T, error)) {
	t.Helper()
	var answers []string
	for _, s := range both {
		err := s.View(t.Context(), func(r engram.Reader) error {
			got, err := ask(t.Context(), r)
			answers = append(answers, fmt.Sprintf("%+v", got))
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	if answers[0] != answers[1] {
		t.Errorf("%s\n  file %.600s\n space %.600s", what, answers[0], answers[1])
	}
}
