package setup

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Status is the state of an agent's file.
type Status string

// States of a file.
const (
	Absent  Status = "absent"  // our part is not in it
	Wired   Status = "wired"   // our part is in it and up to date
	Changed Status = "changed" // our part is in it, but was edited or is not up to date
	Broken  Status = "broken"  // it cannot be parsed or read
	Taken   Status = "taken"   // someone else's file has its name, and stays
)

// Standing is the state of an agent's file with its reason.
type Standing struct {
	Status Status
	// Why is the problem: missing or different entries, the first line in which a file of ours
	// differs, or the line that cannot be parsed. "" for none.
	Why string
	// Over is how many characters of the file the agent ignores: Part.Limit.
	Over int
	// Known means that the original is recorded.
	Known bool
}

// Status returns the states of an agent's files, in the order of its parts.
func (w *Wirer) Status(agent string, parts []Part) ([]Standing, error) {
	s, err := w.load()
	if err != nil {
		return nil, err
	}
	ours := s.has(agent) || traceOf(parts) == Sure
	all := make([]Standing, len(parts))
	for n, p := range parts {
		all[n] = s.standing(agent, p, ours)
		all[n].Known = s.of(agent, p.Path) != nil
	}
	return all, nil
}

func (s *state) standing(agent string, p Part, ours bool) Standing {
	known := s.of(agent, p.Path)
	c, err := s.change(agent, p)
	switch {
	case err != nil:
		return Standing{Status: Broken, Why: plainly(p.Path, err)}
	case c.Taken:
		return Standing{Status: Taken, Why: "another file of that name is there"}
	case !c.Changed():
		return Standing{Status: Wired, Over: c.Over}
	case c.Before == nil && known != nil:
		return Standing{Status: Absent, Why: "it was removed since it was set up"}
	case c.Before == nil:
		return Standing{Status: Absent}
	}
	if there, _ := p.there(c.Before, ours); known != nil || there || p.Remove == nil || p.named(c.Before) {
		return Standing{Status: Changed, Why: s.differs(agent, p, c.Before), Over: p.over(c.Before)}
	}
	return Standing{Status: Absent}
}

// named reports whether an entry with a name of ours exists.
func (p Part) named(content []byte) bool {
	return p.Entries != nil && slices.ContainsFunc(p.Entries(content), func(e Entry) bool { return e.Stand != Missing })
}

// differs describes how a content differs from the current one, and why.
func (s *state) differs(agent string, p Part, content []byte) string {
	what := p.differs(content)
	switch known := s.of(agent, p.Path); {
	case known == nil:
	case known.After == sum(content):
		what = "for another version, program or data directory: " + what
	default:
		what = "changed since it was set up: " + what
	}
	return what
}

// differs describes how a content differs from the current one.
func (p Part) differs(content []byte) string {
	if p.Entries == nil {
		now, err := p.Set(nil)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("line %d differs", firstDifference(content, now))
	}
	var missing, other []string
	for _, e := range p.Entries(content) {
		switch e.Stand {
		case Missing:
			missing = append(missing, e.Name)
		case Theirs, Older:
			other = append(other, e.Name)
		case Same:
		}
	}
	var all []string
	if len(missing) > 0 {
		all = append(all, verb(missing, "is missing", "are missing"))
	}
	if len(other) > 0 {
		all = append(all, verb(other, "differs", "differ"))
	}
	if len(all) == 0 {
		return "it differs"
	}
	return strings.Join(all, "; ")
}

func verb(names []string, one, many string) string {
	if len(names) > 1 {
		one = many
	}
	return strings.Join(names, ", ") + " " + one
}

// firstDifference returns the first line in which two texts differ.
func firstDifference(a, b []byte) int {
	one, other := slices.Collect(bytes.Lines(a)), slices.Collect(bytes.Lines(b))
	for n := range min(len(one), len(other)) {
		if !bytes.Equal(one[n], other[n]) {
			return n + 1
		}
	}
	return min(len(one), len(other)) + 1
}

// plainly returns an error about a file without its path, which is shown beside it.
func plainly(path string, err error) string {
	if in, ok := errors.AsType[*fileError](err); ok {
		return in.cause.Error()
	}
	if rest, ok := strings.CutPrefix(err.Error(), path); ok {
		return "it" + rest
	}
	return err.Error()
}

// Agents returns the recorded agents, sorted.
func (w *Wirer) Agents() ([]string, error) {
	s, err := w.load()
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, f := range s.Files {
		for name := range f.Agents {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}
