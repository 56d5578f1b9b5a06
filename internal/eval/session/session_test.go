package session_test

import (
	"context"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/eval/session"
)

func script(t *testing.T, name string) session.Script {
	t.Helper()
	read := func(ending string) string {
		b, err := os.ReadFile("testdata/" + name + ending)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	s, err := session.Parse(name, read(".memories"), read(".turns"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func play(t *testing.T, name string) session.Figures {
	t.Helper()
	s, p := script(t, name), enginetest.NewParts(t)
	byNum, err := session.Fill(t.Context(), p.Engine, s, func(int) { p.Clock.Add(11 * time.Hour) })
	if err != nil {
		t.Fatal(err)
	}
	p.Clock.Add(24 * time.Hour)
	f, err := session.Play(t.Context(), p.Engine, s, byNum)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, %d memories, %s", name, len(s.Memories), f)
	return f
}

// The rule for injection at prompts was fitted on harbor and lumen; orchard was written afterwards and
// nothing was changed for it. The share of lasting memories in a brief was fitted on all three. The bounds
// lie a little below the measured values, which -v prints: a result below them means that the rule has become
// worse.
func TestWhatIsToldUnaskedHelps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name              string
		precision, recall float64
	}{
		{"harbor", 0.85, 0.55}, {"lumen", 0.75, 0.45}, {"orchard", 0.7, 0.55},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := play(t, tt.name)
			if f.Precision() < tt.precision || f.Recall() < tt.recall {
				t.Errorf("of what is told %.2f is useful and %.2f of what is useful is known in time, want %.2f and %.2f:\n%s",
					f.Precision(), f.Recall(), tt.precision, tt.recall, strings.Join(f.Log, "\n"))
			}
			if f.Turns < 30 || f.Start >= 2000 || f.Most >= 300 {
				t.Errorf("%d prompts, of 30 at least; the start costs %d tokens, of 2,000; a prompt %d, of 300", f.Turns, f.Start, f.Most)
			}
			if f.Twice > 0 || f.Alarms > 1 {
				t.Errorf("%d memories are told twice, and %d of %d prompts that need none are told something:\n%s", f.Twice, f.Alarms, f.Quiet, strings.Join(f.Log, "\n"))
			}
			if f.BegunFor == 0 {
				t.Error("nothing of what is told at the start is of use later")
			}
		})
	}
}

// In a project of a dozen memories no word is rare. The rule there was fitted on kiosk and ferry; loom was
// written before it was tried, and nothing was changed for it. In each about half of the prompts need
// nothing.
func TestWhatASmallProjectIsAsked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name              string
		precision, recall float64
		alarms            int
	}{
		{"kiosk", 0.95, 0.85, 0}, {"ferry", 0.95, 0.85, 0}, {"loom", 0.9, 0.6, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, p := script(t, tt.name), enginetest.NewParts(t)
			byNum, err := session.Fill(t.Context(), p.Engine, s, func(int) { p.Clock.Add(11 * time.Hour) })
			if err != nil {
				t.Fatal(err)
			}
			f, err := session.Ask(t.Context(), p.Engine, s, byNum)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %d memories, %s", tt.name, len(s.Memories), f)
			if f.Precision() < tt.precision || f.Recall() < tt.recall || f.Alarms > tt.alarms {
				t.Errorf("of what is told %.2f is useful, %.2f of what is useful is told, and %d of %d prompts that need nothing are told something; want %.2f, %.2f, %d:\n%s",
					f.Precision(), f.Recall(), f.Alarms, f.Quiet, tt.precision, tt.recall, tt.alarms, strings.Join(f.Log, "\n"))
			}
			if len(s.Memories) > 20 || f.Turns < 30 || f.Quiet < f.Turns/3 || f.Most >= 300 {
				t.Errorf("%d memories, of 20 at most; %d prompts, of 30 at least, of which %d need nothing; one was told %d tokens, of 300", len(s.Memories), f.Turns, f.Quiet, f.Most)
			}
		})
	}
}

// A Chinese, Japanese or Korean character costs about one token, four times as much as an English one, so
// injected texts must be shorter.
func TestASessionInOtherScriptsKeepsItsBudgets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		play func(context.Context, *engine.Engine, session.Script, map[int64]session.Memory) (session.Figures, error)
	}{
		{"that begins with a brief", session.Play}, {"of which each prompt is the first", session.Ask},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, p := script(t, "kura"), enginetest.NewParts(t)
			byNum, err := session.Fill(t.Context(), p.Engine, s, func(int) { p.Clock.Add(11 * time.Hour) })
			if err != nil {
				t.Fatal(err)
			}
			f, err := tt.play(t.Context(), p.Engine, s, byNum)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d memories, %s", len(s.Memories), f)
			if f.Turns < 30 || f.Start >= 2000 || f.Most >= 300 || f.Twice > 0 {
				t.Errorf("%d prompts, of 30 at least; the start costs %d tokens, of 2,000; a prompt %d, of 300; %d memories are told twice", f.Turns, f.Start, f.Most, f.Twice)
			}
			for _, text := range f.Texts {
				most := 300
				if f.Start > 0 && text == f.Texts[0] {
					most = 2000
				}
				if wide := strings.Count(text, "") - 1 - narrow(text); wide >= most {
					t.Errorf("told are %d characters of other scripts, each about a token, of %d:\n%s", wide, most, text)
				}
			}
			if f.Start == 0 && f.Injected == 0 {
				t.Errorf("nothing was told:\n%s", strings.Join(f.Log, "\n"))
			}
		})
	}
}

// narrow counts the ASCII characters of s.
func narrow(s string) (n int) {
	for _, r := range s {
		if r < 128 {
			n++
		}
	}
	return n
}

func TestAScriptThatDoesNotFit(t *testing.T) {
	t.Parallel()
	const memories = "components: pump\n\n= a fact\nThe pump is blue\nAs the sky."
	for _, tt := range []struct{ name, memories, turns, want string }{
		{"a label that names no memory", memories, "> hello\n? b", "unknown label"},
		{"a memory without its type", "= a\nThe pump", "> hello", "the memory that begins with"},
		{"a memory without a title", "= a fact", "> hello", "the memory that begins with"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := session.Parse("x", tt.memories, tt.turns)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse(%q, %q)\n got %v\nwant %q in it", tt.memories, tt.turns, err, tt.want)
			}
		})
	}
	s, err := session.Parse("x", memories, "> hello\nover two lines\n? a\n\n> bye")
	if err != nil {
		t.Fatal(err)
	}
	want := []session.Turn{{Prompt: "hello\nover two lines", Useful: []string{"a"}}, {Prompt: "bye"}}
	if !reflect.DeepEqual(s.Turns[0], want[0]) || s.Turns[1].Prompt != "bye" || len(s.Turns[1].Useful) > 0 {
		t.Errorf("turns\n got %+v\nwant %+v", s.Turns, want)
	}
	if len(s.Memories) < 10 || s.Memories[0].Key != "a" || s.Memories[0].Content != "As the sky." {
		t.Errorf("memories: %+v", s.Memories)
	}
}
