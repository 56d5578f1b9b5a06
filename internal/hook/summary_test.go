package hook_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

// The prompt for a compaction asks for thoughts first: they filled what the next session was told.
func TestOfACompactionTheSummaryIsKeptAndNoThoughts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.quiet(d.report("session-start"))
	d.report("after-compact", "compact_summary", "<analysis>\n"+strings.Repeat("Let me go through the conversation in order.\n", 60)+"## Key Learnings:\n1. These thoughts are no learning of anybody at all.\n</analysis>\n\n"+
		"<summary>\n1. Primary Request and Intent:\n   Mend the total of the cart.\n\n7. Pending Tasks:\n   Write the migration of old carts.\n</summary>")
	ms := d.memories(engram.Filter{})
	if len(ms) != 1 {
		t.Fatalf("%d memories, want the summary alone: %+v", len(ms), ms)
	}
	if c := ms[0].Content; strings.Contains(c, "Let me go through") || strings.Contains(c, "<summary>") || !strings.Contains(c, "Mend the total") || !strings.Contains(c, "migration of old carts") {
		t.Errorf("kept is %q", c)
	}
	d.says(d.report("session-start", "session_id", "s2"), "Mend the total of the cart", "migration of old carts")
}
