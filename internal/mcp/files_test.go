package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
)

// A save is anchored to the files that the agent names, and readers see the state of these files.
func TestASaveIsAnchoredToTheFilesThatItNames(t *testing.T) {
	t.Parallel()
	p := enginetest.NewParts(t)
	p.Code.Write("queue/retry.go", "package queue\n\nconst retries = 3\n")
	s, err := mcp.New(mcp.Options{Engine: p.Engine, Tools: "all", Dir: enginetest.CodeFolder})
	if err != nil {
		t.Fatal(err)
	}
	c := connectStdio(t, s, "2025-06-18")
	res := use(t, c, "mem_save", `{"title":"Retries","content":"Three, then the queue keeps it","files":["queue/retry.go:3"]}`)
	if res.IsError || !strings.Contains(text(res), "Anchored to queue/retry.go:3") {
		t.Fatalf("saved: %s", text(res))
	}
	if reported, err := json.Marshal(res.StructuredContent); err != nil || !strings.Contains(string(reported), `"path":"queue/retry.go"`) {
		t.Errorf("structured: %s, %v; want the anchor", reported, err)
	}
	p.Code.Write("queue/retry.go", "package queue\n\nconst retries, wait = 5, 10\n")
	if res := use(t, c, "mem_search", `{"query":"retries queue"}`); !strings.Contains(text(res), "queue/retry.go:3 (changed)") {
		t.Errorf("found: %s; want that its code changed", text(res))
	}
	if res := use(t, c, "mem_review", `{"action":"mark_reviewed","observation_id":1}`); res.IsError || !strings.Contains(text(res), "anchored to the current code in queue/retry.go:3") {
		t.Errorf("reviewed: %s; want that it is anchored anew", text(res))
	}
	if res := use(t, c, "mem_save", `{"title":"Pool","content":"One","files":["no/such.go"]}`); !res.IsError || !strings.Contains(text(res), "no/such.go") {
		t.Errorf("of a file that there is not: %s", text(res))
	}
}
