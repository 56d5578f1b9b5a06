package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/index"
)

// PrintIndex prints what an index.Store holds beside its state: kinds, waiting memories, segments with their parts.
func PrintIndex(ctx context.Context, s index.Store) (string, error) {
	var b strings.Builder
	kinds, err := s.Kinds(ctx)
	fmt.Fprintf(&b, "kinds %d", len(kinds))
	err2 := s.Unsealed(ctx, 0, true, func(u index.Unsealed) error {
		fmt.Fprintf(&b, " waits %d:%d %s %s", u.Seq, u.Memory, u.Document, u.Words)
		return nil
	})
	var segments []index.Segment
	err3 := s.Segments(ctx, func(g index.Segment) error {
		segments = append(segments, g)
		return nil
	})
	if err := errors.Join(err, err2, err3); err != nil {
		return "", err
	}
	for _, g := range segments {
		fmt.Fprintf(&b, " segment %d of %d v%d %d/%d/%d %s", g.Level, g.Project, g.Version, g.Slots, g.Live, g.Tokens, g.Firsts)
		for _, of := range []index.Sort{index.Blocks, index.Documents, index.Lengths} {
			err := s.Parts(ctx, of, []int64{g.Num}, 0, func(p index.Place, data []byte) error {
				fmt.Fprintf(&b, " %d/%d %s", of, p.N, data)
				return nil
			})
			if err != nil {
				return "", err
			}
		}
	}
	return b.String(), nil
}

// Filled is what FillIndex makes, as PrintIndex has it.
const Filled = "kinds 0 waits 1:1 d0 w0 waits 2:2 d1 w1 waits 3:3 d2 w2 segment 1 of 7 v2 3/2/9 f 0/0 p0 0/1 again 0/2 p2 1/0 p0 1/1 p1 1/2 p2 2/0 p0"

// FillIndex fills an empty index.Store, and returns the number of its segment.
func FillIndex(ctx context.Context, s index.Store) (num int64, err error) {
	for n := range int64(3) {
		_, failed := s.AddUnsealed(ctx, index.Unsealed{Memory: n + 1, Document: fmt.Appendf(nil, "d%d", n), Words: fmt.Appendf(nil, "w%d", n)})
		err = errors.Join(err, failed)
	}
	num, failed := s.AddSegment(ctx, index.Segment{Level: 1, Project: -1})
	err = errors.Join(err, failed, s.PutSegment(ctx, index.Segment{Num: num, Level: 1, Project: 7, Version: 2, Slots: 3, Live: 2, Tokens: 9, Firsts: []byte("f")}))
	for n := range 3 {
		for _, of := range []index.Sort{index.Blocks, index.Documents, index.Lengths} {
			err = errors.Join(err, s.PutPart(ctx, of, index.Place{Segment: num, N: n}, fmt.Appendf(nil, "p%d", n)))
		}
	}
	return num, errors.Join(err, s.PutPart(ctx, index.Blocks, index.Place{Segment: num, N: 1}, []byte("again")), s.CutParts(ctx, index.Lengths, num, 1))
}

// indexStep is a change of an index.Store in one transaction, and what it holds then.
type indexStep struct {
	name string
	run  func(ctx context.Context, s index.Store) error
	want string
}

