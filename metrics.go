package engram

import "time"

// VerbSave is the verb of writes that saved, as counters name it. Those of reads are
// search, recall, context and get.
const VerbSave = "save"

// The outcomes of a read, as counters name them. Those of a save are what it did: inserted,
// revised, repeated or merged.
const (
	OutcomeFound   = "found"
	OutcomeNothing = "nothing"
)

// Activity is what was done: writes that saved, and reads.
type Activity struct {
	Saves     int
	Reads     int
	Found     int // reads that found something
	Fallbacks int // reads where a channel could not answer, or an empty question listed the newest
	Memories  int // shown
	Tokens    int // what showing them cost, about
}

// Events are all of it.
func (a Activity) Events() int { return a.Saves + a.Reads }

// HitRate is the share of reads that found something, 0 to 1; ok is false without reads.
func (a Activity) HitRate() (rate float64, ok bool) { return share(a.Found, a.Reads) }

// FallbackRate is the share of reads that fell back, 0 to 1; ok is false without reads.
func (a Activity) FallbackRate() (rate float64, ok bool) { return share(a.Fallbacks, a.Reads) }

func share(part, whole int) (float64, bool) {
	if whole == 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

// Add counts what a verb came to.
func (a *Activity) Add(verb, outcome string, n Tally) {
	if verb == VerbSave {
		a.Saves += n.Events
		return
	}
	a.Reads += n.Events
	if outcome == OutcomeFound {
		a.Found += n.Events
	}
	a.Fallbacks += n.Fallbacks
	a.Memories += n.Memories
	a.Tokens += n.Tokens
}

// NamedActivity is the activity of a verb or of a project.
type NamedActivity struct {
	Name     string         // "" is reads of every project at once, and projects that are gone
	Outcomes map[string]int // how often a verb came to each; nil for projects
	Activity
}

// DailyActivity is the activity of one day.
type DailyActivity struct {
	Day time.Time // midnight UTC
	Activity
}

// Metrics is the activity of a store.
type Metrics struct {
	Since    time.Time // zero: from the beginning
	Sessions int       // that were started since
	Total    Activity
	Verbs    []NamedActivity // in the order of verbs
	Projects []NamedActivity // by name; nil for a session
	Days     []DailyActivity // on which something was done, oldest first; nil for a session
}
