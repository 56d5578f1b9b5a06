// Package render writes memories as text: the lists that agents read through MCP
// and people read in a terminal, which are the same. It is pure; who prints, and
// where, is the frontend's business.
package render

import "time"

// Options say how to write times.
type Options struct {
	Zone *time.Location // nil is UTC
}
