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
		{"hits that are not", document.HitsOf(nil, 0), []string{`[]`}},
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

func TestTheRanksOfHitsGoOn(t *testing.T) {
	hits := document.HitsOf(make([]engram.Hit, 2), 3)
	if hits[0].Rank != 4 || hits[1].Rank != 5 {
		t.Errorf("after three hits: ranks %d and %d, want 4 and 5", hits[0].Rank, hits[1].Rank)
	}
}
