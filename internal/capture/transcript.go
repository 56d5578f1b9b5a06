package capture

import (
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Transcript reads the turns of one session in their order and says what of it may be worth
// a memory. It remembers a bounded part of what it has read. The zero value is usable but
// for Clean.
type Transcript struct {
	// Clean takes out of a text what must not be kept. It is asked of whole turns, since what
	// it looks for may begin in one sentence and end in another; nil: nothing is taken out.
	Clean func(string) string

	fixes fixing
}

// Add takes the next turn and returns what was found: decisions, learnings, what the person
// wants from now on, the summary of a session, and what was mended until the person said
// something else.
func (t *Transcript) Add(turn Turn) []Proposal {
	switch turn.Role {
	case RolePerson:
		return append(t.clean(t.fixes.flush()), t.read(turn, preferred, decided)...)
	case RoleAgent:
		t.fixes.agent(turn.Text)
		return t.read(turn, learned, decided)
	case RoleSummary:
		return append(t.clean(t.fixes.flush()), t.read(turn, summarised)...)
	case RoleTool:
		t.fixes.tool(turn)
	}
	return nil
}

// End returns what is left when the transcript has no more turns.
func (t *Transcript) End() []Proposal { return t.clean(t.fixes.flush()) }

// read asks rules about a turn; of one in which something is found it takes out first what
// must not be kept, which costs more than the rules do.
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

// clean cleans what was put together of several turns.
func (t *Transcript) clean(all []Proposal) []Proposal {
	if t.Clean == nil {
		return all
	}
	for i := range all {
		all[i].Title, all[i].Content, all[i].Why = t.Clean(all[i].Title), t.Clean(all[i].Content), t.Clean(all[i].Why)
	}
	return all
}

// learned returns the learnings that an agent listed at the end of what it said.
func learned(t Turn) []Proposal {
	lower := strings.ToLower(t.Text)
	if !strings.Contains(lower, "learning") && !strings.Contains(lower, "aprendizaje") {
		return nil
	}
	var all []Proposal
	for _, item := range Learnings(t.Text) {
		all = append(all, Proposal{Type: engram.TypeLearning, Title: headline(sentences(item)[0]), Content: item,
			Why: "it stands under the agent's learnings", Importance: 0.5, At: t.At})
	}
	return all
}

// mostSummary is how long the summary of a session may be, in bytes.
const mostSummary = 16 << 10

// summarised returns what an agent wrote of a session before it forgot it.
func summarised(t Turn) []Proposal {
	s := strings.TrimSpace(t.Text)
	if words(s) < leastSummary {
		return nil
	}
	if len(s) > mostSummary {
		s = strings.ToValidUTF8(s[:mostSummary], "")
		if i := strings.LastIndexByte(s, '\n'); i > mostSummary/2 {
			s = s[:i]
		}
	}
	title := "Session summary"
	for _, p := range prose(s) {
		if len(p) > 0 && words(p[0]) >= 4 {
			title += ": " + headline(p[0])
			break
		}
	}
	return []Proposal{{Type: engram.TypeSessionSummary, Title: headline(title), Content: s, Why: "the agent wrote it down before it forgot the session", Importance: 0.5, At: t.At}}
}

const leastSummary = 20 // words

// OfTranscript is Transcript for turns that are at hand.
func OfTranscript(turns []Turn) []Proposal {
	var t Transcript
	var all []Proposal
	for _, turn := range turns {
		all = append(all, t.Add(turn)...)
	}
	return append(all, t.End()...)
}
