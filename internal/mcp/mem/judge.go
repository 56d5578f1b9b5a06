package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type judgeArgs struct {
	ID         string   `json:"judgment_id" required:"schema"`
	Relation   string   `json:"relation" enum:"relates_to,compatible,scoped,contradicts,supersedes,not_conflict" schema:"only" required:"schema"`
	Reason     string   `json:"reason"`
	Evidence   string   `json:"evidence"`
	Confidence *float64 `json:"confidence" min:"0" max:"1" schema:"only"`
	SessionID  string   `json:"session_id"`
}

type judged struct {
	Relation document.Judged `json:"relation" schema:"-"`
}

func (d *dialect) judge(ctx context.Context, by tool.Caller, a judgeArgs) (judged, error) {
	if strings.TrimSpace(a.ID) == "" {
		return judged{}, invalid("judgment_id is required")
	}
	verb, err := verdictOf("JudgeRelation", a.Relation)
	if err != nil {
		return judged{}, err
	}
	if c := a.Confidence; c != nil && (*c < 0 || *c > 1) {
		return judged{}, invalid("confidence must be between 0.0 and 1.0")
	}
	c, err := d.as(by).Judge(ctx, engine.JudgeInput{Ref: engram.RelationRef{ID: a.ID}, Verb: verb, Reason: a.Reason,
		Evidence: a.Evidence, Confidence: a.Confidence, SessionID: a.SessionID})
	if engram.CodeOf(err) == engram.CodeNotFound {
		return judged{}, &tool.Failure{Text: fmt.Sprintf("JudgeRelation: relation %q not found", brief(a.ID)), Err: err}
	}
	if err != nil {
		return judged{}, &tool.Failure{Text: "JudgeRelation: " + reason(err), Err: err}
	}
	return judged{document.JudgedOf(c.Relation, c.Source, c.Target)}, nil
}

// verdicts are those of the engine in the dialect's spelling.
const verdicts = "relates_to, compatible, scoped, contradicts, supersedes, not_conflict"

// verdictOf reads a verdict; what, a name older clients know, opens the error for one that is none.
func verdictOf(what, word string) (engram.Verb, error) {
	if strings.TrimSpace(word) == "" {
		return "", invalid("relation is required")
	}
	verb, err := engram.ParseVerb(word)
	if err != nil || !engine.IsVerdict(verb) {
		return "", invalid(fmt.Sprintf("%s: invalid relation verb %q — must be one of: %s", what, brief(word), verdicts))
	}
	return verb, nil
}
