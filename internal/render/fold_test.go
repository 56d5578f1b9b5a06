package render_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/render"
)

func TestFold(t *testing.T) {
	ten := "ten chars " // with the space behind it
	for _, tt := range []struct{ name, line, want string }{
		{"a line that fits", "  one  two", "  one  two"},
		{"one that just fits", strings.Repeat(ten, 7) + "ten chars0", strings.Repeat(ten, 7) + "ten chars0"},
		{"one that does not", strings.Repeat(ten, 8) + "end", strings.Repeat(ten, 7) + "ten chars\n    end"},
		{"spaces at the break go", strings.Repeat("x", 79) + "   y", strings.Repeat("x", 79) + "\n    y"},
		{"a word that is too long stays whole", "        " + strings.Repeat("x", 99) + " y", "        " + strings.Repeat("x", 99) + "\n    y"},
		{"nothing", "", ""},
	} {
		if got := render.Fold(tt.line, "    ", render.Columns); got != tt.want {
			t.Errorf("%s: %q: got %q, want %q", tt.name, tt.line, got, tt.want)
		}
	}
}

// Fold loses no word, and no line of words that fit is too wide.
func TestFoldKeepsTheWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-zäß→0-9]{1,60}`)).Draw(t, "words")
		line := strings.Join(words, " ")
		got := render.Fold(line, "        ", render.Columns)
		if strings.Join(strings.Fields(got), " ") != line {
			t.Fatalf("of %q got %q, want the same words", line, got)
		}
		for part := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(part, "\n")); n > render.Columns {
				t.Fatalf("of %q got a line of %d characters: %q", line, n, part)
			}
		}
	})
}
