package mem

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type compareArgs struct {
	A          *tool.ID `json:"memory_id_a" required:"schema"`
	B          *tool.ID `json:"memory_id_b" required:"schema"`
	Relation   string   `json:"relation" doc:"as mem_judge" required:"schema"`
	Confidence *float64 `json:"confidence" min:"0" max:"1" schema:"only" required:"schema"`
	Reasoning  string   `json:"reasoning" required:"schema"`
	Model      string   `json:"model"`
}

type compared struct {
	SyncID string `json:"sync_id" schema:"-"`
}

func (d *dialect) compare(ctx context.Context, by tool.Caller, a compareArgs) (compared, error) {
	if a.A == nil {
		return compared{}, invalid("memory_id_a is required (integer observation id)")
	}
	if a.B == nil {
		return compared{}, invalid("memory_id_b is required (integer observation id)")
	}
	verb, err := verdictOf("JudgeBySemantic", a.Relation)
	if err != nil {
		return compared{}, err
	}
	if a.Confidence == nil {
		return compared{}, invalid("confidence is required (float 0.0..1.0)")
	}
	if *a.Confidence < 0 || *a.Confidence > 1 {
		return compared{}, invalid("confidence must be between 0.0 and 1.0")
	}
	if strings.TrimSpace(a.Reasoning) == "" {
		return compared{}, invalid("reasoning is required")
	}
	c, err := d.as(by).Compare(ctx, engine.CompareInput{A: engram.ByNum(int64(*a.A)), B: engram.ByNum(int64(*a.B)), Verb: verb,
		Confidence: *a.Confidence, Reasoning: a.Reasoning, Model: a.Model})
	if absent, ok := errors.AsType[*engine.Absent](err); ok {
		return compared{}, &tool.Failure{Text: fmt.Sprintf("observation id=%d not found: %s", absent.Ref.Num, reason(err)), Err: err}
	}
	if err != nil {
		return compared{}, &tool.Failure{Text: "JudgeBySemantic: " + reason(err), Err: err}
	}
	if verb == engram.VerbNotConflict {
		return compared{}, nil // the dialect names no row here, though one is kept
	}
	return compared{c.Relation.ID}, nil
}
