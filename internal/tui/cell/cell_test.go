package cell_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/tui/cell"
	"github.com/alanbuscaglia/engram/internal/tui/theme"
)

func TestPlainHasOneWidthEverywhere(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		width            int
	}{
		{"a family is its members", "👨‍👩‍👧!", "👨👩👧!", 7},
		{"a skin tone goes", "👍🏽", "👍", 2},
		{"a heart is text", "❤️x", "❤x", 2},
		{"combining characters stay", "e\u0301", "e\u0301", 1},
		{"CJK", "日本", "日本", 4},
		{"a tab is four cells", "a\tb", "a    b", 6},
		{"an escape sequence is shown", "\x1b[31mred", `\x1b[31mred`, 11},
		{"direction marks are shown", "a\u202eb", `a\u202eb`, 8},
		{"broken UTF-8 is shown", "a\xffb", `a\xffb`, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := cell.Plain(tt.text)
			if got != tt.want || cell.Width(got) != tt.width {
				t.Errorf("Plain(%q): got %q with %d cells, want %q with %d", tt.text, got, cell.Width(got), tt.want, tt.width)
			}
			if wc, clusters := ansi.StringWidthWc(got), ansi.StringWidth(got); wc != clusters {
				t.Errorf("%q has %d cells in one kind of terminal and %d in another", got, wc, clusters)
			}
		})
	}
}

// pieces are what texts are made of.
func pieces() []string {
	return []string{"a", "word ", " ", "日", "本語", "é", "e\u0301", "👍", "👨‍👩‍👧", "\x1b[2J", "\xff", "\u202e", "ﷺ", "क्षि", "한", "\n", "\t", "-"}
}

func text(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces()), 0, 60).Draw(t, "text"), "")
}

func TestCutAndPadKeepTheWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, width := cell.Inline(text(t), 0), rapid.IntRange(1, 40).Draw(t, "width")
		if got := cell.Cut(s, width); cell.Width(got) > width || !utf8.ValidString(got) {
			t.Fatalf("Cut(%q, %d): %q has %d cells", s, width, got, cell.Width(got))
		}
		if got := cell.Pad(s, width); cell.Width(got) != width {
			t.Fatalf("Pad(%q, %d): %q has %d cells", s, width, got, cell.Width(got))
		}
		line := cell.Line{{Text: s}, {Text: "bold", Style: theme.Named("mocha").Strong}, {Text: s}}
		if got := ansi.StringWidthWc(line.Render(width, nil, false)); got != width {
			t.Fatalf("Render(%d) of %q has %d cells", width, line.Text(), got)
		}
		if got := line.Ends(cell.Of("end", nil), width).Width(); got > width {
			t.Fatalf("Ends(%d) of %q has %d cells", width, line.Text(), got)
		}
	})
}

func TestWrapKeepsTheWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, width := cell.Inline(text(t), 0), rapid.IntRange(4, 40).Draw(t, "width")
		var all strings.Builder
		for _, l := range cell.Of(s, nil).Wrap(width, nil) {
			if l.Width() > width {
				t.Fatalf("Wrap(%q, %d): %q has %d cells", s, width, l.Text(), l.Width())
			}
			all.WriteString(l.Text())
		}
		if got, want := strings.ReplaceAll(all.String(), " ", ""), strings.ReplaceAll(s, " ", ""); got != want {
			t.Fatalf("Wrap(%q, %d) lost text: %q", s, width, got)
		}
	})
}
