package gitchunks_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

// realistic is a memory as agents write them: some sentences about code, with a tag, a
// topic, and names by chance.
func realistic(n int) engram.Record {
	chance := rand.New(rand.NewPCG(uint64(n), 7))
	words := strings.Fields(`the handler of orders retries twice before it gives up because upstream answers late when caches are cold
		we moved configuration into one file so that tests and servers agree on every limit use a context with a deadline for each call
		sessions expire after fifteen minutes and tokens rotate weekly migration scripts must be safe to run again decided against queues
		index on project and time makes listing fast avoid joins in hot paths the deploy needs two steps feature flag first then rollout
		parser rejects unknown fields error messages name the field and its limit logs never hold tokens nor private text`)
	sentence := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = words[chance.IntN(len(words))]
		}
		return strings.Join(out, " ") + "."
	}
	hex := func() string { return fmt.Sprintf("%016x", chance.Uint64()) }
	when := time.UnixMilli(1_767_000_000_000 + chance.Int64N(20_000_000_000)).UTC()
	r := memory(n, sentence(40)+"\n\n- "+sentence(12)+"\n- "+sentence(10)+"\n`internal/"+words[chance.IntN(len(words))]+".go` "+hex()[:7])
	m := &r.Memory.Memory
	m.ID, m.SyncID, m.Title = engram.ID("mem_"+strings.ToLower(fmt.Sprintf("01k%023x", chance.Uint64()))), "obs-"+hex(), sentence(6)
	m.Tags, m.TopicKey = []string{words[chance.IntN(len(words))]}, "architecture/"+words[chance.IntN(len(words))]
	m.SessionID, m.CreatedAt, m.UpdatedAt, m.TouchedAt = "session-"+hex()[:4], when, when, when
	r.Lineage = &engram.Lineage{Base: engram.Stamp{At: engram.Clock(0).Tick(when), Device: "0123456789abcdef"}}
	return r
}

func thousand() []engram.Record {
	records := make([]engram.Record, 1000)
	for i := range records {
		records[i] = realistic(i)
	}
	return records
}

func BenchmarkWriteAThousand(b *testing.B) {
	records := thousand()
	for b.Loop() {
		b.StopTimer()
		r := open(b, gitchunks.Options{Dir: b.TempDir()})
		b.StartTimer()
		keep(b, r, engram.Batch{At: at(1)}, records...)
	}
}

func BenchmarkReadAThousand(b *testing.B) {
	r := open(b, gitchunks.Options{Dir: b.TempDir()})
	kept := keep(b, r, engram.Batch{At: at(1)}, thousand()...)
	for b.Loop() {
		if records, err := readAll(b, r, kept.ID); err != nil || len(records) != 1000 {
			b.Fatal(len(records), err)
		}
	}
}

// A status asks for the batches alone, of years of chunks.
func BenchmarkBatchesOfAThousandChunks(b *testing.B) {
	dir := b.TempDir()
	r := open(b, gitchunks.Options{Dir: dir})
	first := keep(b, r, engram.Batch{At: at(1)}, memory(1, "a"))
	packed, err := os.ReadFile(filepath.Join(dir, ".engram", "chunks", first.ID+".jsonl.gz"))
	if err != nil {
		b.Fatal(err)
	}
	for i := range 1000 {
		lay(b, dir, fmt.Sprintf("%08x", i), packed) // a look at the beginning does not ask for the ID
	}
	for b.Loop() {
		all, err := open(b, gitchunks.Options{Dir: dir}).Batches(b.Context())
		if err != nil || len(all) != 1001 {
			b.Fatal(len(all), err)
		}
	}
}

