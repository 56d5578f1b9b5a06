package provider_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/provider"
	"github.com/alanbuscaglia/engram/internal/embedding/provider/providertest"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// A long memory is sent in passages that overlap and cover it, and has the vector of each behind their mean; a question is
// sent as it is.
func TestLongMemoriesAreSentInPassages(t *testing.T) {
	const dimensions = 16
	s := start(t, providertest.Model{})
	o := options(provider.Ollama, s.URL())
	o.Prefixes = before()
	e := open(t, o)
	for _, words := range []int{1, 300, 400, 1000, 5000, 60000} {
		var b strings.Builder
		for i := range words {
			fmt.Fprintf(&b, "wört%d ", i)
		}
		text := strings.TrimSpace(b.String())
		s.Asked()
		vs, err := e.Embed(t.Context(), []string{"short", text, "also"}, engram.RoleMemory)
		if err != nil || len(vs) != 3 || len(vs[0]) != dimensions || len(vs[2]) != dimensions {
			t.Fatalf("%d words: %d vectors, %v", words, len(vs), err)
		}
		var sent []string
		for _, r := range s.Asked() {
			sent = append(sent, r.Texts...)
		}
		parts := sent[1 : len(sent)-1]
		if several := len(text) > 2048; several != (len(parts) > 1) || len(parts) > vector.MostPassages {
			t.Errorf("%d bytes in %d passages", len(text), len(parts))
		}
		covered := 0
		for i, part := range parts {
			said, is := strings.CutPrefix(part, "memo ")
			from := strings.Index(text, said)
			if !is || from < 0 || from > covered || !utf8.ValidString(said) {
				t.Fatalf("%d words: passage %d of %d bytes begins at %d, before it %d are covered", words, i, len(said), from, covered)
			}
			covered = from + len(said)
			v := vs[1]
			if len(parts) > 1 {
				v = v[(i+1)*dimensions : (i+2)*dimensions]
			}
			if c := cosine(v, s.Model().Vector(part)); math.Abs(c-1) > 1e-5 {
				t.Errorf("%d words: the vector of passage %d has the cosine %v with its own", words, i, c)
			}
		}
		if covered != len(text) {
			t.Errorf("%d words: %d of %d bytes are covered", words, covered, len(text))
		}
		if err := vector.CheckPassages(vs[1], dimensions); err != nil || math.Abs(cosine(vs[1][:dimensions], vs[1][:dimensions])-1) > 1e-5 {
			t.Errorf("%d words: %v, or the mean is not of length 1", words, err)
		}
		asked, err := e.Embed(t.Context(), []string{text}, engram.RoleQuery)
		if err != nil || len(asked[0]) != dimensions {
			t.Errorf("%d words: a question has %d numbers, %v", words, len(asked[0]), err)
		}
	}
}
