package engram

import (
	"slices"
	"time"
)

// Version is what a memory said for a while.
type Version struct {
	Number     int // the RevisionCount it had meanwhile, from 1, rising, not without gaps
	Type       Type
	Title      string
	Content    string
	WrittenAt  time.Time
	ReplacedAt time.Time // zero for what it says now
	Reason     string    // why it was replaced; "" for what it says now
}

// History is a memory with all that it ever said.
type History struct {
	Memory   Memory    // as it is now, forgotten or not
	Versions []Version // oldest first; the last is what it says now
	Suspect  []string  // why it reads like an order to an agent, in words; nil: it does not, or was approved
}

// NewHistory joins a memory and its revisions, oldest first.
func NewHistory(m Memory, revisions []Revision) History {
	h := History{Memory: m}
	now := Version{Number: m.RevisionCount, Type: m.Type, Title: m.Title, Content: m.Content, WrittenAt: m.CreatedAt}
	for _, r := range revisions {
		h.Versions = append(h.Versions, Version{r.Number, r.Type, r.Title, r.Content, r.WrittenAt, r.ReplacedAt, r.Reason})
		now.WrittenAt = r.ReplacedAt
	}
	h.Versions = append(h.Versions, now)
	return h
}

// Version returns the version with a number; not_found when there is none. 0 is what the
// memory says now, -1 what it said before that, and so on.
func (h History) Version(number int) (Version, error) {
	i := slices.IndexFunc(h.Versions, func(v Version) bool { return v.Number == number })
	if number <= 0 {
		i = len(h.Versions) - 1 + number
	}
	if i < 0 {
		return Version{}, Errorf(CodeNotFound, "memory #%d has no version %d", h.Memory.Num, number).
			WithHint("{history %d} shows which there are", h.Memory.Num)
	}
	return h.Versions[i], nil
}
