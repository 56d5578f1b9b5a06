package library

import (
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Known returns what is known of a published model that runs elsewhere, under a name such as bge-m3:latest: what goes
// before a question, and what its cosines mean.
func Known(name string) (prefix string, marks engram.Model) {
	name, _, _ = strings.Cut(Canonical(name), ":")
	e := entryOf(name)
	return e.prefix, e.marks
}
