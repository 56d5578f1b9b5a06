package search_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A server with the store in memory is asked first, with cleaned input; without an answer, and for past times,
// the engine searches itself.
func TestAWarmStoreIsAskedFirst(t *testing.T) {
	t.Parallel()
	store, err := enginetest.OpenStore(filepath.Join(t.TempDir(), "engram.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	var asked []search.SearchInput
	answers := false
	e := engine.New(engine.Options{Store: store, Now: enginetest.Start, NewID: enginetest.IDs(), Warm: func(_ context.Context, in search.SearchInput) (engram.Found, bool) {
		asked = append(asked, in)
		return engram.Found{Query: "from elsewhere"}, answers
	}})
	if _, err := e.Save(t.Context(), remember.SaveInput{Content: "The okapi is shy.", Project: "zoo"}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		in      search.SearchInput
		answers bool
		asked   int
		want    string // Query of what is found
	}{
		{"it does not answer", search.SearchInput{Query: " okapi <private>pin 1234</private> "}, false, 1, "okapi [REDACTED]"},
		{"it answers", search.SearchInput{Query: "okapi"}, true, 1, "from elsewhere"},
		{"of a time past", search.SearchInput{Query: "okapi", AsOf: enginetest.Start().Add(-time.Hour)}, true, 0, "okapi"},
	} {
		asked, answers = nil, tt.answers
		found, err := e.Search(t.Context(), tt.in)
		if err != nil || found.Query != tt.want || len(asked) != tt.asked {
			t.Errorf("%s: got %+v, %v, asked %+v; want %q and %d asked", tt.name, found, err, asked, tt.want, tt.asked)
		}
		if len(asked) > 0 && strings.Contains(asked[0].Query, "1234") {
			t.Errorf("%s: it was asked %q, want what is clean", tt.name, asked[0].Query)
		}
	}
	asked, answers = nil, false
	if _, err := e.Search(t.Context(), search.SearchInput{Query: "okapi", Limit: -1}); engram.CodeOf(err) != engram.CodeInvalid || len(asked) != 0 {
		t.Errorf("a wrong question: got %v, asked %+v; want it refused here", err, asked)
	}
}
