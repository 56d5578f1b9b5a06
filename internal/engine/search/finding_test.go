package search_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// clinic is a world with one memory about a physician under another name.
func clinic(t testing.TB) (w enginetest.World, doctor int64) {
	w = enginetest.NewWorld(t)
	doctor = w.Note("The doctor came by", "He came by in the morning.")
	for _, m := range [][2]string{
		{"Invoices are numbered by year", "Accounting asked for gapless numbers."},
		{"The boiler loses pressure", "A valve was replaced in the cellar."},
		{"Keyboard layouts", "Everybody types on the same layout in the office."},
		{"Rain over the coast", "The forecast promised sunshine."},
	} {
		w.Note(m[0], m[1])
	}
	return w, doctor
}

func TestModes(t *testing.T) {
	t.Parallel()
	w, doctor := clinic(t)
	channels := func(h engram.Hit) (names []engram.Channel) {
		for _, c := range h.Why.Channels {
			names = append(names, c.Channel)
		}
		return names
	}
	for _, tt := range []struct {
		name, query string
		mode        search.Mode
		found       bool
		by          []engram.Channel
	}{
		{"a synonym is found by meaning", "physician", search.ModeSemantic, true, []engram.Channel{engram.ChannelVector}},
		{"and when both channels answer", "physician", search.ModeHybrid, true, []engram.Channel{engram.ChannelVector}},
		{"both is what nobody has to ask for", "physician", "", true, []engram.Channel{engram.ChannelVector}},
		{"words alone miss it", "physician", search.ModeLexical, false, nil},
		{"words find what was written", "doctor", search.ModeLexical, true, []engram.Channel{engram.ChannelLexical}},
		{"and so do both channels", "doctor", search.ModeHybrid, true, []engram.Channel{engram.ChannelLexical, engram.ChannelVector}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := w.In(t).MustSearch(search.SearchInput{Query: tt.query, Mode: tt.mode})
			hits, _ := found.InOrder()
			if !tt.found {
				if len(hits) > 0 {
					t.Errorf("%q by %s finds %v, want nothing", tt.query, tt.mode, enginetest.HitNums(hits))
				}
				return
			}
			if len(hits) == 0 || hits[0].Memory.Num != doctor {
				t.Fatalf("%q by %s finds %v, want #%d first", tt.query, tt.mode, enginetest.HitNums(hits), doctor)
			}
			enginetest.Same(t, "channels", channels(hits[0]), tt.by)
			if len(found.Hits) == 0 {
				t.Errorf("%q by %s: #%d is weak: %+v", tt.query, tt.mode, doctor, hits[0].Why)
			}
		})
	}
}

func TestWhatASearchCannotBeAskedIsToldWithAHint(t *testing.T) {
	t.Parallel()
	w, _ := clinic(t)
	before, stats := len(w.Journal()), w.MustStats()
	far, back := search.MaxHops+1, -1
	for _, tt := range []struct {
		name string
		in   search.SearchInput
		hint string
	}{
		{"an invalid mode", search.SearchInput{Mode: "guess"}, "use hybrid, semantic or fts"},
		{"a mode in capitals", search.SearchInput{Mode: "FTS"}, "use hybrid, semantic or fts"},
		{"an invalid fusion", search.SearchInput{Fusion: "sum"}, "use score or rank"},
		{"too many hops", search.SearchInput{Hops: &far}, "use a number from 0 to 5"},
		{"hops backwards", search.SearchInput{Hops: &back}, "use a number from 0 to 5"},
		{"more than a hundred", search.SearchInput{Limit: 101}, "use a number from 1 to 100"},
		{"less than none", search.SearchInput{Limit: -1}, "use a number from 1 to 100"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Query = "doctor"
			found, err := w.Search(t.Context(), tt.in)
			enginetest.WantCode(t, err, engram.CodeInvalid)
			if engram.HintOf(err) != tt.hint || len(found.Hits) > 0 {
				t.Errorf("got hint %q and %v, want hint %q and nothing", engram.HintOf(err), enginetest.HitNums(found.Hits), tt.hint)
			}
		})
	}
	if len(w.Journal()) != before || w.MustStats().Memories != stats.Memories {
		t.Errorf("the store changed: %d entries, were %d; %+v, was %+v", len(w.Journal()), before, w.MustStats(), stats)
	}
}

