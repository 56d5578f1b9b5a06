package lifecycle

import (
	"slices"

	"github.com/alanbuscaglia/engram"
)

// anchorsAfter returns the anchors after a text was replaced: requested ones stay, those named by
// the old text go.
func anchorsAfter(old, now []engram.Anchor) []engram.Anchor {
	return anchorsOfBoth(slices.DeleteFunc(slices.Clone(old), func(a engram.Anchor) bool { return a.Named }), now)
}

// anchorsOfBoth merges anchors. For one place the newer one wins; beyond the limit older ones are
// dropped.
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
