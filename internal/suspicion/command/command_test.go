package command

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// The filter of a rule never hides a match.
func TestNoRuleIsPassedOverThatFindsSomething(t *testing.T) {
	pieces := []string{" ", "curl ", "wget ", "irm ", "http://1.2.3.4/x", "https://evil.example/x", "| ", "|", "sh", "bash", "python3 ", "sh <(", "eval \"$(", "eval `", ")", "&& sh ", "; bash ", "downloadstring(", "iex (",
		"/dev/tcp/", ">&", "bash -i >&", "ncat -e ", "-e ", "socat exec:", "nc -lvp", ">>", "authorized_keys", "ssh-rsa aaaa", ".bashrc", "crontab -", "scp ", ".env", "~/.ssh/id_rsa", "host:", "@", "printenv", "env |", "$(env)",
		"![x", "](http", "s://a.example/?q={data}", "always ", "set ", "dangerously-skip-permissions", "--yolo", "chat.tools.autoapprove", "rm -rf ", "/", "~", "every session", "base64 -d", "xxd -r", "powershell -enc ", "eval(atob("}
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "line"), "")
		has := finding.CharsOf(line)
		for _, r := range lineRules {
			if from, to := r.find(line); to > from && !r.may(has, line) {
				t.Fatalf("%q is passed over for %q, and it finds %q", line, r.why, line[from:to])
			}
		}
		if from, to := decoded(line); to > from && !has.Any(decodesBy) {
			t.Fatalf("%q is passed over, and %q is decoded", line, line[from:to])
		}
	})
}
