package health_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
)

func TestServer(t *testing.T) {
	sound := health.Server{Part: health.Part{Known: true}, Version: "15.8", Latency: time.Millisecond, Schema: 1, Prepared: true}
	for _, tt := range []struct {
		name   string
		change func(*health.Server)
		result health.Status
		reason string
	}{
		{"in order", func(*health.Server) {}, health.OK, "database_server_ok"},
		{"through a pooler without prepared statements", func(s *health.Server) { s.Pooled, s.Prepared = true, false }, health.OK, "database_server_ok"},
		{"through a pooler with them", func(s *health.Server) { s.Pooled = true }, health.Warning, "pooler_prepares"},
		{"far", func(s *health.Server) { s.Latency = 80 * time.Millisecond }, health.Warning, "server_far"},
		{"unsynced", func(s *health.Server) { s.Unsynced = true }, health.Warning, "commits_not_synced"},
		{"read-only", func(s *health.Server) { s.ReadOnly = true }, health.Blocked, "server_read_only"},
		{"open", func(s *health.Server) { s.Open = true }, health.Failed, "spaces_not_apart"},
	} {
		f := health.Facts{Server: sound}
		tt.change(&f.Server)
		c := health.Judge(health.ServerInOrder, f, health.DefaultPolicy())
		if c.Result != tt.result || c.Reason != tt.reason || c.Next == "" {
			t.Errorf("%s: got %s, %s, %q", tt.name, c.Result, c.Reason, c.Next)
		}
	}
	away := engram.Errorf(engram.CodeUnavailable, "the database cannot be reached").WithHint("check that it runs")
	for id, want := range map[health.ID]health.Status{health.ServerInOrder: health.Failed, health.Integrity: health.Blocked, health.IndexInStep: health.Blocked, health.LockContention: health.Blocked} {
		f := health.Facts{Err: away, Server: health.Server{Part: health.Part{Known: true, Err: away}}, Log: health.Log{Part: health.Part{Known: true, Err: away}}}
		next := "Check that it runs."
		if want == health.Blocked {
			next = "Fix what database_server reports first."
		}
		if c := health.Judge(id, f, health.DefaultPolicy()); c.Result != want || c.Next != next {
			t.Errorf("a server that is away: %s is %s, %q", id, c.Result, c.Next)
		}
	}
	file := health.Facts{Path: "engram.db"}
	if c := health.Judge(health.ServerInOrder, file, health.DefaultPolicy()); c.Result != health.OK || health.Concerns(health.ServerInOrder, file) {
		t.Errorf("a file: %+v", c)
	}
	if c := health.Judge(health.DiskSpace, health.Facts{Server: sound}, health.DefaultPolicy()); c.Result != health.OK || health.Concerns(health.DiskSpace, health.Facts{Server: sound}) {
		t.Errorf("the disk of a server: %+v", c)
	}
}
