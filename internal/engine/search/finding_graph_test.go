package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// notesOf returns the notes of a find; found is false if it is not a hit.
func notesOf(f engram.Found, num int64) (notes []string, found bool) {
	i := slices.IndexFunc(f.Hits, func(h engram.Hit) bool { return h.Memory.Num == num })
	if i < 0 {
		return nil, false
	}
	return f.Hits[i].Why.Notes, true
}

func TestRelationsLeadOnAsFarAsAsked(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	outage := w.Note("Outage of the checkout", "Payments were refused for an hour.")
	cert := w.Note("A certificate ran out", "Nobody had renewed it.")
	bot := w.Note("Renewals are done by a robot", "It runs each Sunday.")
	aside := w.Note("Lunch", "The canteen is closed in August.")
	w.Relate(outage, engram.VerbCausedBy, cert, engram.RelationJudged)
	w.Relate(bot, engram.VerbDerivedFrom, cert, engram.RelationJudged)
	w.Relate(outage, engram.VerbRelatesTo, aside, engram.RelationIgnored)
	hops := func(n int) *int { return &n }
	for _, tt := range []struct {
		name      string
		hops      *int
		cert, bot bool
	}{
		{"no hop: what was found alone", hops(0), false, false},
		{"one hop: the cause", hops(1), true, false},
		{"one hop is what nobody has to ask for", nil, true, false},
		{"two hops: what was done about the cause", hops(2), true, true},
		{"five hops lead no further than there are relations", hops(5), true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := w.In(t).MustSearch(search.SearchInput{Query: "outage of the checkout payments", Hops: tt.hops})
			if len(found.Hits) == 0 || found.Hits[0].Memory.Num != outage {
				t.Fatalf("got %v, want #%d first", enginetest.HitNums(found.Hits), outage)
			}
			notes, ok := notesOf(found, cert)
			if ok != tt.cert || ok && !slices.Contains(notes, fmt.Sprintf("#%d caused_by it", outage)) {
				t.Errorf("the cause #%d: found %v with %q, want %v and the relation named", cert, ok, notes, tt.cert)
			}
			notes, ok = notesOf(found, bot)
			if ok != tt.bot || ok && !slices.Contains(notes, fmt.Sprintf("it derived_from #%d", cert)) {
				t.Errorf("the remedy #%d: found %v with %q, want %v and the relation named", bot, ok, notes, tt.bot)
			}
			if _, ok := notesOf(found, aside); ok {
				t.Errorf("#%d was found over a relation that somebody ignored", aside)
			}
		})
	}
	if _, ok := notesOf(w.MustSearch(search.SearchInput{Query: "outage of the checkout payments", Filter: engram.Filter{Types: []engram.Type{"bugfix"}}}), cert); ok {
		t.Error("a relation leads past the filter")
	}
}

func TestRelationsLeadThroughNothingThatIsHidden(t *testing.T) {
	t.Parallel()
	two := 2
	for _, tt := range []struct {
		name string
		hide func(w enginetest.World, cert int64)
		in   engram.Filter
		want bool
	}{
		{"what is not hidden leads on", func(enginetest.World, int64) {}, engram.Filter{Project: "demo"}, true},
		{"what was forgotten does not", func(w enginetest.World, cert int64) {
			if _, err := w.Forget(w.Context(), engram.ByNum(cert)); err != nil {
				w.Fatal(err)
			}
		}, engram.Filter{}, false},
		{"what another project has does not", func(w enginetest.World, cert int64) {
			other := "other"
			if _, err := w.Update(w.Context(), remember.UpdateInput{Ref: engram.ByNum(cert), Project: &other}); err != nil {
				w.Fatal(err)
			}
		}, engram.Filter{Project: "demo"}, false},
		{"but does where every project is asked", func(w enginetest.World, cert int64) {
			other := "other"
			if _, err := w.Update(w.Context(), remember.UpdateInput{Ref: engram.ByNum(cert), Project: &other}); err != nil {
				w.Fatal(err)
			}
		}, engram.Filter{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			outage := w.Note("Outage of the checkout", "Payments were refused for an hour.")
			cert := w.Note("A certificate ran out", "Nobody had renewed it.")
			bot := w.Note("Renewals are done by a robot", "It runs each Sunday.")
			w.Relate(outage, engram.VerbCausedBy, cert, engram.RelationJudged)
			w.Relate(bot, engram.VerbDerivedFrom, cert, engram.RelationJudged)
			tt.hide(w, cert)
			found := w.MustSearch(search.SearchInput{Query: "outage of the checkout payments", Hops: &two, Filter: tt.in})
			notes, _ := notesOf(found, bot)
			if led := len(notes) > 0; led != tt.want {
				t.Errorf("the robot is noted as %q, led to: %t, want %t", notes, led, tt.want)
			}
		})
	}
}

