package consolidate_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// strengths returns the result of Decay as "num now→later", weakest first.
func strengths(w enginetest.World, in consolidate.DecayInput) (told []string) {
	w.Helper()
	for _, f := range w.MustDecay(in).Memories {
		told = append(told, fmt.Sprintf("%d %.2f→%.2f", f.Memory.Num, f.Now, f.Later))
	}
	return told
}

func TestDecayTellsTheWeakestFirst(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Aged(0, remember.SaveInput{Title: "New"})
	w.Aged(100, remember.SaveInput{Title: "Old"})
	w.Aged(100, remember.SaveInput{Title: "Kept", Permanent: true})
	w.Aged(100, remember.SaveInput{Title: "Weighty", Importance: new(1.0), Type: "decision"})
	w.Aged(50, remember.SaveInput{Title: "Elsewhere", Project: "other"})
	// e^-1 = 0.3679 and e^-1.3 = 0.2725; · 0.75 of ordinary importance.
	all := []string{"2 0.28→0.20", "4 0.37→0.27", "5 0.45→0.34", "1 0.75→0.56", "3 1.00→1.00"}
	for _, tt := range []struct {
		name string
		in   consolidate.DecayInput
		want []string
	}{
		{"everything", consolidate.DecayInput{}, all},
		{"of a project", consolidate.DecayInput{Filter: engram.Filter{Project: "demo"}}, []string{all[0], all[1], all[3], all[4]}},
		{"of a type", consolidate.DecayInput{Filter: engram.Filter{Types: []engram.Type{"decision"}}}, all[1:2]},
		{"the weak ones", consolidate.DecayInput{Below: 0.4}, all[:2]},
		{"the strong ones", consolidate.DecayInput{Filter: engram.Filter{MinStrength: 0.4}}, all[2:]},
		{"a page", consolidate.DecayInput{Limit: 2, Offset: 1}, all[1:3]},
		{"behind the last page", consolidate.DecayInput{Offset: 9}, nil},
		{"by name, each once", consolidate.DecayInput{Refs: []engram.Ref{engram.ByNum(3), engram.ByNum(2), engram.ByNum(3)}}, []string{all[0], all[4]}},
		{"a year ahead", consolidate.DecayInput{Below: 0.4, Days: 365}, []string{"2 0.28→0.10", "4 0.37→0.10"}},
		{"as if by another curve", consolidate.DecayInput{Refs: []engram.Ref{engram.ByNum(2)}, Curve: engram.CurveEbbinghaus}, []string{"2 0.04→0.01"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			enginetest.Same(t, "strengths", strengths(w.In(t), tt.in), tt.want)
		})
	}
	got := w.MustDecay(consolidate.DecayInput{Limit: 1})
	if got.Total != 5 || got.Days != 30 || got.Memories[0].Memory.Title != "Old" || got.Memories[0].Memory.Content == "" ||
		got.Memories[0].Reason != "0.28 · 100 days without access · importance 0.5 · 0 accesses · importance curve" {
		t.Errorf("got %+v", got)
	}
	for name, in := range map[string]consolidate.DecayInput{
		"a curve that does not exist": {Curve: "linear"}, "a limit below 1": {Limit: -1}, "days past counting": {Days: consolidate.MaxDecayDays + 1},
		"an offset below 0": {Offset: -1}, "a share above 1": {Below: 1.5}, "an invalid share": {Below: math.NaN()},
		"a strength above 1": {Filter: engram.Filter{MinStrength: 2}},
	} {
		if _, err := w.Decay(t.Context(), in); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
	_, err := w.Decay(t.Context(), consolidate.DecayInput{Refs: []engram.Ref{engram.ByNum(99)}})
	enginetest.WantCode(t, err, engram.CodeNotFound)
}

// databaseBytes returns the bytes of the database and its log.
func databaseBytes(w enginetest.World) (all [][]byte) {
	w.Helper()
	for _, path := range []string{w.Path, w.Path + "-wal"} {
		b, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			w.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

func TestTimeThatPassesIsNotWrittenDown(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for i := range 5 {
		w.Aged(i*20, remember.SaveInput{Title: fmt.Sprintf("Token %d", i), Type: "decision"})
	}
	before, rows := databaseBytes(w), w.MustDecay(consolidate.DecayInput{}).Memories
	for range 3 {
		w.Clock.Add(200 * enginetest.Day)
		w.MustDecay(consolidate.DecayInput{Curve: engram.CurveGeometric})
		w.MustDecay(consolidate.DecayInput{})
		w.MustSearch(search.SearchInput{Query: "token", Filter: engram.Filter{MinStrength: 0.2}})
		w.MustList(engram.Filter{MinStrength: 0.2})
		if _, err := w.Reviews(t.Context(), "", engram.Page{}); err != nil {
			t.Fatal(err)
		}
	}
	for i, b := range databaseBytes(w) {
		if !bytes.Equal(b, before[i]) {
			t.Errorf("file %d changed: %d bytes, then %d", i, len(before[i]), len(b))
		}
	}
	for _, f := range rows {
		if got := w.MustGet(f.Memory.Num).Memory; got.Strength != 1 || !got.TouchedAt.Equal(f.Memory.TouchedAt) {
			t.Errorf("#%d was rewritten: %+v", f.Memory.Num, got)
		}
	}
}

func TestAWeakMemoryIsHiddenOnlyWhereThatIsAsked(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old := w.Aged(150, remember.SaveInput{Title: "Token rotation", TopicKey: "auth/token"})
	young := w.Aged(1, remember.SaveInput{Title: "Token storage"})
	strong := engram.Filter{MinStrength: 0.5}
	enginetest.Same(t, "a search", slices.Sorted(slices.Values(w.MustFind("token"))), []int64{old, young})
	enginetest.Same(t, "a search for what is strong", enginetest.HitNums(w.MustSearch(search.SearchInput{Query: "token", Filter: strong}).Hits), []int64{young})
	enginetest.Same(t, "a topic key finds what is weak", w.MustFind("auth/token")[:1], []int64{old})
	if got := enginetest.HitNums(w.MustSearch(search.SearchInput{Query: "auth/token", Filter: strong}).Hits); slices.Contains(got, old) {
		t.Errorf("a topic key finds %v, want not the weak #%d", got, old)
	}
	enginetest.Same(t, "no question", enginetest.HitNums(w.MustSearch(search.SearchInput{Filter: strong}).Hits), []int64{young})
	enginetest.Same(t, "a list", w.MustList(engram.Filter{}), []int64{young, old})
	enginetest.Same(t, "a list of what is strong", w.MustList(strong), []int64{young})
	in := enginetest.Asked("token")
	in.Filter = strong
	enginetest.Same(t, "a recall of what is strong", enginetest.ShownNums(w.MustRecall(search.RecallInput{SearchInput: in})), []int64{young})
	past := w.Now().Add(-140 * enginetest.Day)
	enginetest.Same(t, "it was strong then", enginetest.HitNums(w.MustSearch(search.SearchInput{Query: "token", Filter: strong, AsOf: past}).Hits), []int64{old})
	ms, _, err := enginetest.ListAsOf(t.Context(), w, strong, engram.Page{}, past)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "and is in the list of that time", enginetest.Nums(ms), []int64{old})
	_, err = w.Search(t.Context(), search.SearchInput{Query: "token", Filter: engram.Filter{MinStrength: -0.1}})
	enginetest.WantCode(t, err, engram.CodeInvalid)
}

func TestPagesOfStrongMemoriesAreWholeAndDisjoint(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	var strong []int64
	for i := range 40 {
		days := []int{0, 200, 5, 300}[i%4]
		num := w.Aged(days, remember.SaveInput{Title: fmt.Sprintf("Note %d", i)})
		if days < 100 {
			strong = append(strong, num)
		}
	}
	want := w.MustList(engram.Filter{MinStrength: 0.5})
	enginetest.Same(t, "what is strong", slices.Sorted(slices.Values(want)), strong)
	for _, size := range []int{1, 3, 7, 20, 50} {
		var walked []int64
		for {
			ms, err := w.List(t.Context(), engram.Filter{MinStrength: 0.5}, engram.Page{Limit: size, Offset: len(walked)})
			if err != nil {
				t.Fatal(err)
			}
			if len(ms) != min(size, len(want)-len(walked)) {
				t.Fatalf("a page of %d at %d has %d memories of %d", size, len(walked), len(ms), len(want))
			}
			if len(ms) == 0 {
				break
			}
			walked = append(walked, enginetest.Nums(ms)...)
		}
		enginetest.Same(t, fmt.Sprintf("pages of %d", size), walked, want)
	}
}

func decayProject(w enginetest.World, in consolidate.ProjectDecayInput) consolidate.ProjectDecay {
	w.Helper()
	d, err := w.DecayProject(w.Context(), in)
	if err != nil {
		w.Fatalf("decay of a project %+v: %v", in, err)
	}
	return d
}

func TestAProjectFadesItsOwnWay(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Aged(30, remember.SaveInput{Title: "Here"})
	w.Aged(30, remember.SaveInput{Title: "A fact", Type: "fact"})
	w.Aged(30, remember.SaveInput{Title: "There", Project: "other"})
	geometric := engram.CurveGeometric
	d := decayProject(w, consolidate.ProjectDecayInput{Project: "demo", Curve: &geometric, Rate: new(0.9)})
	if want := (engram.Decay{Curve: geometric, Rate: 0.9}); d.InForce != want || d.Own.Decay != want {
		t.Errorf("got %+v, want %+v", d, want)
	}
	// 0.9^30 = 0.0424, 0.9^60 = 0.0018; the other project as before.
	enginetest.Same(t, "by its own", strengths(w, consolidate.DecayInput{}), []string{"1 0.04→0.00", "2 0.04→0.00", "3 0.56→0.41"})
	decayProject(w, consolidate.ProjectDecayInput{Project: "demo", Type: "Fact", Rate: new(0.99)})
	// 0.99^30 = 0.7397, 0.99^60 = 0.5472
	enginetest.Same(t, "a type in it", strengths(w, consolidate.DecayInput{}), []string{"1 0.04→0.00", "3 0.56→0.41", "2 0.74→0.55"})
	factors := w.MustSearch(search.SearchInput{Query: "fact", Filter: engram.Filter{Project: "demo"}}).Hits[0].Why.Factors
	i := slices.IndexFunc(factors, func(f engram.Factor) bool { return f.Name == "strength" })
	if want := 1 - 0.04*(1-math.Pow(0.99, 30)); i < 0 || math.Abs(factors[i].Value-want) > 1e-4 {
		t.Errorf("a search weighs strength by %+v, want %.5f", factors, want)
	}
	if _, err := w.RenameProject(t.Context(), "demo", "shop"); err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "under another name", strengths(w, consolidate.DecayInput{}), []string{"1 0.04→0.00", "3 0.56→0.41", "2 0.74→0.55"})
	decayProject(w, consolidate.ProjectDecayInput{Project: "shop", Type: "fact", Reset: true})
	enginetest.Same(t, "the type as the rest again", strengths(w, consolidate.DecayInput{}), []string{"1 0.04→0.00", "2 0.04→0.00", "3 0.56→0.41"})
	if d := decayProject(w, consolidate.ProjectDecayInput{Project: "shop", Reset: true}); d.Own != nil {
		t.Errorf("after a reset: %+v", d.Own)
	}
	enginetest.Same(t, "as everything again", strengths(w, consolidate.DecayInput{}), []string{"1 0.56→0.41", "2 0.56→0.41", "3 0.56→0.41"})
}

// An earlier design prints a rate of 0.95 alone, the share left after a day.
func TestARateAloneThatIsAFactorTakesItsCurve(t *testing.T) {
	t.Parallel()
	importance := engram.CurveImportance
	for _, tt := range []struct {
		name string
		sets []consolidate.ProjectDecayInput
		want engram.Curve
	}{
		{"a factor", []consolidate.ProjectDecayInput{{Rate: new(0.95)}}, "geometric"},
		{"a loss a day", []consolidate.ProjectDecayInput{{Rate: new(0.02)}}, "importance"},
		{"more than all of it", []consolidate.ProjectDecayInput{{Rate: new(1.5)}}, "importance"},
		{"a curve that is named with it", []consolidate.ProjectDecayInput{{Curve: &importance, Rate: new(0.95)}}, "importance"},
		{"a curve that was named before", []consolidate.ProjectDecayInput{{Curve: &importance}, {Rate: new(0.95)}}, "importance"},
		{"a type alone", []consolidate.ProjectDecayInput{{Type: "fact", Rate: new(0.95)}}, "geometric"},
	} {
		w := enginetest.NewWorld(t)
		w.Note("t", "c")
		var d consolidate.ProjectDecay
		for _, in := range tt.sets {
			in.Project = "demo"
			d = decayProject(w, in)
		}
		if d.InForce.Curve != tt.want {
			t.Errorf("%s: got %+v, want the %s curve", tt.name, d.InForce, tt.want)
		}
	}
}

func TestSettingTheDecayOfAProjectIsJournalledAndUndone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("One", "text")
	geometric := engram.CurveGeometric
	set := func(rate float64) func() {
		return func() {
			decayProject(w, consolidate.ProjectDecayInput{Project: "demo", Curve: &geometric, Rate: &rate})
		}
	}
	entries := w.Since(set(0.9))
	if len(entries) != 1 || entries[0].Operation != "project_decay" || string(entries[0].Was) != `{"decay":null}` {
		t.Fatalf("entries %+v, want one that says there was none", entries)
	}
	if again := w.Since(set(0.9)); len(again) != 0 {
		t.Errorf("saying it again leaves %+v", again)
	}
	set(0.8)()
	own := func() string {
		d := decayProject(w, consolidate.ProjectDecayInput{Project: "demo"})
		if d.Own == nil {
			return "none"
		}
		return fmt.Sprintf("%s %v", d.Own.Curve, d.Own.Rate)
	}
	enginetest.Same(t, "set twice", []string{own()}, []string{"geometric 0.8"})
	for _, want := range []string{"geometric 0.9", "none"} {
		if _, err := w.Undo(t.Context(), undo.UndoInput{}); err != nil {
			t.Fatal(err)
		}
		enginetest.Same(t, "undone", []string{own()}, []string{want})
	}
}

