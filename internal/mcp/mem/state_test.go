package mem

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 6, 12, 12, 0, 0, 0, time.UTC)

func TestNudgeComesAfterAQuietWhile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		calls, saves int // at noon
		after        time.Duration
		want         string
	}{
		{"an agent that only looked around is left alone", 5, 0, time.Hour, ""},
		{"an agent that worked and saved nothing is reminded", 6, 0, 10 * time.Minute, "in 10 minutes"},
		{"not before ten minutes", 6, 0, 10*time.Minute - time.Second, ""},
		{"an agent that saved is reminded of going on", 1, 1, 25*time.Minute + 30*time.Second, "in 25 minutes"},
		{"a fresh save is enough", 50, 1, 9 * time.Minute, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var a activity
			for range tt.calls {
				a.called("p", noon)
			}
			for range tt.saves {
				a.savedIn("p", noon)
			}
			got := a.nudge("p", noon.Add(tt.after))
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("%d calls, %d saves, %v later: got %q, want %q", tt.calls, tt.saves, tt.after, got, tt.want)
			}
		})
	}
}

func TestScoreCountsSinceTheSessionBegan(t *testing.T) {
	t.Parallel()
	var a activity
	for range 6 {
		a.called("p", noon)
	}
	if got, want := a.score("p", noon), "Session activity: 6 tool calls, 0 saves — high activity with no saves, consider persisting important decisions"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	a.savedIn("p", noon)
	if got, want := a.score("p", noon), "Session activity: 6 tool calls, 1 saves"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	a.restart("p")
	if got, want := a.score("p", noon), "Session activity: 0 tool calls, 0 saves"; got != want {
		t.Errorf("after a restart: got %q, want %q", got, want)
	}
}

func TestTokenIsGoodForItsOwnQuestionOnly(t *testing.T) {
	t.Parallel()
	q := ask("s", "/w", []string{"a", "b"})
	for _, tt := range []struct {
		name   string
		asked  question
		choice string
		after  time.Duration
		want   bool
	}{
		{"the same question", q, "a", 0, true},
		{"just in time", q, "a", tokenLife - time.Millisecond, true},
		{"too late", q, "a", tokenLife, false},
		{"another session", ask("t", "/w", []string{"a", "b"}), "a", 0, false},
		{"another folder", ask("s", "/x", []string{"a", "b"}), "a", 0, false},
		{"another list", ask("s", "/w", []string{"a", "b", "c"}), "a", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r recovery
			token := r.issue(q, noon)
			if got := r.accept(token, tt.asked, tt.choice, noon.Add(tt.after)); got != tt.want {
				t.Errorf("token for %+v, asked %+v after %v: got %v, want %v", q, tt.asked, tt.after, got, tt.want)
			}
		})
	}
}

func TestTokenStaysWithItsFirstChoice(t *testing.T) {
	t.Parallel()
	var r recovery
	q := ask("", "/w", []string{"a", "b"})
	token := r.issue(q, noon)
	for i, tt := range []struct {
		choice string
		want   bool
	}{{"a", true}, {"b", false}, {"a", true}} {
		if got := r.accept(token, q, tt.choice, noon); got != tt.want {
			t.Errorf("use %d, for %q: got %v, want %v", i+1, tt.choice, got, tt.want)
		}
	}
	if r.accept("made up", q, "a", noon) {
		t.Error("a token nobody issued is accepted")
	}
}

func TestTokensDoNotPileUp(t *testing.T) {
	t.Parallel()
	var r recovery
	var last string
	for i := range 3 * maxTokens {
		last = r.issue(ask(fmt.Sprint(i), "/w", nil), noon)
	}
	if len(r.grants) > maxTokens {
		t.Errorf("%d tokens are kept, want at most %d", len(r.grants), maxTokens)
	}
	if !r.accept(last, ask(fmt.Sprint(3*maxTokens-1), "/w", nil), "a", noon) {
		t.Error("the newest token was dropped")
	}
}
