package engram

import (
	"context"
	"time"
)

// Counter is how often one operation had one outcome on a day. It holds no question and no text.
type Counter struct {
	Day       time.Time // midnight in UTC; zero where days are summed
	Project   string    // "" for all projects at once, for a deleted one, and where projects are summed
	Operation string    // save, search, recall, context, get
	Outcome   string    // of a save: inserted, revised, repeated, merged; of a read: found, nothing
	Tally
}

// Tally is what a Counter counts.
type Tally struct {
	Events    int // writes that saved, or reads
	Fallbacks int // reads where a channel could not answer, or an empty question listed the newest
	Memories  int // memories shown
	Tokens    int // approximate cost of showing them
}

// Plus returns the sum.
func (t Tally) Plus(other Tally) Tally {
	return Tally{t.Events + other.Events, t.Fallbacks + other.Fallbacks, t.Memories + other.Memories, t.Tokens + other.Tokens}
}

// CounterQuery selects counters and how to group them. By default all days and projects are summed.
type CounterQuery struct {
	Project   string    // "" is every project
	Since     time.Time // rounded down to a day; zero is the beginning
	ByDay     bool
	ByProject bool
}

// Grouping is a property by which things are counted separately.
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
	Forgotten int    // 0 when grouped by time
}

// Upkeep counts revisions, and memories due for review.
type Upkeep struct {
	Revisions int
	Due       int // for review
}

// CounterReader reads counters.
type CounterReader interface {
	// Counters returns counters ordered by day, project, operation and outcome. A project that does not exist
	// has none.
	Counters(ctx context.Context, q CounterQuery) ([]Counter, error)
	// MadeBetween counts a project's live memories ("" is every project) made from each edge on and before the
	// next. Edges ascend; the result has one number fewer.
	MadeBetween(ctx context.Context, project string, edges []time.Time) ([]int, error)
	// MemoriesBy counts memories by type or project, most live ones first: of a project ("" is every one), made
	// at since or later. The zero time is the beginning and costs less.
	MemoriesBy(ctx context.Context, by Grouping, project string, since time.Time) ([]GroupCount, error)
	// CountRevisions counts a project's revisions; "" is every project.
	CountRevisions(ctx context.Context, project string) (int, error)
}

// Use is what reading leaves behind.
type Use struct {
	Accessed  []int64 // memories whose access count rises by one
	At        time.Time
	Exposures []Exposure
	Counters  []Counter // added to those stored; a project that does not exist counts as ""
}

// OperationSave is the name of saves in counters. Reads are search, recall, context and get.
const OperationSave = "save"

// The outcomes of reads in counters. Those of a save are inserted, revised, repeated or merged.
const (
	OutcomeFound   = "found"
	OutcomeNothing = "nothing"
)

// Activity counts saves and reads.
type Activity struct {
	Saves     int
	Reads     int
	Found     int // reads that found something
	Fallbacks int // reads where a channel could not answer, or an empty question listed the newest
	Memories  int // memories shown
	Tokens    int // approximate cost of showing them
}

// Events returns the number of saves and reads.
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

// Add adds what an operation came to.
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

// NamedActivity is the activity of an operation or a project.
type NamedActivity struct {
	Name     string         // "" is reads of all projects at once, and deleted projects
	Outcomes map[string]int // of an operation; nil for projects
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
	Sessions   int       // started since
	Total      Activity
	Operations []NamedActivity // in a fixed order
	Projects   []NamedActivity // by name; nil for a session
	Days       []DailyActivity // with activity, oldest first; nil for a session
}
