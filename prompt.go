package engram

import (
	"strings"
	"time"
)

// Prompt is what a person asked an agent: the why behind the what.
type Prompt struct {
	Num       int64  // per database, from 1, never used twice
	SyncID    string // "prompt-" and 16 hex digits
	SessionID string
	Project   string
	Content   string // up to MaxContent bytes
	CreatedAt time.Time
	DeletedAt time.Time // when it was softly deleted
}

// Deleted reports whether the prompt was softly deleted.
func (p Prompt) Deleted() bool { return !p.DeletedAt.IsZero() }

// Validate says what is wrong with p as a record, as an *Error of CodeInvalid.
func (p Prompt) Validate() error {
	if strings.TrimSpace(p.Content) == "" {
		return Errorf(CodeInvalid, "prompt is empty").WithHint("say what was asked")
	}
	if err := CheckText("prompt", p.Content, MaxContent); err != nil {
		return err
	}
	return CheckText("session id", p.SessionID, MaxName)
}
