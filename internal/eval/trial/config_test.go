package trial_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/eval/trial"
)

func TestParseConfig(t *testing.T) {
	for _, tt := range []struct{ name, given, want, wrong string }{
		{"nothing is the defaults", "", "default", ""},
		{"commas alone are nothing", " , ", "default", ""},
		{"options are shown as they were given", "mode=fts, all=true", "mode=fts, all=true", ""},
		{"a name alone is yes", "ALL", "ALL", ""},
		{"numbers, one that may be left out among them", "hops=0", "hops=0", ""},
		{"an option that does not exist", "speed=9", "", `"speed"`},
		{"what is asked is no option", "query=x", "", `"query"`},
		{"how many are asked for is no option", "limit=3", "", `"limit"`},
		{"where to look is no option", "filter=x", "", `"filter"`},
		{"an option given twice", "all=true,all=false", "", "twice"},
		{"no yes or no", "all=perhaps", "", `all: "perhaps" is not true or false`},
		{"no number", "hops=many", "", `hops: "many" is not a whole number`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := trial.ParseConfig(tt.given)
			switch {
			case tt.wrong == "" && (err != nil || c.String() != tt.want):
				t.Errorf("ParseConfig(%q)\n got: %q, %v\nwant: %q", tt.given, c, err, tt.want)
			case tt.wrong != "" && (engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), tt.wrong)):
				t.Errorf("ParseConfig(%q)\n got: %v\nwant: an error of usage with %q", tt.given, err, tt.wrong)
			}
		})
	}
}

func TestOptionsAreThoseOfASearch(t *testing.T) {
	got := trial.Options()
	for _, want := range []string{"all", "mode", "fusion", "hops", "rerank"} {
		if !slices.Contains(got, want) {
			t.Errorf("got %v, want %q among them", got, want)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add("mode=fts,all")
	f.Add("hops=99999999999999999999,=,")
	f.Fuzz(func(t *testing.T, given string) {
		if _, err := trial.ParseConfig(given); err != nil && engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("ParseConfig(%q): got %v, want an error of usage or none", given, err)
		}
	})
}
