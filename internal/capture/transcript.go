package capture

import (
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Transcript reads the turns of a session in order and returns what may be worth a memory. It keeps
// a bounded part of what it has read. The zero value works, without Clean.
type Transcript struct {
	// Clean, which may be nil, removes private and secret text from whole turns.
	Clean func(string) string

	fixes fixing
}

// Add takes the next turn and returns the findings: decisions, learnings, standing preferences, the
// session summary, and fixes once the person moves on.
func (t *Transcript) Add(turn Turn) []Proposal {
	switch turn.Role {
	case RolePerson:
		return append(t.clean(t.fixes.flush()), t.read(turn, preferred, decided)...)
	case RoleAgent:
		t.fixes.agent(turn.Text, t.cleaned)
		return t.read(turn, learned, decided)
	case RoleSummary:
		return append(t.clean(t.fixes.flush()), t.read(turn, summarised, learnedInSummary)...)
	case RoleTool:
		t.fixes.tool(turn, t.cleaned)
	}
	return nil
}

// End returns the remaining findings after the last turn.
func (t *Transcript) End() []Proposal { return t.clean(t.fixes.flush()) }

// read applies rules to a turn. If they find something it cleans the text, which costs more than
// the rules, and applies them again.
func (t *Transcript) read(turn Turn, rules ...func(Turn) []Proposal) []Proposal {
	find := func() (all []Proposal) {
		for _, rule := range rules {
			all = append(all, rule(turn)...)
		}
		return all
	}
	all := find()
	if len(all) == 0 || t.Clean == nil {
		return all
	}
	turn.Text = t.Clean(turn.Text)
	return find()
}

// cleaned returns a text without what Clean removes.
func (t *Transcript) cleaned(s string) string {
	if t.Clean == nil || s == "" {
		return s
	}
	return t.Clean(s)
}

// clean cleans proposals combined from several cleaned turns: together the parts may form a secret.
func (t *Transcript) clean(all []Proposal) []Proposal {
	for i := range all {
		all[i].Title, all[i].Content, all[i].Why = t.cleaned(all[i].Title), t.cleaned(all[i].Content), t.cleaned(all[i].Why)
	}
	return all
}

// learned returns the learnings that an agent listed.
func learned(t Turn) []Proposal {
	lower := strings.ToLower(t.Text)
	if !strings.Contains(lower, "learning") && !strings.Contains(lower, "aprendizaje") {
		return nil
	}
	var all []Proposal
	for _, item := range Learnings(t.Text) {
		all = append(all, Proposal{Type: engram.TypeLearning, Title: headline(sentences(item)[0]), Content: item,
			Why: "it is listed under the agent's learnings", Importance: 0.5, At: t.At})
	}
	return all
}

// learnedInSummary is learned for the actual summary, without the analysis.
func learnedInSummary(t Turn) []Proposal {
	t.Text = Summary(t.Text)
	return learned(t)
}

// OfTranscript applies Transcript to all turns.
func OfTranscript(turns []Turn) []Proposal {
	var t Transcript
	var all []Proposal
	for _, turn := range turns {
		all = append(all, t.Add(turn)...)
	}
	return append(all, t.End()...)
}

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
	// Key distinguishes it from others of the same place if Content cannot, because Content grows; else "".
	Key string
}
