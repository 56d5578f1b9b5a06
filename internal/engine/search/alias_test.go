package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/alias"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A question with one word of a group finds, by words alone, each memory that has another, now and in the past.
func TestAQuestionWithAnAliasFindsWhatItsWordFinds(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	own := [][]string{{"fe", "frontend"}}
	w.Engine = engine.New(engine.Options{Store: w.Store, Now: w.Clock.Now, NewID: enginetest.IDs(), Aliases: own})
	groups := append(alias.BuiltIn(), own...)
	having := map[string]int64{}
	for _, g := range groups {
		for _, word := range g {
			having[word] = w.MustSave(remember.SaveInput{Title: "Kettle", Content: "the kettle likes " + word, Project: "demo"}).Memory.Num
		}
	}
	saved := w.Clock.Now()
	w.Clock.Add(time.Hour)
	for _, g := range groups {
		var want []int64
		for _, word := range g {
			want = append(want, having[word])
		}
		slices.Sort(want)
		for _, word := range g {
			for name, in := range map[string]search.SearchInput{
				"any word":   {Mode: search.ModeLexical},
				"every word": {Mode: search.ModeLexical, All: true},
				"the past":   {Mode: search.ModeLexical, AsOf: saved},
			} {
				in.Query, in.Filter, in.Limit = strings.ToUpper(word[:1])+word[1:], engram.Filter{Project: "demo"}, 100
				found := w.MustSearch(in)
				got := enginetest.HitNums(found.Hits)
				if !in.AsOf.IsZero() {
					got = got[:min(len(got), len(want))] // a search of the past has words that begin alike behind them
				}
				slices.Sort(got)
				if !slices.Equal(got, want) || len(found.Repaired) > 0 {
					t.Errorf("%s, %s: got %v, repaired %v; want %v, of %q", in.Query, name, got, found.Repaired, want, g)
				}
			}
		}
	}
}

// An abbreviation that a memory defines leads to memories that have the word alone, in that project only, and no
// longer than the memory lives.
func TestAMemoryDefinesAnAbbreviation(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	save := func(project, title, content string) engram.Memory {
		return w.MustSave(remember.SaveInput{Title: title, Content: content, Project: project}).Memory
	}
	var about []int64
	for _, project := range []string{"demo", "other"} {
		for i, text := range []string{"The agents of Consul restart on Mondays", "Every agent gets a certificate when it restarts", "The printer restarts when paper is out", "An agent of the travel bureau calls on Mondays"} {
			m := save(project, fmt.Sprintf("Note %d", i), text)
			if i == 0 {
				about = append(about, m.Num)
			}
		}
	}
	rank := func(project string, num int64) int {
		hits := w.MustSearch(search.SearchInput{Query: "when does a csl agent restart", Filter: engram.Filter{Project: project}}).Hits
		return slices.Index(enginetest.HitNums(hits), num)
	}
	before, elsewhere := rank("demo", about[0]), rank("other", about[1])
	definition := save("demo", "Discovery", "We moved discovery to Consul (csl)")
	if after := rank("demo", about[0]); before == 0 || after < 0 || after >= before {
		t.Errorf("the memory about it is at %d before the definition and at %d with it", before, after)
	}
	if got := rank("other", about[1]); got != elsewhere {
		t.Errorf("in another project it moved from %d to %d", elsewhere, got)
	}
	w.MustForget(definition.Num)
	if got := rank("demo", about[0]); got != before {
		t.Errorf("without the definition it is at %d, was at %d", got, before)
	}
}
