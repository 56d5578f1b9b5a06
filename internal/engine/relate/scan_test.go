package relate_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// judgeFunc is a judge made of a function.
type judgeFunc func(ctx context.Context, newer, older engram.Memory) (engram.Opinion, error)

func (judgeFunc) Name() string { return "test-judge" }

func (f judgeFunc) Judge(ctx context.Context, newer, older engram.Memory) (engram.Opinion, error) {
	return f(ctx, newer, older)
}

// judgedBy returns the same world with a judge.
func judgedBy(w enginetest.World, j engram.Judge) enginetest.World {
	n := 1000
	w.Engine = engine.New(engine.Options{Store: w.Store, Embedder: enginetest.Embedder(), Now: w.Clock.Now, Judge: j, NewID: func() engram.ID {
		n++
		return engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, n))
	}})
	return w
}

func scan(w enginetest.World, in relate.ScanInput) relate.Scanned {
	w.Helper()
	in.Project = "demo"
	res, err := w.Scan(w.Context(), in)
	if err != nil {
		w.Fatalf("scan %+v: %v", in, err)
	}
	return res
}

// story saves memories of which some contradict each other. The contradictions come by updates, since saving
// them would flag them at once.
func story(w enginetest.World) {
	w.Helper()
	first := []string{"An apple pie needs cinnamon", "Granite is hard to cut", "The violin wants new strings", "Boats leave the harbour", "Umbrellas hang by the door"}
	for i, text := range []string{
		"Access tokens live 15 minutes in the shop API", "Access tokens live 5 minutes in the shop API",
		"The nightly import of orders starts at 2 in the morning", "The nightly import of orders starts at 4 in the morning",
		"Release notes are written by hand every Friday",
	} {
		num := w.Note(first[i], first[i])
		if _, err := w.Update(w.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Title: &text, Content: &text}); err != nil {
			w.Fatalf("update #%d: %v", num, err)
		}
	}
	if n := len(conflicts(w, engram.RelationPending)); n != 0 {
		w.Fatalf("the story raised %d candidates before any scan", n)
	}
}

func TestScanIsADryRunUnlessApplied(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	story(w)
	var told int
	dry := scan(w, relate.ScanInput{Progress: func(_ string, done, total int) { told = done }})
	if dry.Inspected != 5 || dry.Found < 1 || dry.Inserted != 0 || !dry.DryRun || told != 5 {
		t.Fatalf("dry run: %+v, told of %d; want 5 memories, at least a pair, nothing written", dry, told)
	}
	if n := len(dry.Pairs); n != dry.Found-dry.AlreadyRelated {
		t.Errorf("the dry run shows %d pairs, found %d new ones", n, dry.Found-dry.AlreadyRelated)
	}
	wet := scan(w, relate.ScanInput{Apply: true})
	if wet.Inserted != len(dry.Pairs) || wet.DryRun {
		t.Errorf("applied: %+v, want the %d pairs of the dry run", wet, len(dry.Pairs))
	}
	again := scan(w, relate.ScanInput{Apply: true})
	if again.Inserted != 0 || again.AlreadyRelated != again.Found || again.Found != dry.Found {
		t.Errorf("again: %+v, want nothing new among %d", again, dry.Found)
	}
	for _, c := range conflicts(w, engram.RelationPending) {
		if c.Source.Num < c.Target.Num {
			t.Errorf("#%d to #%d: want the newer one as the source", c.Source.Num, c.Target.Num)
		}
	}
}

func TestScanRaisesNoMoreThanAsked(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	story(w)
	res := scan(w, relate.ScanInput{Apply: true, MaxInsert: 1})
	if found := res.Found - res.AlreadyRelated; found < 2 {
		t.Fatalf("the story has %d new pairs, the test needs two", found)
	}
	if res.Inserted != 1 || !res.Capped || len(res.Pairs) != 1 {
		t.Errorf("got %+v, want one of them, capped", res)
	}
}