// FuzzRead: whatever lies under the name of a chunk, reading ends with records or with what
// is wrong, and what was read can be written and read again.
func FuzzRead(f *testing.F) {
	dir := f.TempDir()
	b := keep(f, open(f, gitchunks.Options{Dir: dir}), engram.Batch{By: "ana", At: at(1)}, memory(1, "a"),
		engram.Record{Erased: &engram.Erased{Entity: engram.EntityPrompt, ID: "prompt-1", At: 7}}, engram.Record{Gone: true, Session: &engram.Session{ID: "s"}})
	f.Add(plainOf(f, dir, b.ID))
	f.Add([]byte(`{"sessions":null,"observations":[{"content":"a","id":1}],"prompts":[{}],"mutations":[{"entity":"relation","op":"upsert","payload":"{\"relation\":\"related\"}"}]}`))
	f.Add([]byte(`{"mutations":[{"entity":"session","op":"delete","payload":{"id":"a"}}],"projects":[{"name":"a"}]}`))
	home := f.TempDir()
	f.Fuzz(func(t *testing.T, plain []byte) {
		dir, err := os.MkdirTemp(home, "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		id := layPlain(t, dir, string(plain))
		r := open(t, gitchunks.Options{Dir: dir, Project: "shop"})
		if _, err := r.Batches(t.Context()); err != nil {
			t.Fatalf("batches: %v", err)
		}
		records, err := readAll(t, r, id)
		if err != nil {
			if code := engram.CodeOf(err); code != engram.CodeInvalid && code != engram.CodeConflict {
				t.Fatalf("read %q: %s %v, want invalid or conflict", plain, code, err)
			}
			return
		}
		var fine []engram.Record
		for _, rec := range records {
			if rec.Flaw == nil {
				fine = append(fine, rec)
			} else if engram.CodeOf(rec.Flaw) != engram.CodeInvalid || rec.Item == "" {
				t.Fatalf("read %q: %s: %v, want what is wrong with an item", plain, rec.Item, rec.Flaw)
			}
		}
		once, err := r.Write(t.Context(), engram.Batch{At: at(1)}, fine)
		if err != nil {
			t.Fatalf("what was read from %q cannot be written: %v", plain, err)
		}
		again, err := readAll(t, r, once.ID)
		if err != nil || len(again) != len(fine) {
			t.Fatalf("what was read from %q and written comes back as %d records, %v; want %d", plain, len(again), err, len(fine))
		}
		if twice, err := r.Write(t.Context(), engram.Batch{At: at(2)}, again); err != nil || twice != once {
			t.Fatalf("what was read from %q is another batch when it is read again: %+v, %v; want %+v", plain, twice, err, once)
		}
	})
}

// FuzzManifest: whatever the manifest says, the chunks are there, and Settle makes it anew.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"version":1,"chunks":[{"id":"0123abcd","created_by":"a","created_at":"2026-01-02T03:04:05Z"}]}`))
	f.Add([]byte("<<<<<<< a\n{\"id\":\"0123abcd\"}\n=======\n{{}"))
	dir := f.TempDir()
	kept := keep(f, open(f, gitchunks.Options{Dir: dir}), engram.Batch{By: "ana", At: at(1)}, memory(1, "a"))
	other := layPlain(f, dir, `{"observations":[{"content":"b"}]}`)
	path := filepath.Join(dir, ".engram", "manifest.json")
	f.Fuzz(func(t *testing.T, manifest []byte) {
		manifest = bytes.ReplaceAll(manifest, []byte("0123abcd"), []byte(other))
		if err := os.WriteFile(path, manifest, 0o600); err != nil {
			t.Fatal(err)
		}
		r := open(t, gitchunks.Options{Dir: dir})
		batches, err := r.Batches(t.Context())
		if err != nil || len(batches) != 2 || batches[0] != kept && batches[1] != kept {
			t.Fatalf("with %q: got %+v, %v; want both chunks", manifest, batches, err)
		}
		if err := r.Settle(t.Context()); err != nil {
			if engram.CodeOf(err) != engram.CodeConflict {
				t.Fatalf("settle %q: %v", manifest, err)
			}
			return
		}
		ids := idsOf(t, readText(t, path))
		if len(ids) != 2 {
			t.Fatalf("after %q the manifest lists %v", manifest, ids)
		}
	})
}
