package gitchunks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

func manifestPath(dir string) string { return filepath.Join(dir, ".engram", "manifest.json") }

func readText(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeText(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// idsOf returns the IDs in a manifest, which must be valid.
func idsOf(t testing.TB, manifest string) (ids []string) {
	t.Helper()
	var m struct {
		Version int
		Chunks  []struct {
			ID        string `json:"id"`
			CreatedBy string `json:"created_by"`
		}
	}
	if err := json.Unmarshal([]byte(manifest), &m); err != nil || m.Version != 1 {
		t.Fatalf("%v: %s", err, manifest)
	}
	for _, c := range m.Chunks {
		ids = append(ids, c.ID)
	}
	return ids
}

// Settle restores a manifest after any change: Engram's chunks name their author.
func TestAManifestIsMadeAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := open(t, gitchunks.Options{Dir: dir})
	a := keep(t, r, engram.Batch{By: "ana", At: at(1)}, memory(1, "a"))
	b := keep(t, r, engram.Batch{By: "ben", At: at(2)}, memory(2, "b"))
	whole := readText(t, manifestPath(dir))
	if got := idsOf(t, whole); !slices.Equal(got, []string{b.ID, a.ID}) {
		t.Fatalf("the manifest lists %v, want the newest first: %v", got, []string{b.ID, a.ID})
	}
	lines := strings.SplitAfter(whole, "\n")
	entries := lines[1] + lines[2]
	for name, spoilt := range map[string]string{
		"empty":                     "",
		"cut off":                   whole[:len(whole)/2],
		"with merge markers":        strings.Replace(whole, entries, "<<<<<<< HEAD\n"+lines[1]+"=======\n"+lines[1]+">>>>>>> theirs\n"+lines[2], 1),
		"lines of both sides":       strings.Replace(whole, entries, entries+entries, 1),
		"two that were begun apart": lines[0] + lines[2] + strings.Replace(lines[1], ",\n", "\n", 1) + lines[3],
		"a comma behind the last":   strings.Replace(whole, lines[2], strings.TrimSpace(lines[2])+",\n", 1),
		"an entry twice":            strings.Replace(whole, lines[1], lines[1]+lines[1], 1),
		"over several lines, with the marks of a merge": "{\n  \"version\": 1,\n  \"chunks\": [\n    {\n<<<<<<< ours\n      \"id\": \"" + a.ID + "\",\n=======\n      \"id\": \"" + b.ID + "\",\n>>>>>>> theirs\n      \"created_by\": \"ben\"\n    }\n  ]\n}\n",
		"two entries in one, as git merges them":        `{"version":1,"chunks":[{"id":"` + a.ID + `","created_by":"eve","id":"` + b.ID + `","created_by":"ana"}]}`,
		"an entry that says itself twice":               strings.Replace(whole, `"created_by":"ben"`, `"created_by":"eve","created_by":"ben"`, 1),
		"an entry is missing":                           `{"version":1,"chunks":[{"id":"` + a.ID + `"}]}`,
		"an entry of nothing":                           strings.Replace(whole, b.ID, "00000000", 1),
		"an entry that leads elsewhere":                 strings.Replace(whole, b.ID, "../../etc/passwd", 1),
		"another shape":                                 `[]`,
		"a text":                                        `"x"`,
		"null":                                          `null`,
		"no version":                                    strings.Replace(whole, `"version":1`, `"version":0`, 1),
		"numbers that are texts":                        strings.Replace(whole, `"memories":1`, `"memories":"1"`, 1),
		"no text":                                       "\x00\xff\xfe{",
	} {
		writeText(t, manifestPath(dir), spoilt)
		fresh := open(t, gitchunks.Options{Dir: dir})
		batches, err := fresh.Batches(t.Context())
		if err != nil || !slices.Equal(batches, []engram.Batch{a, b}) {
			t.Errorf("%s: batches\n got %+v, %v\nwant %+v", name, batches, err, []engram.Batch{a, b})
		}
		if err := fresh.Settle(t.Context()); err != nil {
			t.Errorf("%s: settle: %v", name, err)
		}
		if got := readText(t, manifestPath(dir)); got != whole {
			t.Errorf("%s: the manifest is now\n%s\nwant\n%s", name, got, whole)
		}
	}
	if err := os.Remove(manifestPath(dir)); err != nil {
		t.Fatal(err)
	}
	if err := r.Settle(t.Context()); err != nil || readText(t, manifestPath(dir)) != whole {
		t.Errorf("removed: got %v, %s; want\n%s", err, readText(t, manifestPath(dir)), whole)
	}
}

// What only the manifest knows about another program's chunk is kept, if it can be attributed.
func TestWhatAManifestAloneKnowsIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	id := layPlain(t, dir, `{"sessions":null,"observations":[{"content":"a"}],"prompts":null}`)
	mixed := layPlain(t, dir, `{"sessions":null,"observations":[{"content":"b"}],"prompts":null}`)
	entry := func(id, by string) string {
		return `    {` + "\n" + `      "id": "` + id + `",` + "\n" + `      "created_by": "` + by + `",` + "\n" + `      "created_at": "2026-01-02T03:04:05Z",` + "\n" + `      "sessions": 0,` + "\n" + `      "memories": 1,` + "\n" + `      "prompts": 0` + "\n    }"
	}
	two := strings.Replace(entry(mixed, "ben"), `"created_by"`, `"created_by": "eve",`+"\n"+`      "created_by"`, 1)
	writeText(t, manifestPath(dir), "{\n  \"version\": 1,\n  \"chunks\": [\n<<<<<<< ours\n"+entry(id, "ana")+"\n=======\n"+two+"\n>>>>>>> theirs\n  ]\n}\n")
	r := open(t, gitchunks.Options{Dir: dir})
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []engram.Batch{{ID: mixed, Memories: 1}, {ID: id, By: "ana", At: at(5), Memories: 1}}
	if got, err := r.Batches(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	if got := idsOf(t, readText(t, manifestPath(dir))); !slices.Equal(got, []string{id, mixed}) {
		t.Errorf("the manifest lists %v, want %v", got, []string{id, mixed})
	}
}

// Manifests of two clones merged by git, line by line: valid JSON, but not true.
func TestAMergeThatMixedEntries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := layPlain(t, dir, `{"observations":[{"content":"a"}]}`)
	b := layPlain(t, dir, `{"observations":[{"content":"b"}]}`)
	writeText(t, manifestPath(dir), `{"version":1,"chunks":[{"id":"`+a+`","created_by":"ben","id":"`+b+`","created_at":"2026-01-02T03:04:05Z","memories":1}]}`)
	r := open(t, gitchunks.Options{Dir: dir})
	want := []engram.Batch{{ID: a, Memories: 1}, {ID: b, Memories: 1}}
	slices.SortFunc(want, func(a, b engram.Batch) int { return strings.Compare(a.ID, b.ID) })
	if got, err := r.Batches(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v\nwant %+v: nobody knows who made which", got, err, want)
	}
	if err := r.Settle(t.Context()); err != nil || len(idsOf(t, readText(t, manifestPath(dir)))) != 2 {
		t.Errorf("settle: %v\n%s", err, readText(t, manifestPath(dir)))
	}
}

