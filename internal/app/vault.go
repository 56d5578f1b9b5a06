package app

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/markdown"
)

// VaultOptions say how the notes of a vault are written.
type VaultOptions struct {
	// Plain makes links as every reader of Markdown knows them, not those of Obsidian.
	Plain bool
	// Graph is what becomes of how Obsidian draws the graph: preserve, force or skip; "" is skip.
	Graph string
}

// Vault is the vault in a folder, an absolute path. It opens nothing.
func (a *App) Vault(dir string, o VaultOptions) engram.Vault {
	return markdown.New(markdown.Options{Dir: dir, PlainLinks: o.Plain, Graph: markdown.GraphMode(o.Graph)})
}