func TestWhatCannotBeTheDecayOfAProject(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("One", "text")
	linear, geometric := engram.Curve("linear"), engram.CurveGeometric
	for _, tt := range []struct {
		name string
		in   consolidate.ProjectDecayInput
		code engram.Code
	}{
		{"an unknown project", consolidate.ProjectDecayInput{Project: "nope", Rate: new(0.5)}, engram.CodeNotFound},
		{"an unknown project, only asked", consolidate.ProjectDecayInput{Project: "nope"}, engram.CodeNotFound},
		{"a curve that does not exist", consolidate.ProjectDecayInput{Project: "demo", Curve: &linear}, engram.CodeInvalid},
		{"a rate that does not fit", consolidate.ProjectDecayInput{Project: "demo", Curve: &geometric, Rate: new(30.0)}, engram.CodeInvalid},
		{"a rate below nothing", consolidate.ProjectDecayInput{Project: "demo", Rate: new(-1.0)}, engram.CodeInvalid},
		{"an invalid rate", consolidate.ProjectDecayInput{Project: "demo", Rate: new(math.NaN())}, engram.CodeInvalid},
		{"a boost that weakens", consolidate.ProjectDecayInput{Project: "demo", MaxBoost: new(0.5)}, engram.CodeInvalid},
		{"a reset with a setting", consolidate.ProjectDecayInput{Project: "demo", Reset: true, Rate: new(0.1)}, engram.CodeInvalid},
		{"a wrong rate for one type", consolidate.ProjectDecayInput{Project: "demo", Type: "fact", Rate: new(-1.0)}, engram.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := w.DecayProject(t.Context(), tt.in)
			enginetest.WantCode(t, err, tt.code)
		})
	}
	if d := decayProject(w, consolidate.ProjectDecayInput{Project: "demo"}); d.Own != nil || d.InForce != lifecycle.DefaultPolicy().Decay {
		t.Errorf("afterwards: %+v", d)
	}
}