func TestScanLooksAtNewMemoriesAgainstAll(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("Access token lifetime", "Access tokens live 15 minutes in the shop API")
	w.Clock.Add(time.Hour)
	since := w.Clock.Now()
	w.Note("Access token lifetime", "Access tokens live 5 minutes in the shop API")
	if res := scan(w, relate.ScanInput{Since: since}); res.Inspected != 1 || res.Found != 1 {
		t.Errorf("got %+v, want the one new memory and its pair", res)
	}
}

func TestSemanticScanRecordsOpinions(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	story(w)
	w = judgedBy(w, judgeFunc(func(_ context.Context, newer, older engram.Memory) (engram.Opinion, error) {
		if newer.Num < older.Num {
			return engram.Opinion{}, errors.New("the older memory came first")
		}
		return engram.Opinion{Verb: engram.VerbSupersedes, Confidence: 0.9, Reason: "newer"}, nil
	}))
	dry := scan(w, relate.ScanInput{Semantic: true})
	if dry.Judged == 0 || dry.Errors != 0 || len(conflicts(w, engram.RelationJudged)) != 0 {
		t.Fatalf("dry run: %+v, want opinions and nothing written", dry)
	}
	res := scan(w, relate.ScanInput{Semantic: true, Apply: true, Concurrency: 2})
	list := conflicts(w, engram.RelationJudged)
	if res.Judged != dry.Judged || len(list) != res.Judged || res.Inserted != 0 {
		t.Fatalf("applied: %+v with %d verdicts, want %d", res, len(list), dry.Judged)
	}
	if r := list[0].Relation; r.Model != "test-judge" || r.ActorKind != relate.KindSystem || r.Actor != "engram" || r.Confidence != 0.9 || r.Reason != "newer" {
		t.Errorf("the verdict is %+v", r)
	}
	if again := scan(w, relate.ScanInput{Semantic: true, Apply: true}); again.Judged != 0 {
		t.Errorf("again: %+v, want nobody asked twice", again)
	}
}

func TestSemanticScanJudgesWhatWaits(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	_, _, r := candidate(w)
	w = judgedBy(w, judgeFunc(func(context.Context, engram.Memory, engram.Memory) (engram.Opinion, error) {
		return engram.Opinion{Verb: engram.VerbNotConflict, Confidence: 1}, nil
	}))
	if res := scan(w, relate.ScanInput{Semantic: true, Apply: true}); res.Judged != 1 {
		t.Errorf("got %+v, want one judged", res)
	}
	if list := conflicts(w, engram.RelationJudged); len(list) != 1 || list[0].Relation.Num != r.Num || list[0].Relation.Verb != engram.VerbNotConflict {
		t.Errorf("judged: %+v, want the candidate", list)
	}
}

func TestSemanticScanSurvivesItsJudge(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	story(w)
	var calls atomic.Int64
	w = judgedBy(w, judgeFunc(func(ctx context.Context, _, _ engram.Memory) (engram.Opinion, error) {
		switch calls.Add(1) {
		case 1:
			return engram.Opinion{}, engram.Errorf(engram.CodeUnavailable, "the judge is away")
		case 2:
			return engram.Opinion{Verb: "beats", Confidence: 1}, nil
		}
		<-ctx.Done() // until the call's own time is over
		return engram.Opinion{}, ctx.Err()
	}))
	res := scan(w, relate.ScanInput{Semantic: true, Apply: true, Concurrency: 1, TimeoutPerCall: time.Second, MaxSemantic: 2})
	if res.Judged != 0 || res.Errors != 2 || res.Trouble == "" || res.Inserted == 0 {
		t.Errorf("got %+v, want both questions counted and the candidates raised all the same", res)
	}
	calls.Store(2)
	if res := scan(w, relate.ScanInput{Semantic: true, Concurrency: 1, TimeoutPerCall: time.Second, MaxSemantic: 1}); res.Errors != 1 {
		t.Errorf("a judge that says nothing: %+v, want its time to be over", res)
	}
}

