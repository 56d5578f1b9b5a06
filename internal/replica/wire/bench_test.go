package wire_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// BenchmarkExtended encodes one memory as an item of an export.
func BenchmarkExtended(b *testing.B) {
	at := time.UnixMilli(1_700_000_000_123).UTC()
	r := engram.Record{Causal: &engram.CausalMetadata{Base: engram.VersionStamp{At: 7, Device: "d1"}}, Memory: &engram.MemoryRecord{Memory: engram.Memory{ID: "mem_00000000000000000000000001",
		SyncID: "obs-00000000000000aa", Project: "shop", Scope: "project", Type: "decision", Title: "Pool size", Content: strings.Repeat("token cache queue index ", 12),
		Tags: []string{"a", "b"}, SessionID: "manual-save-shop", Origin: engram.OriginHuman, Importance: .5, Strength: 1, CreatedAt: at, UpdatedAt: at, TouchedAt: at, RevisionCount: 1, DuplicateCount: 1}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := wire.EncodeExtended(r); err != nil {
			b.Fatal(err)
		}
	}
}
