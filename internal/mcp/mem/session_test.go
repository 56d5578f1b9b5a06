package mem_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp/mem"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// Where several agents are served, the calls of all are counted together, and not in one place:
// what a session did cannot be told.
func TestTheActivityOfASessionIsToldWhereOneAgentSpeaks(t *testing.T) {
	t.Parallel()
	for _, remote := range []bool{false, true} {
		for _, tl := range mem.Tools(tool.Options{Engine: enginetest.New(t), Project: "demo", Remote: remote}) {
			if tl.Name != "mem_session_summary" {
				continue
			}
			r, err := tl.Call(t.Context(), tool.Caller{}, json.RawMessage(`{"content":"## Goal\nTests."}`))
			if err != nil {
				t.Fatal(err)
			}
			if told := strings.Contains(r.Text, "Session activity"); told == remote {
				t.Errorf("remote %v: got %q, want the activity of the session: %v", remote, r.Text, !remote)
			}
		}
	}
}
