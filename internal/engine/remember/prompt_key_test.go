package remember_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestAPromptThatIsSaidAgainIsOnePrompt(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	say := func(key, content string) engram.Prompt {
		t.Helper()
		p, err := w.SavePrompt(t.Context(), remember.PromptInput{Content: content, Key: key, SessionID: "s1", NewSession: true, Project: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		return p.Prompt
	}
	first := say("k1", "go on")
	if again := say("k1", "go on"); again.Num != first.Num {
		t.Errorf("the same key: got #%d, want #%d", again.Num, first.Num)
	}
	if other := say("k2", "go on"); other.Num == first.Num {
		t.Error("the same words, asked twice, are one prompt")
	}
	if none := say("", "go on"); none.Num == first.Num {
		t.Error("a prompt without a key is taken for another")
	}
	all, err := w.Prompts(t.Context(), "demo", engram.Page{})
	if err != nil || len(all) != 3 {
		t.Errorf("got %d prompts, %v; want 3", len(all), err)
	}
}

func TestAPromptKnowsWhenItWasAsked(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	now := w.Clock.Now()
	for name, tt := range map[string]struct{ at, want time.Time }{
		"a minute ago":   {now.Add(-time.Minute), now.Add(-time.Minute)},
		"in the future":  {now.Add(time.Hour), time.Time{}},
		"nobody says it": {time.Time{}, time.Time{}},
	} {
		p, err := w.SavePrompt(t.Context(), remember.PromptInput{Content: name, At: tt.at, Project: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		if !tt.want.IsZero() && !p.CreatedAt.Equal(tt.want.Truncate(time.Millisecond)) || p.CreatedAt.After(w.Clock.Now()) {
			t.Errorf("%s: at %v got %v", name, tt.at, p.CreatedAt)
		}
	}
}
