package review_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/capture"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func found(content string) capture.Proposal {
	return capture.Proposal{Type: engram.TypeDecision, Title: content, Content: content, Why: "it says so", Importance: 0.7,
		At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

// inTranscript is a place with proposals.
func inTranscript(session string, all ...capture.Proposal) review.ProposeInput {
	return review.ProposeInput{Source: "claude-code", Place: session, Session: session, Project: "shop", Found: all}
}

func propose(t *testing.T, e *engine.Engine, in review.ProposeInput) review.Proposed {
	t.Helper()
	res, err := e.Proposer(false).Propose(context.Background(), in, 100)
	if err != nil {
		t.Fatalf("propose %+v: %v", in, err)
	}
	return res
}

const (
	sqlite = "We decided to keep everything in one SQLite file because there is one writer."
	jitter = "Retries use exponential backoff with full jitter, so that clients do not come back at once."
)

func TestWhatIsProposedIsNoMemory(t *testing.T) {
	t.Parallel()
	e, ctx := enginetest.New(t), context.Background()
	res := propose(t, e, inTranscript("s1", found(sqlite), found(jitter)))
	if len(res.New) != 2 || res.New[0].Num == 0 || res.New[0].Why != engram.DeferredProposal || res.New[0].Batch != "backfill:claude-code:s1" {
		t.Fatalf("proposed %+v, want two with numbers", res)
	}
	if hits, err := e.Search(ctx, search.SearchInput{Query: "SQLite file writer"}); err == nil && len(hits.Hits) > 0 {
		t.Errorf("a proposal was found before it was accepted: %+v", hits.Hits)
	}
	waiting, err := e.Proposals(ctx, "shop")
	if err != nil || len(waiting) != 2 {
		t.Errorf("Proposals = %d, %v, want 2", len(waiting), err)
	}
}

func TestNothingIsProposedTwice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		decide func(t *testing.T, e *engine.Engine, num int64)
	}{
		{"while it waits", func(*testing.T, *engine.Engine, int64) {}},
		{"after it was refused", func(t *testing.T, e *engine.Engine, num int64) {
			if err := e.DropDeferred(context.Background(), num); err != nil {
				t.Fatal(err)
			}
		}},
		{"after it was accepted and forgotten", func(t *testing.T, e *engine.Engine, num int64) {
			saved, err := e.AcceptProposal(context.Background(), num, review.ProposalEdit{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Forget(context.Background(), engram.ByNum(saved.Memory.Num)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := enginetest.New(t)
			tt.decide(t, e, propose(t, e, inTranscript("s1", found(sqlite))).New[0].Num)
			again := propose(t, e, inTranscript("s1", found(sqlite), found(jitter)))
			if len(again.New) != 1 || again.Known != 1 || again.New[0].Record.Memory.Memory.Content != jitter {
				t.Errorf("proposed again: %+v, want only what the transcript has in addition", again)
			}
			copied := propose(t, e, inTranscript("a session taken up again", found(sqlite)))
			if len(copied.New) != 0 || copied.Known != 1 {
				t.Errorf("a copy of the transcript proposed %+v", copied)
			}
		})
	}
}

func TestWhatIsSaidAlreadyIsNotProposed(t *testing.T) {
	t.Parallel()
	e, ctx := enginetest.New(t), context.Background()
	if _, err := e.Save(ctx, remember.SaveInput{Title: "Storage", Content: sqlite, Project: "shop"}); err != nil {
		t.Fatal(err)
	}
	res := propose(t, e, inTranscript("s1", found(strings.ToUpper(sqlite)), found(sqlite+" "), found(jitter), found(strings.Replace(jitter, "do not", "don't", 1))))
	if len(res.New) != 1 || res.Said+res.Known != 3 {
		t.Errorf("proposed %d, %d said, %d known; want 1 new: %+v", len(res.New), res.Said, res.Known, res.New)
	}
	other := inTranscript("s2", found(sqlite))
	other.Project = "bank"
	if res := propose(t, e, other); len(res.New) != 1 {
		t.Errorf("what one project says is not proposed to another: %+v", res)
	}
}

func TestAnAcceptedProposalIsAMemoryOfThen(t *testing.T) {
	t.Parallel()
	e, ctx := enginetest.New(t), context.Background()
	num := propose(t, e, inTranscript("s1", found(sqlite))).New[0].Num
	saved, err := e.AcceptProposal(ctx, num, review.ProposalEdit{Title: "One SQLite file"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := e.Get(ctx, engram.ByNum(saved.Memory.Num))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Memory; got.Title != "One SQLite file" || got.Content != sqlite || got.Type != engram.TypeDecision || got.SessionID != "s1" || got.Project != "shop" ||
		!got.CreatedAt.Equal(found("").At) || got.Importance != 0.7 || got.Origin != engram.OriginImport {
		t.Errorf("accepted %+v", got)
	}
	s, err := e.Session(ctx, "s1")
	if err != nil || s.EndedAt.IsZero() || !s.StartedAt.Equal(found("").At) || !s.ActiveAt.Equal(found("").At) {
		t.Errorf("session %+v, %v: want one that is over", s, err)
	}
	if left, err := e.Proposals(ctx, ""); err != nil || len(left) != 0 {
		t.Errorf("%d still wait, %v", len(left), err)
	}
	hits, err := e.Search(ctx, search.SearchInput{Query: "one SQLite file"})
	if err != nil || len(hits.Hits) != 1 {
		t.Errorf("search found %+v, %v", hits.Hits, err)
	}
	if _, err := e.AcceptProposal(ctx, num, review.ProposalEdit{}); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("accepted twice: %v", err)
	}
	if _, err := e.Undo(ctx, undo.UndoInput{Op: saved.Op}); err != nil {
		t.Fatal(err)
	}
	if m, err := e.Get(ctx, engram.ByNum(saved.Memory.Num)); err == nil && !m.Memory.Forgotten() {
		t.Errorf("undone, and still there: %+v", m.Memory)
	}
}

func TestADryRunProposesNothing(t *testing.T) {
	t.Parallel()
	e, ctx := enginetest.New(t), context.Background()
	p := e.Proposer(true)
	for n, want := range []int{1, 0} {
		res, err := p.Propose(ctx, inTranscript("s1", found(sqlite)), 100)
		if err != nil || len(res.New) != want {
			t.Errorf("run %d of the same: %+v, %v, want %d", n, res, err, want)
		}
	}
	if all, err := e.Proposals(ctx, ""); err != nil || len(all) != 0 {
		t.Errorf("%d wait after a dry run, %v", len(all), err)
	}
}

func TestWhatIsPrivateOrSecretIsNotProposed(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	token := "ghp_" + "x8K2mQ9vT4rW7yB1nC6zL3pD5sF0gH2jA4kE"
	res := propose(t, e, inTranscript("s1", found("We decided to call the API with "+token+" <private>of Ann</private> from the gateway."), found("<private>all of it</private>")))
	if len(res.New) != 1 || res.Refused != 1 {
		t.Fatalf("proposed %+v", res)
	}
	m := res.New[0].Record.Memory.Memory
	if text := m.Title + m.Content; strings.Contains(text, token) || strings.Contains(text, "Ann") {
		t.Errorf("kept %q", text)
	}
}

func TestNoMoreThanAskedForAreProposed(t *testing.T) {
	t.Parallel()
	e, ctx := enginetest.New(t), context.Background()
	in := inTranscript("s1", found(sqlite), found(jitter))
	for n, want := range []string{sqlite, jitter} {
		res, err := e.Proposer(false).Propose(ctx, in, 1)
		if err != nil || len(res.New) != 1 || res.New[0].Record.Memory.Memory.Content != want {
			t.Errorf("run %d: %+v, %v, want %q", n, res.New, err, want)
		}
	}
}

func TestAPullLeavesProposalsAlone(t *testing.T) {
	t.Parallel()
	e, ctx := enginetest.New(t), context.Background()
	num := propose(t, e, inTranscript("s1", found(sqlite))).New[0].Num
	if res, err := e.RetryDeferred(ctx, ""); err != nil || res.Taken != 0 || len(res.Left) != 0 {
		t.Errorf("RetryDeferred = %+v, %v", res, err)
	}
	if all, err := e.Deferred(ctx, ""); err != nil || len(all) != 0 {
		t.Errorf("%d of what came from others wait, %v; want none", len(all), err)
	}
	if res, err := e.AcceptDeferred(ctx, num); err != nil || res.Memories.Added != 1 || res.Op == 0 {
		t.Errorf("AcceptDeferred = %+v, %v", res, err)
	}
}

// A session read from a transcript spans its first to last memory.
func TestASessionThatWasReadLastsAsLongAsItsMemories(t *testing.T) {
	t.Parallel()
	e, ctx := enginetest.New(t), context.Background()
	middle, last, first := found(sqlite), found(jitter), found("We agreed to write every date in UTC and to show it in the zone of whoever reads.")
	last.At, first.At = middle.At.Add(9*time.Minute), middle.At.Add(-time.Hour)
	for _, d := range propose(t, e, inTranscript("s1", middle, last, first)).New {
		if _, err := e.AcceptProposal(ctx, d.Num, review.ProposalEdit{}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := e.Session(ctx, "s1")
	if err != nil || !s.StartedAt.Equal(first.At) || !s.EndedAt.Equal(last.At) || !s.ActiveAt.Equal(last.At) {
		t.Errorf("session %+v, %v: want it from %v to %v", s, err, first.At, last.At)
	}
	if _, err := e.Undo(ctx, undo.UndoInput{}); err != nil {
		t.Fatal(err)
	}
	if s, err = e.Session(ctx, "s1"); err != nil || !s.StartedAt.Equal(middle.At) || !s.EndedAt.Equal(last.At) {
		t.Errorf("undone it is %+v, %v: want it to begin at %v again", s, err, middle.At)
	}
}