func TestWhatIsSupersededStandsBehindItsSuccessor(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old := w.Note("Tokens live an hour", "Access tokens of the gateway live one hour.")
	young := w.Note("Shorter sessions", "They end after a quarter of that.")
	w.Note("Lunch", "The canteen is closed in August.")
	query := search.SearchInput{Query: "how long do access tokens of the gateway live"}
	if hits := w.MustSearch(query).Hits; len(hits) == 0 || hits[0].Memory.Num != old {
		t.Fatalf("before anybody judged: %v, want #%d first", enginetest.HitNums(hits), old)
	}
	w.Relate(young, engram.VerbSupersedes, old, engram.RelationJudged)
	for _, hops := range []int{0, 1} {
		query.Hops = &hops
		found := w.MustSearch(query)
		if got := enginetest.HitNums(found.Hits); len(got) < 2 || got[0] != young || got[1] != old {
			t.Fatalf("%d hops: got %v and weak %v, want #%d and then #%d", hops, got, enginetest.HitNums(found.BelowThreshold), young, old)
		}
		if notes, _ := notesOf(found, old); !slices.Contains(notes, fmt.Sprintf("superseded by #%d", young)) {
			t.Errorf("%d hops: #%d says %q", hops, old, notes)
		}
		if found.Hits[0].Score < found.Hits[1].Score {
			t.Errorf("%d hops: the successor scores %v, less than %v", hops, found.Hits[0].Score, found.Hits[1].Score)
		}
		if rel := found.Hits[1].Relations; len(rel) != 1 || rel[0].Other.Num != young {
			t.Errorf("%d hops: the old one names %+v, want its successor", hops, rel)
		}
	}
	query.Limit = 1
	if found := w.MustSearch(query); len(found.Hits) != 1 || found.Hits[0].Memory.Num != young || len(found.BelowThreshold) > 0 {
		t.Errorf("one alone: got %v and weak %v, want #%d", enginetest.HitNums(found.Hits), enginetest.HitNums(found.BelowThreshold), young)
	}
	query.Limit = 0
	if _, err := w.Forget(t.Context(), engram.ByNum(young)); err != nil {
		t.Fatal(err)
	}
	query.Hops = nil
	if hits := w.MustSearch(query).Hits; len(hits) == 0 || hits[0].Memory.Num != old {
		t.Errorf("its successor forgotten: %v, want #%d first", enginetest.HitNums(hits), old)
	}
}

func TestTheNewestOfAChainComesFirst(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	chain := []int64{w.Note("Tokens live an hour", "Access tokens of the gateway live one hour.")}
	for _, text := range []string{"They end after a quarter of that.", "Half of it was too short for the phones."} {
		chain = append(chain, w.Note("Sessions", text))
		w.Relate(chain[len(chain)-1], engram.VerbSupersedes, chain[len(chain)-2], engram.RelationJudged)
	}
	slices.Reverse(chain)
	for hops := range 3 {
		found := w.MustSearch(search.SearchInput{Query: "how long do access tokens of the gateway live", Hops: &hops})
		enginetest.Same(t, fmt.Sprintf("with %d hops", hops), enginetest.HitNums(found.Hits), chain)
	}
}