func TestSettlingTouchesNothingThatFits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := open(t, gitchunks.Options{Dir: dir})
	if err := r.Settle(t.Context()); err != nil || listing(t, dir) != dir+" 0\n" {
		t.Errorf("in a repository without memory: got %v and\n%s\nwant that nothing is made", err, listing(t, dir))
	}
	b := keep(t, r, engram.Batch{By: "ana", At: at(1)}, memory(1, "a"))
	// Written by hand, in another order and form, and with another attribute: it fits.
	other := `{"chunks":[{"id":"` + b.ID + `","created_at":"2026-01-02T03:04:01Z","created_by":"ana"}],"version":1}`
	writeText(t, manifestPath(dir), other)
	attributes := filepath.Join(dir, ".engram", ".gitattributes")
	writeText(t, attributes, "mine\n")
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := readText(t, manifestPath(dir)); got != other {
		t.Errorf("the manifest\n got %s\nwant %s", got, other)
	}
	if got := readText(t, attributes); got != "mine\n" {
		t.Errorf("somebody's .gitattributes\n got %s", got)
	}
}

func TestAManifestOfANewerVersionIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := open(t, gitchunks.Options{Dir: dir})
	a := keep(t, r, engram.Batch{At: at(1)}, memory(1, "a"))
	for _, text := range []string{`{"version":2,"chunks":"elsewhere"}`, `{"version":3}`} {
		writeText(t, manifestPath(dir), text)
		if err := r.Settle(t.Context()); engram.CodeOf(err) != engram.CodeConflict || readText(t, manifestPath(dir)) != text {
			t.Errorf("settle %s: got %v, want a conflict, and the file as it was", text, err)
		}
	}
	writeText(t, manifestPath(dir), `{"version":2,"chunks":[]}`)
	before := listing(t, dir)
	if _, err := r.Write(t.Context(), engram.Batch{At: at(2)}, []engram.Record{memory(2, "b")}); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("write: got %v, want a conflict", err)
	}
	if after := listing(t, dir); after != before {
		t.Errorf("after a write that was refused there is\n%s\nwant\n%s", after, before)
	}
	if got, err := r.Batches(t.Context()); err != nil || len(got) != 1 || got[0] != a {
		t.Errorf("batches: got %+v, %v; want the chunk that is there", got, err)
	}
}

func TestGitIsToldHowToMerge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep(t, open(t, gitchunks.Options{Dir: dir}), engram.Batch{}, memory(1, "a"))
	for name, want := range map[string][]string{".gitattributes": {"\nmanifest.json text eol=lf merge=union\n", "\nchunks/** binary\n"}, ".gitignore": {".tmp-*\n"}} {
		text := readText(t, filepath.Join(dir, ".engram", name))
		for _, line := range want {
			if !strings.Contains(text, line) {
				t.Errorf("%s\n got %s\nwant a line %q", name, text, line)
			}
		}
	}
}

// Leftovers of killed writes are removed, files of running writes are not.
func TestLeftoversAreSwept(t *testing.T) {
	dir := t.TempDir()
	now := time.Now().UTC()
	r := open(t, gitchunks.Options{Dir: dir, Now: func() time.Time { return now }})
	keep(t, r, engram.Batch{At: at(1)}, memory(1, "a"))
	before := listing(t, dir)
	for _, folder := range []string{".engram", ".engram/chunks"} {
		path := filepath.Join(dir, folder, ".tmp-0123456789abcdef")
		writeText(t, path, "half")
		if err := os.Chtimes(path, now, now.Add(-2*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := open(t, gitchunks.Options{Dir: dir}).Settle(t.Context()); err != nil || listing(t, dir) == before {
		t.Errorf("without a clock: got %v and\n%s\nwant that nothing is taken away", err, listing(t, dir))
	}
	young := filepath.Join(dir, ".engram", "chunks", ".tmp-fedcba9876543210")
	writeText(t, young, "half")
	if err := r.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(young); err != nil {
		t.Errorf("what is being written: %v", err)
	}
	if after := listing(t, dir); after != before {
		t.Errorf("got\n%s\nwant\n%s", after, before)
	}
}
