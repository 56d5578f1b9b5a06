package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/render"
	words "github.com/alanbuscaglia/engram/internal/text"
)

// marksOn returns the marks of memories, as in texts.
func marksOn(notes engram.Notes, nums ...int64) (all []string) {
	for _, num := range nums {
		all = append(all, fmt.Sprintf("#%d %s", num, strings.Join(render.Marks(notes[num]), ", ")))
	}
	return all
}

func TestWhatChangesHowAMemoryIsReadIsToldWhereverItIsShown(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSession("s", "demo")
	said := func(title, content string) int64 {
		return w.MustSave(remember.SaveInput{Title: title, Content: content, Project: "demo", SessionID: "s", Type: engram.TypeDecision}).Memory.Num
	}
	a, b, c := said("Queue", "Jobs go through Redis lists."), said("Broker", "Never a second server beside Redis."), said("Outbox", "Redis holds jobs no longer.")
	w.MustLink(a, engram.VerbContradicts, b)
	before := w.Now()
	w.MustLink(c, engram.VerbSupersedes, a)
	w.Clock.Add(200 * 24 * time.Hour)
	const due = "state: needs_review"
	want := []string{"#1 " + due + ", superseded_by: #3 (Outbox), conflicts: #2 (Broker)", "#2 " + due + ", conflicts: #1 (Queue)", "#3 " + due + ", supersedes: #1 (Queue)"}

	told := w.Report(brief.ContextInput{Project: "demo", Superseded: true})
	enginetest.Same(t, "context", marksOn(told.Notes, a, b, c), want)
	if text := render.Context(told, render.Options{}); strings.Count(text, "\n  conflicts: #") != 2 {
		t.Errorf("the text of the context does not have the marks:\n%s", text)
	}
	line, err := w.Timeline(t.Context(), engram.ByNum(b), 5, 5)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "timeline", marksOn(line.Notes, a, b, c), want)
	list, err := w.ListNoted(t.Context(), engram.Filter{Project: "demo"}, engram.Page{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "list", marksOn(list.Notes, a, b, c), want)
	enginetest.Same(t, "get", marksOn(engram.Notes{a: w.MustGet(a).Note()}, a), want[:1])
	recalled := w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("redis")})
	for _, item := range recalled.Items {
		mark := strings.Join(render.Marks(item.Hit.Note()), " | ")
		if head, _, _ := strings.Cut(item.Text, "\n"); mark == "" || !strings.HasSuffix(head, " | "+mark) {
			t.Errorf("recall: #%d is shown as %q, want its marks %q beside the title", item.Hit.Memory.Num, head, mark)
		}
	}
	if len(recalled.Items) != 3 {
		t.Errorf("recalled %d memories, want all 3", len(recalled.Items))
	}
	past, err := w.ListNoted(t.Context(), engram.Filter{Project: "demo"}, engram.Page{}, before)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "list of a time before", marksOn(past.Notes, a, b), []string{"#1 conflicts: #2 (Broker)", "#2 conflicts: #1 (Queue)"})
}

// Marks cost tokens too: the budget holds with any number of relations.
func TestMarksAreCountedInABudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := enginetest.NewWorld(t)
		n := rapid.IntRange(2, 8).Draw(rt, "memories")
		for i := range n {
			w.Note(fmt.Sprint("Gateway ", i, strings.Repeat(" retries", rapid.IntRange(0, 30).Draw(rt, "title"))), fmt.Sprintf("The gateway of region %d retries %d times.", i*7, i*11))
		}
		for a := int64(1); a <= int64(n); a++ {
			for b := int64(1); b < a; b++ {
				if rapid.Bool().Draw(rt, "contradict") {
					w.MustLink(a, engram.VerbContradicts, b)
				}
			}
		}
		budget := rapid.IntRange(1, 600).Draw(rt, "budget")
		c := w.Report(brief.ContextInput{Project: "demo", Budget: budget})
		if cost := words.Tokens(render.Context(c, render.Options{})); cost > budget || cost != c.Tokens {
			rt.Fatalf("context: the text costs %d, it says %d, the budget is %d", cost, c.Tokens, budget)
		}
		r := w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("gateway retries"), Budget: budget})
		if cost := words.Tokens(r.Text); cost > budget || cost != r.Tokens {
			rt.Fatalf("recall: the text costs %d, it says %d, the budget is %d", cost, r.Tokens, budget)
		}
	})
}

