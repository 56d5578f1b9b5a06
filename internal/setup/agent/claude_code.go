package agent

import "github.com/alanbuscaglia/engram/internal/setup"

// claudeCode gets a plugin in the folder of skills, which it loads as engram@skills-dir: hooks, MCP
// server, skill and commands, without a line in the user's own files.
//
// Source: code.claude.com/docs/en/plugins; tested with version 2.1.197.
func claudeCode() Agent {
	dir := func(e Env) string { return e.moved("CLAUDE_CONFIG_DIR", e.home(".claude")) }
	return Agent{
		Name: "claude-code", Title: "Claude Code", Aliases: []string{"claude", "cc"},
		Next:     "Start a new session; /plugin shows engram.",
		traces:   func(e Env) []string { return []string{dir(e), e.home(".claude.json")} },
		programs: []string{"claude"},
		parts: func(e Env) ([]setup.Part, error) {
			return e.whole("claude-code", e.join(dir(e), "skills", "engram"), nil)
		},
		warns: func(e Env, read func(string) []byte) []string { return claudeWarnings(e, dir(e), read) },
	}
}
