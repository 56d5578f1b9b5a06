package library

import (
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Known returns what the cosines of a published model mean that runs elsewhere, under a name such as bge-m3:latest.
func Known(name string) (marks engram.Model) {
	name, _, _ = strings.Cut(Canonical(name), ":")
	return entryOf(name).marks
}
