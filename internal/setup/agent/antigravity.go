package agent

import "github.com/alanbuscaglia/engram/internal/setup"

// antigravity gets the MCP server, and the skill with its scripts. It has used two folders: the
// existing one gets both, or each if both exist.
//
// Source: antigravity.google/docs/mcp and /docs/skills. Not tested: there is no client to run.
func antigravity() Agent {
	return Agent{
		Name: "antigravity", Title: "Antigravity", Aliases: []string{"google-antigravity", "agy"},
		Next:     "Restart Antigravity, and look at Manage MCP Servers.",
		traces:   func(e Env) []string { return append(antigravityRoots(e), e.home(".antigravity")) },
		programs: []string{"antigravity", "agy"},
		parts: func(e Env) ([]setup.Part, error) {
			var parts []setup.Part
			roots := antigravityRoots(e)
			there := false
			for n, root := range roots {
				if !exists(root) && (there || n < len(roots)-1) {
					continue
				}
				there = true
				skill, err := e.whole("antigravity", e.join(root, "skills", "engram"), nil)
				if err != nil {
					return nil, err
				}
				parts = append(append(parts, skill...), e.mcpFile(e.join(root, "mcp_config.json")))
			}
			return parts, nil
		},
	}
}

// antigravityRoots returns its folders, the current one last.
func antigravityRoots(e Env) []string {
	return []string{e.home(".gemini", "antigravity"), e.home(".gemini", "config")}
}
