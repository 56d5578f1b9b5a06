package document

import (
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Report is the result of a doctor in the vocabulary of the mem_* dialect, the same on the command line, over
// HTTP and MCP. Obvious fields stay out of the tool's schema, which costs tokens in every session.
type Report struct {
	Status  string  `json:"status"`                       // ok, warning, blocked or error: the worst result of the checks
	Project string  `json:"project,omitempty" schema:"-"` // absent if every project was checked
	Summary Summary `json:"summary" schema:"-"`
	Checks  []Check `json:"checks" schema:"-"`
}

// Summary counts checks by result.
type Summary struct {
	Total    int `json:"total"`
	OK       int `json:"ok"`
	Warnings int `json:"warnings"`
	Blocked  int `json:"blocked"`
	Errors   int `json:"errors"`
}

// Check is the result of one check.
type Check struct {
	CheckID  string         `json:"check_id"`
	Result   string         `json:"result"`   // ok, warning, blocked or error
	Severity string         `json:"severity"` // info, warning, blocking or error
	Reason   string         `json:"reason_code"`
	Message  string         `json:"message"`
	Why      string         `json:"why"`
	Evidence map[string]any `json:"evidence"`
	Next     string         `json:"safe_next_step"`
	Confirm  bool           `json:"requires_confirmation"`
	Findings []Finding      `json:"findings,omitempty"`
}

// Finding is one case that a check found.
type Finding struct {
	CheckID  string         `json:"check_id"`
	Severity string         `json:"severity"`
	Reason   string         `json:"reason_code"`
	Message  string         `json:"message"`
	Why      string         `json:"why"`
	Evidence map[string]any `json:"evidence"`
	Next     string         `json:"safe_next_step"`
	Confirm  bool           `json:"requires_confirmation"`
}

// ReportOf returns the document of r.
func ReportOf(r health.Report) Report {
	return Report{Status: string(r.Status), Project: r.Project, Summary: Summary(r.Summary), Checks: Each(r.Checks, checkOf)}
}

func checkOf(c health.Check) Check {
	doc := Check{CheckID: string(c.Check), Result: string(c.Result), Severity: string(c.Severity), Reason: c.Reason, Message: c.Message,
		Why: c.Why, Evidence: c.Evidence, Next: c.Next, Confirm: c.Confirm}
	for _, f := range c.Findings {
		doc.Findings = append(doc.Findings, Finding{CheckID: string(f.Check), Severity: string(f.Severity), Reason: f.Reason, Message: f.Message,
			Why: f.Why, Evidence: f.Evidence, Next: f.Next, Confirm: f.Confirm})
	}
	return doc
}

// Metrics counts how memory was used.
type Metrics struct {
	Project string    `json:"project"` // "" is every project
	Session string    `json:"session"` // "" is every session
	Since   Timestamp `json:"since"`   // null: from the beginning
	Activity
	Sessions   int                 `json:"sessions"` // started since
	Operations []OperationActivity `json:"verbs"`
	Projects   []ProjectActivity   `json:"projects"` // by name; empty for a session
	Days       []DayActivity       `json:"days"`     // days with events, oldest first; empty for a session
}

// Activity counts events.
type Activity struct {
	Events       int      `json:"events"`        // remember and recall together
	Remember     int      `json:"remember"`      // successful writes
	Recall       int      `json:"recall"`        // reads: searches, recalls, contexts, gets
	Found        int      `json:"found"`         // reads that found something
	Fallbacks    int      `json:"fallbacks"`     // reads where a channel could not answer, or an empty question listed the newest
	HitRate      *float64 `json:"hit_rate"`      // found by recall, 0 to 1; null without reads
	FallbackRate *float64 `json:"fallback_rate"` // fallbacks by recall, 0 to 1; null without reads
	Memories     int      `json:"memories"`      // memories shown
	Tokens       int      `json:"tokens"`        // estimated tokens shown
}

// OperationActivity is the activity of one operation.
type OperationActivity struct {
	Operation string         `json:"verb"`     // save, search, recall, context, get or remind
	Outcomes  map[string]int `json:"outcomes"` // counts by outcome: inserted, revised, repeated, merged; found, nothing
	Activity
}

// ProjectActivity is the activity of one project.
type ProjectActivity struct {
	Project string `json:"project"` // "" for reads of every project, and for deleted projects
	Activity
}

// DayActivity is the activity of one day.
type DayActivity struct {
	Day string `json:"day"` // 2026-01-31, in UTC
	Activity
}

// MetricsOf returns the document of m, restricted to a project or a session.
func MetricsOf(project, session string, m engram.Metrics) Metrics {
	return Metrics{Project: project, Session: session, Since: Timestamp(m.Since), Activity: activityOf(m.Total), Sessions: m.Sessions,
		Operations: Each(m.Operations, func(v engram.NamedActivity) OperationActivity {
			return OperationActivity{v.Name, v.Outcomes, activityOf(v.Activity)}
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

// Diagnostics are memories that may need attention.
type Diagnostics struct {
	Project    string          `json:"project"` // "" is every project
	At         Timestamp       `json:"at"`
	Memories   int             `json:"memories"` // live memories
	Weakest    []WeakMemory    `json:"weakest"`
	Duplicates []DuplicatePair `json:"duplicates"`
	Pairs      int             `json:"duplicate_pairs"` // number of pairs, including those not listed
	Orphans    []Outline       `json:"orphans"`         // memories without relations, oldest first
	Unrecalled []Outline       `json:"never_recalled"`  // the oldest first
	Never      int             `json:"never_recalled_count"`
	Degraded   []string        `json:"degraded"` // what could not be done, with the reason
}

// Outline is a memory without its content.
type Outline struct {
	Num       int64       `json:"num"`
	ID        engram.ID   `json:"id"`
	Project   string      `json:"project"`
	Type      engram.Type `json:"type"`
	Title     string      `json:"title"`
	CreatedAt Timestamp   `json:"created_at"`
}

// WeakMemory is a memory and its current strength.
type WeakMemory struct {
	Outline
	Strength float64 `json:"strength"`
}

// DuplicatePair is a pair of near-duplicates.
type DuplicatePair struct {
	A       Outline `json:"a"` // the older memory
	B       Outline `json:"b"`
	Cosine  float64 `json:"cosine"`
	Against string  `json:"against"` // why sleep does not merge them; "" if it would
}

// DiagnosticsOf returns the document of d.
func DiagnosticsOf(d lifecycle.Diagnostics) Diagnostics {
	return Diagnostics{
		Project: d.Project, At: Timestamp(d.At), Memories: d.Memories, Pairs: d.Pairs, Never: d.Never, Degraded: OrEmpty(d.Degraded),
		Weakest: Each(d.Weakest, func(w lifecycle.Weak) WeakMemory { return WeakMemory{outlineOf(w.Memory), Thousandths(w.Strength)} }),
		Duplicates: Each(d.Duplicates, func(p lifecycle.DuplicatePair) DuplicatePair {
			return DuplicatePair{outlineOf(p.A), outlineOf(p.B), Thousandths(p.Cosine), p.Against}
		}),
		Orphans: Each(d.Orphans, outlineOf), Unrecalled: Each(d.Unrecalled, outlineOf),
	}
}

func outlineOf(m engram.Memory) Outline {
	return Outline{m.Num, m.ID, m.Project, m.Type, m.Title, Timestamp(m.CreatedAt)}
}
