package brief_test

import (
	"context"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// counted counts how often the meaning of a question is asked.
type counted struct {
	engram.WordEmbedder
	asked *int
}

func (c counted) Embed(ctx context.Context, texts []string, role engram.Role) ([][]float32, error) {
	if role == engram.RoleQuery {
		*c.asked++
	}
	return c.WordEmbedder.Embed(ctx, texts, role)
}

// Asking for meaning doubles the cost of a hook.
func TestMeaningIsAskedOnlyWhereItDecides(t *testing.T) {
	t.Parallel()
	w := workshop(t)
	for _, tt := range []struct {
		name, query, want string
		asked             bool
	}{
		{"the words are certain", "the scheduler takes advisory locks in PostgreSQL because redis lost them on failover", "advisory lock", false},
		{"no word is found", "rename the button on the login page to Sign in", "", false},
		{"one word is found, which is never enough", "can you rename the pipeline so that nobody takes it for a button", "", false},
		{"the words are not enough, but it is near", "the locks which the scheduler did have before", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			e := engine.New(engine.Options{Store: w.Store, Embedder: counted{enginetest.Embedder(), &asked}, Now: w.Clock.Now, NewID: enginetest.IDs()})
			r := remind(t, e, brief.RemindInput{Query: tt.query})
			if !strings.Contains(r.Text, tt.want) || tt.asked != (asked > 0) {
				t.Errorf("Remind(%q)\n got %q after asking for %d meanings\nwant %q in it, and meaning asked: %v", tt.query, r.Text, asked, tt.want, tt.asked)
			}
		})
	}
}
