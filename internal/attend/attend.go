// Package attend holds the rules for what happens unasked beside an agent's work: what of
// a prompt is a question to the memory (question.go, inquiry.go), what is certain enough to be told
// (sure.go, answer.go), which command failed and later passed (outcome.go, command.go, fault.go), where
// the work was (work.go), and when somebody has worked much and saved nothing (neglect.go).
//
// Every rule is a pure function of what was noted or found. Whoever interrupts must be
// right: where a rule is in doubt, it says nothing.
package attend

import "time"

// The kinds of notes.
const (
	KindPrompt = "prompt" // the person asked for something; Text is what, where it is told
	KindTool   = "tool"   // the use of a tool, after it
	KindAsked  = "asked"  // the agent was asked what Neglect returned
)

// Note is one thing that happened in a session, as the notebook keeps it.
type Note struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Tool    string    `json:"tool,omitempty"`    // its name, as the agent has it
	Path    string    `json:"path,omitempty"`    // the file that it read or wrote
	Command string    `json:"command,omitempty"` // that it ran
	Writes  bool      `json:"writes,omitempty"`  // it changed the file
	Failed  bool      `json:"failed,omitempty"`
	Error   string    `json:"error,omitempty"` // what it said when it failed
	Text    string    `json:"text,omitempty"`
	Project string    `json:"project,omitempty"` // of the repository in which a tool was at work; "" for none that is known
}
