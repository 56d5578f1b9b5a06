package enginetest

import (
	"fmt"
	"slices"
	"strings"
)

// Snapshot is everything visible in a store, by names: the JSON of each live memory, relation and prompt, of each
// session and each project.
type Snapshot map[string]string

// Compare lists the differences of got from want. Empty projects and sessions made meanwhile may stay: they may
// contain something forgotten.
func (want Snapshot) Compare(got Snapshot) (differences []string) {
	for name, v := range want {
		if got[name] != v {
			differences = append(differences, fmt.Sprintf("%s\n got %s\nwant %s", name, got[name], v))
		}
	}
	for name, v := range got {
		if _, known := want[name]; known {
			continue
		}
		kind, _, _ := strings.Cut(name, " ")
		empty := kind == "session" && strings.Contains(v, `"Memories":0`) ||
			kind == "project" && strings.Contains(v, `"Memories":0`) && strings.Contains(v, `"Prompts":0`)
		if !empty {
			differences = append(differences, fmt.Sprintf("%s should not be there: %s", name, v))
		}
	}
	slices.Sort(differences)
	return differences
}
