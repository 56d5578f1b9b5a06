// Package plugin holds what Engram installs into agents: a folder of assets for each agent, and the memory
// protocol (protocol.md), from which skills, rules, system prompts and the instructions of the MCP server are
// made.
//
// Everything is embedded, so that one binary installs itself without a download. Package setup knows where
// agents keep their files.
package plugin

import (
	"embed"
	"io/fs"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// assets are the folders beside this file, files that begin with a dot included. New folders are embedded
// automatically.
//
//go:embed all:*/*
var assets embed.FS

// Files returns the assets of an agent: the folder with its name, with relative paths. It reads nothing from
// the disk and is safe for concurrent use. An agent without assets is CodeNotFound with a hint of those that
// have some.
func Files(agent string) (fs.FS, error) {
	for _, known := range Agents() {
		if known == agent {
			return fs.Sub(assets, agent)
		}
	}
	return nil, engram.Errorf(engram.CodeNotFound, "agent %q has no assets", agent).
		WithHint("agents with assets: %s", strings.Join(Agents(), ", "))
}

// Agents returns the names for which Files has assets, sorted.
func Agents() []string {
	entries, err := fs.ReadDir(assets, ".")
	if err != nil {
		return nil // unreachable: the folder is embedded
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}