// accesses are the access counts of memories 1 to n.
func accesses(w enginetest.World, n int) string {
	w.Helper()
	var counts []string
	for num := range n {
		counts = append(counts, fmt.Sprint(w.MustGet(int64(num+1)).Memory.AccessCount))
	}
	return strings.Join(counts, " ")
}

func TestReadingCountsAsAnAccess(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	read := func(session string) func(enginetest.World) {
		return func(w enginetest.World) {
			if _, err := w.GetIn(ctx, session, engram.ByNum(1)); err != nil {
				w.Fatal(err)
			}
		}
	}
	recall := func(session string) func(enginetest.World) {
		return func(w enginetest.World) {
			w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("token"), SessionID: session, Again: true})
		}
	}
	wait := func(d time.Duration) func(enginetest.World) { return func(w enginetest.World) { w.Clock.Add(d) } }
	for _, tt := range []struct {
		name string
		do   []func(enginetest.World)
		want string // of a memory about tokens, and another
	}{
		{"a get counts", []func(enginetest.World){read("")}, "1 0"},
		{"another one within the hour does not", []func(enginetest.World){read(""), wait(59 * time.Minute), read("")}, "1 0"},
		{"after the hour it does", []func(enginetest.World){read(""), wait(time.Hour), read("")}, "2 0"},
		{"a recall counts what it shows", []func(enginetest.World){recall("")}, "1 0"},
		{"a recall that is not shown does not", []func(enginetest.World){func(w enginetest.World) {
			w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("token"), Unseen: true})
		}}, "0 0"},
		{"a session counts once, however it reads", []func(enginetest.World){recall("s1"), wait(5 * time.Hour), read("s1"), recall("s1"), read("s1")}, "1 0"},
		{"another session counts too, at once", []func(enginetest.World){read("s1"), read("s2")}, "2 0"},
		{"an unknown session counts like none", []func(enginetest.World){read("nope"), read("other"), read("")}, "1 0"},
		{"a search is no reading; opening what it found is", []func(enginetest.World){func(w enginetest.World) {
			if _, err := w.SearchIn(ctx, "s1", enginetest.Asked("token")); err != nil {
				w.Fatal(err)
			}
			if got := accesses(w, 2); got != "0 0" {
				w.Errorf("after the search: %s", got)
			}
		}, read("s1")}, "1 0"},
		{"what a context tells is told for ever, and never counts", []func(enginetest.World){func(w enginetest.World) {
			w.Report(brief.ContextInput{Project: "demo", SessionID: "s1"})
			w.Report(brief.ContextInput{Project: "demo"})
		}}, "0 0"},
		{"having been told of it, a session reads it", []func(enginetest.World){func(w enginetest.World) { w.Report(brief.ContextInput{Project: "demo", SessionID: "s1"}) }, read("s1")}, "1 0"},
		{"a plain Get is for the engine's own use", []func(enginetest.World){func(w enginetest.World) { w.MustGet(1) }}, "0 0"},
		{"a clock that was set back counts none until it has caught up",
			[]func(enginetest.World){read(""), wait(-10 * enginetest.Day), read(""), wait(2 * time.Hour), read("")}, "1 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			w.Note("Token", "The token lives in a cookie.")
			w.Note("Zebra", "Stripes.")
			w.MustSession("s1", "demo")
			w.MustSession("s2", "demo")
			entries := w.Since(func() {
				for _, step := range tt.do {
					step(w)
				}
			})
			if got := accesses(w, 2); got != tt.want {
				t.Errorf("accesses %s, want %s", got, tt.want)
			}
			if len(entries) != 0 {
				t.Errorf("reading is journalled: %+v", entries)
			}
		})
	}
}