// RunIndex tests an empty index.Store. in runs fn in a transaction of its own.
func RunIndex(t *testing.T, in func(fn func(index.Store) error) error) {
	t.Helper()
	last := index.State{Changes: -1}
	for _, step := range indexSteps(t) {
		err := in(func(s index.Store) error { return step.run(t.Context(), s) })
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		err = in(func(s index.Store) error {
			now, err := s.State(t.Context())
			if err != nil {
				return err
			}
			if now == last {
				t.Errorf("%s: the state is what it was, %+v", step.name, now)
			}
			last = now
			got, err := PrintIndex(t.Context(), s)
			if got != step.want {
				t.Errorf("%s:\n got %s\nwant %s", step.name, got, step.want)
			}
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
	}
	if err := in(func(s index.Store) error { return largeParts(t.Context(), s) }); err != nil {
		t.Errorf("large parts: %v", err)
	}
}

// largeParts keeps parts that are larger than a page of any database, and cannot be packed.
func largeParts(ctx context.Context, s index.Store) error {
	large := make([]byte, 20_000)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(large) // never fails
	num, err := s.AddSegment(ctx, index.Segment{Level: 1, Project: -1, Firsts: large})
	for _, of := range []index.Sort{index.Blocks, index.Documents, index.Lengths} {
		at := index.Place{Segment: num}
		err = errors.Join(err, s.PutPart(ctx, of, at, large), s.PartsAt(ctx, of, []index.Place{at}, func(_ index.Place, data []byte) error {
			if !bytes.Equal(data, large) {
				return fmt.Errorf("a part of sort %d has %d bytes, not those that were kept", of, len(data))
			}
			return nil
		}))
	}
	return errors.Join(err, s.DropSegment(ctx, num))
}

func indexSteps(t *testing.T) []indexStep {
	var segment int64
	const row = " segment 1 of 7 v2 3/2/9 f 0/0 p0 0/1 again 0/2 p2 1/0 p0 1/1 p1 1/2 p2 2/0 p0"
	return []indexStep{
		{"nothing", func(context.Context, index.Store) error { return nil }, "kinds 0"},
		{"fill", func(ctx context.Context, s index.Store) (err error) {
			segment, err = FillIndex(ctx, s)
			return err
		}, Filled},
		{"a waiting memory leaves and another moves", func(ctx context.Context, s index.Store) error {
			for _, want := range []bool{true, false} {
				if was, err := s.DropUnsealed(ctx, 2); was != want || err != nil {
					t.Errorf("drop a waiting memory: got %v, %v, want %v", was, err, want)
				}
			}
			var behind []int64
			err := s.Unsealed(ctx, 1, false, func(u index.Unsealed) error {
				if len(u.Words) > 0 {
					t.Errorf("words that were not asked for: %s", u.Words)
				}
				behind = append(behind, u.Seq)
				return nil
			})
			if len(behind) != 1 || behind[0] != 3 {
				t.Errorf("behind 1 wait %v, want 3", behind)
			}
			return errors.Join(err, s.MoveUnsealed(ctx, 3, []byte("moved")))
		}, "kinds 0 waits 1:1 d0 w0 waits 3:3 moved w2" + row},
		{"numbers are taken", func(ctx context.Context, s index.Store) error {
			first, err := s.Reserve(ctx, 60)
			if first != 3 {
				t.Errorf("reserved from %d, want 3", first)
			}
			seq, err2 := s.AddUnsealed(ctx, index.Unsealed{Memory: 9, Document: []byte("d9")})
			if seq != 64 {
				t.Errorf("the next number is %d, want 64", seq)
			}
			return errors.Join(err, err2)
		}, "kinds 0 waits 1:1 d0 w0 waits 3:3 moved w2 waits 64:9 d9 " + row},
		{"kinds", func(ctx context.Context, s index.Store) error {
			k := index.Kind{Type: "t", Scope: "s"}
			first, err := s.Changed(ctx)
			second, err2 := s.Changed(ctx)
			none, err3 := s.Kind(ctx, k)
			num, err4 := s.AddKind(ctx, k)
			have, err5 := s.Kind(ctx, k)
			all, err6 := s.Kinds(ctx)
			if second != first+1 || none != 0 || num == 0 || have != num || all[k] != num || len(all) != 1 {
				t.Errorf("changes %d and %d, kinds %d, %d, %d, %v", first, second, none, num, have, all)
			}
			return errors.Join(err, err2, err3, err4, err5, err6)
		}, "kinds 1 waits 1:1 d0 w0 waits 3:3 moved w2 waits 64:9 d9 " + row},
		{"parts at places", func(ctx context.Context, s index.Store) error {
			got := map[int]string{}
			for _, ns := range [][]int{{2, 9, 0}, {1}, {8}, {}} {
				var at []index.Place
				for _, n := range ns {
					at = append(at, index.Place{Segment: segment, N: n})
				}
				err := s.PartsAt(ctx, index.Blocks, at, func(p index.Place, data []byte) error {
					got[p.N] += string(data)
					return nil
				})
				if err != nil {
					return err
				}
			}
			if fmt.Sprint(got) != "map[0:p0 1:again 2:p2]" {
				t.Errorf("parts at places: %v", got)
			}
			stop := errors.New("stop")
			if err := s.Parts(ctx, index.Documents, []int64{segment}, 1, func(p index.Place, _ []byte) error { return fmt.Errorf("%d: %w", p.N, stop) }); !errors.Is(err, stop) || !strings.Contains(err.Error(), "1: stop") {
				t.Errorf("got %v, want the error of the function", err)
			}
			dropped, err := s.DropKinds(ctx)
			if !dropped {
				t.Error("no kind without memories was dropped")
			}
			_, err2 := s.Changed(ctx)
			return errors.Join(err, err2, s.CutParts(ctx, index.Blocks, segment, 2))
		}, "kinds 0 waits 1:1 d0 w0 waits 3:3 moved w2 waits 64:9 d9  segment 1 of 7 v2 3/2/9 f 0/0 p0 0/1 again 1/0 p0 1/1 p1 1/2 p2 2/0 p0"},
		{"the segment goes", func(ctx context.Context, s index.Store) error {
			_, err := s.Changed(ctx)
			_, err2 := s.AddSegment(ctx, index.Segment{Level: 3, Project: -1, Version: 4})
			return errors.Join(err, err2, s.DropSegment(ctx, segment), s.ClearUnsealed(ctx))
		}, "kinds 0 segment 3 of -1 v4 0/0/0 "},
		{"clear", func(ctx context.Context, s index.Store) error {
			_, err := s.Changed(ctx)
			_, err2 := s.AddUnsealed(ctx, index.Unsealed{Memory: 10, Document: []byte("d10")})
			_, err3 := s.AddKind(ctx, index.Kind{Type: "t", Scope: "s"})
			return errors.Join(err, err2, err3, s.Clear(ctx))
		}, "kinds 0"},
	}
}
