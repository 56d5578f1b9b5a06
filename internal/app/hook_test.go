package app_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

// What cannot be written into a file that this program cannot open waits until it can: the
// file may be put back, and the program be made a newer one.
func TestWhatIsToldWhileTheStoreCannotBeOpenedIsKept(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(whole []byte) []byte
	}{
		{"a newer program has changed it", func(whole []byte) []byte {
			binary.BigEndian.PutUint32(whole[60:], 1<<20) // user_version, https://sqlite.org/fileformat2.html
			return whole
		}},
		{"another program's", func(whole []byte) []byte {
			binary.BigEndian.PutUint32(whole[68:], 7) // application_id
			return whole
		}},
		{"no database", func([]byte) []byte { return []byte(strings.Repeat("what is this? ", 1<<10)) }},
		{"half of one", func(whole []byte) []byte { return whole[:len(whole)/2] }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "engram.db")
			a := newApp(t, dir)
			save(t, a, "Chose Postgres because of pgvector")
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, string(tt.spoil([]byte(string(whole)))))
			for _, event := range []string{"prompt", "after-compact", "session-end"} {
				logOf(t, dir, "codex", event, `{"session_id":"s1","prompt":"why do logins expire?","compact_summary":"We mended the logins"}`)
			}
			for _, left := range []string{path + "-wal", path + "-shm"} {
				if err := os.RemoveAll(left); err != nil {
					t.Fatal(err)
				}
			}
			write(t, path, string(whole))
			logOf(t, dir, "codex", "session-start", `{"session_id":"s2"}`)
			a = newApp(t, dir)
			ps, err := a.Engine.Prompts(t.Context(), "", engram.Page{})
			if err != nil || len(ps) != 1 || ps[0].Content != "why do logins expire?" {
				t.Errorf("prompts %+v, %v", ps, err)
			}
			if s, err := a.Engine.Session(t.Context(), "s1"); err != nil || s.EndedAt.IsZero() {
				t.Errorf("the session is %+v, %v", s, err)
			}
			ms, err := a.Engine.List(t.Context(), engram.Filter{SessionID: "s1"}, engram.Page{})
			if err != nil || len(ms) != 1 {
				t.Errorf("summaries %+v, %v", ms, err)
			}
		})
	}
}
