package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
)

// stock prints all that a store of words and the codes hold.
func stock(ctx context.Context, s index.Store, codes index.CodeStore) (string, error) {
	var b strings.Builder
	state, err := s.State(ctx)
	fmt.Fprintf(&b, "%+v", state)
	kinds, err2 := s.Kinds(ctx)
	fmt.Fprintf(&b, " kinds %v", kinds)
	err3 := s.Unsealed(ctx, 0, true, func(u index.Unsealed) error {
		fmt.Fprintf(&b, " unsealed %d:%d %s %s", u.Seq, u.Memory, u.Document, u.Words)
		return nil
	})
	var segments []index.Segment
	err4 := s.Segments(ctx, func(g index.Segment) error {
		g.Firsts = append([]byte(nil), g.Firsts...)
		segments = append(segments, g)
		return nil
	})
	if err := firstError(err, err2, err3, err4); err != nil {
		return "", err
	}
	for _, g := range segments {
		fmt.Fprintf(&b, " segment %+v", g)
		for _, of := range []index.Sort{index.Blocks, index.Documents, index.Lengths} {
			err := s.Parts(ctx, of, g.Num, 0, func(n int, data []byte) error {
				fmt.Fprintf(&b, " %d/%d %s", of, n, data)
				return nil
			})
			if err != nil {
				return "", err
			}
		}
		err := codes.Codes(ctx, 1, g.Num, func(page int, signs, sizes []byte) error {
			fmt.Fprintf(&b, " codes %d %s %s", page, signs, sizes)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// stockUp fills a store and codes, and returns the number of its segment.
func stockUp(ctx context.Context, s index.Store, codes index.CodeStore) (num int64, err error) {
	do := func(fn func() error) {
		if err == nil {
			err = fn()
		}
	}
	do(func() error {
		for n := range int64(3) {
			if _, err := s.AddUnsealed(ctx, index.Unsealed{Memory: n + 1, Document: fmt.Appendf(nil, "d%d", n), Words: fmt.Appendf(nil, "w%d", n)}); err != nil {
				return err
			}
		}
		return nil
	})
	do(func() error { num, err = s.AddSegment(ctx, index.Segment{Level: 1, Project: -1}); return err })
	do(func() error {
		return s.PutSegment(ctx, index.Segment{Num: num, Level: 1, Project: 7, Version: 2, Slots: 3, Live: 2, Tokens: 9, Firsts: []byte("f")})
	})
	for n := range 3 {
		for _, of := range []index.Sort{index.Blocks, index.Documents, index.Lengths} {
			do(func() error { return s.PutPart(ctx, of, index.Place{Segment: num, N: n}, fmt.Appendf(nil, "p%d", n)) })
		}
	}
	do(func() error { return s.PutPart(ctx, index.Blocks, index.Place{Segment: num, N: 1}, []byte("again")) })
	do(func() error { return s.CutParts(ctx, index.Lengths, num, 1) })
	do(func() error {
		return codes.PutCodes(ctx, 1, index.Place{Segment: num, N: 0}, []byte("signs"), []byte("sizes"))
	})
	do(func() error { return codes.Recoded(ctx, 1, num) })
	return num, err
}

func TestIndexStore(t *testing.T) {
	server := postgrestest.Start(t)
	var trips int
	s := open(t, server, postgrestest.Space(), func(o *postgres.Options) { o.Sent = func([]string) { trips++ } })
	ctx := t.Context()
	update := func(fn func(memories, prompts index.Store, codes index.CodeStore) error) {
		t.Helper()
		if err := s.Update(ctx, func(tx engram.Tx) error { return fn(postgres.IndexStores(tx)) }); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(what string, memories, prompts string) {
		t.Helper()
		err := s.View(ctx, func(r engram.Reader) error {
			m, p, codes := postgres.IndexStores(r)
			for _, of := range []struct {
				wordStore index.Store
				want      string
			}{{m, memories}, {p, prompts}} {
				got, err := stock(ctx, of.wordStore, codes)
				if err != nil {
					return err
				}
				if got != of.want {
					t.Errorf("%s:\n got %s\nwant %s", what, got, of.want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const none = "{Changes:0 Unsealed:0 Last:0} kinds map[]"
	holds("at first", none, none)

	var segment int64
	trips = 0
	update(func(m, _ index.Store, codes index.CodeStore) (err error) {
		segment, err = stockUp(ctx, m, codes)
		return err
	})
	if trips != 2 {
		t.Errorf("a write that reads nothing has %d round trips, want 2", trips)
	}
	row := fmt.Sprintf("segment {Num:%d Level:1 Project:7 Version:2 Slots:3 Live:2 Tokens:9 Firsts:[102]}", segment)
	parts := " 0/0 p0 0/1 again 0/2 p2 1/0 p0 1/1 p1 1/2 p2 2/0 p0 codes 0 signs sizes"
	holds("filled", "{Changes:0 Unsealed:3 Last:3} kinds map[] unsealed 1:1 d0 w0 unsealed 2:2 d1 w1 unsealed 3:3 d2 w2 "+row+parts, none)

	trips = 0
	update(func(m, _ index.Store, codes index.CodeStore) error {
		var at []string
		err := m.PartsAt(ctx, index.Blocks, []index.Place{{Segment: segment, N: 2}, {Segment: segment, N: 9}, {Segment: segment, N: 0}}, func(p index.Place, data []byte) error {
			at = append(at, fmt.Sprint(p.N, string(data)))
			return nil
		})
		if len(at) != 2 || !strings.Contains(fmt.Sprint(at), "2p2") || !strings.Contains(fmt.Sprint(at), "0p0") {
			t.Errorf("parts at places: %v", at)
		}
		return err
	})
	if trips != 3 {
		t.Errorf("parts of many places have %d round trips, want 3", trips)
	}

	update(func(m, p index.Store, _ index.CodeStore) error {
		if was, err := m.DropUnsealed(ctx, 2); !was || err != nil {
			t.Errorf("drop a waiting memory: %v, %v", was, err)
		}
		if was, err := m.DropUnsealed(ctx, 2); was || err != nil {
			t.Errorf("drop it again: %v, %v", was, err)
		}
		if err := m.MoveUnsealed(ctx, 3, []byte("moved")); err != nil {
			return err
		}
		if last, err := m.Reserve(ctx, 60); last != 3 || err != nil {
			t.Errorf("reserved from %d, %v", last, err)
		}
		if version, err := m.Changed(ctx); version != 1 || err != nil {
			t.Errorf("changed to %d, %v", version, err)
		}
		num, err := m.AddKind(ctx, index.Kind{Type: "t", Scope: "s"})
		if err != nil || num == 0 {
			t.Errorf("kind %d, %v", num, err)
		}
		if dropped, err := m.DropKinds(ctx); !dropped || err != nil {
			t.Errorf("drop kinds: %v, %v", dropped, err)
		}
		_, err = p.AddUnsealed(ctx, index.Unsealed{Memory: 1, Document: []byte("d"), Words: []byte("w")})
		return err
	})
	holds("changed", "{Changes:1 Unsealed:2 Last:63} kinds map[] unsealed 1:1 d0 w0 unsealed 3:3 moved w2 "+row+parts, "{Changes:0 Unsealed:1 Last:1} kinds map[] unsealed 1:1 d w")

	// Another space has neither, whatever it asks for.
	other := open(t, server, postgrestest.Space())
	err := other.Update(ctx, func(tx engram.Tx) error {
		m, p, codes := postgres.IndexStores(tx)
		return firstError(m.CutParts(ctx, index.Blocks, segment, 0), m.DropSegment(ctx, segment), m.ClearUnsealed(ctx), p.Clear(ctx), m.Clear(ctx), codes.DropCodes(ctx, segment), codes.ClearCodes(ctx))
	})
	if err != nil {
		t.Fatal(err)
	}
	holds("after another space was emptied", "{Changes:1 Unsealed:2 Last:63} kinds map[] unsealed 1:1 d0 w0 unsealed 3:3 moved w2 "+row+parts, "{Changes:0 Unsealed:1 Last:1} kinds map[] unsealed 1:1 d w")

	update(func(m, _ index.Store, codes index.CodeStore) error {
		return firstError(m.DropSegment(ctx, segment), codes.DropCodes(ctx, segment), m.ClearUnsealed(ctx))
	})
	holds("without its segment", "{Changes:1 Unsealed:0 Last:63} kinds map[]", "{Changes:0 Unsealed:1 Last:1} kinds map[] unsealed 1:1 d w")
	update(func(_, p index.Store, _ index.CodeStore) error { return p.Clear(ctx) })
	holds("cleared", "{Changes:1 Unsealed:0 Last:63} kinds map[]", "{Changes:1 Unsealed:0 Last:1} kinds map[]")
}
