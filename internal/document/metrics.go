package document

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// Metrics is what was asked and saved.
type Metrics struct {
	Project string `json:"project"` // "" is every project
	Session string `json:"session"` // "" is every session
	Since   Stamp  `json:"since"`   // null: from the beginning
	Activity
	Sessions int               `json:"sessions"` // started since
	Verbs    []VerbActivity    `json:"verbs"`
	Projects []ProjectActivity `json:"projects"` // by name; empty for a session
	Days     []DayActivity     `json:"days"`     // on which something was done, oldest first; empty for a session
}

// Activity is what was done.
type Activity struct {
	Events       int      `json:"events"`        // remember and recall together
	Remember     int      `json:"remember"`      // writes that saved
	Recall       int      `json:"recall"`        // reads: searches, recalls, contexts, memories that were got
	Found        int      `json:"found"`         // reads that found something
	Fallbacks    int      `json:"fallbacks"`     // reads where a channel could not answer, or an empty question listed the newest
	HitRate      *float64 `json:"hit_rate"`      // found by recall, 0 to 1; null without reads
	FallbackRate *float64 `json:"fallback_rate"` // fallbacks by recall, 0 to 1; null without reads
	Memories     int      `json:"memories"`      // shown
	Tokens       int      `json:"tokens"`        // what showing them cost, about
}

// VerbActivity is what one verb came to.
type VerbActivity struct {
	Verb     string         `json:"verb"`     // save, search, recall, context, get or remind
	Outcomes map[string]int `json:"outcomes"` // how often each: inserted, revised, repeated, merged; found, nothing
	Activity
}

// ProjectActivity is the activity of one project.
type ProjectActivity struct {
	Project string `json:"project"` // "" is reads of every project at once, and projects that are gone
	Activity
}

// DayActivity is the activity of one day.
type DayActivity struct {
	Day string `json:"day"` // 2026-01-31, in UTC
	Activity
}

// MetricsOf is the document of m, which was asked of a project or a session.
func MetricsOf(project, session string, m engram.Metrics) Metrics {
	return Metrics{Project: project, Session: session, Since: Stamp(m.Since), Activity: activityOf(m.Total), Sessions: m.Sessions,
		Verbs: Each(m.Verbs, func(v engram.NamedActivity) VerbActivity {
			return VerbActivity{v.Name, v.Outcomes, activityOf(v.Activity)}
		}),
		Projects: Each(m.Projects, func(p engram.NamedActivity) ProjectActivity { return ProjectActivity{p.Name, activityOf(p.Activity)} }),
		Days: Each(m.Days, func(d engram.DailyActivity) DayActivity {
			return DayActivity{d.Day.Format(time.DateOnly), activityOf(d.Activity)}
		})}
}

func activityOf(a engram.Activity) Activity {
	rate := func(r float64, ok bool) *float64 {
		if !ok {
			return nil
		}
		return &r
	}
	return Activity{Events: a.Events(), Remember: a.Saves, Recall: a.Reads, Found: a.Found, Fallbacks: a.Fallbacks, HitRate: rate(a.HitRate()),
		FallbackRate: rate(a.FallbackRate()), Memories: a.Memories, Tokens: a.Tokens}
}
