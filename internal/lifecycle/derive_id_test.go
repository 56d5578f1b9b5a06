package lifecycle_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

func TestDerivedID(t *testing.T) {
	at := time.UnixMilli(1469918176385) // the example of the specification, whose first ten digits are known
	if got := string(lifecycle.DerivedID("obs-1", at)); !strings.HasPrefix(got, "mem_01aryz6s41") || len(got) != 30 {
		t.Errorf("DerivedID(obs-1, %v) = %s; want mem_01aryz6s41 and 16 more digits", at, got)
	}
	if a, b := lifecycle.DerivedID("obs-1", at), lifecycle.DerivedID("obs-2", at); a == b {
		t.Errorf("two memories are called %s", a)
	}
	if got := string(lifecycle.DerivedID("obs-1", time.Time{})); !strings.HasPrefix(got, "mem_0000000000") {
		t.Errorf("without a time it is %s; want it to begin with zeros", got)
	}
}

func TestDerivedIDsAreIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(-1e12, 1<<47).Draw(t, "at"))
		id := lifecycle.DerivedID(rapid.String().Draw(t, "sync id"), at)
		if r, err := engram.ParseRef(string(id)); err != nil || r.ID != string(id) {
			t.Fatalf("%s is read as %+v, %v", id, r, err)
		}
		if later := lifecycle.DerivedID("obs-1", at.Add(time.Millisecond)); later < id && at.UnixMilli() > 0 && later[:14] < id[:14] {
			t.Fatalf("%s is sorted before %s", later, id)
		}
	})
}
