package secret_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/secret"
)

// some is text of an alphabet that looks random and is the same at every run.
func some(alphabet string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		for _, c := range sha256.Sum256([]byte(fmt.Sprint(alphabet, i))) {
			if b.Len() < n {
				b.WriteByte(alphabet[int(c)%len(alphabet)])
			}
		}
	}
	return b.String()
}

const (
	lowerHex = "0123456789abcdef"
	digits   = "0123456789"
	upper    = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	alnum    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// trueSecrets are secrets of as many kinds, put together here and not in use.
func trueSecrets() map[string]string {
	return map[string]string{
		"github-pat":                    made("gh", "p_", some(alnum, 36)),
		"github-fine-grained-pat":       made("github", "_pat_", some(alnum, 82)),
		"github-oauth":                  made("gh", "o_", some(alnum, 36)),
		"github-app-token":              made("gh", "s_", some(alnum, 36)),
		"gitlab-pat":                    made("gl", "pat-", some(alnum, 20)),
		"aws-access-token":              made("AK", "IA", some(upper, 16)),
		"gcp-api-key":                   made("AI", "za", some(alnum, 35)),
		"slack-bot-token":               made("xo", "xb-", some(digits, 12), "-", some(digits, 12), "-", some(alnum, 24)),
		"slack-webhook-url":             made("https://hooks.", "slack.com/services/T", some(upper, 10), "/B", some(upper, 10), "/", some(alnum, 24)),
		"stripe-access-token":           made("sk", "_live_", some(alnum, 24)),
		"sendgrid-api-token":            made("S", "G.", some(alnum, 66)),
		"npm-access-token":              made("np", "m_", some(strings.ToLower(alnum[:36]), 36)),
		"pypi-upload-token":             made("pypi-", "AgEIcHlwaS5vcmc", some(alnum, 60)),
		"anthropic-api-key":             made("sk-", "ant-api03-", some(alnum, 93), "AA"),
		"openai-api-key":                made("sk-", "proj-", some(alnum, 74), "T3Blbk", "FJ", some(alnum, 74)),
		"huggingface-access-token":      made("h", "f_", some("abcdefghijklmnopqrstuvwxyz", 34)),
		"digitalocean-pat":              made("do", "p_v1_", some(lowerHex, 64)),
		"databricks-api-token":          made("da", "pi", some(lowerHex, 32)),
		"shopify-access-token":          made("shp", "at_", some(lowerHex, 32)),
		"twilio-api-key":                made("S", "K", some(lowerHex, 32)),
		"linear-api-key":                made("lin", "_api_", some(strings.ToLower(alnum[:36]), 40)),
		"postman-api-token":             made("PM", "AK-", some(lowerHex, 24), "-", some(lowerHex, 34)),
		"pulumi-api-token":              made("pu", "l-", some(lowerHex, 40)),
		"grafana-service-account-token": made("gl", "sa_", some(alnum, 32), "_", some(lowerHex, 8)),
		"rubygems-api-token":            made("ruby", "gems_", some(lowerHex, 48)),
		"vault-batch-token":             made("hv", "b.", some(alnum, 140)),
		"doppler-api-token":             made("dp.", "pt.", some(strings.ToLower(alnum[:36]), 43)),
		"jwt":                           made("ey", "J", some(alnum, 20), ".ey", "J", some(alnum, 40), ".", some(alnum, 43)),
		"private-key":                   made("-----BEGIN EC PRIV", "ATE KEY-----\n", some(alnum, 64), "\n-----END EC PRIV", "ATE KEY-----"),
		"url-password":                  "Tr0ub4dor-Horse",
		"authorization-header":          some(alnum, 40),
		"generic-api-key":               some(alnum, 32),
	}
}

func TestSecretsOfThirtyKindsAreFound(t *testing.T) {
	s := secret.New()
	all := trueSecrets()
	if len(all) < 30 {
		t.Fatalf("%d kinds, want 30", len(all))
	}
	for kind, value := range all {
		text := "We noted: " + value + "\nand went on."
		switch kind {
		case "url-password":
			text = "DSN is postgres://app:" + value + "@db.example.com/shop"
		case "authorization-header":
			text = "Authorization: Bearer " + value
		case "generic-api-key":
			text = `api_key = "` + value + `"`
		}
		clean, kinds := s.Clean(text)
		if strings.Contains(clean, value) || !slices.Contains(kinds, kind) {
			t.Errorf("%s: Clean(%q) = %q, %v; want it gone, by that name", kind, text, clean, kinds)
		}
		if again, more := s.Clean(clean); again != clean || more != nil {
			t.Errorf("%s: cleaned again %q becomes %q, %v", kind, clean, again, more)
		}
	}
}

// What engineers write down every day, and what looks most like a secret.
func ordinary() []string {
	sum := sha256.Sum256([]byte("image"))
	return []string{
		"commit " + hex.EncodeToString(sum[:20]) + " broke the build; " + hex.EncodeToString(sum[:4]) + " fixed it",
		"image sha256:" + hex.EncodeToString(sum[:]) + " is pinned",
		"session 550e8400-e29b-41d4-a716-446655440000 hangs",
		"key AKIAIOSFODNN7EXAMPLE is the one of the documentation",
		`password = os.environ["DB_PASSWORD"]`, "password: ${DB_PASSWORD}", `token := os.Getenv("GITHUB_TOKEN")`, "api_key=<your-api-key>",
		"secret_key: !Ref AppSecret", "apiKey: process.env.STRIPE_KEY,", "token=xxxxxxxxxxxxxxxxxxxxxxxx", "password=********",
		"ACCESS_TOKEN_LIFETIME = 900", "auth_token_expires_in: 3600", "The primary_key is order_id_and_line_number",
		"go.sum: h1:" + "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", `integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"`,
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ops@example.com",
		"mem_01m80fh5r4zqypsqgcdzbrd8ef supersedes mem_01m80fh5v55ndgawb9evnfxs4t",
		"See https://example.com/auth/callback?code=abc&state=xyz for the flow",
		"The keyboard shortcut is Ctrl+Shift+K, the access key is accessKeyHandler.register()",
		"func (t *tokenBucket) Allow(key string) bool { return t.limits[key] > 0 }",
		"curl -u user:password https://localhost/healthz", "redis://localhost:6379/0 and amqp://guest:guest@localhost",
		"internal/secret/scanner_test.go:42 compares secret.Find with its list", "Bearer tokens are read from the Authorization header",
		"author: access-control-team, key: architecture/auth-model", "passwordless login by passkeys; the secret sauce is WebAuthn",
		"version v1.61.1-0.20260102030405-abcdef123456 of modernc.org/sqlite",
		"password: required|min:8|regex:/[A-Z]/", "passwd: file not found", "the password is stored hashed", "the password is PBKDF2-SHA256 hashed", "password: Argon2id",
		"password: changeme", "password: <password1>", "PASSWORD=${PASSWORD_2}", "DB_PASSWORD=$DB_PASSWORD2", "password: z.string().min(8).max(64)",
		"password = process.env.DB_PASS2", "password: vault:kv/data/db#v2", "password: https://vault.example.com/v1/kv#4", "Reset password: see PR#1234 and issue#77",
		"password: String! @length(min: 8)", "the password was base64 encoded", "passwordResetToken2 = newToken2()", "mysql -h db -P3306 -u root -p shop",
		"mysqldump --single-transaction --port=3306 shop", "cat /etc/passwd | grep u1000", "pwd: /home/dev/Code2/shop-V3", "password field1Name2 is empty", "password Rule8Checker2 fails",
		"the secret is kept in internal/secret/scanner/rulesgenv2x.go", "secret of 3b18e512dba79e4c8300dd08aeb37f8e728b8dad was rotated", "set the password hash to $2y$10",
	}
}

func TestOrdinaryTextStays(t *testing.T) {
	s := secret.New()
	for _, text := range ordinary() {
		if found := s.Find(text); len(found) > 0 {
			t.Errorf("Find(%q) = %v, %q; want nothing", text, found, text[found[0].From:found[0].To])
		}
	}
}

// What is clean stays as it is, whatever stands around what was cut.
func TestCleanTwiceIsCleanOnce(t *testing.T) {
	s := secret.New()
	pieces := []string{" ", "\n", "=", ": ", "\"", "password", "token", "postgres://a:", "@host", "Authorization: Bearer ", "é", "| password |\n|---|\n| ", " |\n", " - ", " (", ")", " for a is ", "```\n"}
	for _, v := range trueSecrets() {
		pieces = append(pieces, v)
	}
	slices.Sort(pieces)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		once, _ := s.Clean(text)
		if twice, kinds := s.Clean(once); twice != once {
			t.Fatalf("Clean(%q)\n once %q\ntwice %q (%v)", text, once, twice, kinds)
		}
	})
}

// What was looked at is noted by the version of the rules: other rules need another one.
func TestTheVersionIsThatOfTheRules(t *testing.T) {
	const ofVersion5 = "2239f42b9b26286f"
	if got := secret.Digest(); secret.Version != "5" || got != ofVersion5 {
		t.Errorf("the rules have the digest %s, and not that of version %s: raise secret.Version, and note the new digest here", got, secret.Version)
	}
}
