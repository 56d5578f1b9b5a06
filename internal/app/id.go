package app

import (
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/alanbuscaglia/engram"
)

// newIDs returns a source of memory ids: ULIDs of the current millisecond that rise
// within a process even inside one millisecond. It may be called by many goroutines.
func newIDs() func() engram.ID {
	var mu sync.Mutex
	entropy := ulid.Monotonic(rand.Reader, 0)
	return func() engram.ID {
		mu.Lock()
		defer mu.Unlock()
		ms := ulid.Timestamp(time.Now())
		id, err := ulid.New(ms, entropy)
		if err != nil {
			// The counter of this millisecond ran over: order within it is lost,
			// uniqueness is not. crypto/rand itself cannot fail.
			id, _ = ulid.New(ms, rand.Reader)
		}
		return engram.ID(engram.IDPrefix + strings.ToLower(id.String()))
	}
}
