package serve_test

import (
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram/internal/cli/serve"
)

// Hooks are recognised wherever their flags stand, and nothing else is.
func TestHookArgs(t *testing.T) {
	for _, tt := range []struct {
		args, want []string
		is         bool
	}{
		{[]string{"hook", "codex", "stop"}, []string{"codex", "stop"}, true},
		{[]string{"--data-dir", "d", "hook", "codex", "stop", "--project", "p"}, []string{"--data-dir", "d", "codex", "stop", "--project", "p"}, true},
		{[]string{"--data-dir", "hook", "hook", "codex"}, []string{"--data-dir", "hook", "codex"}, true},
		{[]string{"--data-dir=d", "hook", "codex"}, []string{"--data-dir=d", "codex"}, true},
		{[]string{"hook"}, nil, false},
		{[]string{"hook", "codex", "--help"}, nil, false},
		{[]string{"-h", "hook", "codex"}, nil, false},
		{[]string{"search", "hook", "codex"}, nil, false},
		{[]string{"--data-dir", "hook", "search"}, nil, false},
		{nil, nil, false},
	} {
		if got, is := serve.HookArgs(tt.args); !slices.Equal(got, tt.want) || is != tt.is {
			t.Errorf("HookArgs(%q): got %q, %v; want %q, %v", tt.args, got, is, tt.want, tt.is)
		}
	}
}
