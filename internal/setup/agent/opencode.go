package agent

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/alanbuscaglia/engram/internal/setup"
)

// openCode gets a plugin, and the MCP server in its existing configuration file.
//
// Source: opencode.ai/docs/config, /plugins and /mcp-servers; tested with version 1.18.33.
func openCode() Agent {
	dir := func(e Env) string { return e.moved("OPENCODE_CONFIG_DIR", e.config("opencode")) }
	return Agent{
		Name: "opencode", Title: "OpenCode", Aliases: []string{"open-code"},
		Next:     "Restart OpenCode; opencode mcp list shows engram.",
		reads:    []string{"{env:", "{file:"},
		traces:   func(e Env) []string { return []string{dir(e), e.home(".opencode")} },
		programs: []string{"opencode"},
		parts: func(e Env) ([]setup.Part, error) {
			parts, err := e.whole("opencode", dir(e), openCodeFile)
			for n, p := range parts {
				parts[n].Yields = filepath.Ext(p.Path) == ".md" // each command is useful without the others
			}
			entry := struct {
				Type    string   `json:"type"`
				Command []string `json:"command"`
				Enabled bool     `json:"enabled"`
			}{"local", append([]string{e.Engram}, e.args("mcp")...), true}
			at := e.member(entry, []string{"mcp", "engram"}, "enabled")
			names := []string{"opencode.json", "opencode.jsonc"}
			config := jsonFile(firstOf(e, dir(e), names...), at)
			for _, name := range names {
				if other := jsonFile(e.join(dir(e), name), at); other.Path != config.Path {
					config.Instead = append(config.Instead, other)
				}
			}
			return append(parts, config), err
		},
	}
}

// openCodeFile returns an asset's target: plugins for a plugin, a folder for commands.
func openCodeFile(name string) (to string, ok bool) {
	switch {
	case name == "engram.ts":
		return "plugins/engram.ts", true
	case strings.HasPrefix(name, "plugins/"), strings.HasPrefix(name, "command"):
		return name, path.Ext(name) == ".ts" || path.Ext(name) == ".md"
	}
	return "", false
}

// firstOf returns the last existing file of these names, which takes precedence when read, else the
// first.
func firstOf(e Env, dir string, names ...string) string {
	found := e.join(dir, names[0])
	for _, name := range names[1:] {
		if exists(e.join(dir, name)) {
			found = e.join(dir, name)
		}
	}
	return found
}
