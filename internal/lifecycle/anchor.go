package lifecycle

import (
	"slices"

	"github.com/alanbuscaglia/engram"
)

// anchorsAfter are the anchors of a memory whose text was replaced by one with anchors of its
// own: what was asked for stays, what the old text named goes with it.
func anchorsAfter(old, now []engram.Anchor) []engram.Anchor {
	return anchorsOfBoth(slices.DeleteFunc(slices.Clone(old), func(a engram.Anchor) bool { return a.Named }), now)
}

// anchorsOfBoth are the anchors of a memory that says what two said. Of one place the newer
// anchor counts: somebody has looked at it since. Where there are too many, older ones go.
func anchorsOfBoth(old, now []engram.Anchor) []engram.Anchor {
	all := slices.Clone(now)
	for _, a := range old {
		i := slices.IndexFunc(all, func(b engram.Anchor) bool { return b.Repository == a.Repository && b.Place() == a.Place() })
		switch {
		case i >= 0:
			all[i].Named = all[i].Named && a.Named
		case len(all) < engram.MaxAnchors:
			all = append(all, a)
		}
	}
	return engram.CleanAnchors(all)
}
