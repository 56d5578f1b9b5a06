package agent

import "github.com/alanbuscaglia/engram/internal/setup"

// zed gets the MCP server in its settings, which have comments. It has no hooks, and its global
// rules are in its own database.
//
// Source: zed.dev/docs/ai/mcp and /docs/configuring-zed. Not tested.
func zed() Agent {
	dir := func(e Env) string {
		if e.OS == "windows" {
			return e.appData("Zed")
		}
		if e.OS == "darwin" {
			return e.home(".config", "zed")
		}
		return e.config("zed")
	}
	return Agent{
		Name: "zed", Title: "Zed", Aliases: []string{"zed-editor"},
		Next:     "The Agent Panel's settings show engram; no restart is needed.",
		traces:   func(e Env) []string { return []string{dir(e)} },
		programs: []string{"zeditor"}, // on many machines zed belongs to ZFS
		parts: func(e Env) ([]setup.Part, error) {
			return []setup.Part{jsonFile(e.join(dir(e), "settings.json"), e.member(e.server(), []string{"context_servers", "engram"}))}, nil
		},
	}
}
