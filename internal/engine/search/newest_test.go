package search_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// updatePair is a line of testdata/updates.tsv or facts.tsv.
type updatePair struct {
	kind, question, earlier, later string
}

func updatePairs(t testing.TB, name string) (ps []updatePair) {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 4 {
			t.Fatalf("%q", line)
		}
		ps = append(ps, updatePair{f[0], f[1], f[2], f[3]})
	}
	return ps
}

// fillers returns other texts of the same kind.
func fillers(t testing.TB) (all []string) {
	t.Helper()
	for _, name := range []string{"writes.tsv", "writes-fresh.tsv", "writes-others.tsv"} {
		file, err := os.ReadFile("../../contradiction/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(file)) {
			if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 4 && !strings.HasPrefix(line, "#") {
				all = append(all, f[2])
			}
		}
	}
	return all
}

// TestNewestTruthFirst asks for each pair among all others and as many fillers. -v prints the figures: without the
// step 33 of the 72 updates of updates.tsv have the newer first, and 46 of the 148 of facts.tsv.
func TestNewestTruthFirst(t *testing.T) {
	t.Parallel()
	for name, least := range map[string]map[string]float64{
		"updates.tsv": {"same": 0.95, "reworded": 0.7, "embedded": 0.95, "updates": 0.9, "others": 0.9},
		"facts.tsv":   {"same": 0.95, "reworded": 0.6, "embedded": 0.95, "updates": 0.8, "others": 0.9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			right, of := newerFirst(t, updatePairs(t, name))
			for _, k := range []string{"same", "reworded", "embedded", "updates", "both", "apart", "others"} {
				t.Logf("%s: %d of %d", k, right[k], of[k])
				if float64(right[k]) < least[k]*float64(of[k]) {
					t.Errorf("%s: right in %d of %d, want %v", k, right[k], of[k], least[k])
				}
			}
		})
	}
}

// newerFirst counts by kind the pairs of which the right memory precedes the other.
func newerFirst(t *testing.T, pairs []updatePair) (right, of map[string]int) {
	w := enginetest.NewWorld(t)
	other, n := fillers(t), 0
	save := func(content string) int64 {
		w.Clock.Add(3 * time.Hour)
		n++
		in := remember.SaveInput{Content: content, Project: "demo", SessionID: fmt.Sprintf("s%d", n/8), NewSession: true}
		return w.MustSave(in).Memory.Num
	}
	earlier, later := make([]int64, len(pairs)), make([]int64, len(pairs))
	for i, p := range pairs {
		earlier[i] = save(p.earlier)
		save(other[2*i%len(other)])
	}
	for i, p := range pairs {
		later[i] = save(p.later)
		save(other[(2*i+1)%len(other)])
	}
	right, of = map[string]int{}, map[string]int{}
	for i, p := range pairs {
		found := w.MustSearch(search.SearchInput{Query: p.question, Filter: engram.Filter{Project: "demo"}})
		nums := enginetest.HitNums(slices.Concat(found.Hits, found.BelowThreshold))
		first, second, kind := later[i], earlier[i], "updates"
		if p.kind == "apart" || p.kind == "both" {
			first, second, kind = second, first, "others"
		}
		at, than := slices.Index(nums, first), slices.Index(nums, second)
		for _, k := range []string{p.kind, kind} {
			if of[k]++; at >= 0 && (than < 0 || at < than) {
				right[k]++
			}
		}
	}
	return right, of
}

// ports saves an earlier and a later port, the earlier with more of the question's words in its title.
func ports(w enginetest.World) (earlier, later int64) {
	earlier = w.Note("The exporter of metrics and its port", "The metrics exporter listens on port 9100, for the metrics exporter's own port")
	w.Clock.Add(24 * time.Hour)
	later = w.Note("Exporter moved", "Since the move the exporter of metrics has another port, which is 9431; the dashboards were changed")
	return earlier, later
}

func TestNewestFirstSaysWhy(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	earlier, later := ports(w)
	found := w.MustSearch(search.SearchInput{Query: "port of the metrics exporter", Filter: engram.Filter{Project: "demo"}})
	if got := enginetest.HitNums(found.Hits); !slices.Equal(got, []int64{later, earlier}) {
		t.Fatalf("got %v, want %d, %d", got, later, earlier)
	}
	want := fmt.Sprintf("newer than #%d about the same", earlier)
	if got := found.Hits[0].Why.Notes; !slices.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if found.Hits[0].Score < found.Hits[1].Score {
		t.Errorf("scores rise: %v, %v", found.Hits[0].Score, found.Hits[1].Score)
	}
}

func TestNewestFirstHasLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		query string
		do    func(w enginetest.World, earlier, later int64)
	}{
		"it asks what was":   {query: "which port was it that the metrics exporter had"},
		"it asks for a time": {query: "port of the metrics exporter on 12 June 2026"},
		"they are compatible": {query: "port of the metrics exporter", do: func(w enginetest.World, earlier, later int64) {
			in := relate.CompareInput{A: engram.ByNum(earlier), B: engram.ByNum(later), Verb: engram.VerbCompatible, Confidence: 0.9, Reasoning: "two hosts"}
			if _, err := w.Compare(w.Context(), in); err != nil {
				w.Fatal(err)
			}
		}},
		"only the earlier has all words": {query: "own port of the metrics exporter listens"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t)
			earlier, later := ports(w)
			if c.do != nil {
				c.do(w, earlier, later)
			}
			found := w.MustSearch(search.SearchInput{Query: c.query, Filter: engram.Filter{Project: "demo"}})
			if got := enginetest.HitNums(found.Hits); !slices.Equal(got, []int64{earlier, later}) {
				t.Errorf("got %v, want %d, %d", got, earlier, later)
			}
		})
	}
}

func TestNewestFirstKeepsToAProject(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	earlier, _ := ports(w)
	w.Clock.Add(24 * time.Hour)
	other := w.MustSave(remember.SaveInput{Title: "Exporter", Content: "Another exporter of metrics, and its port is 9200 with much else to say of dashboards and hosts", Project: "other"}).Memory.Num
	for _, h := range w.MustSearch(search.SearchInput{Query: "port of the metrics exporter"}).Hits {
		if h.Memory.Num == other && slices.ContainsFunc(h.Why.Notes, func(s string) bool { return strings.HasPrefix(s, "newer than") }) {
			t.Errorf("#%d of another project moved before #%d: %q", other, earlier, h.Why.Notes)
		}
	}
}
