package text_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/text"
)

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"nothing costs nothing", "", 0},
		{"a started token is a whole one", "a", 1},
		{"four characters are one token", "four", 1},
		{"five are two", "fives", 2},
		{"characters count, not bytes", "äöüß", 1},
		{"bytes that are no character count each", "\xff\xfe\xfd\xfc\xfb", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.Tokens(tt.text); got != tt.want {
				t.Errorf("Tokens(%q)\n got %d\nwant %d", tt.text, got, tt.want)
			}
		})
	}
}

func TestPartsCostNoLessThanTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		if whole, parts := text.Tokens(a+b), text.Tokens(a)+text.Tokens(b); whole > parts {
			t.Fatalf("Tokens(%q + %q)\n got %d\nwant at most %d", a, b, whole, parts)
		}
	})
}
