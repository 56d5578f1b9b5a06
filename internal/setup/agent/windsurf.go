package agent

import "github.com/alanbuscaglia/engram/internal/setup"

// rulesRead is how many characters Windsurf reads of global_rules.md: it cuts off the rest.
//
// Source: docs.windsurf.com/windsurf/cascade/memories.
const rulesRead = 6000

// windsurf gets the MCP server, hooks, and the protocol in the global rules, because its hooks
// cannot address the model. As Devin Desktop it keeps its servers elsewhere.
//
// Source: docs.windsurf.com/windsurf/cascade/mcp, /hooks and /memories; docs.devin.ai. Not tested.
func windsurf() Agent {
	devin := func(e Env) string {
		if e.OS == "windows" {
			return e.appData("devin")
		}
		return e.config("devin")
	}
	return Agent{
		Name: "windsurf", Title: "Windsurf (Devin Desktop)", Aliases: []string{"devin", "devin-desktop", "codeium", "cascade"},
		Next:     "Restart Windsurf, and refresh its MCP servers.",
		reads:    []string{"${"},
		traces:   func(e Env) []string { return []string{e.home(".codeium", "windsurf"), devin(e)} },
		programs: []string{"windsurf", "devin"},
		parts: func(e Env) ([]setup.Part, error) {
			dir := e.home(".codeium", "windsurf")
			var parts []setup.Part
			if exists(devin(e)) {
				parts = append(parts, e.mcpFile(e.join(devin(e), "mcp_config.json")))
				if !exists(dir) {
					return parts, nil
				}
			}
			sh, key := posix, "command"
			if e.OS == "windows" {
				sh, key = powershell, "powershell"
			}
			hooks, err := e.hooks(sh, "windsurf", func(line string) any { return map[string]any{key: line, "show_output": false} },
				"pre_user_prompt", "post_write_code", "post_run_command", "post_cascade_response")
			rules := markdownFile(e.join(dir, "memories", "global_rules.md"), e.protocol(false))
			rules.Limit = rulesRead
			return append(parts,
				e.mcpFile(e.join(dir, "mcp_config.json")),
				jsonFile(e.join(dir, "hooks.json"), hooks...),
				rules,
			), err
		},
	}
}
