package command

import (
	"testing"

	"github.com/alanbuscaglia/engram"
)

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
