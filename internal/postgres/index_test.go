package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// The index of memories and that of prompts have tables in common, and nothing else.
func TestIndexesOfCollections(t *testing.T) {
	server := postgrestest.Start(t)
	s := open(t, server, postgrestest.Space())
	ctx := t.Context()
	in := func(fn func(memories, prompts index.Store) error) error {
		return s.Update(ctx, func(tx engram.Tx) error {
			m, p, _ := postgres.IndexStores(tx)
			return fn(m, p)
		})
	}
	filled := in(func(_, prompts index.Store) error {
		_, err := storetest.FillIndex(ctx, prompts)
		return err
	})
	storetest.RunIndex(t, func(fn func(index.Store) error) error {
		return in(func(memories, _ index.Store) error { return fn(memories) })
	})
	err := in(func(_, prompts index.Store) error {
		got, err := storetest.PrintIndex(ctx, prompts)
		if got != storetest.Filled {
			t.Errorf("prompts:\n got %s\nwant %s", got, storetest.Filled)
		}
		return errors.Join(err, prompts.Clear(ctx))
	})
	if err := errors.Join(filled, err); err != nil {
		t.Fatal(err)
	}
}

// codesOf prints the codes of a segment.
func codesOf(ctx context.Context, codes index.CodeStore, segment int64) (all string, err error) {
	err = codes.Codes(ctx, 1, []int64{segment}, func(at index.Place, signs, sizes []byte) error {
		all += fmt.Sprintf("%d %s %s", at.N, signs, sizes)
		return nil
	})
	return all, err
}

func TestIndexStore(t *testing.T) {
	server := postgrestest.Start(t)
	var trips int
	s := open(t, server, postgrestest.Space(), func(o *postgres.Options) { o.Sent = func([]string) { trips++ } })
	ctx := t.Context()
	update := func(fn func(memories index.Store, codes index.CodeStore) error) {
		t.Helper()
		trips = 0
		err := s.Update(ctx, func(tx engram.Tx) error {
			m, _, codes := postgres.IndexStores(tx)
			return fn(m, codes)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var segment int64
	update(func(m index.Store, codes index.CodeStore) (err error) {
		segment, err = storetest.FillIndex(ctx, m)
		return errors.Join(err, codes.PutCodes(ctx, 1, index.Place{Segment: segment, N: 0}, []byte("signs"), []byte("sizes")), codes.Recoded(ctx, 1, segment))
	})
	if trips != 2 {
		t.Errorf("a write that reads nothing has %d round trips, want 2", trips)
	}
	update(func(m index.Store, _ index.CodeStore) error {
		return m.PartsAt(ctx, index.Blocks, []index.Place{{Segment: segment, N: 2}, {Segment: segment, N: 9}, {Segment: segment, N: 0}}, func(index.Place, []byte) error { return nil })
	})
	if trips != 3 {
		t.Errorf("parts of many places have %d round trips, want 3", trips)
	}

	// Another space has neither, whatever it asks for.
	other := open(t, server, postgrestest.Space())
	err := other.Update(ctx, func(tx engram.Tx) error {
		m, p, codes := postgres.IndexStores(tx)
		return errors.Join(m.CutParts(ctx, index.Blocks, segment, 0), m.DropSegment(ctx, segment), m.ClearUnsealed(ctx), p.Clear(ctx), m.Clear(ctx), codes.DropCodes(ctx, segment), codes.ClearCodes(ctx))
	})
	if err != nil {
		t.Fatal(err)
	}
	holds := func(wantWords, wantCodes string) {
		t.Helper()
		update(func(m index.Store, codes index.CodeStore) error {
			got, err := storetest.PrintIndex(ctx, m)
			of, err2 := codesOf(ctx, codes, segment)
			if got != wantWords || of != wantCodes {
				t.Errorf("got %s, %s\nwant %s, %s", got, of, wantWords, wantCodes)
			}
			return errors.Join(err, err2)
		})
	}
	holds(storetest.Filled, "0 signs sizes")
	update(func(m index.Store, codes index.CodeStore) error {
		return errors.Join(m.DropSegment(ctx, segment), codes.DropCodes(ctx, segment), m.ClearUnsealed(ctx))
	})
	holds("kinds 0", "")
}

func TestRowsAndCodes(t *testing.T) {
	s := open(t, postgrestest.Start(t), postgrestest.Space())
	storetest.RunVectors(t, s, func(r engram.Reader) storetest.Vectors { return postgres.Vectors(r) })
}
