package engram

import "time"

// Session is one stretch of an agent's work on one project.
type Session struct {
	ID        string // the agent's own name for it
	Project   string
	Directory string // where it ran; "" when unknown
	StartedAt time.Time
	EndedAt   time.Time // zero while it runs
	Summary   string
	// ActiveAt is when something was last saved in it; StartedAt at first.
	ActiveAt time.Time
}

// Validate says what is wrong with s as a record, as an *Error of CodeInvalid.
func (s Session) Validate() error {
	if s.ID == "" {
		return Errorf(CodeInvalid, "session id is empty").WithHint("use the agent's own session id")
	}
	for _, f := range []struct {
		name, text string
		max        int
	}{
		{"session id", s.ID, MaxName}, {"project", s.Project, MaxName},
		{"directory", s.Directory, 4 << 10}, {"summary", s.Summary, MaxContent},
	} {
		if err := CheckText(f.name, f.text, f.max); err != nil {
			return err
		}
	}
	return nil
}

// SessionActivity is a session with the number of live memories saved in it.
type SessionActivity struct {
	Session
	Memories int
	// From is where its summary was written, when that was not here: OriginImport or OriginSync.
	// What tells of sessions unasked sets it, and Withheld.
	From     Origin
	Withheld bool // the summary reads like an order to an agent, and Summary is "" for that
}
