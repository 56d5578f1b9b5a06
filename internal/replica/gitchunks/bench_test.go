package gitchunks_test

import (
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

// realistic is a memory as agents write them: some sentences about code, a tag, a topic, and random
// names.
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
	r.Causal = &engram.CausalMetadata{Base: engram.VersionStamp{At: engram.Clock(0).Tick(when), Device: "0123456789abcdef"}}
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

// A status only lists batches, of years of chunks.
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
