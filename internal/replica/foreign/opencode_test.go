package foreign_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/opencode"
)

// openCodeSchema has the columns of OpenCode's tables that are read, and some others.
const openCodeSchema = `CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL, directory text NOT NULL, title text NOT NULL,
	time_created integer NOT NULL, time_updated integer NOT NULL, time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL)`

const openCodeRows = `INSERT INTO session VALUES ('ses_a', 'p', NULL, 'a', '/src/shop', 'A', 1000, 2000, NULL), ('ses_b', 'p', NULL, 'b', '/src/bank', 'B', 1000, 3000, NULL),
	('ses_c', 'p', 'ses_a', 'c', '/src/shop', 'of a subagent', 1000, 4000, NULL);
INSERT INTO message VALUES ('msg_2', 'ses_a', 1200, 1200, '{"role":"assistant"}'), ('msg_1', 'ses_a', 1100, 1100, '{"role":"user"}'), ('msg_3', 'ses_c', 1000, 1000, '{"role":"user"}');
INSERT INTO part VALUES ('prt_2', 'msg_2', 'ses_a', 1300, 1300, '{"n":2}'), ('prt_3', 'msg_2', 'ses_a', 1400, 1400, '{"n":3}'), ('prt_1', 'msg_1', 'ses_a', 1100, 1100, '{"n":1}'),
	('prt_4', 'msg_3', 'ses_c', 1000, 1000, '{"n":4}')`

func TestOpenCode(t *testing.T) {
	path := database(t, "opencode.db", openCodeSchema, openCodeRows)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var asked, parts []string
	err = opencode.Read(context.Background(), path, t.TempDir(), func(s opencode.Session) bool {
		asked = append(asked, s.ID+" "+s.Directory)
		return s.Directory == "/src/shop"
	}, func(s opencode.Session, p opencode.Part) bool {
		parts = append(parts, s.ID+p.Message+p.Part)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"ses_b /src/bank", "ses_a /src/shop"}; !reflect.DeepEqual(asked, want) {
		t.Errorf("asked about %q, want the newest first, and none of subagents: %q", asked, want)
	}
	if want := []string{`ses_a{"role":"user"}{"n":1}`, `ses_a{"role":"assistant"}{"n":2}`, `ses_a{"role":"assistant"}{"n":3}`}; !reflect.DeepEqual(parts, want) {
		t.Errorf("got %q, want %q", parts, want)
	}
	after, err := os.ReadFile(path)
	left, _ := filepath.Glob(path + "*")
	if err != nil || !reflect.DeepEqual(before, after) || len(left) != 1 {
		t.Errorf("the database was changed, or something was left beside it: %q, %v", left, err)
	}
}

func TestOpenCodeInUse(t *testing.T) {
	path := database(t, "opencode.db", openCodeSchema)
	db := connect(t, path)
	defer func() { _ = db.Close() }()
	for _, s := range []string{"PRAGMA journal_mode = WAL", openCodeRows} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	temp, n := t.TempDir(), 0
	err := opencode.Read(context.Background(), path, temp, func(opencode.Session) bool { return true }, func(opencode.Session, opencode.Part) bool {
		n++
		return n < 2
	})
	left, _ := os.ReadDir(temp)
	if err != nil || n != 2 || len(left) != 0 {
		t.Errorf("read %d parts, %v, left %v; want 2 of what stands in its log, and no copy left", n, err, left)
	}
}

func TestOpenCodeThatIsNone(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		want       engram.Code
	}{
		{"nothing", filepath.Join(t.TempDir(), "opencode.db"), engram.CodeNotFound},
		{"another program's", database(t, "opencode.db", `CREATE TABLE notes (id integer)`), engram.CodeInvalid},
		{"one of another time", database(t, "opencode.db", strings.Replace(openCodeSchema, "directory text", "folder text", 1)), engram.CodeConflict},
		{"no database", "opencode_test.go", engram.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := opencode.Read(context.Background(), tt.path, "", func(opencode.Session) bool { return true }, func(opencode.Session, opencode.Part) bool { return true })
			if engram.CodeOf(err) != tt.want {
				t.Errorf("%s: %v, want %s", tt.path, err, tt.want)
			}
		})
	}
}
