package secret_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/secret"
)

// People write a secret down in a list, a table, brackets or a sentence, and with a mark or
// a remark at its name.
func TestSecretsInNotesAreFound(t *testing.T) {
	s := secret.New()
	password, key, random := made("kJ8#", "mQ2!zX7p"), made("9fKx2Lq8", "Vn4Rt6Yz1Bw3"), made("q7Zr8xWvK2mN", "p4Ls9TbYc1Hd")
	for _, c := range []struct{ name, before, secret, after string }{
		{"a password in bold print", "**Password**: ", password, ""},
		{"a password with its colon in bold print", "- **Password:** ", password, "\n- next"},
		{"a password of one's own, in bold print", "**Password**: ", made("Winter", "2024"), " (staging)"},
		{"between backticks", "`DB_PASSWORD`: `", password, "`"},
		{"a name as it is, a value between backticks", "The box. password: `", password, "` and more"},
		{"a name as it is, a value in bold print", "Password: **", password, "**"},
		{"an arrow", "password -> ", password, ", of staging"},
		{"between backticks, with =", "`DB_PASSWORD` = `", made("abc123", "XYZ"), "`"},
		{"in a table", "| api_key | ", key, " |"},
		{"in a table, between backticks", "| Password | `", password, "` |"},
		{"in a table without spaces", "|api_key|", key, "|"},
		{"in an address", "GET /v1/items?api_key=", key, "&page=2"},
		{"before a comma", "it sends api_key=", key, ", then waits"},
		{"in brackets", "the call (api_key=", key, ") fails"},
		{"at the end of a line", "we use (staging) api_key: ", key, "\n"},
		{"in a sentence", "The API key is ", key, ". It is of staging."},
		{"in a sentence, between backticks", "The API key is `", key, "`"},
		{"in a sentence, with a remark", "The access token (old) was ", random, " until May"},
		{"a password with a remark", "password (staging): ", password, ""},
		{"a password of a person, with a remark", "Password (staging): ", made("hunter", "2024x"), ""},
		{"in JSON as pass", `{"user": "x", "pass": "`, made("s3cr", "et77"), `"}`},
		{"in the environment of a client", "PGPASSWORD=", made("abc123", "XYZ"), " psql -h db"},
		{"as MYSQL_PWD", "export MYSQL_PWD=", made("abc123", "xyz"), "\n"},
		{"in .netrc", "machine api.example.com login ann password ", made("t0psecret", "word"), "\n"},
		{"in .netrc, on lines of their own", "machine api.example.com\n  login ann\n  password ", made("aaaa", "bbbb"), "\n"},
		{"a token in bold print", "**Token**: `", random, "`"},
		{"a token in an environment", "NPM_TOKEN=", random, ""},
		{"a secret of a webhook", "webhook secret: ", random, ";"},
		{"a token of Docker Hub", "docker login with ", made("dckr_", "pat_", "Zx81kQpLw93mNvB7sT2yHc4dFgA"), " works"},
		{"a key of OpenRouter", "", made("sk-or-", "v1-", some(lowerHex, 64)), " is out of credit"},
		{"a key of Groq", "GROQ: ", made("gs", "k_", some(alnum, 52)), ""},
		{"a webhook of Discord", "alerts go to https://discord.com/api/webhooks/123456789012345678/", some(alnum, 68), " now"},
	} {
		t.Run(c.name, func(t *testing.T) { cleaned(t, s, c.before, c.secret, c.after) })
	}
}

func TestNotesAboutSecretsStay(t *testing.T) {
	s := secret.New()
	for _, text := range []string{
		"The password is checked by bcrypt2go against the table users_v2.", "the password (see ADR 12) is hashed", "**Password**: required, 12 characters", "**Password:** see 1Password",
		"| password | varchar(255) | not null |", "| password | string | yes |", "| api_key | string | required |", "| token | the token of the session | 64 bytes |", "| `password` | `text` |",
		"api_key=...", "api_key=<your-key>", "api_key=YOUR_API_KEY", "api_key=${API_KEY}", "api_key=$API_KEY&page=2", "(api_key={key})", "?api_key=%s&page=%d", "The API key is ENGRAM_API_KEY", "The API key is read from the environment",
		"The API key is in internal/httpapi/token2.go:44", "the access token is valid for 15m and refreshed by /v2/refresh", "The secret is rotated every 90 days", "password: string", "password?: string | null", "`password`: `string`", "password (optional): string",
		"password (min. 12): required", `"pass": "string"`, `{"pass": true, "total": 12}`, `"pass": "${DB_PASS}"`, "PGPASSWORD=$PGPASSWORD psql", "PGPASSWORD=${PG_PW2} psql", "PASSWORD=changeme", "DB_PASSWORD=secret", "DB_PASSWORD=", "MYSQL_PWD=<password1>",
		"machine learning, login flows and password resets are out of scope", "The default login is disabled; password logins need SSO", "dckr_pat_ is the prefix of tokens of Docker Hub", "sk-or-v1- begins keys of OpenRouter", "https://discord.com/api/webhooks/<id>/<token>",
		"token: internal/secret/scanner_v2.go", "**Token**: JWT, RS256", "`api_key`: `sha256:abc`", "access_token: getAccessToken2(user)", "secret | meaning | since v1.2.3", "client_secret: vault:kv/app#v2", "refresh_token = os.environ['RT_2']",
		"The token is 32 bytes, base64url", "api key: AKIAIOSFODNN7EXAMPLE", "private key = ~/.ssh/id_ed25519", "password: p", "token bucket: 100/s", "secret: !Ref AppSecret2", "api_token: \"{{ vault_api_token_2 }}\"", "api_key | x |", "pass=12 fail=3", "passed: 214, failed: 0",
	} {
		if found := s.Find(text); len(found) > 0 {
			t.Errorf("Find(%q) = %v, %q; want nothing", text, found, text[found[0].From:found[0].To])
		}
	}
}

// What the caller keeps stays, and is asked about again after each cut beside it.
func TestSecretsThatAreKeptStay(t *testing.T) {
	s := secret.New()
	kept, gone := made("kJ8#", "mQ2!zX7p"), made("aB3$", "dE5fG7!")
	text := "password: " + kept + "\npassword: " + gone + "\n"
	var asked []string
	got := s.CleanBut("", text, func(found string, f secret.Span) bool {
		asked = append(asked, found)
		return found != kept
	})
	if want := strings.Replace(text, gone, secret.Mark("password"), 1); got != want {
		t.Errorf("CleanBut(%q) = %q, want %q", text, got, want)
	}
	if want := []string{kept, gone, kept}; !slices.Equal(asked, want) {
		t.Errorf("it asked about %q, want %q", asked, want)
	}
}

// What is honest in the tree: its documentation, and the texts that tests of capture, backfill
// and of the other rules read. A secret in them would be a false alarm.
func TestHonestTextsOfTheTreeStay(t *testing.T) {
	s := secret.New()
	files := 0
	for _, pattern := range []string{"../../README.md", "../../docs/*.md", "../../docs/*/*.md", "../../changelog/*/*.md", "../../plugin/*.md", "../suspicion/testdata/[fh]*.jsonl"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files++
			for _, f := range s.Find(string(text)) {
				t.Errorf("%s: %s at byte %d: %q; want nothing", path, f.Rule, f.From, text[f.From:f.To])
			}
		}
	}
	if files < 30 {
		t.Errorf("%d files were read, want 30 at least", files)
	}
}
