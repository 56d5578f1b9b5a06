// Package plugin holds what Engram installs into agents: a folder of assets for each
// agent, and the memory protocol, the one text from which skills, rules, system prompts and
// the instructions of the MCP server are made (protocol.md).
//
// Everything is embedded, so that one binary installs itself without a download. Nothing
// here knows where an agent keeps its files: that is setup's business.
package plugin

import (
	"embed"
	"io/fs"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// assets are the folders beside this file, files that begin with a dot included. A new
// folder is embedded without a change here.
//
//go:embed all:*/*
var assets embed.FS

// Files returns the assets of an agent: what lies in the folder of its name, paths from
// there. It reads nothing from the disk and can be used from several goroutines. An agent
// without assets is an *engram.Error of CodeNotFound that names those which have some.
func Files(agent string) (fs.FS, error) {
	for _, known := range Agents() {
		if known == agent {
			return fs.Sub(assets, agent)
		}
	}
	return nil, engram.Errorf(engram.CodeNotFound, "there are no assets for an agent %q", agent).
		WithHint("agents that have some: %s", strings.Join(Agents(), ", "))
}

// Agents returns the names for which Files has something, sorted.
func Agents() []string {
	entries, err := fs.ReadDir(assets, ".")
	if err != nil {
		return nil // unreachable: the folder is in the binary
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}
