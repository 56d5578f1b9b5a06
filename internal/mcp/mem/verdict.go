package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

// later is the choice that leaves a candidate in the queue.
const later = "later"

// askVerdict asks the person at the client, where there is one to ask, about the likeliest
// candidate of a save, and records what they say. It returns what to tell of it, "" when
// nobody answered, and the candidates that still wait. One question is enough: a save
// that opens three forms is a save nobody wants.
func (d *dialect) askVerdict(ctx context.Context, by tool.Caller, res engine.SaveResult) (told string, waiting []engine.Candidate) {
	waiting = res.Candidates
	if by.Ask == nil || len(waiting) == 0 {
		return "", waiting
	}
	c := waiting[0]
	answer, ok := by.Ask(ctx, tool.Question{
		Message: conflictQuestion(res.Memory, c),
		Choices: append(strings.Split(verdicts, ", "), later),
		Reason:  "Why? (may be left empty)",
	})
	if !ok || answer.Choice == later {
		return "", waiting
	}
	verb, err := verdictOf("JudgeRelation", answer.Choice)
	if err != nil {
		return "", waiting
	}
	judged, err := d.as(by).Judge(ctx, engine.JudgeInput{Ref: engram.RelationRef{ID: c.Relation.ID}, Verb: verb, Reason: answer.Reason,
		SessionID: res.Memory.SessionID, ActorKind: engine.KindHuman})
	if err != nil {
		return "The user's verdict was not recorded: " + reason(err), waiting
	}
	told = fmt.Sprintf("The user judged it against #%d %q: %s", c.Memory.Num, c.Memory.Title, document.VerbOf(judged.Relation))
	if judged.Relation.Reason != "" {
		told += " (" + judged.Relation.Reason + ")"
	}
	return told, waiting[1:]
}

// conflictQuestion is what the person reads: both memories, so that it can be answered
// without looking anything up.
func conflictQuestion(saved engram.Memory, c engine.Candidate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Two memories of project %q may contradict each other (%s).\n", saved.Project, render.Line(c.Reason, 200))
	for _, m := range []struct {
		when   string
		memory engram.Memory
	}{{"Saved now", saved}, {"Earlier", c.Memory}} {
		fmt.Fprintf(&b, "\n%s: #%d %s\n  %s\n", m.when, m.memory.Num, render.Line(m.memory.Title, 120), render.SetOff(render.Preview(m.memory.Content, 500), "  "))
	}
	b.WriteString("\nHow does the one saved now relate to the earlier one? supersedes hides the earlier one.")
	return b.String()
}
