package secret_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/secret"
)

// Wherever a text is cut, nothing of what cleaning the whole of it takes out is left in the
// ends that are cleaned after the cut.
func TestNoCutHalvesASecret(t *testing.T) {
	scanner := secret.New()
	line := strings.Repeat("QmFzZTY0", 8)
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(line+"\n", 190) + "-----END RSA PRIVATE KEY-----"
	const token, password, private = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a", "Xk29fjaa81Qz", "what is nobody's business" //nolint:gosec // not a real key
	rapid.Check(t, func(rt *rapid.T) {
		part := rapid.SampledFrom([]string{key, "the token is " + token, "password: " + password, "<private>" + private + "</private>", "</private>", "é and more words\n",
			strings.Repeat("ok cart 0.2s\n", 200)})
		text := strings.Join(rapid.SliceOfN(part, 1, 8).Draw(rt, "parts"), "\n\n")
		head, tail := rapid.IntRange(0, len(text)).Draw(rt, "head"), rapid.IntRange(0, len(text)).Draw(rt, "tail")
		begin, rest := scanner.Ends(text, head, tail)
		if len(begin)+len(rest) > head+tail || !utf8.ValidString(begin) || !utf8.ValidString(rest) {
			rt.Fatalf("of %d and %d bytes there are %d and %d: %.60q, %.60q", head, tail, len(begin), len(rest), begin, rest)
		}
		for _, end := range []string{begin, rest} {
			end, _ = scanner.Clean(end)
			for _, left := range []string{line[:16], token[:12], token[len(token)-12:], password[:6], password[6:], private[:8], private[8:]} {
				if strings.Contains(end, left) {
					rt.Fatalf("cut at %d and %d from the end of %d bytes, %q is left:\n%.300q", head, tail, len(text), left, end)
				}
			}
		}
	})
}

func TestEndsOfWhatHasNoSecretAreAsLongAsAskedFor(t *testing.T) {
	text := strings.Repeat("0123456789", 10<<10)
	begin, rest := secret.New().Ends(text, 15, 3)
	if begin != "012345678901234" || rest != "789" {
		t.Errorf("got %q and %q", begin, rest)
	}
	if begin, rest = secret.New().Ends("short", 3, 2); begin != "short" || rest != "" {
		t.Errorf("of what fits: got %q and %q", begin, rest)
	}
	if begin, rest = secret.New().Ends("a long text", 0, 4); begin != "" || rest != "text" {
		t.Errorf("of the end alone: got %q and %q", begin, rest)
	}
}

func BenchmarkEnds(b *testing.B) {
	scanner, text := secret.New(), strings.Repeat("ok cart/total 0.2s key of the map, token by token\n", 20<<10)
	for b.Loop() {
		scanner.Ends(text, 32<<10, 32<<10)
	}
}