// A list hides what a search hides: memories whose successor is shown.
func TestAListHidesWhatASearchHides(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	said := func(kind engram.Type, weight float64) int64 {
		return w.MustSave(remember.SaveInput{Title: fmt.Sprint("Gateway ", kind, weight), Content: fmt.Sprintf("The gateway counts %s %v.", kind, weight),
			Project: "demo", Type: kind, Importance: &weight}).Memory.Num
	}
	fact := said("fact", 0.5)
	decision := said("decision", 0.5)
	strong, weak := said("pattern", 1), said("pattern", 0)
	w.MustLink(decision, engram.VerbSupersedes, fact)
	w.MustLink(weak, engram.VerbSupersedes, strong)
	for _, tt := range []struct {
		name string
		f    engram.Filter
		want []int64
	}{
		{"of all, the newer ones are shown", engram.Filter{}, []int64{weak, decision}},
		{"of facts, the newer decision is not one", engram.Filter{Types: []engram.Type{"fact"}}, []int64{fact}},
		{"of facts and decisions", engram.Filter{Types: []engram.Type{"fact", "decision"}}, []int64{decision}},
		{"of what is strong, the newer one is too weak", engram.Filter{MinStrength: 0.8}, []int64{strong}},
		{"of patterns that are as strong as anything", engram.Filter{MinStrength: 0.01, Types: []engram.Type{"pattern"}}, []int64{weak}},
		{"with what is superseded", engram.Filter{Types: []engram.Type{"pattern"}}, []int64{weak}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := w.In(t)
			tt.f.Project, tt.f.Current = "demo", true
			enginetest.Same(t, "list", w.MustList(tt.f), tt.want)
			found := enginetest.HitNums(w.MustSearch(search.SearchInput{Query: "gateway counts", Filter: tt.f}).Hits)
			slices.SortFunc(found, func(a, b int64) int { return int(b - a) })
			enginetest.Same(t, "search", found, tt.want)
			past, _, err := enginetest.ListAsOf(t.Context(), w, tt.f, engram.Page{}, w.Now())
			if err != nil {
				t.Fatal(err)
			}
			if tt.f.MinStrength == 0 {
				enginetest.Same(t, "list of the past", enginetest.Nums(past), tt.want)
			}
		})
	}
}

// A page by strength is full, whatever was hidden on the way.
func TestAPageOfTheStrongIsFullAlthoughMuchIsHidden(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	var want []int64
	for i := range 12 {
		num := w.Note(fmt.Sprint("Gateway ", i), fmt.Sprintf("The gateway of region %d retries %d times.", i*7, i*11))
		if i%4 == 0 {
			want = append([]int64{num}, want...)
			continue
		}
		w.MustLink(num, engram.VerbRelatesTo, num-1)
		w.MustLink(want[0], engram.VerbSupersedes, num)
	}
	f := engram.Filter{Project: "demo", Current: true, MinStrength: 0.01}
	for offset := range len(want) {
		got, err := w.List(t.Context(), f, engram.Page{Limit: 2, Offset: offset})
		if err != nil {
			t.Fatal(err)
		}
		enginetest.Same(t, fmt.Sprint("from ", offset), enginetest.Nums(got), want[offset:min(offset+2, len(want))])
	}
}

func TestAGraphShowsWhatIsSupersededBeyondIt(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old, young, other := w.Note("Old", "An hour."), w.Note("Young", "A quarter."), w.Note("Other", "Elsewhere.")
	w.MustLink(other, engram.VerbCausedBy, old)
	w.MustLink(young, engram.VerbSupersedes, old)
	over := func() (all []string) {
		t.Helper()
		g, err := w.Graph(t.Context(), read.GraphInput{Ref: engram.ByNum(other), Depth: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range g.Nodes {
			all = append(all, fmt.Sprintf("#%d %v", n.Memory.Num, n.Superseded))
		}
		return all
	}
	enginetest.Same(t, "what supersedes it is two relations away", over(), []string{"#3 false", "#1 true"})
	if _, err := w.Forget(t.Context(), engram.ByNum(young)); err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "when that is forgotten", over(), []string{"#3 false", "#1 false"})
}
