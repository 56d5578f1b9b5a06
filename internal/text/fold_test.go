package text

import (
	"testing"

	"pgregory.net/rapid"
)

func TestFoldOfOneLetter(t *testing.T) {
	for r := rune(0x80); r < 0x600; r++ {
		for _, s := range []string{string(r), "a" + string(r), string(r) + "Z"} {
			if got, want := fold(s), foldAny(s); got != want {
				t.Errorf("fold(%q): got %q, want %q", s, got, want)
			}
		}
	}
}

func TestFoldIsTheSameByEitherWay(t *testing.T) {
	letters := rapid.StringOfN(rapid.SampledFrom([]rune("azAZ09'’_-ßéÉñÿþÞ÷×ØæÆıœйЙяЯёЁ\u0301\u0306ﬁ")), 0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		s := letters.Draw(t, "s")
		if ascii(s) {
			return
		}
		if got, want := fold(s), foldAny(s); got != want {
			t.Errorf("fold(%q): got %q, want %q", s, got, want)
		}
	})
}
