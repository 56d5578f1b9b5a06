package health_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
)

// A list of shared chunks without faults, or no list, is fine. Faults are reported one by one and
// repaired without a backup, because the database is not touched.
func TestTheListOfSharedChunks(t *testing.T) {
	p := health.DefaultPolicy()
	for _, f := range []health.Facts{{}, {Missing: true}, {Shared: health.Shared{Folder: "/shop/.engram", Repair: true}}} {
		if c := health.Judge(health.SharedManifest, f, p); c.Result != health.OK {
			t.Errorf("%+v: %+v, want that it is in order", f.Shared, c)
		}
	}
	var faults []engram.ImportNote
	for i := range 30 {
		faults = append(faults, engram.ImportNote{Item: fmt.Sprintf("%08x", i), Reason: "its file is not there"})
	}
	f := health.Facts{Missing: true, Shared: health.Shared{Folder: "/shop/.engram", Faults: faults, Repair: true}}
	c := health.Judge(health.SharedManifest, f, p)
	if c.Result != health.Warning || !strings.Contains(c.Message, "00000000: its file is not there. And 29 other faults.") || len(c.Findings) != p.Examples {
		t.Errorf("got %+v, with %d findings", c, len(c.Findings))
	}
	steps := health.Plan([]health.ID{health.SharedManifest}, f, p)
	if len(steps) != 1 || steps[0].Remedy != health.ListChunks || steps[0].Stores() {
		t.Errorf("the plan is %+v, want one step that touches no database", steps)
	}
	f.Shared.Repair = false
	if steps := health.Plan(health.IDs(), f, p); slices.ContainsFunc(steps, func(s health.Step) bool { return s.Remedy == health.ListChunks }) {
		t.Errorf("the plan is %+v, want nothing that follows a link", steps)
	}
}
