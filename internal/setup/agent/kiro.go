package agent

import "github.com/alanbuscaglia/engram/internal/setup"

// kiro gets the MCP server, and the protocol as a steering file of ours. Its hooks belong to one
// project or one of the user's agents, and are not touched.
//
// Source: kiro.dev/docs/mcp/configuration, /docs/steering and /docs/cli/chat/configuration. Not
// tested.
func kiro() Agent {
	return Agent{
		Name: "kiro", Title: "Kiro", Aliases: []string{"kiro-cli", "kiro-ide", "amazon-q"},
		Next:     "Start a new session; the MCP servers of Kiro show engram.",
		reads:    []string{"${"},
		traces:   func(e Env) []string { return []string{e.home(".kiro")} },
		programs: []string{"kiro", "kiro-cli"},
		parts: func(e Env) ([]setup.Part, error) {
			return []setup.Part{
				setup.Whole(e.home(".kiro", "steering", "engram.md"), []byte("---\ninclusion: always\n---\n\n"+e.protocol(false)), 0),
				e.mcpFile(e.home(".kiro", "settings", "mcp.json")),
			}, nil
		},
	}
}
