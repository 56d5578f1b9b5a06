package lifecycle

import (
	"slices"

	"github.com/alanbuscaglia/engram"
)

// TagPermanent is the tag of a memory that does not fade, equivalent to Permanent.
const TagPermanent = "permanent"

// Pinned returns now with TagPermanent and Permanent in agreement. was is the memory before the
// change, zero for a new one. asked is an explicit request and decides; nil for none. Otherwise the
// one that changed decides; if they never agreed, the memory is permanent. A memory with the
// maximum number of tags goes without this one.
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
