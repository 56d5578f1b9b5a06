package document

import "github.com/alanbuscaglia/engram"

// Group counts the memories of a project, a type, or a span of time.
type Group struct {
	Name      string `json:"name"`      // project, type, or the first day: 2026-01-31
	Memories  int    `json:"memories"`  // live ones
	Forgotten int    `json:"forgotten"` // 0 where they are counted by time
}

// GroupOf is the document of g.
func GroupOf(g engram.GroupCount) Group { return Group{g.Name, g.Memories, g.Forgotten} }
