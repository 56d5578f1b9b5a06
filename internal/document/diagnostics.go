package document

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Diagnostics are memories that deserve a look.
type Diagnostics struct {
	Project    string          `json:"project"` // "" is every project
	At         Stamp           `json:"at"`
	Memories   int             `json:"memories"` // live ones
	Weakest    []WeakMemory    `json:"weakest"`
	Duplicates []DuplicatePair `json:"duplicates"`
	Pairs      int             `json:"duplicate_pairs"` // how many there are, with those that are not listed
	Orphans    []Outline       `json:"orphans"`         // that nothing leads to, the oldest first
	Unrecalled []Outline       `json:"never_recalled"`  // the oldest first
	Never      int             `json:"never_recalled_count"`
	Degraded   []string        `json:"degraded"` // what could not be done, with the reason
}

// Outline is a memory without its content.
type Outline struct {
	Num       int64       `json:"num"`
	ID        engram.ID   `json:"id"`
	Project   string      `json:"project"`
	Type      engram.Type `json:"type"`
	Title     string      `json:"title"`
	CreatedAt Stamp       `json:"created_at"`
}

// WeakMemory is a memory and its strength now.
type WeakMemory struct {
	Outline
	Strength float64 `json:"strength"`
}

// DuplicatePair is two memories that say nearly the same.
type DuplicatePair struct {
	A       Outline `json:"a"` // the older one
	B       Outline `json:"b"`
	Cosine  float64 `json:"cosine"`
	Against string  `json:"against"` // why sleep leaves them apart; "" when it would make one of them
}

// DiagnosticsOf is the document of d.
func DiagnosticsOf(d lifecycle.Diagnostics) Diagnostics {
	return Diagnostics{
		Project: d.Project, At: Stamp(d.At), Memories: d.Memories, Pairs: d.Pairs, Never: d.Never, Degraded: OrEmpty(d.Degraded),
		Weakest: Each(d.Weakest, func(w lifecycle.Weak) WeakMemory { return WeakMemory{outlineOf(w.Memory), thousandth(w.Strength)} }),
		Duplicates: Each(d.Duplicates, func(p lifecycle.DuplicatePair) DuplicatePair {
			return DuplicatePair{outlineOf(p.A), outlineOf(p.B), thousandth(p.Cosine), p.Against}
		}),
		Orphans: Each(d.Orphans, outlineOf), Unrecalled: Each(d.Unrecalled, outlineOf),
	}
}

func outlineOf(m engram.Memory) Outline {
	return Outline{m.Num, m.ID, m.Project, m.Type, m.Title, Stamp(m.CreatedAt)}
}
