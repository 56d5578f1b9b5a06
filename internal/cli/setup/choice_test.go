package setup

import (
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
)

func TestWhichAgentsAPersonChooses(t *testing.T) {
	found := []string{"codex", "cursor", "zed"}
	for _, tt := range []struct {
		answer string
		want   []string // nil: rejected
	}{
		{"", found},
		{"all", found},
		{"1 3", []string{"codex", "zed"}},
		{"1, 1 codex", []string{"codex"}},
		{"2,kiro", []string{"cursor", "kiro"}},
		{"1-3", found},
		{"2-3, 1", []string{"cursor", "zed", "codex"}},
		{"2-2", []string{"cursor"}},
		{"3-1", nil},
		{"0-2", nil},
		{"1-4", nil},
		{"1-", nil},
		{"-2", nil},
		{"1-2-3", nil},
		{"1x", nil},
		{"4", nil},
	} {
		got, err := chosen(tt.answer, found)
		if !slices.Equal(got, tt.want) || (err != nil) != (tt.want == nil) {
			t.Errorf("%q: got %q, %v; want %q", tt.answer, got, err, tt.want)
		}
		if tt.want == nil && engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%q: got %v, want CodeInvalid", tt.answer, err)
		}
	}
}