func TestASuccessorStandsBeforeOneFarDownTheList(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	var all []int64
	for i := range 40 {
		all = append(all, w.Note(fmt.Sprintf("Gauge %d", i), fmt.Sprintf("Gauge %d was read at noon%s.", i, strings.Repeat(" and the sky was grey", i))))
	}
	query := search.SearchInput{Query: "gauge read at noon", Limit: 40}
	hits, _ := w.MustSearch(query).InOrder()
	order := enginetest.HitNums(hits)
	if len(order) != len(all) {
		t.Fatalf("got %v, want all %d", order, len(all))
	}
	old, young := order[30], order[35]
	w.Relate(young, engram.VerbSupersedes, old, engram.RelationJudged)
	hits, _ = w.MustSearch(query).InOrder()
	got := enginetest.HitNums(hits)
	if slices.Index(got, young) != slices.Index(got, old)-1 {
		t.Errorf("#%d supersedes #%d and is not right before it: %v", young, old, got)
	}
}

func TestAPendingSuccessorReplacesNothing(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old := w.Note("Tokens live an hour", "Access tokens of the gateway live one hour.")
	young := w.Note("Shorter sessions", "They end after a quarter of that.")
	w.Relate(young, engram.VerbSupersedes, old, engram.RelationPending)
	if hits := w.MustSearch(search.SearchInput{Query: "how long do access tokens of the gateway live"}).Hits; len(hits) == 0 || hits[0].Memory.Num != old {
		t.Errorf("got %v, want #%d first", enginetest.HitNums(hits), old)
	}
}

// timeFactor returns a find's factor of time, 0 without one.
func timeFactor(h engram.Hit) float64 {
	for _, f := range h.Why.Factors {
		if f.Name == "time" {
			return f.Value
		}
	}
	return 0
}

func TestATimeInTheQuestionDrawsItsMemoriesNearer(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	var meetings []int64
	for range 3 { // on the 12th, 13th and 14th of June, at about nine
		meetings = append(meetings, w.Note("Standup", "The standup spoke of the migration of "+w.Clock.Now().Format("Monday")+"."))
		w.Clock.Add(24 * time.Hour)
	}
	day := func(d int) time.Time { return time.Date(2026, 6, d, 0, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		name, query, phrase string
		from, to            time.Time
		first               int64
	}{
		{"yesterday", "what did the standup speak of yesterday", "yesterday", day(14), day(15), meetings[2]},
		{"a day with its year", "standup of 2026-06-12", "2026-06-12", day(12), day(13), meetings[0]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := w.In(t).MustSearch(search.SearchInput{Query: tt.query})
			if len(found.Times) != 1 || !strings.Contains(found.Times[0].Phrase, tt.phrase) || !found.Times[0].From.Equal(tt.from) || !found.Times[0].To.Equal(tt.to) {
				t.Fatalf("times: got %+v, want %q from %s to %s", found.Times, tt.phrase, tt.from, tt.to)
			}
			hits, _ := found.InOrder()
			if len(hits) != 3 || hits[0].Memory.Num != tt.first {
				t.Fatalf("got %v, want all three and #%d first", enginetest.HitNums(hits), tt.first)
			}
			for _, h := range hits[1:] {
				if f := timeFactor(h); f < 1 || f >= timeFactor(hits[0]) {
					t.Errorf("#%d has the factor of time %v, want it from 1 to less than the %v of #%d", h.Memory.Num, f, timeFactor(hits[0]), tt.first)
				}
			}
		})
	}
	if found := w.MustSearch(search.SearchInput{Query: "standup"}); len(found.Times) > 0 || timeFactor(found.Hits[0]) != 0 {
		t.Errorf("a question of no time: %+v, %+v", found.Times, found.Hits[0].Why)
	}
}

func TestYesterdayEndsAtMidnightOfTheZone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("Standup", "The standup spoke of the migration.")
	zone := time.FixedZone("far east", 11*60*60)
	e := engine.New(engine.Options{Store: w.Store, Now: w.Clock.Now, NewID: func() engram.ID { return "unused" }, Zone: zone})
	found, err := e.Search(t.Context(), search.SearchInput{Query: "standup of yesterday"})
	if err != nil || len(found.Times) != 1 {
		t.Fatalf("got %+v, %v, want one time", found.Times, err)
	}
	// It is nine in the morning of the 12th in Greenwich, and eight in the evening there.
	if want := time.Date(2026, 6, 11, 0, 0, 0, 0, zone); !found.Times[0].From.Equal(want) {
		t.Errorf("yesterday begins at %s, want %s", found.Times[0].From, want)
	}
}
