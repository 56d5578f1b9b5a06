package health_test

import (
	"testing"
	"time"

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
	file := health.Facts{Path: "engram.db"}
	if c := health.Judge(health.ServerInOrder, file, health.DefaultPolicy()); c.Result != health.OK || health.Concerns(health.ServerInOrder, file) {
		t.Errorf("a file: %+v", c)
	}
	if c := health.Judge(health.DiskSpace, health.Facts{Server: sound}, health.DefaultPolicy()); c.Result != health.OK || health.Concerns(health.DiskSpace, health.Facts{Server: sound}) {
		t.Errorf("the disk of a server: %+v", c)
	}
}
