package secret_test

import (
	"regexp"
	"testing"

	"github.com/alanbuscaglia/engram/internal/secret"
)

// What stands apart from its name: behind a dash, in brackets, on the next line, after the
// name of a place.
func TestSecretsApartFromTheirNamesAreFound(t *testing.T) {
	s := secret.New()
	password, key := made("kJ8#", "mQ2!zX7p"), made("9fKx2Lq8", "Vn4Rt6Yz1Bw3")
	for _, c := range []struct{ name, before, secret, after string }{
		{"behind a dash", "Password - ", password, "\n"},
		{"behind a long dash", "staging password – ", password, ", ask Ann"},
		{"a key behind a dash", "API key - ", key, ""},
		{"on the next line", "Password:\n", password, "\n"},
		{"on the next line, set in", "the password of the box:\n\n    ", password, "\nand so on"},
		{"on the next line, with the name in bold print", "**Password:**\n", password, "\n"},
		{"on the next line, between backticks", "password:\n`", password, "`\n"},
		{"in a fenced block", "password:\n```\n", password, "\n```\n"},
		{"in a fenced block of a language", "Password:\r\n\r\n```text\r\n", password, "\r\n```\r\n"},
		{"a key in a fenced block", "The API key:\n\n```\n", key, "\n```\n"},
		{"under its name", "user\nann\npassword\n", password, "\n"},
		{"for a place", "the password for staging is ", password, ""},
		{"of a thing with a name", "The password of the admin account on db-2 is `", password, "`."},
		{"a key for a place", "The API key for staging is ", key, "."},
		{"in round brackets", "log in as ann, password (", password, ")"},
		{"in round brackets, between backticks", "password (`", password, "`)"},
		{"in square brackets", "Password [", password, "] of staging"},
		{"a key in round brackets", "with the api key (", key, ")"},
		{"German", "Das Passwort für den Server ist ", password, "."},
	} {
		t.Run(c.name, func(t *testing.T) { cleaned(t, s, c.before, c.secret, c.after) })
	}
}

func TestSecretsInTheColumnOfATableAreFound(t *testing.T) {
	s := secret.New()
	password, key := made("kJ8#", "mQ2!zX7p"), made("9fKx2Lq8", "Vn4Rt6Yz1Bw3")
	for _, c := range []struct{ name, before, secret, after string }{
		{"the last column", "| host | user | Password |\n|---|---|---|\n| db | ann | ", password, " |\n"},
		{"a column in the middle", "| host | **password** | user |\n| :--- | :---: | ---: |\n| db | ", password, " | ann |\n"},
		{"the second row", "| host | password |\n|---|---|\n| db | see the vault |\n| web | ", password, " |\n"},
		{"between backticks", "| host | password |\n|---|---|\n| db | `", password, "` |\n"},
		{"without bars around", "host | password\n--- | ---\ndb | ", password, "\n"},
		{"a word with a year, between backticks", "| host | password |\n|---|---|\n| db | `", made("hunt", "er2x"), "` |\n"},
		{"keys", "| service | API key |\n|---|---|\n| mail | ", key, " |\n"},
		{"tokens", "| service | access token |\r\n|---|---|\r\n| mail | ", key, " |\r\n"},
		{"a table set in, in a text", "Notes.\n\n  | host | root password (old) |\n  |---|---|\n  | db | ", password, " |\n\nMore."},
	} {
		t.Run(c.name, func(t *testing.T) { cleaned(t, s, c.before, c.secret, c.after) })
	}
}

// cleaned fails the test where a secret stays, or something around it goes.
func cleaned(t *testing.T, s *secret.Scanner, before, hidden, after string) {
	t.Helper()
	text := before + hidden + after
	clean, kinds := s.Clean(text)
	if want := before + secret.Mark(kinds0(kinds)) + after; clean != want {
		t.Errorf("Clean(%q) = %q, %v; want %q", text, clean, kinds, want)
	}
	if again, more := s.Clean(clean); again != clean {
		t.Errorf("cleaned again it is %q, %v", again, more)
	}
}

func TestWhatIsApartFromANameStays(t *testing.T) {
	s := secret.New()
	for _, text := range []string{
		"password - required", "password - SHA256", "Password - at least 12 characters, 1 digit", "password (SHA256)", "password (RFC2617)", "password (see ADR-12)", "password (optional)", "password [reset2FA](https://x.example/reset)",
		"password [string]", "password []string", "password [REDACTED:password]", "password [REDACTED:1password-secret-key]", "password (min8)", "password (bcrypt2go)", "password(user1Name2)", "token (32 bytes)", "api key (v2)",
		"password:\n  secretKeyRef2:\n    name: db-auth-2\n", "password:\n  - min8\n  - max64\n", "password:\n\n## Step2\n", "password:\n```go\nfunc Check2(p string) error {\n```\n", "password:\n```\n$ vault kv get kv/db2\n```\n", "password:\n  ${DB_PASSWORD_2}\n",
		"Forgot your password\nstep2of3\n", "the password for staging is in 1Password", "A_PASSWORD=mypassword1\nB_NAME=myname2@x.example\n", "the password for v2 is hashed with argon2id13", "the password for the user is checked by bcrypt2go.Compare",
		"the API key for staging is read from STAGING_API_KEY_2", "| field | password |\n|---|---|\n| type | varchar(255) |\n| hash | argon2id |\n| null | no |\n", "| setting | password |\n|---|---|\n| source | ${DB_PASSWORD_2} |\n| file | vault:kv/db2 |\n",
		"| plan | api key | token |\n|---|---|---|\n| free | yes | 100/s |\n| pro | sk-... | 32 bytes |\n", "| path | access token |\n|---|---|\n| internal/httpapi/token2.go | internal/httpapi/v2/token2.go |\n", "| host | password |\n| db | kJ8 |", "a | b\nno table here --- password\n| x |",
		"| method | password |\n|---|---|\n| login | OAuth2.0 |\n| hash | base64url |\n", "| password |\n|---|\n",
	} {
		if found := s.Find(text); len(found) > 0 {
			t.Errorf("Find(%q) = %v, %q; want nothing", text, found, text[found[0].From:found[0].To])
		}
	}
}

// Rules overlap: of "password: TOKEN" one finds the value and another the token in it. What is
// cut is all that any of them found, once.
func TestSecretsThatOverlapAreCutOnce(t *testing.T) {
	s := secret.New()
	token := made("gh", "p_", "x9Kd82LmQz7RtYw1VbN4cHs6JpFa0GuEi3To")
	mark := regexp.MustCompile(`\[REDACTED:[a-z-]+\]`)
	for _, c := range []struct{ name, text, want string }{
		{"one within another", "password: " + token + "\n", "password: [MARK]\n"},
		{"one that begins before another", "postgres://app:" + token + "@db.example.com/shop", "postgres://app:[MARK]@db.example.com/shop"},
		{"one right behind another", token + " " + token, "[MARK] [MARK]"},
		{"one that goes on behind another", `password: "` + token + `#kJ8!"`, `password: "[MARK]"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := s.Find(c.text)
			if got := mark.ReplaceAllString(secret.Cut(c.text, found), "[MARK]"); got != c.want {
				t.Errorf("Cut(%q, %v) = %q, want %q", c.text, found, got, c.want)
			}
		})
	}
}
