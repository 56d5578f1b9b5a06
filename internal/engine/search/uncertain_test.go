package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// releases saves memories of usual words, four of which have a rare one each, and returns those, newest first.
func releases(w enginetest.World) (rare []int64) {
	w.Helper()
	for i := range 40 {
		content := fmt.Sprintf("The build of step %d is green and the server was restarted by the team.", i)
		if i < 4 {
			content += fmt.Sprintf(" Somebody watered the ficus%d beside the printer.", i)
		}
		if num := w.Note(fmt.Sprintf("Release %d", i), content); i < 4 {
			rare = append([]int64{num}, rare...)
		}
	}
	return rare
}

// among returns a long question about something else, with these words in it.
func among(words string) string {
	return "yoghurt harpsichord gondola marzipan archipelago ukulele gargoyle tarantula zucchini bassoon " + words +
		" obsidian mistletoe pancake hurricane peninsula chandelier porcupine trampoline saxophone avalanche"
}

func TestWhatHasARareWordIsShownAsUncertain(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	rare := releases(w)
	for _, tt := range []struct {
		name, query string
		in          search.SearchInput
		want        []int64 // in any order
		uncertain   bool
	}{
		{"a rare word among unknown ones", among("ficus2"), search.SearchInput{}, rare[1:2], true},
		{"no more than are wanted", among("ficus0 ficus1 ficus2"), search.SearchInput{Limit: 1}, rare[1:2], true},
		{"by words alone, to which a unique name is enough", among("ficus2"), search.SearchInput{Mode: search.ModeLexical}, rare[1:2], false},
		{"in this project", among("ficus2"), search.SearchInput{Filter: engram.Filter{Project: "demo"}}, rare[1:2], true},
		{"in another project", among("ficus2"), search.SearchInput{Filter: engram.Filter{Project: "other"}}, nil, false},
		{"by strength", among("ficus2"), search.SearchInput{ByStrength: true}, rare[1:2], true},
		{"of more likeness than any has", among("ficus2"), search.SearchInput{ByStrength: true, MinLikeness: 1}, rare[1:2], true},
		{"that all words are required for", among("ficus2"), search.SearchInput{All: true}, nil, false},
		{"a usual word", among("server"), search.SearchInput{}, nil, false},
		{"a mistyped rare word", among("ficuz2"), search.SearchInput{Mode: search.ModeLexical}, nil, false},
		{"unknown words alone", among(""), search.SearchInput{}, nil, false},
		{"the rare word alone", "ficus2", search.SearchInput{Limit: 1}, rare[1:2], false},
	} {
		in := tt.in
		in.Query = tt.query
		found := w.MustSearch(in)
		got := enginetest.HitNums(found.Hits)
		slices.Sort(got)
		if tt.name != "no more than are wanted" {
			enginetest.Same(t, tt.name, got, tt.want)
		} else if len(got) != 1 {
			t.Errorf("%s: got %v, want one", tt.name, got)
		}
		if found.Uncertain != tt.uncertain {
			t.Errorf("%s: uncertain is %v, want %v", tt.name, found.Uncertain, tt.uncertain)
		}
		for _, h := range found.BelowThreshold {
			if slices.Contains(got, h.Memory.Num) {
				t.Errorf("%s: #%d is listed twice", tt.name, h.Memory.Num)
			}
		}
	}
	if found := w.MustSearch(search.SearchInput{Query: among("ficus0 ficus1 ficus2 ficus3")}); len(found.Hits) != 3 || !found.Uncertain {
		t.Errorf("four memories with a rare word: got %v, uncertain %v, want three of them", enginetest.HitNums(found.Hits), found.Uncertain)
	}
}

func TestTheSuccessorOfWhatHasARareWordIsShown(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	old := releases(w)[1]
	newer := w.Note("Plants", "Nobody waters anything any more.")
	w.Relate(newer, engram.VerbSupersedes, old, engram.RelationJudged)
	found := w.MustSearch(search.SearchInput{Query: among("ficus2"), Filter: engram.Filter{Current: true}})
	if enginetest.Same(t, "found", enginetest.HitNums(found.Hits), []int64{newer}); !found.Uncertain {
		t.Error("it is shown as certain")
	}
}

