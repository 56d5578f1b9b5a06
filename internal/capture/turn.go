package capture

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// Role says who or what made a turn.
type Role string

// Roles of turns.
const (
	RolePerson  Role = "person"  // Text is the person's message
	RoleAgent   Role = "agent"   // Text is the agent's message, without its reasoning
	RoleTool    Role = "tool"    // a tool call: Command or Edited
	RoleSummary Role = "summary" // Text is an agent's summary for continuing the session
)

// Turn is one entry of a transcript, of any agent.
type Turn struct {
	Role    Role
	Text    string    // message, or the complete output of a command (see Transcript.Clean)
	Command string    // shell command; "" for other tools
	Edited  string    // file written by a tool, relative to the agent's folder if it is below it
	Failed  bool      // the tool reported failure, or the exit code was not 0
	At      time.Time // zero if unknown
}

// Proposal is a finding that may be worth a memory. A person reviews each.
type Proposal struct {
	Type       engram.Type
	Title      string // up to 80 characters
	Content    string
	Why        string  // how it was found, for the reviewer
	Importance float64 // 0 to 1
	At         time.Time
	// Key distinguishes it from others of the same place if Content cannot, because Content grows;
	// else "".
	Key string
}
