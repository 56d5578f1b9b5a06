package secret_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/secret"
)

func TestPasswordsWithSignsAreFound(t *testing.T) {
	s := secret.New()
	for _, c := range []struct{ name, before, secret, after string }{
		{"in an environment", "DB_PASSWORD=", made("kJ8#", "mQ2!zX7p"), "\n"},
		{"between quotation marks", `password: "`, made("kJ8#", "mQ2!zX7p"), `"`},
		{"in JSON", `{"password": "`, made("aB3$", "dE5fG7!"), `"}`},
		{"in JSON within JSON", `{\"password\": \"`, made("aB3$", "dE5fG7!"), `\"}`},
		{"in a shell", "PGPASSWORD='", made("p@ss$", "W0rd!77"), "' psql -h db"},
		{"after the option of mysql", "mysql -u root -p", made("S3cret", "Pw99x"), " shop"},
		{"in a sentence", "The password is ", made("hW7xK", "q2Lm9P"), ". Ask Ann."},
		{"in a connection string", "Server=db;Password=", made("Tr0ub", "4dor&3"), ";Database=shop"},
		{"after an option", "psql --password ", made("kJ8#", "mQ2!zX7p"), " shop"},
		{"a word with a year and a sign", "passwd = ", made("Summer", "2024!x"), ""},
		{"of AWS, with no sign between", "The AWS secret key ", made("wJalrXUtnF", "EMI7K8MDENG9", "bPxRfiCY2zQ4", "7tVb3L"), " was rotated"},
	} {
		t.Run(c.name, func(t *testing.T) { cleaned(t, s, c.before, c.secret, c.after) })
	}
}

// kinds0 is the only kind.
func kinds0(kinds []string) string { return strings.Join(kinds, "+") }

func TestAValueIsAPasswordByItsName(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"password", made("Zx81kQ", "pLw93mNv"), true},
		{"db_password", "hunter22", true},
		{"dbPassword", "hunter2", true},
		{"PGPASSWORD", made("p@ss$", "W0rd!77"), true},
		{"pass", "winter24", true},
		{"pwd", "a1b2c3", true},
		{"password", "required", false},
		{"password", "${PASSWORD_2}", false},
		{"password", "********", false},
		{"password", "argon2id", false},
		{"password", "see the wiki of 2024", false},
		{"password", "vault:kv/db2", false},
		{"bypass", "route66", false},
		{"password_policy", "min8", false},
		{"", "hunter22", false},
	} {
		if got := secret.Named(c.name, c.value); got != c.want {
			t.Errorf("Named(%q, %q) = %v, want %v", c.name, c.value, got, c.want)
		}
	}
}
