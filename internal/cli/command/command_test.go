package command

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
)

func TestArgumentsAreThoseOfTheUsageLine(t *testing.T) {
	for _, tt := range []struct {
		use         string
		least, most int
	}{
		{"list", 0, 0}, {"get ID", 1, 1}, {"save TITLE [CONTENT|-]", 1, 2}, {"log [ID]", 0, 1}, {"delete ID…", 1, 9}, {"setup [AGENT...]", 0, 9},
		{"link A [RELATION] B", 2, 3}, {"tag ID add|remove|list [TAG…]", 2, 9}, {"merge NAME… --into NAME", 1, 9},
		{"mark ID [--permanent[=false]]", 1, 1}, {"repair --project NAME (--plan | --apply)", 0, 0},
	} {
		for n := range 10 {
			err := Arguments(&cobra.Command{Use: tt.use}, make([]string, n))
			if want := n >= tt.least && n <= tt.most; (err == nil) != want {
				t.Errorf("%q with %d arguments: got %v, want accepted %v", tt.use, n, err, want)
			}
		}
	}
}

func TestFailuresHaveTheirExitCode(t *testing.T) {
	for _, tt := range []struct {
		code engram.Code
		want int
	}{
		{"", 0}, {engram.CodeInvalid, 2}, {engram.CodeNotFound, 3}, {engram.CodeConflict, 4},
		{engram.CodeUnavailable, 5}, {engram.CodeForbidden, 6}, {engram.CodeInternal, 1}, {"something new", 1},
	} {
		if got := ExitCode(tt.code); got != tt.want {
			t.Errorf("exit code of %q: got %d, want %d", tt.code, got, tt.want)
		}
	}
}
