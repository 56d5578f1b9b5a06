package relate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func lifetime(minutes int, change ...func(*remember.SaveInput)) remember.SaveInput {
	in := remember.SaveInput{Title: "Token lifetime", Content: fmt.Sprintf("Access tokens of the API live %d minutes.", minutes), Type: "decision", Project: "demo"}
	for _, c := range change {
		c(&in)
	}
	return in
}

// wordings state a token lifetime in different words, so they are no series.
var wordings = []string{"Access tokens of the API live %d minutes.", "The API's access tokens live %d minutes, as mobile clients want.",
	"In production access tokens of the API live %d minutes since March.", "Access tokens of our public API live for %d minutes and are signed."}

// worded returns one of them with its own lifetime.
func worded(i int) remember.SaveInput {
	return lifetime(10+i, func(in *remember.SaveInput) { in.Content = fmt.Sprintf(wordings[i], 10+i) })
}

// candidates returns the candidates of a save, as text.
func candidates(res remember.SaveResult) string {
	var words []string
	for _, c := range res.Candidates {
		words = append(words, fmt.Sprintf("#%d %s", c.Memory.Num, c.Reason))
	}
	return strings.Join(words, ", ")
}

func TestASaveAsksAboutWhatItMayContradict(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("Kettle", "It whistles for 15 minutes.")
	old := w.MustSave(lifetime(15)).Memory
	res := w.MustSave(lifetime(5))
	if got, want := candidates(res), fmt.Sprintf("#%d number: 5 minutes against 15 minutes", old.Num); got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	c := res.Candidates[0]
	r := c.Relation
	if r.Source != res.Memory.Num || r.Target != old.Num || r.Verb != engram.VerbContradicts || r.Status != engram.RelationPending || r.Actor != "engram" ||
		r.ActorKind != relate.KindSystem || r.Reason != c.Reason || !strings.HasPrefix(r.ID, engram.RelationIDPrefix) || c.Score <= 0.5 || c.Score > 1 || r.Strength <= 0.62 {
		t.Errorf("got %+v, score %v", r, c.Score)
	}
	if len(res.Related) > 0 {
		t.Errorf("what waits for a verdict is tied too: %v", res.Related)
	}
	for _, m := range w.Journal() {
		if strings.Contains(m.Reason+string(m.Was), "minutes") {
			t.Errorf("the journal keeps words of a memory: %q %s", m.Reason, m.Was)
		}
	}
	w.Clock.Add(time.Hour)
	if res := w.MustSave(lifetime(60)); len(res.Candidates) != 0 {
		t.Errorf("a third lifetime makes a series, and contradicts %q", candidates(res))
	}
}

func TestAPairIsAskedAboutOnce(t *testing.T) {
	t.Parallel()
	topic := func(in *remember.SaveInput) { in.TopicKey = "auth/tokens" }
	for _, tt := range []struct {
		name  string
		after func(w enginetest.World, r engram.Relation) // the pair was asked about
		want  int                                         // candidates of a revision that contradicts as well
		rows  int                                         // judgments on the pair in the end
	}{
		{"while nobody has judged it comes again, and is one", func(enginetest.World, engram.Relation) {}, 1, 1},
		{"no conflict stays none", func(w enginetest.World, r engram.Relation) { verdict(w, r, engram.VerbNotConflict) }, 0, 1},
		{"compatible stays so", func(w enginetest.World, r engram.Relation) { verdict(w, r, engram.VerbCompatible) }, 0, 1},
		{"a contradiction is known", func(w enginetest.World, r engram.Relation) { verdict(w, r, engram.VerbContradicts) }, 0, 1},
		{"what replaced the other does not contradict it", func(w enginetest.World, r engram.Relation) { verdict(w, r, engram.VerbSupersedes) }, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			old := w.MustSave(lifetime(15)).Memory.Num
			first := w.MustSave(lifetime(5, topic))
			if len(first.Candidates) != 1 {
				t.Fatalf("got %q, want one candidate", candidates(first))
			}
			tt.after(w, first.Candidates[0].Relation)
			again := w.MustSave(lifetime(7, topic))
			if again.Action != ledger.ActionRevised || len(again.Candidates) != tt.want {
				t.Errorf("%s with candidates %q, want a revision with %d", again.Action, candidates(again), tt.want)
			}
			if tt.want > 0 && again.Candidates[0].Relation.ID != first.Candidates[0].Relation.ID {
				t.Errorf("it is asked about as %s, want %s as before", again.Candidates[0].Relation.ID, first.Candidates[0].Relation.ID)
			}
			rows := 0
			err := w.Store.View(t.Context(), func(r engram.Reader) error {
				all, err := engram.RelationsBetween(t.Context(), r, old, again.Memory.Num)
				for _, r := range all {
					if r.Judgment() {
						rows++
					}
				}
				return err
			})
			if err != nil || rows != tt.rows {
				t.Errorf("%d judgments on the pair (%v), want %d", rows, err, tt.rows)
			}
		})
	}
}

func verdict(w enginetest.World, r engram.Relation, verb engram.Verb) {
	w.Helper()
	if _, err := w.Judge(w.Context(), relate.JudgeInput{Ref: engram.RelationRef{ID: r.ID}, Verb: verb}); err != nil {
		w.Fatalf("judge %s %s: %v", r.ID, verb, err)
	}
}

func TestATopicDoesNotContradictWhatItSaidBefore(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	topic := func(in *remember.SaveInput) { in.TopicKey = "auth/tokens" }
	w.MustSave(lifetime(15, topic))
	if res := w.MustSave(lifetime(5, topic)); len(res.Candidates)+len(res.Related) > 0 {
		t.Errorf("got candidates %q, related %v", candidates(res), res.Related)
	}
}