func TestSemanticScanAsksBefore(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	story(w)
	w = judgedBy(w, judgeFunc(func(context.Context, engram.Memory, engram.Memory) (engram.Opinion, error) {
		return engram.Opinion{}, errors.New("it was asked")
	}))
	var told int
	res := scan(w, relate.ScanInput{Semantic: true, Confirm: func(judge string, pairs int) (bool, error) {
		told = pairs
		return false, nil
	}})
	if res.Errors != 0 || told == 0 || res.Skipped != told {
		t.Errorf("got %+v after a no for %d pairs, want nobody asked", res, told)
	}
}

func TestScanRefuses(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, tt := range []struct {
		name string
		in   relate.ScanInput
		code engram.Code
	}{
		{"no project", relate.ScanInput{}, engram.CodeInvalid},
		{"too many candidates", relate.ScanInput{Project: "demo", MaxInsert: relate.MostScanPairs + 1}, engram.CodeInvalid},
		{"nobody to judge", relate.ScanInput{Project: "demo", Semantic: true}, engram.CodeUnavailable},
		{"too many calls at once", relate.ScanInput{Project: "demo", Semantic: true, Concurrency: 21}, engram.CodeInvalid},
		{"too long a wait", relate.ScanInput{Project: "demo", Semantic: true, TimeoutPerCall: time.Hour}, engram.CodeInvalid},
		{"too many questions", relate.ScanInput{Project: "demo", Semantic: true, MaxSemantic: -1}, engram.CodeInvalid},
	} {
		if _, err := w.Scan(t.Context(), tt.in); engram.CodeOf(err) != tt.code {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.code)
		}
	}
	if res, err := w.Scan(t.Context(), relate.ScanInput{Project: "nowhere"}); err != nil || res.Inspected != 0 {
		t.Errorf("an unknown project: %+v, %v", res, err)
	}
}

// Excess pairs are dropped on the way, the likeliest stay, and the counts tell.
func TestScanOfManyPairs(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	words := []string{"pie", "granite", "violin", "harbour", "umbrella", "lantern"}
	for i, word := range words {
		num, text := w.Note(word, word), fmt.Sprintf("Access tokens live %d minutes in the shop API%s", 5*(i+1), ". Nobody knows why. So be it. It is late. We ask. You say. All is well"[:[]int{0, 19, 29, 41, 49, 58}[i]])
		if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Title: &text, Content: &text}); err != nil {
			t.Fatal(err)
		}
	}
	pairs := len(words) * (len(words) - 1) / 2
	res := scan(w, relate.ScanInput{Apply: true, MaxInsert: 2})
	if res.Found != pairs || res.Inserted != 2 || !res.Capped {
		t.Errorf("got %+v, want 2 of %d raised, capped", res, pairs)
	}
	var asked atomic.Int64
	w = judgedBy(w, judgeFunc(func(context.Context, engram.Memory, engram.Memory) (engram.Opinion, error) {
		asked.Add(1)
		return engram.Opinion{Verb: engram.VerbScoped, Confidence: 1}, nil
	}))
	res = scan(w, relate.ScanInput{Semantic: true, MaxInsert: 1, MaxSemantic: 2})
	if asked.Load() != 2 || res.Judged != 2 || res.Skipped != pairs-2 || res.AlreadyRelated != 2 {
		t.Errorf("got %+v after %d questions, want 2 of %d asked about", res, asked.Load(), pairs)
	}
}

// Memories hidden by a verdict are not compared with current ones.
func TestScanLeavesSupersededMemoriesAlone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	_, _, r := candidate(w)
	judge(w, relate.JudgeInput{Ref: engram.RelationRef{Num: r.Num}, Verb: engram.VerbSupersedes})
	num, text := w.Note("pie", "pie"), "Access tokens live 5 minutes in the shop API, said again"
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Title: &text, Content: &text}); err != nil {
		t.Fatal(err)
	}
	if res := scan(w, relate.ScanInput{}); res.Found != 0 || res.Inspected != 2 {
		t.Errorf("got %+v, want nothing found among the two that hold", res)
	}
}
