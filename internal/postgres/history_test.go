package postgres_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/index/indextest"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
	"github.com/alanbuscaglia/engram/internal/text"
)

var (
	histories = flag.Int("histories", 2, "random histories that the index lives through beside its model")
	steps     = flag.Int("steps", 40, "transactions of each history")
	seed      = flag.Uint64("seed", 1, "of the first history; the next ones follow")
)

// The index of a space answers every question as a plain model of it does, in the process that writes and in another
// one, whatever a process keeps of what it has read and saved, and whatever is sealed beside.
func TestTheIndexAnswersAsItsModelDoes(t *testing.T) {
	server := postgrestest.Start(t)
	for n := range *histories {
		t.Run(fmt.Sprintf("seed %d", *seed+uint64(n)), func(t *testing.T) {
			t.Parallel()
			o := postgres.Options{URL: server.URL(), Space: postgrestest.Space()}
			indextest.New(t, *seed+uint64(n), indextest.Stores{
				Open:    func(ctx context.Context) (engram.Store, error) { return postgres.Open(ctx, o) },
				Examine: func(ctx context.Context, q health.Query) (health.Facts, error) { return postgres.Examine(ctx, o, q) },
			}).Run(*steps)
		})
	}
}

// TestOwnSaves counts how often a process reads memories that wait for a segment: what it saved itself it knows, unless it
// saved it without a look; what another one saved, it reads once.
func TestOwnSaves(t *testing.T) {
	server, space := postgrestest.Start(t), postgrestest.Space()
	ctx := t.Context()
	var reads int
	s := open(t, server, space, func(o *postgres.Options) {
		o.Sent = func(all []string) {
			for _, statement := range all {
				if strings.HasPrefix(statement, "SELECT") && strings.Contains(statement, "FROM unsealed") {
					reads++
				}
			}
		}
	})
	other := open(t, server, space)
	live, saved := map[int64]bool{}, 0
	search := func(r engram.Reader) error {
		found, err := storetest.Hits(ctx, r, engram.LexicalQuery{Terms: text.Query("kettle"), Limit: 100})
		got := map[int64]bool{}
		for _, h := range found {
			got[h.Num] = true
		}
		if !maps.Equal(got, live) {
			t.Errorf("found %v, want %v", got, live)
		}
		return err
	}
	save := func(tx engram.Tx) error {
		saved++
		m := storetest.NewCorpus(1).Memory(storetest.Day())
		m.ID, m.SyncID, m.Project, m.SessionID, m.NormalizedHash = engram.ID(fmt.Sprintf("mem_%026d", saved)), fmt.Sprint("obs-", saved), "app", "", "00"
		m.Title, m.Content = fmt.Sprint("kettle ", saved), "it boils"
		err := tx.InsertMemory(ctx, &m)
		live[m.Num] = true
		return err
	}
	forget := func(tx engram.Tx, num int64) error {
		m, err := tx.Memory(ctx, engram.ByNum(num))
		m.DeletedAt = storetest.Day()
		delete(live, num)
		return cmp.Or(err, tx.ReplaceMemory(ctx, m))
	}
	searches := func(s engram.Store) error { return s.View(ctx, search) }
	saves := func(s engram.Store) error { return s.UpdateAfter(ctx, search, save) }
	if err := s.Update(ctx, func(tx engram.Tx) error {
		return tx.PutProject(ctx, engram.Project{Name: "app", CreatedAt: storetest.Day()})
	}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(saves(s), searches(s)); err != nil { // its kind is new
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		do   func() error
		want int
	}{
		{"a save", func() error { return saves(s) }, 0},
		{"the save after it", func() error { return saves(s) }, 0},
		{"a search after them", func() error { return searches(s) }, 0},
		{"the other process", func() error { return errors.Join(searches(other), saves(other), saves(other)) }, 0},
		{"what the other one saved", func() error { return searches(s) }, 1},
		{"what is known of it", func() error { return searches(s) }, 0},
		{"a save between those of the other", func() error { return errors.Join(saves(s), saves(other), saves(s)) }, 1},
		{"a save that is given up", func() error {
			was := maps.Clone(live)
			err := s.UpdateAfter(ctx, search, func(tx engram.Tx) error { return cmp.Or(save(tx), search(tx), context.Canceled) })
			if live = was; !errors.Is(err, context.Canceled) {
				return fmt.Errorf("given up: %w", err)
			}
			return nil
		}, 1}, // the search in it
		{"another one in its place, without a look", func() error { return errors.Join(s.Update(ctx, save), searches(s)) }, 1},
		{"a save that forgets another one", func() error {
			return errors.Join(s.UpdateAfter(ctx, search, func(tx engram.Tx) error { return cmp.Or(save(tx), search(tx), forget(tx, 2)) }), searches(s))
		}, 3}, // the search in it; what is new, then all, since one is gone
		{"a save after it", func() error { return errors.Join(saves(s), searches(other), searches(s)) }, 0},
	} {
		reads = 0
		if err := tt.do(); err != nil || reads != tt.want {
			t.Errorf("%s: read %d times, want %d; %v", tt.name, reads, tt.want, err)
		}
	}
}