func TestNoMoreThanThreeAreAskedAboutAndTied(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for i := range wordings {
		w.MustSave(worded(i))
	}
	if res := w.MustSave(lifetime(30)); len(res.Candidates) != 3 || res.Candidates[0].Score < res.Candidates[2].Score {
		t.Errorf("got candidates %q, want the three likeliest", candidates(res))
	}
	for _, part := range []string{"the login page", "the mobile app", "the public API", "the admin pages", "the batch jobs"} {
		w.MustSave(remember.SaveInput{Title: "Access tokens", Content: "Access tokens are checked in the middleware of " + part + ".", Project: "shop"})
	}
	res := w.MustSave(remember.SaveInput{Title: "Access tokens", Content: "Access tokens are checked in the middleware.", Project: "shop", TopicKey: "auth"})
	if len(res.Related) != 3 || res.Related[0].Cosine < res.Related[2].Cosine {
		t.Fatalf("tied to %v, want the three nearest", res.Related)
	}
	for i := range 5 {
		res = w.MustSave(remember.SaveInput{Title: "Access tokens", Content: fmt.Sprintf("Access tokens are checked in the middleware %s.", strings.Repeat("very ", i+1)), Project: "shop", TopicKey: "auth"})
		if len(res.Related) > 0 {
			t.Errorf("revision %d is tied to %v more", i, res.Related)
		}
	}
}

func TestWhatIsNeitherTiedNorAskedAbout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		second func(*remember.SaveInput)
	}{
		{"a session's summary", func(in *remember.SaveInput) { in.Type = engram.TypeSessionSummary }},
		{"a passive learning", func(in *remember.SaveInput) { in.Type = engram.TypePassive }},
		{"another project's", func(in *remember.SaveInput) { in.Project = "other" }},
		{"another scope's", func(in *remember.SaveInput) { in.Scope = engram.ScopePersonal }},
		{"a repeat", func(in *remember.SaveInput) { *in = lifetime(15) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			w.MustSave(lifetime(15))
			w.MustSave(remember.SaveInput{Title: "Plants", Content: "Somebody waters them.", Project: "demo"})
			if res := w.MustSave(lifetime(5, tt.second)); len(res.Candidates)+len(res.Related) > 0 {
				t.Errorf("got candidates %q, related %v", candidates(res), res.Related)
			}
		})
	}
}

func TestABatchIsDecidedTogether(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	merge := func(in *remember.SaveInput) { in.Admit = remember.AdmitMerging }
	queue := enginetest.Merging(enginetest.Queue(enginetest.Retries))
	again := enginetest.Merging(queue)
	again.Title = "Queue of uploads"
	all, err := w.SaveBatch(t.Context(), []remember.SaveInput{lifetime(15, merge), queue, lifetime(5, merge), again, lifetime(15, merge)})
	if err != nil {
		t.Fatal(err)
	}
	var did []string
	for _, res := range all {
		did = append(did, fmt.Sprintf("%s #%d", res.Action, res.Memory.Num))
	}
	if got, want := strings.Join(did, ", "), "inserted #1, inserted #2, inserted #3, repeated #2, repeated #1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := candidates(all[2]); !strings.HasPrefix(got, "#1 number: ") {
		t.Errorf("the third contradicts %q, want the first", got)
	}
	ops := map[int64]bool{}
	for _, m := range w.Journal() {
		ops[m.Op] = true
	}
	if len(ops) != 1 {
		t.Errorf("a batch is %d operations", len(ops))
	}
}

func TestABatchIsSavedWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSession("s1", "other")
	good := remember.SaveInput{Content: "good", Project: "demo"}
	var many []remember.SaveInput
	for range remember.MaxBatch + 1 {
		many = append(many, good)
	}
	for _, tt := range []struct {
		name string
		ins  []remember.SaveInput
		code engram.Code
		msg  string
	}{
		{"none", nil, engram.CodeInvalid, "cannot save 0 memories at once"},
		{"too many", many, engram.CodeInvalid, "cannot save 101 memories at once"},
		{"one is empty", []remember.SaveInput{good, {Title: "t", Project: "demo"}, good}, engram.CodeInvalid, "memory 2: content is empty"},
		{"one is of a session that does not exist", []remember.SaveInput{good, {Content: "c", SessionID: "nobody"}}, engram.CodeNotFound, `memory 2: Session "nobody" was provided but does not exist`},
		{"one relates to nothing", []remember.SaveInput{good, {Content: "c", Project: "demo", Related: []engram.Ref{engram.ByNum(77)}}}, engram.CodeNotFound, "memory 2: memory #77 does not exist"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := w.SaveBatch(t.Context(), tt.ins)
			enginetest.WantCode(t, err, tt.code)
			if !strings.Contains(err.Error(), tt.msg) {
				t.Errorf("got %q, want %q in it", err, tt.msg)
			}
			if got := w.MustList(engram.Filter{}); len(got) > 0 {
				t.Errorf("there are memories: %v", got)
			}
		})
	}
}

func TestEnginesThatContradictEachOtherAtOnceAreAskedAboutIt(t *testing.T) {
	t.Parallel()
	all := enginetest.Engines(t, 2)
	enginetest.Together(t, all, 1, func(ctx context.Context, e *engine.Engine, i int) error {
		_, err := e.Save(ctx, lifetime(10+i, func(in *remember.SaveInput) { in.Project = fmt.Sprint("shop", i%2) }))
		return err
	})
	pending, total, err := all[0].Conflicts(t.Context(), relate.ConflictFilter{})
	if err != nil || total != 2 {
		t.Errorf("%d pairs of four in two projects wait for a verdict (%v), want both: %+v", total, err, pending)
	}
}