func TestRanksMayBeJoinedInsteadOfScores(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	for _, fusion := range []engram.Fusion{"", engram.FusionScore, engram.FusionRank} {
		found := w.MustSearch(search.SearchInput{Query: "connections of the pool were exhausted", Fusion: fusion})
		if len(found.Hits) == 0 || found.Hits[0].Memory.Num != num["pool"] {
			t.Errorf("fusion %q finds %v, want #%d first", fusion, enginetest.HitNums(found.Hits), num["pool"])
		}
	}
	// Of the last find: the best scores about 1 in both.
	score := func(f engram.Fusion) float64 {
		hits, _ := w.MustSearch(search.SearchInput{Query: "connections of the pool", Fusion: f}).InOrder()
		return hits[len(hits)-1].Score
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-4 } // the clock stepped between them
	if byScore, byRank, own := score(engram.FusionScore), score(engram.FusionRank), score(""); near(byScore, byRank) || !near(own, byScore) {
		t.Errorf("scores: by score %v, by rank %v, by the model's choice %v; want the first two to differ and the last to be the first", byScore, byRank, own)
	}
}

func TestNothingRelevantIsSaidAndTheWeakAreApart(t *testing.T) {
	t.Parallel()
	w, _ := enginetest.Library(t)
	for _, query := range []string{"how tall is the lighthouse of Alexandria", "sourdough bread recipe", "zeppelin hangar"} {
		found := w.MustSearch(search.SearchInput{Query: query})
		if len(found.Hits) > 0 || len(found.BelowThreshold) == 0 {
			t.Errorf("%q: got hits %v and weak %v, want weak ones alone", query, enginetest.HitNums(found.Hits), enginetest.HitNums(found.BelowThreshold))
		}
	}
	found := w.MustSearch(search.SearchInput{Query: "mailer retries with backoff", Limit: 3})
	if len(found.Hits) == 0 || len(found.Hits)+len(found.BelowThreshold) > 3 {
		t.Errorf("got hits %v and weak %v, want three together", enginetest.HitNums(found.Hits), enginetest.HitNums(found.BelowThreshold))
	}
	for _, h := range found.BelowThreshold {
		if slices.Contains(enginetest.HitNums(found.Hits), h.Memory.Num) {
			t.Errorf("#%d is weak and a hit", h.Memory.Num)
		}
	}
}

func TestFactorsAreBoundedAndMakeTheScore(t *testing.T) {
	t.Parallel()
	w, _ := enginetest.Library(t)
	bounds := map[string][2]float64{
		"importance": {0.9, 1.1}, "strength": {0.96, 1}, "recency": {1, 1.01}, "time": {1, 2}, "relevance": {0, 1}, "repeat": {0.6, 0.6},
		"+ context": {0, math.Inf(1)}, "type": {1.15, 1.15}, "+ words covered": {0, 0.2}, "+ words together": {0, 0.2}, "+ rare word": {0.2, 0.2},
		"lacks a word": {math.Inf(-1), 0},
	}
	for _, query := range []string{"pool", "what was decided yesterday about jwt", "数据库", "deploys of last week", "mailer before the pool exhaustion"} {
		found := w.MustSearch(search.SearchInput{Query: query, Limit: 100})
		hits, _ := found.InOrder()
		if len(hits) == 0 {
			t.Errorf("%q finds nothing", query)
		}
		last := math.Inf(1)
		for _, h := range hits {
			for _, f := range h.Why.Factors {
				b, known := bounds[f.Name]
				if !known || !(f.Value >= b[0] && f.Value <= b[1]) {
					t.Errorf("%q, #%d: factor %s is %v, want it within %v", query, h.Memory.Num, f.Name, f.Value, b)
				}
			}
			if h.Score > last || math.IsNaN(h.Score) || math.IsInf(h.Score, 0) {
				t.Errorf("%q, #%d: score %v after %v", query, h.Memory.Num, h.Score, last)
			}
			last = h.Score
		}
	}
}

