package gitchunks_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// write writes a chunk to a repository.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ".engram", "chunks", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestHoldingFindsTheChunksThatMentionAMemory(t *testing.T) {
	t.Parallel()
	const id, other = "obs-0123456789abcdef", "obs-fedcba9876543210"
	dir := t.TempDir()
	small := write(t, dir, "aaaa.jsonl.gz", `{"observations":[{"sync_id":"`+id+`"}]}`)
	write(t, dir, "bbbb.jsonl.gz", `{"observations":[{"sync_id":"`+other+`"}]}`)
	// It crosses the end of a read.
	across := write(t, dir, "cccc.jsonl.gz", strings.Repeat("x", 1<<20-7)+id+strings.Repeat("y", 1<<20))
	write(t, dir, "dddd.txt", id)
	bad := filepath.Join(dir, ".engram", "chunks", "eeee.jsonl.gz")
	if err := os.WriteFile(bad, []byte("not gzip "+id), 0o600); err != nil {
		t.Fatal(err)
	}
	outside, linked := write(t, t.TempDir(), "ffff.jsonl.gz", id), filepath.Join(dir, ".engram", "chunks", "gggg.jsonl.gz")
	if err := os.Symlink(outside, linked); err != nil {
		t.Fatal(err)
	}
	cut := write(t, dir, "hhhh.jsonl.gz", strings.Repeat("abc", 1000)+id)
	if err := os.Truncate(cut, 30); err != nil {
		t.Fatal(err)
	}
	unread := []string{bad, linked, cut}
	for _, tt := range []struct {
		name         string
		ids          []string
		want, unread []string
	}{
		{"those that mention it, wherever", []string{id}, []string{small, across}, unread},
		{"one of several, of other lengths too", []string{"q", "obs-0000000000000000", "obs-99", "", id + "0", other}, []string{filepath.Join(dir, ".engram", "chunks", "bbbb.jsonl.gz")}, unread},
		{"nobody mentions it", []string{"obs-0000000000000000"}, nil, unread},
		{"nothing is asked", nil, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, unread, err := gitchunks.Holding(t.Context(), dir, tt.ids)
			if err != nil || !slices.Equal(got, tt.want) || !slices.Equal(unread, tt.unread) {
				t.Errorf("Holding(%v)\n got %v, unread %v, %v\nwant %v, unread %v", tt.ids, got, unread, err, tt.want, tt.unread)
			}
		})
	}
	if got, unread, err := gitchunks.Holding(t.Context(), t.TempDir(), []string{id}); err != nil || got != nil || unread != nil {
		t.Errorf("without chunks: got %v, unread %v, %v; want none", got, unread, err)
	}
}

func TestAFileInPlaceOfTheChunksIsUnread(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, ".engram", "chunks")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, unread, err := gitchunks.Holding(t.Context(), dir, []string{"obs-0123456789abcdef"})
	if err != nil || got != nil || !slices.Equal(unread, []string{path}) {
		t.Errorf("got %v, unread %v, %v; want unread %v", got, unread, err, path)
	}
}

// A bomb must not stop an erasure, and is not read to its end.
func TestAChunkThatIsTooLongIsUnread(t *testing.T) {
	t.Parallel()
	const id = "obs-0123456789abcdef"
	dir := t.TempDir()
	path := write(t, dir, "aaaa.jsonl.gz", strings.Repeat("\x00", 12<<20)+id)
	got, unread, err := gitchunks.Holding(t.Context(), dir, []string{id})
	if err != nil || got != nil || !slices.Equal(unread, []string{path}) {
		t.Errorf("got %v, unread %v, %v; want unread %v", got, unread, err, path)
	}
}

// An erasure is announced by the name of the memory: such a chunk holds nothing of it.
func TestAnErasureHoldsNothing(t *testing.T) {
	t.Parallel()
	file, recipient := identity(t)
	m := memory(1, "a")
	erased := engram.Record{Erased: &engram.Erased{Entity: engram.EntityMemory, ID: string(m.Memory.Memory.ID), SyncID: m.Memory.Memory.SyncID, At: 7}}
	ids := []string{m.Memory.Memory.SyncID}
	for _, sealed := range []bool{false, true} {
		dir := t.TempDir()
		o := gitchunks.Options{Dir: dir}
		if sealed {
			o.Recipients, o.IdentityFile = []string{recipient}, file
			if err := open(t, o).SetRecipients(o.Recipients); err != nil {
				t.Fatal(err)
			}
		}
		r := open(t, o)
		keep(t, r, engram.Batch{At: at(1)}, erased)
		if got, unread, err := gitchunks.Holding(t.Context(), dir, ids); err != nil || got != nil || sealed != (len(unread) == 1) {
			t.Errorf("sealed %v: got %v, unread %v, %v; want none", sealed, got, unread, err)
		}
		keep(t, r, engram.Batch{At: at(2)}, m, erased)
		if got, unread, err := gitchunks.Holding(t.Context(), dir, ids); err != nil || sealed && (got != nil || len(unread) != 2) || !sealed && len(got) != 1 {
			t.Errorf("sealed %v, with the memory: got %v, unread %v, %v", sealed, got, unread, err)
		}
	}
}
