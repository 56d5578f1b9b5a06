package engram_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
)

// angled says a call in a way of its own, so that it cannot be taken for the words around it.
func angled(c engram.Call) string { return "<" + strings.Join(c, "|") + ">" }

func TestHintFor(t *testing.T) {
	refuse := func() *engram.Error { return engram.Errorf(engram.CodeInvalid, "no") }
	for _, tt := range []struct {
		name        string
		err         error
		plain, told string
	}{
		{"nothing went wrong", nil, "", ""},
		{"an error that is none of ours", errors.New("x"), "", ""},
		{"no hint", refuse(), "", ""},
		{"no call", refuse().WithHint("from %d to %d", 1, 9), "from 1 to 9", "from 1 to 9"},
		{"a call is said as a command", refuse().WithHint("see {projects list}"),
			"see engram projects list", "see <projects|list>"},
		{"calls with arguments, in order", refuse().WithHint("%d%%: {undo %d} first, then {unlink %d supersedes %d}; %s", 5, 6, 7, 8, "done"),
			"5%: engram undo 6 first, then engram unlink 7 supersedes 8; done", "5%: <undo|6> first, then <unlink|7|supersedes|8>; done"},
		{"a name with a space is one word", refuse().WithHint("{projects merge %s --into %s}", "my shop", "it's"),
			`engram projects merge 'my shop' --into 'it'\''s'`, "<projects|merge|my shop|--into|it's>"},
		{"a name with braces is no call", refuse().WithHint("%s; {log}", "{undo} and } and {"),
			"{undo} and } and {; engram log", "{undo} and } and {; <log>"},
		{"a name with braces in a call stays one word", refuse().WithHint("{projects merge %s --into b} does", "{a} {log}"),
			"engram projects merge '{a} {log}' --into b does", "<projects|merge|{a} {log}|--into|b> does"},
		{"a hint that is all an argument", refuse().WithHint("%s", "{log}"), "{log}", "{log}"},
		{"an empty name is still a word", refuse().WithHint("{get %s}", ""), "engram get ''", "<get|>"},
		{"the outermost error has the word", fmt.Errorf("saving: %w", refuse().WithHint("{log}").WithCause(refuse().WithHint("{undo}"))),
			"engram log", "<log>"},
		{"the hint of another error, calls and all", refuse().WithHintOf(fmt.Errorf("x: %w", refuse().WithHint("{log}"))), "engram log", "<log>"},
		{"the hint of an error that has none", refuse().WithHintOf(errors.New("x")), "", ""},
		{"the last hint is the one", refuse().WithHint("{log}").WithHint("try again"), "try again", "try again"},
		{"a hint that was set by hand", &engram.Error{Hint: "{log}"}, "{log}", "{log}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := engram.HintOf(tt.err); got != tt.plain {
				t.Errorf("HintOf: got %q, want %q", got, tt.plain)
			}
			if got := engram.HintFor(tt.err, angled); got != tt.told {
				t.Errorf("HintFor: got %q, want %q", got, tt.told)
			}
		})
	}
}

// Whatever a name is made of, it is told as it is, and never as a call.
func TestNamesAreNoCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOf(rapid.SampledFrom([]rune(`{}%s '\a`))).Draw(t, "name")
		var calls []engram.Call
		err := engram.Errorf(engram.CodeInvalid, "no").WithHint("%s; {projects merge %s --into b}; %s", name, name, name)
		got := engram.HintFor(err, func(c engram.Call) string { calls = append(calls, c); return "CALL" })
		if want := name + "; CALL; " + name; got != want {
			t.Fatalf("name %q: got %q, want %q", name, got, want)
		}
		if want := (engram.Call{"projects", "merge", name, "--into", "b"}); len(calls) != 1 || !slices.Equal(calls[0], want) {
			t.Fatalf("name %q: got the calls %q, want %q", name, calls, want)
		}
	})
}

func TestCallMatch(t *testing.T) {
	for _, tt := range []struct {
		call, form string
		want       []string
		ok         bool
	}{
		{"log", "log", nil, true},
		{"undo 5", "undo <op>", []string{"<op>", "5"}, true},
		{"update 4 --scope global", "update <ref> --scope <scope>", []string{"<ref>", "4", "<scope>", "global"}, true},
		{"undo 5", "undo", nil, false},
		{"undo", "undo <op>", nil, false},
		{"undo 5", "redo <op>", nil, false},
	} {
		got, ok := engram.Call(strings.Fields(tt.call)).Match(tt.form)
		if ok != tt.ok || ok && !slices.Equal(got, tt.want) {
			t.Errorf("%q as %q: got %q, %v, want %q, %v", tt.call, tt.form, got, ok, tt.want, tt.ok)
		}
	}
}
