package gitchunks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// listed returns the IDs that a program of the format reads from a manifest with JSON and the
// documented keys alone. A chunk listed twice is read twice, which changes nothing.
func listed(manifest []byte) (ids []string, err error) {
	var m struct {
		Version int
		Chunks  []struct {
			ID string `json:"id"`
		}
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, err
	}
	for _, c := range m.Chunks {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// side is a clone: its chunks and its manifest.
type side struct {
	manifest []byte
	chunks   map[string]engram.Batch
}

func (s *side) add(t *rapid.T, batches ...engram.Batch) {
	for _, b := range batches {
		s.chunks[b.ID] = b
	}
	s.settle(t)
}

func (s *side) settle(t *rapid.T) {
	var all []engram.Batch
	for _, b := range s.chunks {
		all = append(all, b)
	}
	text, err := gitchunks.ManifestOf(s.manifest, all)
	if err != nil {
		t.Fatal(err)
	}
	s.manifest = text
}

func (s *side) clone() *side {
	other := &side{slices.Clone(s.manifest), map[string]engram.Batch{}}
	for id, b := range s.chunks {
		other.chunks[id] = b
	}
	return other
}

func (s *side) ids() []string {
	ids := make([]string, 0, len(s.chunks))
	for id := range s.chunks {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Git's union of the manifests of two clones with a common ancestor is a manifest with the entries
// of both, for any clocks and any number of merges. Without an ancestor, all entries can be read at
// least.
func TestTheUnionOfManifestsIsOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	union := func(ours, base, theirs []byte) []byte {
		out, err := exec.Command("git", "merge-file", "-p", "--union", file("ours", ours), file("base", base), file("theirs", theirs)).Output()
		if err != nil {
			t.Fatalf("git merge-file: %v", err)
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		next := 0
		fresh := func() engram.Batch {
			next++
			return engram.Batch{ID: fmt.Sprintf("%08x", next), By: rapid.SampledFrom([]string{"ana", `b"en{`, "", "},"}).Draw(t, "by"),
				At: at(rapid.IntRange(-1000, 1000).Draw(t, "time")), Memories: 1}
		}
		some := func(s *side, least int) {
			for range rapid.IntRange(least, 3).Draw(t, "chunks") {
				s.add(t, fresh())
			}
		}
		base := &side{chunks: map[string]engram.Batch{}}
		apart := rapid.Bool().Draw(t, "begun apart")
		if !apart {
			some(base, 1)
		}
		for range rapid.IntRange(1, 4).Draw(t, "merges") {
			ours, theirs := base.clone(), base.clone()
			some(ours, 0)
			some(theirs, 0)
			if rapid.Bool().Draw(t, "picked") { // a commit of theirs came before: the same chunk on both sides
				b := fresh()
				ours.add(t, b)
				theirs.add(t, b)
			}
			both := ours.clone()
			for id, b := range theirs.chunks {
				both.chunks[id] = b
			}
			both.manifest = union(ours.manifest, base.manifest, theirs.manifest)
			if got := gitchunks.ManifestIDs(both.manifest); !slices.Equal(got, both.ids()) && len(both.chunks) > 0 {
				t.Fatalf("of\n%s\nand\n%s\ncame\n%s\nin which are read %v, want %v", ours.manifest, theirs.manifest, both.manifest, got, both.ids())
			}
			if len(base.chunks) > 0 {
				if got, err := listed(both.manifest); err != nil || !slices.Equal(got, both.ids()) {
					t.Fatalf("of\n%s\nand\n%s\ncame\n%s\nwhich lists %v, %v, want %v", ours.manifest, theirs.manifest, both.manifest, got, err, both.ids())
				}
			}
			both.settle(t)
			base = both
		}
	})
}

// A manifest of another program, over several lines and oldest first, loses nothing: the merge is
// read as far as possible, and names every chunk.
func TestTheUnionWithAManifestOverSeveralLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := open(t, gitchunks.Options{Dir: dir})
	keep(t, r, engram.Batch{By: "ana", At: at(1)}, memory(1, "a"))
	var file map[string]any
	if err := json.Unmarshal([]byte(readText(t, manifestPath(dir))), &file); err != nil {
		t.Fatal(err)
	}
	base, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file["chunks"] = append(file["chunks"].([]any), map[string]any{"id": "0123abcd", "created_by": "ben", "created_at": "2026-01-02T03:04:05Z", "sessions": 0, "memories": 1, "prompts": 0})
	theirs, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	keep(t, r, engram.Batch{By: "ana", At: at(2)}, memory(2, "b"))
	for name, text := range map[string]string{"base": string(base), "theirs": string(theirs)} {
		writeText(t, filepath.Join(dir, name), text)
	}
	out, err := exec.Command("git", "merge-file", "-p", "--union", manifestPath(dir), filepath.Join(dir, "base"), filepath.Join(dir, "theirs")).Output()
	if err != nil {
		t.Fatal(err)
	}
	whole := readText(t, manifestPath(dir))
	writeText(t, manifestPath(dir), string(out))
	notes, err := r.ManifestFaults(t.Context())
	if err != nil || !slices.ContainsFunc(notes, func(n engram.ImportNote) bool { return n.Item == "0123abcd" }) {
		t.Errorf("of\n%s\nis told %+v, %v; want that there is no file of 0123abcd", out, notes, err)
	}
	if err := r.Settle(t.Context()); err != nil || readText(t, manifestPath(dir)) != whole {
		t.Errorf("got %v,\n%s\nwant\n%s", err, readText(t, manifestPath(dir)), whole)
	}
}
