package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/setup/agent"
)

func TestWhatStandsInTheWayOfClaudeCodeIsTold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string // parts of the warnings
	}{
		{"nothing is there", nil, nil},
		{"other servers, and hooks", map[string]string{".claude.json": `{"mcpServers": {"x": {}}, "projects": {"/a": {"mcpServers": {}}}}`, ".claude/settings.json": `{"disableAllHooks": false}`}, nil},
		{"no JSON", map[string]string{".claude.json": `{"mcpServers"`, ".claude/settings.json": "{"}, nil},
		{"another server", map[string]string{".claude.json": `{"mcpServers": {"engram": {"command": "engram", "args": ["mcp"]}}}`}, []string{"another server named engram, so Claude Code starts two"}},
		{
			"another server in projects", map[string]string{".claude.json": `{"projects": {"/a": {"mcpServers": {"engram": {}}}, "/b": {}, "/c": {"mcpServers": {"engram": {}}}}}`},
			[]string{"in 2 of its projects"},
		},
		{
			"hooks are off", map[string]string{".claude/settings.json": `{"disableAllHooks": true}`, ".claude/settings.local.json": `{"disableAllHooks": true}`},
			[]string{"settings.json has disableAllHooks", "settings.local.json has disableAllHooks"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, "home")
			for path, content := range tt.files {
				b.write(filepath.Join(b.home, path), content, 0o600)
			}
			a, err := agent.Find("claude-code")
			if err != nil {
				t.Fatal(err)
			}
			got := a.Warnings(b.Env, func(path string) []byte {
				content, _ := os.ReadFile(path)
				return content
			})
			if !slices.EqualFunc(got, tt.want, strings.Contains) {
				t.Errorf("warnings are %q; want %q", got, tt.want)
			}
		})
	}
}
