package render

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// MarksByID is Marks for the dialects whose memories have ids and no numbers: what changes
// how a memory should be read, the others by the ids that every tool there takes. What was
// forgotten since is left out.
func MarksByID(n engram.Note) (all []string) {
	if n.State == engram.StateNeedsReview {
		all = append(all, "due for review")
	}
	if len(n.Suspect) > 0 {
		all = append(all, suspectMark(n.Suspect))
	}
	if mark := codeMark(n.Anchors); mark != "" {
		all = append(all, mark)
	}
	var contested []string
	for _, r := range n.Relations {
		if r.Other.Num == 0 || r.Other.Forgotten() {
			continue
		}
		other := string(r.Other.ID)
		switch {
		case r.Relation.Status == engram.RelationPending:
			contested = append(contested, other)
		case r.Relation.Verb == engram.VerbContradicts:
			all = append(all, "contradicts "+other)
		case r.Relation.Supersedes() && r.Outgoing:
			all = append(all, "replaces "+other)
		case r.Relation.Supersedes():
			all = append(all, "replaced by "+other)
		}
	}
	if named := strings.Join(contested[:min(len(contested), mostContested)], ", "); named != "" {
		if more := len(contested) - mostContested; more > 0 {
			named += fmt.Sprintf(" and %d more", more)
		}
		all = append(all, "may contradict "+named)
	}
	return all
}
