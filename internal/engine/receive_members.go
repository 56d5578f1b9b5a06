package engine

import (
	"maps"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// openMembers takes out of a lineage the members that no store would have made of what a
// person typed: they are not to come in as tags or aliases past the rules for these.
func openMembers(r engram.Record, l *engram.Lineage) error {
	maps.DeleteFunc(l.Sets, func(member string, _ engram.Dots) bool {
		switch {
		case r.Memory != nil:
			clean := tags([]string{member})
			return len(clean) != 1 || clean[0] != member
		case r.Project != nil:
			return member == "" || normalProject(member) != member
		}
		return member != "" || r.Relation == nil
	})
	if r.Memory == nil {
		return nil
	}
	live := 0
	for _, tag := range tags(r.Memory.Memory.Tags) {
		if _, own := l.Sets[tag]; !own {
			live++
		}
	}
	for _, dots := range l.Sets {
		if dots.Member() {
			live++
		}
	}
	if live > engram.MaxTags {
		return engram.Errorf(engram.CodeInvalid, "%d tags are too many", live).WithHint("at most %d", engram.MaxTags)
	}
	return nil
}

// signature is who pushed something, as it may be kept and shown: one line, and no longer
// than a name is.
func signature(by string) string {
	const most = 200
	by = strings.ToValidUTF8(by[:min(len(by), 4*most)], "")
	if by = line(by); len(by) > most {
		by = strings.ToValidUTF8(by[:most], "")
	}
	return by
}
