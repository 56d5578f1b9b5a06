package memory

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// linkArgs names four relations, those of the dialect; the engine's others are read too.
type linkArgs struct {
	Source   string   `json:"source_id" required:"true" ref:"true"`
	Target   string   `json:"target_id" required:"true" ref:"true"`
	Relation string   `json:"relation" required:"true" enum:"relates_to,supersedes,derived_from,contradicts" schema:"only"`
	Strength *float64 `json:"strength" doc:"default 1" min:"0" max:"1"`
}

type linked struct {
	Action   string `json:"action" doc:"linked, changed or known"`
	Relation edge   `json:"relation"`
}

// edge is a relation: source relation target.
type edge struct {
	Source   string  `json:"source_id"`
	Relation string  `json:"relation"`
	Target   string  `json:"target_id"`
	Strength float64 `json:"strength"`
	Pending  bool    `json:"pending,omitempty" schema:"-"` // only suspected so far
}

func (e edge) String() string { return fmt.Sprintf("%s %s %s", e.Source, e.Relation, e.Target) }

// edgeOf is a relation of these memories. The verbs of the dialect are the engine's own.
func edgeOf(r engram.Relation, source, target engram.ID) edge {
	return edge{string(source), string(r.Verb), string(target), document.Thousandths(r.Strength), r.Status == engram.RelationPending}
}

// PlainText says what was done.
func (l linked) PlainText() (string, bool) {
	done := map[string]string{string(engine.LinkMade): "Linked", string(engine.LinkChanged): "Changed", string(engine.LinkKnown): "Known already"}[l.Action]
	return done + ": " + l.Relation.String(), true
}

func (d *Dialect) link(ctx context.Context, by tool.Caller, a linkArgs) (linked, error) {
	verb, err := verbOf("relation", a.Relation)
	if err != nil {
		return linked{}, err
	}
	source, err := d.ref(ctx, "source_id", a.Source)
	if err != nil {
		return linked{}, err
	}
	target, err := d.ref(ctx, "target_id", a.Target)
	if err != nil {
		return linked{}, err
	}
	l, err := d.as(by).Link(ctx, engine.LinkInput{Source: source, Target: target, Verb: verb, Strength: a.Strength})
	if err != nil {
		return linked{}, err
	}
	return linked{string(l.Action), edgeOf(l.Relation, l.Source.ID, l.Target.ID)}, nil
}

// verbOf reads the relation that the argument of that name asks for.
func verbOf(argument, word string) (engram.Verb, error) {
	verb, err := engram.ParseVerb(word)
	if err != nil {
		return "", engram.Errorf(engram.CodeInvalid, "%s %q does not exist", argument, tool.Clip(redact.Private(word))).
			WithHint("relates_to, supersedes, derived_from or contradicts")
	}
	return verb, nil
}
