package gitchunks_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// write puts a chunk into a repository.
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
	const id, other = "obs-0123456789abcdef", "obs-fedcba9876543210"
	dir := t.TempDir()
	small := write(t, dir, "aaaa.jsonl.gz", `{"observations":[{"sync_id":"`+id+`"}]}`)
	write(t, dir, "bbbb.jsonl.gz", `{"observations":[{"sync_id":"`+other+`"}]}`)
	// It stands across the end of what is read at once.
	across := write(t, dir, "cccc.jsonl.gz", strings.Repeat("x", 1<<20-7)+id+strings.Repeat("y", 1<<20))
	write(t, dir, "dddd.txt", id)
	if err := os.WriteFile(filepath.Join(dir, ".engram", "chunks", "eeee.jsonl.gz"), []byte("not gzip "+id), 0o600); err != nil {
		t.Fatal(err)
	}
	outside := write(t, t.TempDir(), "ffff.jsonl.gz", id)
	if err := os.Symlink(outside, filepath.Join(dir, ".engram", "chunks", "gggg.jsonl.gz")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		ids  []string
		want []string
	}{
		{"those that mention it, wherever", []string{id}, []string{small, across}},
		{"nobody mentions it", []string{"obs-0000000000000000"}, nil},
		{"nothing is asked", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := gitchunks.Holding(t.Context(), dir, tt.ids)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("Holding(%v)\n got %v, %v\nwant %v", tt.ids, got, err, tt.want)
			}
		})
	}
	if got, err := gitchunks.Holding(t.Context(), t.TempDir(), []string{id}); err != nil || got != nil {
		t.Errorf("without chunks: got %v, %v; want none", got, err)
	}
}
