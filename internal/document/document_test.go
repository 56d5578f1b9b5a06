package document_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
)

func TestNothingIsWrittenAsAnEmptyListOrNull(t *testing.T) {
	for _, tt := range []struct {
		name string
		doc  any
		want []string
	}{
		{"a memory of nothing", document.MemoryOf(engram.Memory{}, engram.StateActive),
			[]string{`"tags":[]`, `"metadata":{}`, `"created_at":null`, `"deleted_at":null`, `"state":"active"`}},
		{"a reason of nothing", document.WhyOf(engram.Why{}), []string{`{"channels":[],"factors":[],"notes":[]}`}},
		{"hits that are not", hitsOf(engram.Found{}), []string{`[[],[]]`}},
		{"a word read as nothing", document.RepairOf(engram.Repair{Written: "x"}), []string{`{"written":"x","read":[]}`}},
		{"a time from the beginning", document.TimeOf(engram.TimeSpan{Phrase: "before", To: time.Date(2026, 6, 12, 11, 0, 0, 5e6, time.FixedZone("", 7200))}),
			[]string{`"from":null`, `"to":"2026-06-12T09:00:00.005Z"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := json.Marshal(tt.doc)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(b), want) {
					t.Errorf("got %s\nwant in it %s", b, want)
				}
			}
		})
	}
}

func hitsOf(f engram.Found) [2][]document.Hit {
	hits, below := document.HitsOf(f)
	return [2][]document.Hit{hits, below}
}

func TestTheRanksOfHitsGoOn(t *testing.T) {
	hits, below := document.HitsOf(engram.Found{Hits: make([]engram.Hit, 3), BelowThreshold: make([]engram.Hit, 2)})
	if hits[2].Rank != 3 || below[0].Rank != 4 || below[1].Rank != 5 {
		t.Errorf("three hits and two below: ranks up to %d, then %d and %d, want 3, 4 and 5", hits[2].Rank, below[0].Rank, below[1].Rank)
	}
}

func TestUncertainHitsAreMarked(t *testing.T) {
	for _, uncertain := range []bool{false, true} {
		f := engram.Found{Hits: make([]engram.Hit, 1), BelowThreshold: make([]engram.Hit, 1), Uncertain: uncertain}
		hits, below := document.HitsOf(f)
		if got := document.RecollectionOf(f).Memories[0].Uncertain; hits[0].Uncertain != uncertain || got != uncertain || below[0].Uncertain {
			t.Errorf("uncertain %v: marked are the hit %v, the recalled %v, the one below %v", uncertain, hits[0].Uncertain, got, below[0].Uncertain)
		}
	}
}
