package agent

import (
	"strings"

	"github.com/alanbuscaglia/engram/internal/setup"
)

// codex gets the MCP server as a table, hooks, and the protocol in AGENTS.md, because it runs hooks
// only after its user has confirmed them.
//
// Source: developers.openai.com/codex/config-reference and /hooks; the events are those in the
// program of version 0.169.0.
func codex() Agent {
	dir := func(e Env) string { return e.moved("CODEX_HOME", e.home(".codex")) }
	return Agent{
		Name: "codex", Title: "Codex", Aliases: []string{"codex-cli", "openai-codex"},
		Next:     "Start a new session, and type /hooks once to trust the hooks of engram.",
		traces:   func(e Env) []string { return []string{dir(e)} },
		programs: []string{"codex"},
		parts: func(e Env) ([]setup.Part, error) {
			hooks, err := e.hooks(e.native(), "codex", inGroup,
				"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "PostCompact", "SubagentStop", "Stop", "SessionEnd")
			return []setup.Part{
				e.tomlFile(e.join(dir(e), "config.toml"), []string{"mcp_servers", "engram"}, codexServer(e)),
				jsonFile(e.join(dir(e), "hooks.json"), hooks...),
				markdownFile(e.join(dir(e), "AGENTS.md"), e.protocol(true)),
			}, err
		},
	}
}

func codexServer(e Env) string {
	var args []string
	for _, a := range e.args("mcp") {
		args = append(args, text(a))
	}
	return "command = " + text(e.Engram) + "\nargs = [" + strings.Join(args, ", ") + "]\n"
}
