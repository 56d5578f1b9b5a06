package lifecycle_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// A local write reads the earlier texts only if it must, with the same result as reading all.
func TestTheSetOfOlderTextsIsTheSameStepByStep(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		stamp := func(n int) engram.VersionStamp {
			return engram.VersionStamp{At: engram.Clock(n), Device: rapid.SampledFrom([]string{"a", "a", "a", "~0a1b2c3d"}).Draw(rt, "device")}
		}
		word := rapid.SampledFrom([]string{"x", "y", "z"})
		var all []engram.Revision
		content, said, past := word.Draw(rt, "first"), stamp(1), int64(0)
		for n := range rapid.IntRange(1, 12).Draw(rt, "edits") {
			replaced := engram.Revision{Number: n + 1, Title: "t", Content: content, Stamp: said}
			all = append(all, replaced)
			now := word.Filter(func(w string) bool { return w != content }).Draw(rt, "text")
			content, said = now, stamp(n+2)
			full := lifecycle.Past(all, "t", content, said)
			if step, known := lifecycle.PastWith(past, replaced); known && said.Device == "a" && step != full {
				rt.Fatalf("edit %d: step by step %x, of all %x\n%+v", n, step, full, all)
			}
			past = full
			m := engram.Memory{ID: "mem_01", Title: "t", Content: content, RevisionCount: len(all) + 1}
			state := lifecycle.Normal(engram.Record{Memory: &engram.MemoryRecord{Memory: m, Revisions: rapid.Permutation(all).Draw(rt, "order")},
				Causal: &engram.CausalMetadata{Base: engram.VersionStamp{At: 1, Device: "a"}, Parts: map[engram.Part]engram.VersionStamp{engram.PartText: said}}})
			if state.Causal.Past != full {
				rt.Fatalf("edit %d: the state has %x, want %x\n%+v", n, state.Causal.Past, full, all)
			}
		}
	})
}

func TestOlderTextsEnterTheDigest(t *testing.T) {
	state := func(texts ...string) int64 {
		var rs []engram.Revision
		for n, text := range texts {
			rs = append(rs, engram.Revision{Number: n + 1, Title: "t", Content: text, Stamp: engram.VersionStamp{At: engram.Clock(len(text)), Device: "a"}})
		}
		m := engram.Memory{ID: "mem_01", Title: "t", Content: "now", RevisionCount: len(rs) + 1}
		return lifecycle.Normal(engram.Record{Memory: &engram.MemoryRecord{Memory: m, Revisions: rs},
			Causal: &engram.CausalMetadata{Base: engram.VersionStamp{At: 9, Device: "a"}}}).Causal.Digest()
	}
	seen := map[int64]string{}
	for _, texts := range [][]string{{}, {"a"}, {"b"}, {"a", "bb"}, {"bb", "ccc"}, {"a", "ccc"}, {"a", "bb", "ccc"}} {
		d := state(texts...)
		if other, known := seen[d]; known {
			t.Errorf("a memory that said %v has the digest of one that said %s", texts, other)
		}
		seen[d] = fmt.Sprint(texts)
	}
	if state("a", "bb") != state("bb", "a") || state("a", "a") != state("a") {
		t.Error("the order of older texts, or that one is there twice, makes another digest")
	}
}
