package secret_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/secret"
)

// made is a secret that is not in use: put together here, so that no scanner of repositories
// takes this file for a leak.
func made(parts ...string) string { return strings.Join(parts, "") }

func TestSecretsAreFound(t *testing.T) {
	s := secret.New()
	for _, c := range []struct{ name, before, secret, after string }{
		{"a token of GitHub", "The CI used ", made("gh", "p_", "x9Kd82LmQz7RtYw1VbN4cHs6JpFa0GuEi3To"), " until May."},
		{"a key of AWS", "export AWS_ACCESS_KEY_ID=", made("AK", "IA", "QYLPMN5HXZ4T7RWD"), "\n"},
		{"a token of Slack", "hook with ", made("xox", "b-", "263594206564-2343594206574-", "FGqddMF8t08v8N7Oq4i57vs1"), " works"},
		{"a password in an address", "DSN postgres://app:", "s3cr3t-Tr0ub4dor", "@db.example.com:5432/shop"},
		{"a header", "curl -H 'Authorization: Bearer ", made("q7Zr8xWv", "K2mNp4Ls", "9TbYc1Hd"), "' worked"},
		{"a private key", "", made("-----BEGIN RSA PRIV", "ATE KEY-----\nMIIEowIBAAKCAQEAtvW2Zq8yX1nC5kLr7sD0pQmVbH3uJeFgTaYiOzRwXcNd9Kl4\n-----END RSA PRIV", "ATE KEY-----"), " was revoked"},
		{"a value that is called a secret", "client_secret = \"", made("9fKx2Lq8", "Vn4Rt6Yz", "1Bw3Hs5D"), "\" in config.toml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.before + c.secret + c.after
			found := s.Find(text)
			clean := secret.Cut(text, found)
			if strings.Contains(clean, c.secret) || len(found) == 0 {
				t.Errorf("Cut(%q, %v) = %q; want the secret gone", text, found, clean)
			}
			if !strings.HasPrefix(clean, c.before[:min(len(c.before), 4)]) {
				t.Errorf("Cut(%q) = %q; want what is around it to stay", text, clean)
			}
		})
	}
}

func TestWhatIsNoSecretStays(t *testing.T) {
	s := secret.New()
	for _, text := range []string{
		"We use NATS because Kafka was too heavy for three people.",
		"The token bucket limits each key to 100 requests; the secret of its speed is a ring buffer.",
		"Set DATABASE_URL to postgres://user:password@localhost/shop in .env.example",
		"postgres://$USER:$PASS@host, redis://:${REDIS_PASSWORD}@host and https://example.com/a:b@c",
		"commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad broke the build",
		"api_key is read from ENGRAM_API_KEY; password: [REDACTED]",
		"auth: internal/httpapi/token.go compares in constant time",
		"mem_01m80fh5r4zqypsqgcdzbrd8ef supersedes mem_01m80fh5v55ndgawb9evnfxs4t",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 of the image",
		"Authorization: Bearer <token>",
	} {
		if found := s.Find(text); len(found) > 0 {
			t.Errorf("Find(%q) = %v, %q; want nothing", text, found, text[found[0].From:found[0].To])
		}
	}
}

func TestSpansAreInOrderAndApart(t *testing.T) {
	s := secret.New()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			" ", "\n", "password=", "postgres://a:bcd@e", made("gh", "p_", "x9Kd82LmQz7RtYw1VbN4cHs6JpFa0GuEi3To"), "secret: ", "é",
		}))).Draw(t, "text"), "")
		at := 0
		for _, f := range s.Find(text) {
			if f.From < at || f.To <= f.From || f.To > len(text) || f.Rule == "" {
				t.Fatalf("Find(%q) has %+v after %d", text, f, at)
			}
			at = f.To
		}
	})
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("The retry of the outbox doubled orders; cured by an idempotency key per order, see internal/outbox/send.go:42. ", 12)
	s := secret.New()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s.Find(text)
	}
}

func BenchmarkNewAndFind(b *testing.B) {
	for b.Loop() {
		secret.New().Find("The outbox doubled orders; cured by an idempotency key per order")
	}
}
