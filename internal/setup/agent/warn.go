package agent

import (
	"fmt"

	"github.com/alanbuscaglia/engram/internal/setup/edit"
)

// Warnings returns obstacles in files that are not ours, one sentence each, or nil.
// read returns the content of a file, nil if it is missing or unreadable.
func (a Agent) Warnings(e Env, read func(path string) []byte) []string {
	if a.warns == nil {
		return nil
	}
	return a.warns(e, read)
}

// claudeWarnings looks for a second server of our name, which `claude mcp add` puts into
// .claude.json for all projects or for one, and for the switch that disables all hooks.
//
// Source: code.claude.com/docs/en/mcp and /docs/en/hooks.
func claudeWarnings(e Env, dir string, read func(path string) []byte) (all []string) {
	state := e.home(".claude.json")
	if dir != e.home(".claude") {
		state = e.join(dir, ".claude.json")
	}
	type servers struct {
		Engram any `json:"engram"`
	}
	var user servers
	if there, err := edit.ReadJSON(read(state), []string{"mcpServers"}, &user); err == nil && there && user.Engram != nil {
		all = append(all, fmt.Sprintf("%s has another server named engram, so Claude Code starts two: remove it with claude mcp remove engram -s user", state))
	}
	var projects map[string]struct {
		Servers servers `json:"mcpServers"`
	}
	if there, err := edit.ReadJSON(read(state), []string{"projects"}, &projects); err == nil && there {
		n := 0
		for _, p := range projects {
			if p.Servers.Engram != nil {
				n++
			}
		}
		if n > 0 {
			all = append(all, fmt.Sprintf("%s has another server named engram in %d of its projects: remove it with claude mcp remove engram -s local in each", state, n))
		}
	}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		var off bool
		path := e.join(dir, name)
		if there, err := edit.ReadJSON(read(path), []string{"disableAllHooks"}, &off); err == nil && there && off {
			all = append(all, fmt.Sprintf("%s has disableAllHooks, so no hook runs", path))
		}
	}
	return all
}
