package document

import (
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Vectors is how far the vectors of the configured embedding model are.
type Vectors struct {
	Model    string `json:"model"`        // "" without one
	Memories int    `json:"memories"`     // live memories with a vector of it
	Total    int    `json:"total"`        // live memories
	Running  bool   `json:"running"`      // a process makes the others now
	Left     int    `json:"seconds_left"` // that it may take; 0 if that is not known
}

// VectorsOf returns e as a document.
func VectorsOf(e engram.Embedded) Vectors {
	return Vectors{e.Model, e.Memories, e.Total, e.Running, int(e.Left.Round(time.Second).Seconds())}
}

// Line says how far they are.
func (v Vectors) Line() string {
	said := fmt.Sprintf("%d of %d memories have vectors of %s", v.Memories, v.Total, v.Model)
	if v.Total > 0 {
		said += fmt.Sprintf(" (%d %%)", 100*v.Memories/v.Total)
	}
	switch {
	case v.Left > 0:
		left := time.Duration(v.Left) * time.Second
		if left > 10*time.Minute {
			left = left.Round(time.Minute)
		}
		return fmt.Sprintf("%s; about %v left", said, left)
	case v.Running:
		return said + "; more are being made"
	}
	return said
}
