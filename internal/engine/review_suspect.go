package engine

import "github.com/alanbuscaglia/engram"

// readsLike stands before the reasons for which a text was found suspicious, where there are others.
const readsLike = "reads like an order to an agent: "

// mostSuspicions is how many reasons are told of what waits: who has read these has seen enough.
const mostSuspicions = 12

// SuspicionsOf says why what waits and is no memory yet reads like an order to an agent, and where
// it does, for a person who decides on it: every text that would come in is looked at. nil where
// nothing does.
func SuspicionsOf(d engram.Deferred) []string {
	why := tellReasons(suspicionsIn(textsOf(d.Record)), whyAndWhere)
	return why[:min(len(why), mostSuspicions)]
}

// whyItWaits is what a person is told of something that waits: what it reads like, and for what it
// was put aside.
func whyItWaits(d engram.Deferred) []string {
	why := SuspicionsOf(d)
	if len(why) > 0 {
		why[0] = readsLike + why[0]
	}
	if len(why) == 0 || d.Why == engram.DeferredProposal {
		why = append(why, d.Reason)
	}
	return why
}
