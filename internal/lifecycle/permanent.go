package lifecycle

import (
	"slices"

	"github.com/alanbuscaglia/engram"
)

// TagPermanent is the tag of a memory that does not fade. It and Permanent say the same.
const TagPermanent = "permanent"

// Pinned returns now with TagPermanent and Permanent in agreement. was is the memory before the
// change, zero for a new one; asked is what somebody asked of Permanent in words, nil for nothing,
// and decides. Else that of the two decides which was changed, and of two that never agreed the
// one that keeps the memory. A memory that has no room for one more tag goes without it.
func Pinned(was, now engram.Memory, asked *bool) engram.Memory {
	tagged := func(m engram.Memory) bool { return slices.Contains(m.Tags, TagPermanent) }
	switch {
	case asked != nil:
		now.Permanent = *asked
	case now.Permanent == tagged(now) || now.Permanent != was.Permanent:
	case tagged(now) != tagged(was):
		now.Permanent = tagged(now)
	default:
		now.Permanent = true
	}
	switch {
	case now.Permanent == tagged(now):
	case !now.Permanent:
		now.Tags = slices.DeleteFunc(slices.Clone(now.Tags), func(t string) bool { return t == TagPermanent })
		if len(now.Tags) == 0 {
			now.Tags = nil
		}
	case len(now.Tags) < engram.MaxTags:
		now.Tags = append(slices.Clone(now.Tags), TagPermanent)
		slices.Sort(now.Tags)
	}
	return now
}