func TestAnAccessStrengthensWithinBounds(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Aged(100, remember.SaveInput{Title: "Token"})
	before := w.MustGet(num)
	if _, err := w.GetIn(t.Context(), "", engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	after := w.MustGet(num)
	if after.Strength <= before.Strength || after.Memory.Strength != before.Memory.Strength || !after.Memory.UpdatedAt.Equal(before.Memory.UpdatedAt) {
		t.Errorf("before %+v\nafter %+v\nwant it stronger by the curve alone", before, after)
	}
	for range 50 {
		w.Clock.Add(2 * time.Hour)
		if _, err := w.GetIn(t.Context(), "", engram.ByNum(num)); err != nil {
			t.Fatal(err)
		}
	}
	if d := w.MustGet(num); d.Memory.AccessCount != 51 || d.Strength > 1 || d.Memory.Strength != 1 {
		t.Errorf("read 51 times: %+v", d)
	}
}

// A store locked by another process must not block or fail a reader.
func TestAReadDoesNotFailBecauseItCannotBeCounted(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Patience = 50 * time.Millisecond // the other writer does not end before the reads
	w = w.Reopened()
	num := w.Note("Token", "The token lives in a cookie.")
	other := w.Reopened()
	held, done := make(chan struct{}), make(chan error)
	go func() {
		done <- other.Store.Update(t.Context(), func(engram.Tx) error {
			close(held)
			_, err := w.GetIn(t.Context(), "", engram.ByNum(num))
			r := w.MustRecall(search.RecallInput{SearchInput: enginetest.Asked("token")})
			if len(r.Items) != 1 || len(r.Degraded) != 1 || !strings.HasPrefix(r.Degraded[0], "cannot record the read: ") {
				t.Errorf("recalled %d, degraded %q", len(r.Items), r.Degraded)
			}
			return err
		})
	}()
	<-held
	if err := <-done; err != nil {
		t.Errorf("get: %v", err)
	}
	if got := accesses(w, 1); got != "0" {
		t.Errorf("accesses %s, want 0", got)
	}
}
