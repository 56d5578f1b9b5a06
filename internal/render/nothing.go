package render

import (
	"fmt"

	"github.com/alanbuscaglia/engram"
)

// Nothing is the sentence of an answer in which nothing was found: where was looked and what is
// elsewhere. everywhere is how a frontend asks in every project, first how it saves a memory.
func Nothing(n engram.Nothing, everywhere, first string) string {
	if !n.Stored {
		return "Engram is empty. Save the first memory: " + first
	}
	var s string
	switch in := "in project " + Line(n.Project, 0); {
	case n.Project == "":
		return fmt.Sprintf("Nothing found among %s of every project", counted(n.Here, "memory", "memories"))
	case n.Here == 0:
		s = "No memories " + in
	default:
		s = fmt.Sprintf("Nothing found among %s %s", counted(n.Here, "memory", "memories"), in)
	}
	if n.Others > 0 {
		s += fmt.Sprintf("; %d in others: %s", n.Others, everywhere)
	}
	return s
}
