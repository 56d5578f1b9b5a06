package agent

import "github.com/alanbuscaglia/engram/internal/setup"

// claudeDesktop gets the MCP server, which is all that it supports.
//
// Source: modelcontextprotocol.io/docs/develop/connect-local-servers. Not tested. For Linux there
// are only unofficial builds, with files in ~/.config/Claude.
func claudeDesktop() Agent {
	return Agent{
		Name: "claude-desktop", Title: "Claude Desktop", Aliases: []string{"claude-app"},
		Next:   "Quit Claude Desktop and start it again.",
		traces: func(e Env) []string { return []string{e.appData("Claude")} },
		parts: func(e Env) ([]setup.Part, error) {
			return []setup.Part{e.mcpFile(e.appData("Claude", "claude_desktop_config.json"))}, nil
		},
	}
}
