package engram

import (
	"context"
	"time"
)

// Counter says how often one verb came to one outcome on a day. No question and no text
// is kept for it.
type Counter struct {
	Day       time.Time // midnight in UTC; zero where days are summed up
	Project   string    // "" for every project at once, for one that is gone, and where projects are summed up
	Operation string    // save, search, recall, context, get
	Outcome   string    // of a save: inserted, revised, repeated, merged; of a read: found, nothing
	Tally
}

// Tally is what is counted.
type Tally struct {
	Events    int // writes that saved, or reads
	Fallbacks int // reads where a channel could not answer, or an empty question listed the newest
	Memories  int // shown
	Tokens    int // what showing them cost, about
}

// Plus is the sum of both.
func (t Tally) Plus(other Tally) Tally {
	return Tally{t.Events + other.Events, t.Fallbacks + other.Fallbacks, t.Memories + other.Memories, t.Tokens + other.Tokens}
}

// CounterQuery says which counters, and what stays apart. By default all days and all
// projects are summed up.
type CounterQuery struct {
	Project   string    // "" is every project
	Since     time.Time // whole days, from the one on that it is in; zero is from the beginning
	ByDay     bool
	ByProject bool
}

// Grouping says by what things are counted apart.
type Grouping string

// The groupings.
const (
	ByProject Grouping = "project"
	ByType    Grouping = "type"
	ByDay     Grouping = "day"
	ByWeek    Grouping = "week"
	ByMonth   Grouping = "month"
)

// GroupCount counts the memories of one group.
type GroupCount struct {
	Name      string // project, type, or the first day: 2026-01-31; "" is no project
	Memories  int    // live ones
	Forgotten int    // 0 where they are counted by time
}

// Upkeep counts what memories said before, and those that wait to be looked at.
type Upkeep struct {
	Revisions int
	Due       int // for review
}

// CounterReader reads counters.
type CounterReader interface {
	// Counters returns what was counted: by day, project, verb and outcome, in this order.
	// There is nothing of a project that does not exist.
	Counters(ctx context.Context, q CounterQuery) ([]Counter, error)
	// MadeBetween counts the live memories of a project, "" is every one, that were made
	// from each of the edges on and before the next, which is later: one number fewer than
	// edges.
	MadeBetween(ctx context.Context, project string, edges []time.Time) ([]int, error)
	// MemoriesBy counts memories by their type or their project, those with most live ones
	// first: of a project, "" is every one, and made at a time or later, the zero time
	// being from the beginning, which costs less.
	MemoriesBy(ctx context.Context, by Grouping, project string, since time.Time) ([]GroupCount, error)
	// Upkeep counts revisions of a project, "" is every one, and its memories that are due
	// for review before now, as Due has them.
	Upkeep(ctx context.Context, project string, now time.Time) (Upkeep, error)
	// SessionsSince counts the sessions of a project, "" is every one, that were started at
	// a time or later.
	SessionsSince(ctx context.Context, project string, since time.Time) (int, error)
}

// CounterWriter counts.
type CounterWriter interface {
	// AddCounters adds to what was counted. A project that does not exist counts as "". It is
	// no part of the journal. Counters are kept by day for ever: a year of ten busy projects
	// is about a megabyte.
	AddCounters(ctx context.Context, cs []Counter) error
}

// OperationSave is the verb of writes that saved, as counters name it. Those of reads are
// search, recall, context and get.
const OperationSave = "save"

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
	if verb == OperationSave {
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
	Since      time.Time // zero: from the beginning
	Sessions   int       // that were started since
	Total      Activity
	Operations []NamedActivity // in the order of verbs
	Projects   []NamedActivity // by name; nil for a session
	Days       []DailyActivity // on which something was done, oldest first; nil for a session
}
