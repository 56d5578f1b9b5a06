package sqlite_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/file"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// An erase reports the copies that contain the memory, and those that could not be read.
func TestHoldingReportsBackupsWithAMemoryAndUnreadableOnes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a] folder") // not a glob pattern
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, filepath.Join(dir, "engram.db"))
	ms := saveCorpus(t, s, storetest.NewCorpus(1), 1, nil)
	with, err := s.Backup(t.Context(), "doctor", now)
	if err != nil {
		t.Fatal(err)
	}
	backups := filepath.Dir(with)
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(backups, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	unread := []string{write("aaa-damaged.db", "no database, though one may have been here"), write("zzz-empty.db", "")}
	write("notes.txt", "something else")
	for _, tt := range []struct {
		name, dir    string
		ids          []engram.ID
		want, unread []string
	}{
		{"it is in one", backups, []engram.ID{"another", ms[0].ID}, []string{with}, unread},
		{"it is in none", backups, []engram.ID{"another"}, nil, unread},
		{"nothing is asked", backups, nil, nil, nil},
		{"there are no backups", filepath.Join(dir, "nothing"), []engram.ID{ms[0].ID}, nil, nil},
		{"a file is in the place of the folder", with, []engram.ID{ms[0].ID}, nil, []string{with}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, unread, err := file.Holding(t.Context(), tt.dir, tt.ids)
			if err != nil || !slices.Equal(got, tt.want) || !slices.Equal(unread, tt.unread) {
				t.Errorf("Holding(%s, %v)\n got %v, unread %v, %v\nwant %v, unread %v", tt.dir, tt.ids, got, unread, err, tt.want, tt.unread)
			}
		})
	}
}
