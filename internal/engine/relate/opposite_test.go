package relate_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// writePair is a line of the list of text pairs.
type writePair struct {
	disagrees  bool
	kind, a, b string
}

func writtenPairs(t *testing.T, name string) (ps []writePair) {
	t.Helper()
	file, err := os.ReadFile("../../contradiction/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 4 || f[0] != "disagree" && f[0] != "agree" {
			t.Fatalf("%s: %q", name, line)
		}
		ps = append(ps, writePair{f[0] == "disagree", f[1], f[2], f[3]})
	}
	return ps
}

// TestNoWriteSaysTheOpposite writes pairs of texts like remember and add, and like save before a sleep:
// contradicting pairs are never merged and mostly flagged; agreeing ones hardly ever. -v prints the figures.
func TestNoWriteSaysTheOpposite(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"writes.tsv", "writes-fresh.tsv", "writes-others.tsv"} {
		t.Run(name, func(t *testing.T) {
			var disagree, flagged, agree, wrong, one int
			w := enginetest.NewWorld(t)
			for i, p := range writtenPairs(t, name) {
				merge, apart := fmt.Sprintf("merge%d", i), fmt.Sprintf("apart%d", i)
				w.MustSave(enginetest.Merging(remember.SaveInput{Content: p.a, Project: merge}))
				w.MustSave(remember.SaveInput{Content: p.a, Project: apart})
				w.Clock.Add(time.Hour)
				res := w.MustSave(enginetest.Merging(remember.SaveInput{Content: p.b, Project: merge}))
				w.MustSave(remember.SaveInput{Content: p.b, Project: apart})
				w.Clock.Add(time.Hour)
				raised := len(res.Candidates) > 0
				switch {
				case p.disagrees:
					disagree++
					if res.Action != ledger.ActionInserted {
						t.Errorf("%q, %q: %s, %q", p.a, p.b, res.Action, res.Reason)
					}
					if raised {
						flagged++
					} else {
						t.Logf("missed: %s %q, %q", p.kind, p.a, p.b)
					}
				default:
					agree++
					if raised {
						wrong++
						t.Logf("raised: %s %q, %q: %s", p.kind, p.a, p.b, res.Candidates[0].Reason)
					}
					if res.Action != ledger.ActionInserted {
						one++
					}
				}
				if _, err := w.Sleep(t.Context(), consolidate.SleepInput{Project: apart}); err != nil {
					t.Fatal(err)
				}
				if got := len(w.MustList(engram.Filter{Project: apart})); p.disagrees && got != 2 {
					t.Errorf("%q, %q: asleep they became %d", p.a, p.b, got)
				}
			}
			t.Logf("of %d that disagree %d are flagged; of %d that agree %d are, and %d became one memory", disagree, flagged, agree, wrong, one)
			if 5*flagged < 4*disagree || 20*wrong > agree {
				t.Errorf("of %d that disagree %d are flagged, of %d that agree %d; want .8 and .05", disagree, flagged, agree, wrong)
			}
		})
	}
}