func TestUncertainFindsAreRecalledAndRecorded(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	rare := releases(w)[1]
	w.MustSession("s1", "demo")
	r, err := w.Recall(t.Context(), search.RecallInput{SearchInput: search.SearchInput{Query: among("ficus2")}, SessionID: "s1"})
	if err != nil || !r.Uncertain || !r.Found() || len(r.Items) != 1 || r.Items[0].Hit.Memory.Num != rare {
		t.Fatalf("recalled %+v, error %v, want #%d, uncertain", r.Items, err, rare)
	}
	if !strings.Contains(r.Text, "\n\nNothing certain; nearest:\n\n### #") || r.Tokens > r.Budget {
		t.Errorf("got %d tokens\n%s", r.Tokens, r.Text)
	}
	why, err := w.Why(t.Context(), "s1")
	if err != nil || len(why.Exposures) != 1 || why.Exposures[0].Memory != rare {
		t.Errorf("the session was shown %+v, error %v, want #%d", why.Exposures, err, rare)
	}
	if r, err = w.Recall(t.Context(), search.RecallInput{SearchInput: search.SearchInput{Query: "ficus2"}}); err != nil || r.Uncertain || strings.Contains(r.Text, "certain") {
		t.Errorf("the word alone: uncertain %v, error %v\n%s", r.Uncertain, err, r.Text)
	}
}

func TestNothingUncertainIsInjected(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	releases(w)
	for _, tt := range []struct {
		query    string
		injected bool
	}{{among("ficus2"), false}, {"who watered the ficus2 beside the printer?", true}} {
		out, err := w.Remind(t.Context(), brief.RemindInput{Query: tt.query, Project: "demo"})
		if err != nil || (out.Text != "") != tt.injected {
			t.Errorf("%s: error %v, want injected %v, got\n%s", tt.query, err, tt.injected, out.Text)
		}
	}
}

// odd are questions that say little, with those that list the newest instead of searching.
func odd() map[string]string {
	return map[string]string{
		"one emoji":                    "🚀",
		"a mebibyte of unknown words":  strings.Repeat("quibble ", engram.MaxContent/8),
		"a mebibyte of different ones": mebibyte(),
		"unknown words":                among(""),
		"English":                      "what is the of and to that it",
		"German":                       "was ist der die das und zu dem mit",
		"French":                       "qu'est-ce que le la les et des pour dans",
		"Spanish":                      "qué es el la los y de para en con",
		"Portuguese":                   "o que é os as e de para em com",
		"Italian":                      "che cosa è il lo gli e di per con",
		"Russian":                      "что это такое и в на с по для",
	}
}

// mebibyte returns as much text of as many different words.
func mebibyte() string {
	var b strings.Builder
	for i := 0; b.Len() < engram.MaxContent-20; i++ {
		fmt.Fprintf(&b, "quib%dble ", i)
	}
	return b.String()
}

// Whatever the question: an answer is certain, or uncertain and short, or says that it lists the newest, or is empty.
func TestAQuestionThatSaysLittleHasASaneAnswer(t *testing.T) {
	t.Parallel()
	few := enginetest.NewWorld(t)
	for _, title := range []string{"Fixed the login", "Deploys run from main", "数据库迁移"} {
		few.Note(title, title+" after lunch.")
	}
	library, _ := enginetest.Library(t)
	empty := enginetest.NewWorld(t)
	for store, w := range map[string]enginetest.World{"three memories": few, "a library": library, "nothing": empty} {
		for name, query := range odd() {
			found := w.MustSearch(search.SearchInput{Query: query})
			listed := len(found.Hits) > 0 && found.Hits[0].Why.Channels[0].Channel == engram.ChannelRecent
			switch {
			case len(found.Hits) > 10 || len(found.Hits)+len(found.BelowThreshold) > 10:
				t.Errorf("%s, %s: %d hits", store, name, len(found.Hits)+len(found.BelowThreshold))
			case found.Uncertain && (len(found.Hits) == 0 || len(found.Hits) > 3):
				t.Errorf("%s, %s: %d uncertain hits, want one to three", store, name, len(found.Hits))
			case listed && len(found.Degraded) == 0:
				t.Errorf("%s, %s: lists the newest without a word", store, name)
			case len(found.Hits) > 0 && !listed && !found.Uncertain:
				t.Errorf("%s, %s: %v are said to be relevant", store, name, enginetest.HitNums(found.Hits))
			case name == "one emoji" && store != "nothing" && !listed:
				t.Errorf("%s, %s: does not list the newest", store, name)
			}
		}
	}
}

