package gitchunks_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// An export in the folder is a batch of its present content.
func TestAnExportIsABatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := open(t, gitchunks.Options{Dir: dir, Project: "shop"})
	a := keep(t, r, engram.Batch{By: "ana", At: at(1)}, memory(1, "a"))
	path := filepath.Join(dir, ".engram", "memories.json")
	writeText(t, path, `{"version":"0.1.0","exported_at":"2026-01-02 03:04:05","sessions":[],"observations":[{"content":"from before"}],"prompts":[]}`)
	all, err := r.Batches(t.Context())
	if err != nil || len(all) != 2 || !strings.HasPrefix(all[0].ID, "memories.json@") || all[0].Memories != 1 || all[1] != a {
		t.Fatalf("batches: %+v, %v; want the export before the chunk", all, err)
	}
	records, err := readAll(t, r, all[0].ID)
	if err != nil || len(records) != 1 || records[0].Memory == nil || records[0].Memory.Memory.Content != "from before" || records[0].Memory.Memory.Project != "shop" {
		t.Errorf("records: %+v, %v", records, err)
	}
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := idsOf(t, readText(t, manifestPath(dir))); !slices.Equal(got, []string{a.ID}) {
		t.Errorf("the manifest lists %v, want the chunk alone", got)
	}
	writeText(t, path, `{"observations":[{"content":"another"}]}`)
	if again, err := r.Batches(t.Context()); err != nil || len(again) != 2 || again[0].ID == all[0].ID {
		t.Errorf("changed: %+v, %v; want another batch", again, err)
	}
	if _, err := readAll(t, r, all[0].ID); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("what it said before: %v, want that it is not there", err)
	}
	files, err := r.Files(t.Context())
	if err != nil || len(files) != 2 {
		t.Errorf("files: %+v, %v", files, err)
	}
	only, err := r.Some([]string{a.ID}).Batches(t.Context())
	if err != nil || len(only) != 1 || only[0] != a {
		t.Errorf("some: %+v, %v; want the chunk", only, err)
	}
}

// Never read more of a file than the limit.
func TestAChunkIsReadUpToALimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	large := `{"observations":[{"content":"` + strings.Repeat("a", 300<<10) + `"}]}`
	id := layPlain(t, dir, large)
	small := layPlain(t, dir, `{"observations":[{"content":"b"}]}`)
	r := open(t, gitchunks.Options{Dir: dir, Most: 256 << 10})
	if _, err := readAll(t, r, id); engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "was skipped") {
		t.Errorf("the large one: %v, want that it is left", err)
	}
	if records, err := readAll(t, r, small); err != nil || len(records) != 1 {
		t.Errorf("the small one: %d records, %v", len(records), err)
	}
	if records, err := readAll(t, open(t, gitchunks.Options{Dir: dir}), id); err != nil || len(records) != 1 {
		t.Errorf("without a limit: %d records, %v", len(records), err)
	}
}
