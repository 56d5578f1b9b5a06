package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/render"
)

func TestColourIsOnlyLaidOnHeads(t *testing.T) {
	text := "Found 1 memory:\n\n[1] #1 (bugfix) — T\n    content\n    2026-01-01 00:00:00 | scope: project\n"
	if got := Paint(false).Lines(text); got != text {
		t.Errorf("without a terminal: got %q, want it unchanged", got)
	}
	want := "Found 1 memory:\n\n\x1b[1m[1] #1 (bugfix) — T\x1b[0m\n    content\n\x1b[2m    2026-01-01 00:00:00 | scope: project\x1b[0m\n"
	if got := Paint(true).Lines(text); got != want {
		t.Errorf("on a terminal:\ngot  %q\nwant %q", got, want)
	}
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		line    string
		columns int
		want    string
	}{
		{"what goes into a pipe is not cut", strings.Repeat("x", 300), 0, strings.Repeat("x", 300)},
		{"what fits stays", "exactly ten", 11, "exactly ten"},
		{"the last column is for the mark", "exactly ten", 10, "exactly t…"},
		{"wide characters count twice and are not cut in two", "記憶の題名", 6, "記憶…"},
		{"a mark over a letter goes with it", "e\u0301e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301…"},
		{"an emoji of several characters is one", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3, "👩‍👩‍👧‍👦…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Fit(tt.line, tt.columns); got != tt.want {
				t.Errorf("fit(%q, %d): got %q, want %q", tt.line, tt.columns, got, tt.want)
			}
		})
	}
}

func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	line := rapid.StringMatching(`[a-zé記👍 \x{301}-]{0,80}`)
	rapid.Check(t, func(t *rapid.T) {
		text, columns := line.Draw(t, "text"), rapid.IntRange(1, 60).Draw(t, "columns")
		if got := Fit(text, columns); displaywidth.String(got) > columns || !utf8.ValidString(got) {
			t.Fatalf("fit(%q, %d): got %q, %d columns", text, columns, got, displaywidth.String(got))
		}
		for _, got := range strings.Split(render.Fold(text, "  ", columns), "\n") {
			if w := displaywidth.String(got); w > columns && strings.Contains(strings.TrimSpace(got), " ") {
				t.Fatalf("fold(%q, %d): got %q, %d columns", text, columns, got, w)
			}
		}
	})
}

// Folding moves words and loses none.
func TestFoldKeepsEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, columns := rapid.StringMatching(`[a-z記 -]{0,120}`).Draw(t, "text"), rapid.IntRange(0, 60).Draw(t, "columns")
		got, want := strings.Fields(render.Fold(text, "   ", columns)), strings.Fields(text)
		if strings.Join(got, "") != strings.Join(want, "") { // words of wide characters may be broken
			t.Fatalf("fold(%q, %d): got the words %q", text, columns, got)
		}
	})
}

func TestWrap(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		columns int
		want    string
	}{
		"what goes into a pipe is left":           {"a line that is long\n", 0, "a line that is long\n"},
		"text goes on below where it began":       {"    one two three four\n", 14, "    one two\n    three four\n"},
		"a quotation keeps its mark":              {"    > one two three\n> one two three\n", 14, "    > one two\n    > three\n> one two\n> three\n"},
		"the head of a thing is set off":          {"[1] #2 (fact) — one [2] #9 (fact)\n", 20, "[1] #2 (fact) — one\n    [2] #9 (fact)\n"},
		"words of a text do not pass for a head":  {"one two three ### #3 [fact]\n", 14, "one two three\n ### #3 [fact]\n"},
		"wide characters break anywhere":          {"記憶の題名記憶の題名\n", 12, "記憶の題名記\n憶の題名\n"},
		"a mark stays with what it closes":        {"記憶（の）題名。\n", 12, "記憶（の）題\n名。\n"},
		"an emoji is not cut":                     {"👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦\n", 8, "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦\n👩‍👩‍👧‍👦\n"},
		"a long word stays whole":                 {"see https://example.com/a/very/long/path now\n", 12, "see\nhttps://example.com/a/very/long/path\nnow\n"},
		"a line without an end has none after it": {"one two three", 9, "one two\nthree"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Wrapped(c.text, c.columns); got != c.want {
				t.Errorf("wrapped(%q, %d)\n got %q\nwant %q", c.text, c.columns, got, c.want)
			}
		})
	}
}

func TestProseIsSetAnewAndListsStay(t *testing.T) {
	text := "One sentence that was\nwritten for wide lines.\n\nkind     what it is, which takes a while to say\nother    more"
	want := "One sentence that was written\nfor wide lines.\n\nkind     what it is, which\n         takes a while to say\nother    more"
	if got := Prose(text, 30); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Prose(text, 0); got != text {
		t.Errorf("in a pipe: got\n%s\nwant it unchanged", got)
	}
}

func TestATableGivesWayAtItsFirstColumn(t *testing.T) {
	tab := Table{Indent: "  ", Numbers: map[int]bool{1: true}}
	tab.Row("a-long-name-of-a-project", "5 memories")
	tab.Row("記憶", "12 memories")
	for _, tt := range []struct {
		columns int
		want    string
	}{
		{0, "  a-long-name-of-a-project   5 memories\n  記憶                      12 memories\n"},
		{30, "  a-long-name-of…   5 memories\n  記憶             12 memories\n"},
		{5, "  a-long-…   5 memories\n  記憶      12 memories\n"},
	} {
		var b strings.Builder
		tab.Write(&b, tt.columns)
		if b.String() != tt.want {
			t.Errorf("in %d columns: got\n%swant\n%s", tt.columns, b.String(), tt.want)
		}
	}
}
