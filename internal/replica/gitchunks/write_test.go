package gitchunks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// 8 hex digits are few: an existing file of that name is neither trusted nor overwritten.
func TestANameThatIsTaken(t *testing.T) {
	t.Parallel()
	fresh := t.TempDir()
	want := keep(t, open(t, gitchunks.Options{Dir: fresh}), engram.Batch{By: "ana", At: at(1)}, memory(1, "a"))
	for name, taken := range map[string]string{
		"by another chunk":   `{"sessions":null,"observations":[]}`,
		"by what is no JSON": "x",
	} {
		for _, suffix := range []string{".jsonl.gz", ".jsonl.gz.age"} {
			dir := t.TempDir()
			path := filepath.Join(dir, ".engram", "chunks", want.ID+suffix)
			lay(t, dir, want.ID, zipped(t, []byte(taken)))
			if err := os.Rename(filepath.Join(dir, ".engram", "chunks", want.ID+".jsonl.gz"), path); err != nil {
				t.Fatal(err)
			}
			before := readText(t, path)
			r := open(t, gitchunks.Options{Dir: dir})
			b := keep(t, r, engram.Batch{By: "ana", At: at(1)}, memory(1, "a"))
			if b.ID == want.ID || b.By != "ana" || !b.At.Equal(at(1)) || b.Memories != 1 {
				t.Errorf("%s%s: got %+v, want the same under another ID than %s", name, suffix, b, want.ID)
			}
			if records, err := readAll(t, r, b.ID); err != nil || len(records) != 1 || records[0].Memory.Memory.Content != "a" {
				t.Errorf("%s%s: read: %+v, %v", name, suffix, records, err)
			}
			if readText(t, path) != before {
				t.Errorf("%s%s: what was there has changed", name, suffix)
			}
			if again := keep(t, r, engram.Batch{By: "ben", At: at(2)}, memory(1, "a")); again != b {
				t.Errorf("%s%s: written again: got %+v, want %+v", name, suffix, again, b)
			}
		}
	}
}

// A chunk that falsely claims to have these records must not keep them from being pushed.
func TestAChunkThatClaimsOthersRecords(t *testing.T) {
	t.Parallel()
	mine := t.TempDir()
	b := keep(t, open(t, gitchunks.Options{Dir: mine}), engram.Batch{At: at(1)}, memory(1, "a"))
	plain := string(plainOf(t, mine, b.ID))
	head, _, _ := strings.Cut(plain, `,"sessions"`)
	dir := t.TempDir()
	layPlain(t, dir, head+`,"sessions":null,"observations":[],"prompts":null}`)
	r := open(t, gitchunks.Options{Dir: dir})
	if got := keep(t, r, engram.Batch{At: at(1)}, memory(1, "a")); got != b {
		t.Errorf("got %+v, want %+v", got, b)
	}
	if batches, err := r.Batches(t.Context()); err != nil || len(batches) != 2 {
		t.Errorf("got %+v, %v; want both chunks", batches, err)
	}
}

func TestRecordsThatAreTooMuch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := open(t, gitchunks.Options{Dir: dir})
	before := listing(t, dir)
	big := memory(1, strings.Repeat("a", 33<<20))
	big.Memory.Revisions = []engram.Revision{{Number: 1, Content: strings.Repeat("b", 33<<20)}}
	same := memory(1, strings.Repeat("a", 9<<20))
	for name, rec := range map[string]engram.Record{"larger than 64 MiB": big, "more than 200 times": same} {
		if b, err := r.Write(t.Context(), engram.Batch{}, []engram.Record{rec}); engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %+v, %v", name, b, err)
		}
	}
	unheard := memory(1, "a")
	unheard.Memory.Memory.Metadata = map[string]any{"f": func() {}}
	if _, err := r.Write(t.Context(), engram.Batch{}, []engram.Record{unheard}); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("what is no JSON: got %v", err)
	}
	if batches, err := r.Batches(t.Context()); err != nil || len(batches) != 0 || strings.Contains(strings.TrimPrefix(listing(t, dir), before), "jsonl") {
		t.Errorf("got %+v, %v\n%s", batches, err, listing(t, dir))
	}
}

func TestWhatIsNotThereOrNotToBeHad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := open(t, gitchunks.Options{Dir: dir})
	if notes, err := r.Notes(t.Context()); err != nil || notes != nil {
		t.Errorf("notes without chunks: %v, %v", notes, err)
	}
	keep(t, r, engram.Batch{}, memory(1, "a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Batches(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("batches: got %v, want that it was cancelled", err)
	}
	if err := r.Settle(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("settle: got %v, want that it was cancelled", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Batches(t.Context()); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("a repository that went away: got %v, want unavailable", err)
	}
	if name := r.Name(); name != filepath.Join(dir, ".engram") {
		t.Errorf("name: got %q", name)
	}
}

// figures: the size of 1,000 ordinary memories.
func TestChunksAreSmall(t *testing.T) {
	t.Parallel()
	var records []engram.Record
	var raw strings.Builder
	for i := range 1000 {
		r := realistic(i)
		records = append(records, r)
		fmt.Fprintf(&raw, "%s\n%s\n", r.Memory.Memory.Title, r.Memory.Memory.Content)
	}
	dir := t.TempDir()
	b := keep(t, open(t, gitchunks.Options{Dir: dir}), engram.Batch{By: "ana", At: at(1)}, records...)
	info, err := os.Stat(filepath.Join(dir, ".engram", "chunks", b.ID+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	text := len(zipped(t, []byte(raw.String())))
	t.Logf("1,000 memories of %d bytes of text: %d bytes each in a chunk, %d as gzip of the text alone", raw.Len()/1000, info.Size()/1000, text/1000)
	if over := info.Size() - int64(text); over > 130*1000 {
		t.Errorf("a memory takes %d bytes more than its text under gzip, want at most 130", over/1000)
	}
}
