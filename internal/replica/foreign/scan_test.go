package foreign_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// many is a database of the mem_* program with n numbered observations.
func many(t *testing.T, n int) string {
	t.Helper()
	return database(t, "engram.db", memSchema, `INSERT INTO sessions VALUES ('s1', 'shop', '/src/shop', '2026-01-02 03:04:05', NULL, NULL, NULL)`,
		fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO observations (session_id, type, title, content, project, created_at, updated_at)
			SELECT 's1', 'fact', 'Title ' || i, 'number ' || i || ' of those ' || hex(zeroblob(50)), 'shop', '2026-01-02 03:04:05', '2026-01-02 03:04:05' FROM n`, n),
		`INSERT INTO user_prompts (session_id, content, project, created_at) VALUES ('s1', 'What now?', 'shop', '2026-01-02 03:04:05')`)
}

// spoil overwrites the pages of a database that contain a text.
func spoil(t *testing.T, path string, texts ...string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		at := bytes.Index(b, []byte(text))
		if at < 4096 {
			t.Fatalf("%q is at %d", text, at)
		}
		page := b[at/4096*4096:][:4096]
		for i := range page {
			page[i] = 0x5a
		}
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Rows on undamaged pages are imported, and every gap is reported: each row is read or reported.
func TestWhatIsBehindADamagedPageComesIn(t *testing.T) {
	const n = 3000
	for _, tt := range []struct {
		name  string
		texts []string
	}{
		{"one in the middle", []string{"number 1500 of"}},
		{"two far apart", []string{"number 700 of", "number 2300 of"}},
		{"two beside each other", []string{"number 1500 of", "number 1520 of"}},
		{"the first", []string{"number 1 of"}},
		{"the last", []string{"number 3000 of"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := many(t, n)
			spoil(t, path, tt.texts...)
			all := must(t, source.Engram, path, source.Options{})
			read := map[int64]bool{}
			prompts := 0
			for _, r := range all.records {
				if r.Memory != nil {
					read[r.Memory.Memory.Num] = true
				}
				if r.Prompt != nil {
					prompts++
				}
			}
			lost, remark := n-len(read), 0
			for _, r := range all.records {
				var from, to int
				switch {
				case r.Flaw == nil:
				case strings.HasPrefix(r.Item, "observations, rows after "):
					if _, err := fmt.Sscanf(r.Item, "observations, rows after %d", &from); err != nil {
						t.Fatal(err)
					}
					remark += n - from
				case strings.HasPrefix(r.Item, "observations, rows before "):
					if _, err := fmt.Sscanf(r.Item, "observations, rows before %d", &to); err != nil {
						t.Fatal(err)
					}
					remark += to - 1
				default:
					if _, err := fmt.Sscanf(r.Item, "observations, rows %d to %d", &from, &to); err != nil {
						t.Fatalf("%s: %v", r.Item, err)
					}
					remark += to - from + 1
				}
				if r.Flaw != nil && engram.CodeOf(r.Flaw) != engram.CodeInvalid {
					t.Errorf("%s: %v", r.Item, r.Flaw)
				}
			}
			if lost == 0 || lost > 45*len(tt.texts) || remark != lost || prompts != 1 {
				t.Errorf("%d of %d rows are not read, %d are told, and %d prompts came; want some, all told, and one", lost, n, remark, prompts)
			}
		})
	}
}

// Any row is imported as far as possible; the rest is reported by its id.
func TestRowsThatHoldAnything(t *testing.T) {
	path := database(t, "engram.db",
		`CREATE TABLE sessions (id TEXT, project TEXT, directory TEXT, started_at TEXT)`,
		`CREATE TABLE observations (id INTEGER PRIMARY KEY, sync_id TEXT, session_id, type, title, content, project, revision_count, pinned, created_at, updated_at, deleted_at)`,
		`INSERT INTO sessions VALUES (NULL, NULL, NULL, 'yesterday')`,
		`INSERT INTO observations VALUES (1, NULL, NULL, NULL, NULL, 'no more than this', NULL, NULL, NULL, NULL, NULL, NULL),
			(2, '', 'gone', 'fact', x'ff00fe', 'a title of bytes', 'shop', 'three', 'yes', '0000-00-00', '2026-13-45 99:99:99', '2026-01-02 03:04:05'),
			(3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7.5, -1),
			(4, NULL, 's', 'fact', 'No content', NULL, 'shop', 1, 0, 1767323045, 1e300, NULL)`)
	all := must(t, source.Engram, path, source.Options{})
	if len(all.records) != 5 {
		t.Fatalf("%d records, want 5", len(all.records))
	}
	if m := all.records[1].Memory.Memory; m.Num != 1 || m.Content != "no more than this" || !m.CreatedAt.IsZero() {
		t.Errorf("the first is %+v", m)
	}
	if m := all.records[2].Memory.Memory; !m.CreatedAt.IsZero() || m.DeletedAt.IsZero() || all.records[2].Item != "observations 2" {
		t.Errorf("the second is %s %+v", all.records[2].Item, m)
	}
	if m := all.records[3].Memory.Memory; m.Content != "7" || m.CreatedAt.Unix() != 7 {
		t.Errorf("the third is %+v", m)
	}
	said := strings.Join(all.noted(), "\n")
	for _, want := range []string{"observations 2:", `its created_at is not a time: "0000-00-00"`, `its updated_at is not a time: "2026-13-45 99:99:99"`, `observations 3: its deleted_at is not a time: "-1"`,
		`observations 4: its updated_at is not a time: "1e+300"`, `sessions, row 1: its started_at is not a time: "yesterday"`} {
		if !strings.Contains(said, want) {
			t.Errorf("the notes lack %q:\n%s", want, said)
		}
	}
}
