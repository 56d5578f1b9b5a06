package postgres_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// examined returns the facts about a space, and which checks are not in order.
func examined(t *testing.T, o postgres.Options, full bool) (f health.Facts, wrong []string) {
	t.Helper()
	f, err := postgres.Examine(t.Context(), o, health.Query{Checks: health.IDs(), Full: full, Now: storetest.Day().Add(time.Hour), Most: 5, Model: storetest.TestModel(),
		Digest: func(string) string { return strings.Repeat("ab", 32) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range health.IDs() {
		if !health.Concerns(id, f) || slices.Contains([]health.ID{health.LockContention, health.Secrets}, id) {
			continue // they need the open store
		}
		if c := health.Judge(id, f, health.DefaultPolicy()); c.Result != health.OK {
			wrong = append(wrong, string(id)+": "+c.Message)
		}
	}
	return f, wrong
}

func TestExamine(t *testing.T) {
	server := postgrestest.Start(t)
	database := server.Fresh(t)
	now := storetest.Day()
	o := postgres.Options{URL: database, Space: postgrestest.Space(), Version: "1.2", Now: func() time.Time { now = now.Add(time.Millisecond); return now }}
	if f, wrong := examined(t, o, true); !f.Missing || len(wrong) > 0 {
		t.Errorf("an empty database: missing %v, %v", f.Missing, wrong)
	}
	if got := server.SQL(t, database, "SELECT count(*) FROM pg_class WHERE relname = 'heads'"); got != "0\n" {
		t.Error("an examination makes tables")
	}
	s, err := postgres.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Update(t.Context(), func(tx engram.Tx) error { return storetest.Fill(t.Context(), tx, "text") }); err != nil {
		t.Fatal(err)
	}
	f, wrong := examined(t, o, true)
	if len(wrong) > 0 {
		t.Errorf("a sound space: %v", wrong)
	}
	x := f.Server
	if f.Missing || !strings.HasPrefix(x.Version, "1") || x.Schema != 1 || x.Newer != 0 || x.Latency != time.Millisecond || x.Bytes < 1<<20 || x.Pooled || !x.Prepared || x.Open || x.ReadOnly {
		t.Errorf("server %+v", x)
	}
	if p := f.Programs.List; len(p) != 1 || p[0].Version != "1.2" || p[0].First.Before(storetest.Day()) || p[0].Last != p[0].First {
		t.Errorf("programs %+v", p)
	}
	if f.Names["alias"] != "app" || f.Vectors.Have != 2 || len(f.Sessions.List) != 2 {
		t.Errorf("names %v, vectors %+v, sessions %+v", f.Names, f.Vectors, f.Sessions.List)
	}
	other := o
	other.Space = postgrestest.Space()
	if f, wrong := examined(t, other, false); !f.Missing || len(wrong) > 0 {
		t.Errorf("another space: missing %v, %v", f.Missing, wrong)
	}

	server.SQL(t, database, `UPDATE memories SET hash = '\xff', sync_id = '' WHERE num = 2; UPDATE mutations SET was = '{' WHERE seq = 2;
		ALTER TABLE tags DISABLE ROW LEVEL SECURITY; DELETE FROM vectors WHERE memory = 2; UPDATE sessions SET active_at = 9000000000000 WHERE id = 's'; DELETE FROM unsealed WHERE memory = 1`)
	_, wrong = examined(t, o, true)
	for _, want := range []string{"database_integrity: The database is damaged: table tags has no row-level security", "index_in_step: The index of words is", "vectors_in_step: ", "sync_mutation_required_fields: 1 memory lacks", "clock_moved_backwards: "} {
		if !slices.ContainsFunc(wrong, func(w string) bool { return strings.HasPrefix(w, want) }) {
			t.Errorf("%q is not among %q", want, wrong)
		}
	}
	server.SQL(t, database, `ALTER TABLE tags ENABLE ROW LEVEL SECURITY; UPDATE memories SET sync_id = 'x' WHERE num = 2`)
	f, wrong = examined(t, o, true)
	if f.Damage.Altered.Count != 1 || f.Records.Entries.Count != 1 || len(wrong) < 3 {
		t.Errorf("altered %+v, entries %+v, %v", f.Damage.Altered, f.Records.Entries, wrong)
	}
}

// TestExamineAway examines what cannot be reached: it says so, without a password.
func TestExamineAway(t *testing.T) {
	f, wrong := examined(t, postgres.Options{URL: "postgres://u:hunter2@127.0.0.1:1/db?connect_timeout=2", Space: postgrestest.Space()}, false)
	if engram.CodeOf(f.Err) != engram.CodeUnavailable || len(wrong) < 5 || !strings.Contains(wrong[0], "cannot be reached") {
		t.Errorf("got %v, %v", f.Err, wrong)
	}
	if all := strings.Join(wrong, " ") + f.Err.Error() + engram.HintOf(f.Err); strings.Contains(all, "hunter2") {
		t.Errorf("the password is in %s", all)
	}
}

func TestExaminePooler(t *testing.T) {
	server := postgrestest.Start(t)
	through := server.Pooler(t, server.Fresh(t))
	space := postgrestest.Space()
	open(t, server, space, func(o *postgres.Options) { o.URL = through })
	f, wrong := examined(t, postgres.Options{URL: through, Space: space}, false)
	if !f.Server.Pooled || f.Server.Prepared || len(wrong) > 0 {
		t.Errorf("through a pooler: %+v, %v", f.Server, wrong)
	}
	plain := strings.Replace(through, "default_query_exec_mode=exec", "default_query_exec_mode=cache_statement", 1)
	if f, err := postgres.Examine(t.Context(), postgres.Options{URL: plain, Space: space}, health.Query{}); err != nil || !f.Server.Pooled || !f.Server.Prepared {
		t.Errorf("with prepared statements: %+v, %v", f.Server, err)
	}
}

func TestProbe(t *testing.T) {
	server := postgrestest.Start(t)
	space := postgrestest.Space()
	s := open(t, server, space)
	if l := s.Probe(t.Context()); l.Locked || l.Err != nil || !l.Known {
		t.Errorf("free: %+v", l)
	}
	err := s.Update(t.Context(), func(engram.Tx) error {
		if l := s.Probe(t.Context()); !l.Locked || l.Err != nil {
			t.Errorf("held: %+v", l)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if file, err := s.Backup(t.Context(), "doctor", storetest.Day); err != nil || file != "" {
		t.Errorf("backup: %q, %v; the host of the server makes them", file, err)
	}
}

// TestRemove removes a space with everything in it, and nothing of another.
func TestRemove(t *testing.T) {
	server := postgrestest.Start(t)
	database := server.Fresh(t)
	own, other := postgrestest.Space(), postgrestest.Space()
	for _, space := range []string{own, other} {
		s := open(t, server, space, func(o *postgres.Options) { o.URL = database })
		if err := s.Update(t.Context(), func(tx engram.Tx) error { return storetest.Fill(t.Context(), tx, "text") }); err != nil {
			t.Fatal(err)
		}
	}
	before := contents(t, server, database, other)
	if err := postgres.Remove(t.Context(), postgres.Options{URL: database, Space: own}); err != nil {
		t.Fatal(err)
	}
	if after := contents(t, server, database, other); after != before {
		t.Errorf("the other space was\n%s\nand is\n%s", before, after)
	}
	for line := range strings.Lines(contents(t, server, database, own)) {
		if fields := strings.Split(line, "|"); len(fields) != 3 || fields[1] != "0" {
			t.Errorf("left: %s", line)
		}
	}
	fresh := open(t, server, own, func(o *postgres.Options) { o.URL = database })
	if err := fresh.Update(t.Context(), func(tx engram.Tx) error { return storetest.Fill(t.Context(), tx, "again") }); err != nil {
		t.Errorf("made anew: %v", err)
	}
}
