package enginetest

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/markdown"
)

// Vault is a vault of notes in a folder, with the links of Obsidian.
func Vault(dir string) engram.Vault { return markdown.New(markdown.Options{Dir: dir}) }
