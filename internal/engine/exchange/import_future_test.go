package exchange_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// An impossible time becomes the time of the first import, not of a later one.
func TestTimesOfTheFutureChangeNothingTheSecondTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, sections string }{
		{"a session that begins then and has ended", `"sessions":[{"id":"s1","project":"shop","started_at":"2099-01-02T03:04:05Z","ended_at":"2026-01-03T03:04:05Z"}]`},
		{"a memory that was forgotten then", `"memories":[{"id":"` + enginetest.ID1 + `","project":"shop","content":"a","created_at":"2026-01-02T03:04:05Z","deleted_at":"2099-01-02T03:04:05Z"}]`},
		{"a memory that was made then", `"memories":[{"id":"` + enginetest.ID1 + `","project":"shop","content":"a","created_at":4102444800}]`},
		{"a memory that was changed then", `"memories":[{"id":"` + enginetest.ID1 + `","project":"shop","content":"a","created_at":"2026-01-02T03:04:05Z","updated_at":"2099-01-02T03:04:05Z"}]`},
		{"a memory without times", `"memories":[{"id":"` + enginetest.ID1 + `","project":"shop","content":"a"}]`},
		{"a prompt of then", `"prompts":[{"sync_id":"prompt-1","project":"shop","content":"why?","created_at":"2099-01-02T03:04:05Z"}]`},
		{"a prompt that was deleted then", `"prompts":[{"sync_id":"prompt-1","project":"shop","content":"why?","created_at":"2026-01-02T03:04:05Z","deleted_at":"2099-01-02T03:04:05Z"}]`},
		{"a project of then", `"projects":[{"name":"shop","remote":"github.com/a/shop","created_at":"2099-01-02T03:04:05Z"}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := enginetest.NewParts(t)
			if first := enginetest.Imported(t, p.Engine, enginetest.NativeFile(tt.sections), exchange.ImportInput{}); first.Op == 0 || len(first.Rejected) > 0 {
				t.Fatalf("import of %s: %+v; want it in", tt.sections, first)
			}
			p.Clock.Add(time.Hour)
			if again := enginetest.Imported(t, p.Engine, enginetest.NativeFile(tt.sections), exchange.ImportInput{}); again.Op != 0 {
				t.Errorf("import of %s once more: %+v; want nothing changed", tt.sections, again)
			}
		})
	}
}
