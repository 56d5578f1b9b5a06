package engram_test

import (
	"reflect"
	"testing"

	"github.com/alanbuscaglia/engram"
)

// A store is implemented over a network too: each method is a statement to write, to test and to wait for.
func TestTxIsNarrow(t *testing.T) {
	for _, role := range []struct {
		role reflect.Type
		most int
	}{
		{reflect.TypeFor[engram.Reader](), 45},
		{reflect.TypeFor[engram.Tx](), 70},
		{reflect.TypeFor[engram.ReplicaReader](), 20},
		{reflect.TypeFor[engram.ReplicaTx](), 31},
	} {
		if n := role.role.NumMethod(); n > role.most {
			t.Errorf("%s has %d methods, at most %d: make a filter, an order or a lot of it", role.role, n, role.most)
		} else {
			t.Logf("%s has %d methods", role.role, n)
		}
	}
}
