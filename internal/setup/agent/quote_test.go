package agent_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// What ends a quoted word in a shell of Windows must not end ours.
func TestWordsAreQuotedForShellsOfWindows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, agent, file, dir, want string }{
		{"a backslash at the end, cmd.exe", "cursor", ".cursor/hooks.json", `C:\my data\`, `--data-dir \"C:\\my data\\\\\""`},
		{"two of them", "cursor", ".cursor/hooks.json", `C:\my data\\`, `--data-dir \"C:\\my data\\\\\\\\\""`},
		{"no backslash", "cursor", ".cursor/hooks.json", `C:\my data`, `--data-dir \"C:\\my data\""`},
		{"typographic quotes, PowerShell", "windsurf", ".codeium/windsurf/hooks.json", `C:\a‘b’c‚d‛e`, `--data-dir 'C:\\a‘‘b’’c‚‚d‛‛e'"`},
		{"an apostrophe, PowerShell", "windsurf", ".codeium/windsurf/hooks.json", `C:\it's`, `--data-dir 'C:\\it''s'"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, "home")
			b.OS, b.Env.DataDir = "windows", tt.dir
			b.put(tt.agent)
			if got := b.read(filepath.Join(b.home, filepath.FromSlash(tt.file))); !strings.Contains(got, tt.want) {
				t.Errorf("%s: no %s in\n%s", tt.dir, tt.want, got)
			}
		})
	}
}