func TestAMistypedWordIsReadAsWhatWasMeant(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	for _, tt := range []struct{ name, query, written, read, want string }{
		{"two letters changed places", "conection pool exhuastion", "exhuastion", "exhaustion", "pool"},
		{"a letter too many", "connecttion pool", "connecttion", "connection", "pool"},
		{"in the words of a person, not in stems", "authenticaton by tokens", "authenticaton", "authentication", "jwt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := w.In(t).MustSearch(search.SearchInput{Query: tt.query})
			if len(found.Hits) == 0 || found.Hits[0].Memory.Num != num[tt.want] {
				t.Errorf("%q finds %v, want #%d first", tt.query, enginetest.HitNums(found.Hits), num[tt.want])
			}
			if !slices.ContainsFunc(found.Repaired, func(r engram.Repair) bool {
				return r.Written == tt.written && slices.Contains(r.Read, tt.read)
			}) {
				t.Errorf("%q: repaired %+v, want %s read as %s", tt.query, found.Repaired, tt.written, tt.read)
			}
		})
	}
	if r := w.MustSearch(search.SearchInput{Query: "connection pool"}).Repaired; len(r) > 0 {
		t.Errorf("what is written as it stands there was repaired: %+v", r)
	}
}

func TestARepeatStepsBehindWhatIsNew(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked() // or what differs would be noted to contradict
	w.Note("Office plants", "Somebody waters them on Mondays.")
	w.Note("Parking", "The lot behind the building is free.")
	other := w.Note("Kettle descaling", "The kettle is descaled with vinegar every month.")
	first := w.Note("The kettle whistles", "It whistles since the lid was replaced, says the kitchen team.")
	again := w.Note("The kettle whistles!", "It whistles since the lid was replaced, says the kitchen team ...")
	found := w.MustSearch(search.SearchInput{Query: "kettle whistles"})
	hits, _ := found.InOrder()
	got := enginetest.HitNums(hits)
	if len(got) < 3 || got[0] != again {
		t.Fatalf("got %v, want #%d first", got, again)
	}
	i := slices.Index(got, first)
	if i < 0 {
		t.Fatalf("got %v, want #%d in it", got, first)
	}
	if !slices.Contains(hits[i].Why.Notes, "repeats #5") || !slices.Contains(hits[i].Why.Factors, engram.Factor{Name: "repeat", Value: retrieval.RepeatFactor}) {
		t.Errorf("#%d says %+v, want that it repeats #%d", first, hits[i].Why, again)
	}
	if j := slices.Index(got, other); j < 0 || len(hits[j].Why.Notes) > 0 {
		t.Errorf("#%d, of the same matter, is called a repeat or is not there: %v", other, got)
	}
	// The old and the new fact differ only in a number, and the list needs both.
	old := w.Note("Gateway timeout", "The gateway gives up after 30 seconds.")
	young := w.Note("Gateway timeout", "The gateway gives up after 60 seconds.")
	for _, h := range w.MustSearch(search.SearchInput{Query: "gateway timeout"}).Hits {
		if h.Repeats != 0 {
			t.Errorf("#%d says %v, want no repeat of #%d and #%d", h.Memory.Num, h.Why.Notes, old, young)
		}
	}
}

