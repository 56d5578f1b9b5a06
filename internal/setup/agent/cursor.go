package agent

import "github.com/alanbuscaglia/engram/internal/setup"

// cursor gets the MCP server, hooks, and the protocol as a skill: its global rules are in its own
// database, which other programs cannot write.
//
// Source: cursor.com/docs/context/mcp, /docs/agent/hooks and /docs/context/skills. Not tested.
func cursor() Agent {
	return Agent{
		Name: "cursor", Title: "Cursor", Aliases: []string{"cursor-agent", "cursor-cli"},
		Next:     "Restart Cursor; Settings, MCP shows engram.",
		reads:    []string{"${"},
		traces:   func(e Env) []string { return []string{e.home(".cursor")} },
		programs: []string{"cursor", "cursor-agent"},
		parts: func(e Env) ([]setup.Part, error) {
			hooks, err := e.hooks(e.native(), "cursor", func(line string) any { return hookCommand{Command: line} },
				"sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure", "preCompact", "subagentStop", "stop", "sessionEnd")
			return []setup.Part{
				e.skill(e.home(".cursor", "skills", "engram", "SKILL.md")),
				e.mcpFile(e.home(".cursor", "mcp.json")),
				jsonFile(e.home(".cursor", "hooks.json"), append([]entry{usual(1, "version")}, hooks...)...),
			}, err
		},
	}
}