func TestAFewMemoriesAnswer(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	login := w.Note("Login", "The login form loses its state when the session ends.")
	w.Note("Deploys", "Deploys run from main on Tuesdays.")
	w.Note("Lunch", "The canteen closes at two.")
	for _, tt := range []struct {
		query string
		want  []int64
	}{
		{"login form state", []int64{login}},
		{"how did we deal with the annoying problem that affected the login back then", []int64{login}},
		{among(""), nil},
	} {
		got := enginetest.HitNums(w.MustSearch(search.SearchInput{Query: tt.query}).Hits)
		enginetest.Same(t, tt.query, got[:min(1, len(got))], tt.want)
	}
}

func TestATitleOfManyMemoriesListsTheNewest(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	const many = 500
	var newest []int64
	w.Note("Elsewhere", "The weekly report is long.")
	for i := range many {
		content := fmt.Sprintf("Item %d was closed.", i)
		newest = append([]int64{w.Note("Weekly report", content)}, newest...)
		w.Clock.Add(time.Hour)
	}
	w.Note("After it", "The weekly report was printed.")
	for _, tt := range []struct {
		name, query string
		limit       int
		said        string
	}{
		{"the title", "Weekly report", 10, "500 memories have this title; newest first"},
		{"in other letters", "weekly REPORT", 1, "500 memories have this title; newest first"},
	} {
		found := w.MustSearch(search.SearchInput{Query: tt.query, Limit: tt.limit, Filter: engram.Filter{Project: "demo"}})
		enginetest.Same(t, tt.name, enginetest.HitNums(found.Hits), newest[:tt.limit])
		if enginetest.Same(t, tt.name+", said", found.Degraded, []string{tt.said}); found.Uncertain || len(found.BelowThreshold) > 0 {
			t.Errorf("%s: uncertain %v, %d below", tt.name, found.Uncertain, len(found.BelowThreshold))
		}
	}
	if found := w.MustSearch(search.SearchInput{Query: "report weekly items"}); len(found.Degraded) > 0 {
		t.Errorf("not the title: got %q", found.Degraded)
	}
}

func TestMemoriesOfOneTitleAreNewestFirst(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	w.Note("Other", "Standup was moved to ten.")
	old := w.Note("Standup notes", "The queue of the mailer was emptied.")
	w.Clock.Add(time.Hour)
	newer := w.Note("Standup notes", "We spoke about notes of the standup and about who keeps standup notes: a long talk, without a result.")
	found := w.MustSearch(search.SearchInput{Query: "standup notes"})
	enginetest.Same(t, "found", enginetest.HitNums(found.Hits)[:2], []int64{newer, old})
	if found.Hits[0].Score < found.Hits[1].Score || len(found.Degraded) > 0 {
		t.Errorf("scores %v and %v, said %q", found.Hits[0].Score, found.Hits[1].Score, found.Degraded)
	}
	if only := w.MustSearch(search.SearchInput{Query: "standup notes", Limit: 1}); only.Hits[0].Memory.Num != newer {
		t.Errorf("only one: got #%d, want #%d", only.Hits[0].Memory.Num, newer)
	}
}