func TestNoQuestionOfAnyModeIsAnError(t *testing.T) {
	t.Parallel()
	w, num := enginetest.Library(t)
	deep := search.MaxHops
	for _, q := range []string{"", "a", "é", "数", "\x00\xff\xfe\x00", strings.Repeat("\xff", 4096), strings.Repeat("pool of connections ", 5120), strings.Repeat("w", 100<<10),
		"before the before the release", "yesterday", "yesterday of last week in March before 2020"} {
		for _, mode := range []search.Mode{search.ModeHybrid, search.ModeSemantic, search.ModeLexical} {
			for _, fusion := range []engram.Fusion{engram.FusionScore, engram.FusionRank} {
				in := search.SearchInput{Query: q, Mode: mode, Fusion: fusion, Hops: &deep, Limit: 100, Rerank: true}
				found, err := w.Search(t.Context(), in)
				if err != nil {
					t.Fatalf("question %.40q of %d bytes, %s, %s: %v", q, len(q), mode, fusion, err)
				}
				if n := len(found.Hits) + len(found.BelowThreshold); n > len(num) {
					t.Errorf("question %.40q, %s: %d finds among %d memories", q, mode, n, len(num))
				}
			}
		}
	}
}

func TestAProjectThatDoesNotExistHasNothing(t *testing.T) {
	t.Parallel()
	w, _ := enginetest.Library(t)
	for _, q := range []string{"", "pool", "architecture/auth-model"} {
		found := w.MustSearch(search.SearchInput{Query: q, Filter: engram.Filter{Project: "nobody", Scope: engram.ScopeProject}})
		if len(found.Hits)+len(found.BelowThreshold) > 0 || len(found.Degraded) > 0 {
			t.Errorf("%q in project nobody: got %+v, want nothing and no complaint", q, found)
		}
	}
	if _, err := w.Projects(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAHundredAreShownWhenAHundredAreAsked(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for i := range 130 {
		w.Note("Gauge "+strings.Repeat("i", i%7+1), "The gauge of boiler "+time.Duration(i).String()+" was read.")
	}
	found := w.MustSearch(search.SearchInput{Query: "gauge of the boiler", Limit: 100})
	if n := len(found.Hits) + len(found.BelowThreshold); n != 100 {
		t.Errorf("got %d hits and %d weak ones, want 100 together", len(found.Hits), len(found.BelowThreshold))
	}
	all, _ := found.InOrder()
	seen := map[int64]bool{}
	for _, h := range all {
		if seen[h.Memory.Num] {
			t.Errorf("#%d is listed twice", h.Memory.Num)
		}
		seen[h.Memory.Num] = true
	}
}

func TestASearchThatIsCalledOffSaysSo(t *testing.T) {
	t.Parallel()
	w, _ := enginetest.Library(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Search(ctx, search.SearchInput{Query: "pool"}); err == nil {
		t.Error("got an answer, want an error")
	}
}

func TestMemoriesWithoutVectorsAreToldOfInEveryModeThatAsksThem(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	if _, err := w.With(engine.Options{}).Save(t.Context(), remember.SaveInput{Title: "Mailer", Content: "It retries.", Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []search.Mode{search.ModeHybrid, search.ModeSemantic} {
		for _, query := range []string{"mailer", "letters posted"} {
			found := w.MustSearch(search.SearchInput{Query: query, Mode: mode})
			if len(found.Degraded) != 1 || !strings.Contains(found.Degraded[0], "engram reembed") {
				t.Errorf("%s, %q: degraded says %q, want what to do", mode, query, found.Degraded)
			}
		}
	}
	for _, in := range []search.SearchInput{{Query: "mailer", Mode: search.ModeLexical}, {Query: "mailer", Filter: engram.Filter{Project: "empty"}}} {
		if found := w.MustSearch(in); len(found.Degraded) > 0 {
			t.Errorf("%+v: degraded says %q, want nothing: no vector is missed", in, found.Degraded)
		}
	}
}

func TestEveryWordCannotBeAskedOfMeaning(t *testing.T) {
	t.Parallel()
	w, _ := clinic(t)
	found := w.MustSearch(search.SearchInput{Query: "doctor", Mode: search.ModeSemantic, All: true})
	if len(found.Hits)+len(found.BelowThreshold) > 0 || len(found.Degraded) != 1 || !strings.Contains(found.Degraded[0], "every word") {
		t.Errorf("got %v, degraded %q, want nothing and why", enginetest.HitNums(found.Hits), found.Degraded)
	}
}
