package agent

import (
	"os"

	"github.com/alanbuscaglia/engram/internal/setup"
)

// vsCode gets the MCP server in the user's mcp.json, and hooks in a file of ours, which Copilot
// reads in VS Code and on the command line. If there is only the latter, the server goes into its
// configuration instead: VS Code reads that, too, and would start two.
//
// Source: code.visualstudio.com/docs/copilot/reference/mcp-configuration and
// /docs/agents/reference/hooks-reference. Not tested.
func vsCode() Agent {
	copilot := func(e Env) string { return e.moved("COPILOT_HOME", e.home(".copilot")) }
	return Agent{
		Name: "vscode", Title: "VS Code (GitHub Copilot)", Aliases: []string{"code", "vs-code", "copilot", "github-copilot", "vscode-copilot", "copilot-cli"},
		Next:  "Restart VS Code; MCP: List Servers shows engram, and asks once whether to trust it.",
		reads: []string{"${"},
		traces: func(e Env) []string {
			if vsCodeThere(e) {
				return []string{e.appData("Code", "User"), copilot(e)}
			}
			return []string{copilot(e)}
		},
		programs: []string{"code", "copilot"},
		parts: func(e Env) ([]setup.Part, error) {
			hooks, err := e.hooks(e.native(), "vscode", func(line string) any { return hookCommand{Type: "command", Command: line, Timeout: hookTimeout} },
				"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "SubagentStop", "Stop")
			if err != nil {
				return nil, err
			}
			hooks = append([]entry{usual(1, "version")}, hooks...)
			events, err := made(hooks...)
			servers := jsonFile(e.appData("Code", "User", "mcp.json"), e.member(typed(e.server(), "stdio"), []string{"servers", "engram"}))
			command := jsonFile(e.join(copilot(e), "mcp-config.json"), e.member(typed(e.server(), "local"), []string{"mcpServers", "engram"}))
			if !vsCodeThere(e) && exists(copilot(e)) {
				servers, command = command, servers
			}
			servers.Instead = []setup.Part{command}
			return []setup.Part{servers, own(e.join(copilot(e), "hooks", "engram.json"), events, hooks...)}, err
		},
	}
}

// vsCodeThere reports whether VS Code has a folder that was not just created by a setup of Cline.
func vsCodeThere(e Env) bool {
	for dir, only := range map[string]string{e.appData("Code", "User"): "globalStorage", e.appData("Code", "User", "globalStorage"): clineID} {
		if all, err := os.ReadDir(dir); err == nil && !(len(all) == 1 && all[0].Name() == only) {
			return true
		}
	}
	return false
}

// typed returns a server with its type.
func typed(s server, kind string) server {
	s.Type = kind
	return s
}
