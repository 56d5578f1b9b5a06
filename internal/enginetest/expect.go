package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/project"
)

// Failer is the part of testing.TB and rapid.T that helpers need.
type Failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Was returns the Was of an entry as decoded JSON; nil without one.
func Was(t Failer, m engram.Mutation) map[string]any {
	t.Helper()
	if m.Was == nil {
		return nil
	}
	fields := map[string]any{}
	if err := json.Unmarshal(m.Was, &fields); err != nil {
		t.Fatalf("entry %d has %s: %v", m.Seq, m.Was, err)
	}
	return fields
}

// Nums returns the numbers of memories.
func Nums(ms []engram.Memory) []int64 {
	all := make([]int64, len(ms))
	for i, m := range ms {
		all[i] = m.Num
	}
	return all
}

// HitNums returns the numbers of hits.
func HitNums(hits []engram.Hit) []int64 {
	all := make([]int64, len(hits))
	for i, h := range hits {
		all[i] = h.Memory.Num
	}
	return all
}

// WantCode fails unless err has the code, and a hint if the caller can act on it.
func WantCode(t testing.TB, err error, code engram.Code) {
	t.Helper()
	if engram.CodeOf(err) != code {
		t.Fatalf("got error %v (%q), want code %q", err, engram.CodeOf(err), code)
	}
}

// WantProblem fails unless err is a project problem with this reason.
func WantProblem(t testing.TB, err error, reason project.Reason) *project.Problem {
	t.Helper()
	p, ok := errors.AsType[*project.Problem](err)
	if !ok || p.Reason != reason {
		t.Fatalf("got error %v with the cause %+v, want reason %s", err, p, reason)
	}
	return p
}

// Same compares two lists.
func Same[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s\n got %v\nwant %v", what, got, want)
	}
}

// ListAsOf lists memories at a past time.
func ListAsOf(ctx context.Context, e interface {
	ListAsOf(context.Context, engram.Filter, engram.Page, time.Time) (read.Listed, error)
}, f engram.Filter, p engram.Page, at time.Time) ([]engram.Memory, []string, error) {
	l, err := e.ListAsOf(ctx, f, p, at)
	return l.Memories, l.Degraded, err
}
