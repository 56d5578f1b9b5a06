package gitchunks_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// Unusable chunks are in no manifest: neither in a rebuilt one, nor beside a written chunk, nor
// because an entry lists them.
func TestAManifestListsWhatCanBeUsed(t *testing.T) {
	t.Parallel()
	const bad = "0123abcd"
	packed := zipped(t, []byte(`{"observations":[{"content":"a"}]}`))
	for _, tt := range []struct {
		name string
		put  func(t *testing.T, dir, path string)
	}{
		{"a symbolic link", func(t *testing.T, dir, path string) {
			target := filepath.Join(dir, "elsewhere")
			writeText(t, target, string(packed))
			link(t, target, path)
		}},
		{"a folder", func(t *testing.T, _, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"no gzip", func(t *testing.T, dir, _ string) { lay(t, dir, bad, []byte("x")) }},
		{"cut off", func(t *testing.T, dir, _ string) { lay(t, dir, bad, packed[:len(packed)/2]) }},
		{"not what its name says", func(t *testing.T, dir, _ string) { lay(t, dir, bad, packed) }},
		{"one that unpacks without end", func(t *testing.T, dir, _ string) {
			lay(t, dir, bad, zeros(t, `{"engram":{"version":1,"by":"eve"},"observations":[]}`, 20))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			r := open(t, gitchunks.Options{Dir: dir})
			a := keep(t, r, engram.Batch{By: "ana", At: at(1)}, memory(1, "a"))
			fits := readText(t, manifestPath(dir))
			tt.put(t, dir, filepath.Join(dir, ".engram", "chunks", bad+".jsonl.gz"))
			for state, manifest := range map[string]string{"which fits": fits, "none": "", "which was spoilt and lists it": strings.Replace(fits, "\n{", "\n<<<\n{\"id\": \""+bad+"\"},\n{", 1)} {
				writeText(t, manifestPath(dir), manifest)
				r = open(t, gitchunks.Options{Dir: dir})
				if err := r.Settle(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := idsOf(t, readText(t, manifestPath(dir))); !slices.Equal(got, []string{a.ID}) {
					t.Errorf("with a manifest %s: it lists %v, want %v", state, got, []string{a.ID})
				}
				if anew := r.Anew(); (len(anew) > 0) != (state != "which fits") {
					t.Errorf("with a manifest %s: made anew %v", state, anew)
				}
			}
			b := keep(t, r, engram.Batch{By: "ana", At: at(2)}, memory(2, "b"))
			if got := idsOf(t, readText(t, manifestPath(dir))); !slices.Equal(got, []string{b.ID, a.ID}) {
				t.Errorf("after a write it lists %v, want %v", got, []string{b.ID, a.ID})
			}
		})
	}
}

// The age of another program's chunk without a manifest is unknown; it is not the year 1.
func TestAManifestMakesNoTimeUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	id := layPlain(t, dir, `{"observations":[{"content":"a"}]}`)
	r := open(t, gitchunks.Options{Dir: dir})
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := readText(t, manifestPath(dir))
	if !strings.Contains(got, `"created_at":""`) || strings.Contains(got, "0001-") || !strings.Contains(got, id) {
		t.Errorf("got %s\nwant the chunk %s without a time", got, id)
	}
	if all, err := r.Batches(t.Context()); err != nil || len(all) != 1 || !all[0].At.IsZero() {
		t.Errorf("batches: got %+v, %v; want one of no time", all, err)
	}
}
