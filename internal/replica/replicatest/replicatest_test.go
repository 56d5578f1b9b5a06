package replicatest_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

func TestAPlaceInMemoryIsARemote(t *testing.T) {
	places := map[string]*replicatest.Place{}
	replicatest.Run(t, func(_ *testing.T, dir string) engram.Remote {
		if places[dir] == nil {
			places[dir] = replicatest.NewPlace(dir)
		}
		return places[dir].Open()
	})
}
