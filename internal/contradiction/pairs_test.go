package contradiction_test

import (
	"context"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// pair is a line of testdata/pairs.tsv.
type pair struct {
	line        int
	contradicts bool
	kind        string
	a, b        contradiction.Text
	heldOut     bool // the half that was not looked at while the rule was first fitted
	near        contradiction.Nearness
}

// pairs reads the labelled pairs. Which half a pair is in follows from its line alone,
// so that it stays there when others are added.
func pairs(t testing.TB, name string) []pair {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var ps []pair
	for i, line := range strings.Split(strings.TrimSpace(string(file)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.ReplaceAll(line, `\n`, "\n"), "\t")
		if len(f) != 6 || f[0] != "contradicts" && f[0] != "not" {
			t.Fatalf("line %d of %s: %q", i+1, name, line)
		}
		h := fnv.New32a()
		h.Write([]byte(line))
		ps = append(ps, pair{line: i + 1, contradicts: f[0] == "contradicts", kind: f[1], heldOut: h.Sum32()>>8&1 == 1,
			a: contradiction.Text{Title: f[2], Content: f[3]}, b: contradiction.Text{Title: f[4], Content: f[5]}})
	}
	return ps
}

// withNearness fills in how near the pairs are in the built-in model.
func withNearness(t testing.TB, ps []pair) []pair {
	t.Helper()
	model := enginetest.Embedder()
	var texts []string
	for _, p := range ps {
		texts = append(texts, p.a.Title+": "+p.a.Content, p.b.Title+": "+p.b.Content)
	}
	vs, err := model.Embed(context.Background(), texts, engram.RoleMemory)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ps {
		ps[i].near = contradiction.Nearness{
			Cosine: float64(vector.Dot(vs[2*i], vs[2*i+1])), Related: model.Model().Related, Duplicate: model.Model().Duplicate}
	}
	return ps
}
