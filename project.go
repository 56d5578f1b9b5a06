package engram

import "time"

// Project is a name that memories are kept under.
type Project struct {
	Name      string        // normalised: lower case, trimmed, no doubled - or _
	Aliases   []string      // names that were merged into it
	Root      string        // the folder it was last seen in; "" when unknown
	Remote    string        // its git remote; "" when unknown
	Decay     *ProjectDecay // how its memories fade; nil: as all do
	CreatedAt time.Time
}

// ProjectCounts is a project with what is kept under it.
type ProjectCounts struct {
	Project
	Memories int // live ones
	Sessions int
	Prompts  int
}

// Stats counts what a store holds.
type Stats struct {
	Memories  int // live ones
	Forgotten int
	Sessions  int
	Prompts   int
	Relations int      // between live memories
	Projects  []string // by name
	Types     map[Type]int
	Bytes     int64 // size of the store on disk; 0 when unknown
}
