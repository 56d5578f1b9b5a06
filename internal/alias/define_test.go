package alias_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/alias"
)

// defined returns the pairs that a text defines, as "short=long".
func defined(s string) (pairs []string) {
	alias.Define(s, func(short, long string) { pairs = append(pairs, short+"="+long) })
	return pairs
}

func TestATextDefinesItsAbbreviations(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"a word with its numeronym", "We run Kubernetes (k8s) on three machines", []string{"k8s=kubernetes"}},
		{"a numeronym with its word", "k8s (Kubernetes)", []string{"k8s=kubernetes"}},
		{"some of the letters", "the Consul (csl) agents, Grafana (gf) and accounting (acct)", []string{"csl=consul", "gf=grafana", "acct=accounting"}},
		{"other scripts", "Конфигурация (конф)", []string{"конф=конфигурация"}},
		{"after a dash", "store—Postgres (pg)", []string{"pg=postgres"}},
		{"a number that is wrong", "Kubernetes (k9s)", nil},
		{"another word", "password (kubernetes)", nil},
		{"another first letter", "Kubernetes (ubs)", nil},
		{"letters in another order", "Kubernetes (ks8b)", nil},
		{"most of the word", "Kubernetes (kubernet)", nil},
		{"one letter", "Kubernetes (k)", nil},
		{"a stop word", "information (in)", nil},
		{"a phrase", "continuous integration (CI)", nil},
		{"more than a word inside", "Kubernetes (k8s, mostly)", nil},
		{"a call", "kubernetes(k8s)", nil},
		{"an open end", "Kubernetes (k8s", nil},
		{"nothing", "", nil},
		{"no word before", " (k8s)", nil},
	} {
		if got := defined(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q defines %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}

// No text makes equal what is not shaped like a word and its abbreviation.
func TestNoTextDefinesWhatItLikes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-dA-D0-9]{1,5} ?[(]?[a-dA-D0-9é]{1,5}[)]? ?){0,6}`)).Draw(t, "text")
		alias.Define(s, func(short, long string) {
			lower := strings.ToLower(s)
			if !strings.Contains(lower, short) || !strings.Contains(lower, long) {
				t.Fatalf("%q defines %s as %s, which it does not have", s, short, long)
			}
			if 2*len([]rune(short)) > len([]rune(long)) || []rune(short)[0] != []rune(long)[0] {
				t.Fatalf("%q defines %s as %s", s, short, long)
			}
		})
	})
}
