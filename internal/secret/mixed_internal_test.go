package secret

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is looked at before an expression loses no value that is mixed.
func TestNoMixedValueIsLost(t *testing.T) {
	s := New()
	piece := rapid.SampledFrom([]string{" ", "\n", "\n\n", "=", ": ", "\"", "`", "**", " - ", " (", ")", "| ", " |\n", "é", "\u00a0", "\v", " is ", "now ", "password", "api key", "_token", "token", "secret", "mysql -u x -p", "mysqldump ",
		"--password ", "PASSWORD=", `"pass": "`, "Xk29fj!aa81Qz", "a1B2c3D4e5F6g7H8", "abc123", "2026-11-28T10:00:00Z", "v1.2.3", "sha256", "<b>", strings.Repeat("word ", 30), strings.Repeat("ok 0.2s ", 60), strings.Repeat("word ", 195), strings.Repeat("word ", 202), "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzkeyAAAA1"})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 1, 24).Draw(rt, "pieces"), "")
		places := map[int][]place{}
		for _, p := range s.words.places(nil, text) {
			places[int(p.rule)] = append(places[int(p.rule)], p)
		}
		for n, at := range places {
			r := &s.rules[n]
			if r.mixed == 0 || !r.opens {
				continue
			}
			r.ready()
			found, end := r.matches(text, at), 0
			for _, p := range at {
				m := r.expression.FindStringSubmatchIndex(text[p.at:])
				if m == nil || p.at < end || r.bounded && p.at > 0 && inWord(text[p.at-1]) {
					continue
				}
				end = p.at + m[1]
				from, to := r.secretOf(m)
				in := func(f []int) bool { return f[0] <= p.at+from && p.at+to <= f[1] }
				if mixed(text[p.at+from:p.at+to], r.mixed) && !slices.ContainsFunc(found, in) {
					rt.Fatalf("%s: %q is lost from %q", r.id, text[p.at+from:p.at+to], text)
				}
			}
		}
	})
}

func TestAMixedRun(t *testing.T) {
	for _, tt := range []struct {
		text               string
		from, until, least int
		end, looked        int
	}{
		{"why does the token fail after retry 7", 0, 100, 4, 0, 36},
		{"a1B2c3 d", 0, 100, 4, 5, 5},
		{"a1B2c3 d", 2, 100, 4, 0, 7},
		{"v1 of x\ta1B2c3", 0, 100, 4, 13, 13},
		{"v1 of x\ta1B2c3 d2 e", 0, 8, 4, 0, 8},
		{"v1 of x\ta1B2c3 d2 e", 0, 10, 4, 13, 13},
		{"of x a1b2 d", 0, 7, 4, 0, 10},
		{"", 0, 100, 1, 0, 0},
		{"7", 1, 100, 1, 0, 1},
		{"of aBcDeF1", 0, 8, 4, 0, 3},
	} {
		if end, looked := mixedRun(tt.text, tt.from, tt.until, tt.least); end != tt.end || looked != tt.looked {
			t.Errorf("mixedRun(%q, %d, %d, %d) = %d, %d; want %d, %d", tt.text, tt.from, tt.until, tt.least, end, looked, tt.end, tt.looked)
		}
	}
}
