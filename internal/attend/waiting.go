package attend

import "time"

// What waits to be written.
const (
	WaitPrompt  = "prompt"  // Text is what the person asked
	WaitOutcome = "outcome" // Title and Text are those of an Outcome, Topic its key
	WaitCapture = "capture" // Text is what the agent said; its learnings are kept
	WaitSummary = "summary" // Text is what the session came to
	WaitEnd     = "end"     // the session ended
)

// Waiting is what a session wanted to keep and could not at once: the store was busy, or
// away. Each is written once, whoever writes it and however often it is tried.
type Waiting struct {
	Key       string    `json:"key"` // names it among all there are
	At        time.Time `json:"at"`
	What      string    `json:"what"`
	Session   string    `json:"session"`
	Project   string    `json:"project,omitempty"` // "" is that of the session
	Directory string    `json:"directory,omitempty"`
	Agent     string    `json:"agent,omitempty"` // whose session it is
	Title     string    `json:"title,omitempty"`
	Topic     string    `json:"topic,omitempty"`
	Text      string    `json:"text,omitempty"`
}
