package secret_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/secret"
)

// Tokens that their services mark, and that stand in notes and in what programs print with no name
// beside them.
func TestTokensAreKnownByTheirPrefix(t *testing.T) {
	s := secret.New()
	for kind, token := range map[string]string{
		"webhook-secret":      made("wh", "sec_", some(alnum, 32)),
		"google-oauth-secret": made("GOC", "SPX-", some(alnum, 28)),
		"google-oauth-token":  made("ya", "29.", some(alnum, 80)),
		"telegram-bot-token":  made("7214938506", ":AA", some(alnum, 33)),
		"supabase-token":      made("sb", "p_", some(lowerHex, 40)),
		"figma-token":         made("fi", "gd_", some(alnum, 40)),
		"tailscale-key":       made("ts", "key-auth-", some(alnum, 12), "-", some(alnum, 32)),
		"netlify-token":       made("nf", "p_", some(alnum, 36)),
		"replicate-token":     made("r", "8_", some(alnum, 37)),
		"notion-token":        made("nt", "n_", some(alnum, 46)),
		"new-relic-key":       made("NR", "AK-", some(upper, 27)),
	} {
		for _, around := range [][2]string{{"we use ", " in staging"}, {"`", "`"}, {"X=", "\n"}, {`{"v":"`, `"}`}, {"it is ", "."}} {
			text := around[0] + token + around[1]
			clean, kinds := s.Clean(text)
			if want := around[0] + secret.Mark(kind) + around[1]; clean != want || !slices.Equal(kinds, []string{kind}) {
				t.Errorf("Clean(%q) = %q, %v; want %q", text, clean, kinds, want)
			}
		}
	}
	for text, hidden := range map[string]string{
		"https://a.blob.core.windows.net/c?sv=2022-11-02&sr=c&sig=" + some(alnum, 43) + "%3D": some(alnum, 43),
		"sshpass -p " + made("Hyu9", "lDIvIw") + " ssh root@h":                                made("Hyu9", "lDIvIw"),
		"Authorization: SSWS " + made("00", some(alnum, 40)):                                  some(alnum, 40),
	} {
		if clean, _ := s.Clean(text); strings.Contains(clean, hidden) {
			t.Errorf("Clean(%q) = %q, want it without its secret", text, clean)
		}
	}
}

// Not secrets in spite of the beginning: a mentioned prefix, a placeholder, a similar word.
func TestPrefixesAloneStay(t *testing.T) {
	s := secret.New()
	for _, text := range []string{
		"whsec_ begins the secrets of webhooks", "STRIPE_WEBHOOK=whsec_xxxxxxxxxxxxxxxxxxxxxxxxxxxx", "GOCSPX- is the prefix", "tskey-auth-<id>-<secret>", "ntn_ replaces secret_",
		"ratio 1234567890:AA is no token", "figd_test_token", "r8_unorm_srgb is a format of textures", "sshpass -p $PASS ssh root@h", "sshpass -p <password> ssh h", "?v=2&sig=short",
		"https://x.example/f?sig=" + some(alnum, 43), "sbp_status and nfp_count are columns",
	} {
		if found := s.Find(text); len(found) > 0 {
			t.Errorf("Find(%q) = %v, want nothing", text, found)
		}
	}
}
