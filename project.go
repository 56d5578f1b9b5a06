package engram

import (
	"slices"
	"strings"
	"time"
)

// Project is a name that memories are kept under.
type Project struct {
	Name      string        `field:"name,nojournal,nopart"` // normalised: lower case, trimmed, no doubled - or _
	Aliases   []string      `field:"aliases,nopart"`        // names that were merged into it
	Root      string        `field:"root,nopart"`           // the folder it was last seen in; "" when unknown
	Remote    string        `field:"remote"`                // its git remote; "" when unknown
	Decay     *ProjectDecay `field:"decay"`                 // how its memories fade; nil: by the defaults
	CreatedAt time.Time     `field:"created_at,nopart"`
}

// ProjectCounts is a project with its counts.
type ProjectCounts struct {
	Project
	Memories int // live ones
	Sessions int
	Prompts  int
}

// Stats counts what a store holds.
type Stats struct {
	Memories  int // live ones
	Forgotten int
	Sessions  int
	Prompts   int
	Relations int      // between live memories
	Projects  []string // by name
	Types     map[Type]int
	Bytes     int64 // size of the store on disk; 0 when unknown
}

// Session is one stretch of an agent's work on one project.
type Session struct {
	ID        string    `field:"id,nojournal,nopart"` // the agent's own name for it
	Project   string    `field:"project"`
	Directory string    `field:"directory"` // where it ran; "" when unknown
	StartedAt time.Time `field:"started_at"`
	EndedAt   time.Time `field:"ended_at"`                   // zero while it runs
	ActiveAt  time.Time `field:"active_at,nojournal,nopart"` // the time of the last save in it; at first StartedAt
	Summary   string    `field:"summary"`
}

// Validate reports an invalid record as CodeInvalid.
func (s Session) Validate() error {
	if s.ID == "" {
		return Errorf(CodeInvalid, "session id is empty").WithHint("use the agent's own session id")
	}
	return checkTexts([]namedText{{"session id", s.ID, MaxName}, {"project", s.Project, MaxName},
		{"directory", s.Directory, 4 << 10}, {"summary", s.Summary, MaxContent}})
}

// SessionActivity is a session with its number of live memories.
type SessionActivity struct {
	Session
	Memories int
	// From is the origin of a summary written elsewhere: OriginImport or OriginSync. Operations that inject
	// sessions set it and Withheld.
	From     Origin
	Withheld bool // the summary is instruction-like, and Summary is "" for that
}

// SessionFilter narrows a list of sessions. The zero value matches every session.
type SessionFilter struct {
	Project     string    // "" is every project
	Projectless bool      // only sessions without a project; Project is "" then
	Open        bool      // only those that have not ended
	SkipPrefix  string    // only ids without this prefix; "" is any
	Since       time.Time // started at or after
	ByID        bool      // orders by id
	After       string    // only greater ids
}

// PromptFilter narrows a list of prompts. The zero value matches every prompt that is not deleted.
type PromptFilter struct {
	Nums        []int64  // these; nil is any
	SyncIDs     []string // these; nil is any
	Project     string   // "" is every project
	SessionID   string   // "" is every session
	Deleted     bool     // only deleted ones instead
	WithDeleted bool     // deleted ones too
	ByNumber    bool     // orders by number
	After       int64    // only greater numbers
}

// Prompt is what a person asked an agent.
type Prompt struct {
	Num       int64     // per database, from 1, never reused
	SyncID    string    `field:"sync_id,nojournal,nopart"` // "prompt-" and 16 hex digits
	Project   string    `field:"project"`
	SessionID string    `field:"session_id"`
	Content   string    `field:"content,nojournal,part=text"` // up to MaxContent bytes
	CreatedAt time.Time `field:"created_at,nojournal,nopart"`
	DeletedAt time.Time `field:"deleted_at,part=deleted"` // when softly deleted
}

// Deleted reports whether the prompt was softly deleted.
func (p Prompt) Deleted() bool { return !p.DeletedAt.IsZero() }

// Validate reports an invalid record as CodeInvalid.
func (p Prompt) Validate() error {
	if strings.TrimSpace(p.Content) == "" {
		return Errorf(CodeInvalid, "prompt is empty").WithHint("say what was asked")
	}
	return checkTexts([]namedText{{"prompt", p.Content, MaxContent}, {"session id", p.SessionID, MaxName}})
}

// Curve is a way for strength to fade; package lifecycle has the formulas.
type Curve string

// The curves.
const (
	CurveImportance Curve = "importance" // exponential, starting higher for important memories; the default
	CurveGeometric  Curve = "geometric"  // loses a fixed fraction each day; use multiplies
	CurveEbbinghaus Curve = "ebbinghaus" // slower the more often it was repeated
)

// Curves returns the curves, the default first.
func Curves() []Curve { return []Curve{CurveImportance, CurveGeometric, CurveEbbinghaus} }

// CurveOf returns the curve meant by a rate given without one. From 0.5 to 1 it is the daily factor of the
// geometric curve, which an earlier design prints alone (a rate of 0.95): as a daily loss even 0.5 would leave
// nothing worth keeping after a week, and more than 1 is not a factor.
func CurveOf(rate float64) Curve {
	if rate >= 0.5 && rate <= 1 {
		return CurveGeometric
	}
	return CurveImportance
}

// Decay says how strength fades. The zero value is the importance curve at its rates.
type Decay struct {
	Curve Curve `json:"curve,omitempty"` // "" is CurveImportance
	// Rate depends on the curve. importance: loss a day, default 0.01; geometric: fraction left after a day, at
	// most 1, default 0.95; ebbinghaus: days of stability, default 30. 0 is the default.
	Rate     float64 `json:"rate,omitempty"`
	MaxBoost float64 `json:"max_boost,omitempty"` // geometric: maximum factor of use, at least 1; 0 is 2
}

// Validate reports an invalid setting as CodeInvalid.
func (d Decay) Validate() error {
	if d.Curve != "" && !slices.Contains(Curves(), d.Curve) {
		return Errorf(CodeInvalid, "there is no curve %.40q", string(d.Curve)).WithHint("use importance, geometric or ebbinghaus")
	}
	most, what := 10.0, "the importance curve loses more than 0 and at most 10 a day, such as 0.01"
	switch d.Curve {
	case CurveGeometric:
		most, what = 1, "the geometric curve keeps more than 0 and at most 1 of it a day, such as 0.95"
	case CurveEbbinghaus:
		most, what = 100_000, "the ebbinghaus curve is stable for more than 0 and at most 100,000 days, such as 30"
	}
	// A negation, so that NaN is rejected too.
	if !(d.Rate >= 0 && d.Rate <= most) {
		return Errorf(CodeInvalid, "rate %v is out of range", d.Rate).WithHint("%s", what)
	}
	if d.MaxBoost != 0 && !(d.MaxBoost >= 1 && d.MaxBoost <= 1000) {
		return Errorf(CodeInvalid, "max boost %v is out of range", d.MaxBoost).WithHint("use 1 (no boost) to 1000; the default is 2")
	}
	return nil
}

// ProjectDecay is a project's own settings for how its memories fade.
type ProjectDecay struct {
	Decay                // of all types; with Curve "" the project has no setting of its own
	Types map[Type]Decay `json:"types,omitempty"` // of some types, before Decay
}

// Validate reports an invalid setting as CodeInvalid.
func (d ProjectDecay) Validate() error {
	if err := d.Decay.Validate(); err != nil {
		return err
	}
	for _, own := range d.Types {
		if err := own.Validate(); err != nil {
			return err
		}
	}
	return nil
}
