package text_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/text"
)

func TestLikeness(t *testing.T) {
	for _, tt := range []struct {
		name, a, b  string
		least, most float64
	}{
		{"the same word", "cache", "cache", 1, 1},
		{"two letters in the wrong order", "typescript", "typsecript", 0.5, 0.8},
		{"a letter too many", "postgres", "postgress", 0.8, 0.99},
		{"nothing in common", "cache", "typo", 0, 0.1},
		{"no letters", "", "cache", 0, 0.2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.Likeness(tt.a, tt.b); got < tt.least || got > tt.most {
				t.Errorf("Likeness(%q, %q) = %v, want %v to %v", tt.a, tt.b, got, tt.least, tt.most)
			}
		})
	}
}

func TestLikenessIsAShareAndTheSameBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		got := text.Likeness(a, b)
		if got < 0 || got > 1 || got != text.Likeness(b, a) {
			t.Fatalf("Likeness(%q, %q) = %v, the other way %v", a, b, got, text.Likeness(b, a))
		}
	})
}
