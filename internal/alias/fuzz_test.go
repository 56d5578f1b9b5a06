package alias_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/alias"
)

// Whatever a text says, it defines only words that stand in it, the short one at most half as long as the other and
// with its first letter.
func FuzzDefine(f *testing.F) {
	for _, s := range []string{"Kubernetes (k8s)", "k8s (Kubernetes)", "password (kubernetes)", "a (b", "(x)", "i18n (internationalization) and l10n (localization)", "Größe (gr)", "\xff (\xfe)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lower := strings.ToLower(s)
		alias.Define(s, func(short, long string) {
			first, _ := utf8.DecodeRuneInString(short)
			if 2*utf8.RuneCountInString(short) > utf8.RuneCountInString(long) || !strings.HasPrefix(long, string(first)) || !strings.Contains(lower, short) || !strings.Contains(lower, long) {
				t.Errorf("%q defines %q as %q", s, short, long)
			}
		})
	})
}
