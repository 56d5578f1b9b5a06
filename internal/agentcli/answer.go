package agentcli

import (
	"errors"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/llm"
)

const maxReason = 200 // characters

// Errors in an answer. They do not repeat the answer, which is about memories.
var (
	errNoObject   = errors.New("no object with a relation in its answer")
	errVerb       = errors.New("a relation that was not offered")
	errConfidence = errors.New("no confidence between 0 and 1")
)

type answer struct {
	Relation   string   `json:"relation"`
	Confidence *float64 `json:"confidence"`
	Reason     string   `json:"reason"`
}

// parse finds the object in a program's output.
func parse(said string) (engram.Opinion, error) {
	a, found := llm.Object(said, func(a answer) bool { return a.Relation != "" })
	if !found {
		return engram.Opinion{}, errNoObject
	}
	return a.opinion()
}

// opinion validates a, since a memory may have misled the model.
func (a answer) opinion() (engram.Opinion, error) {
	verb, err := engram.ParseVerb(a.Relation)
	if err != nil {
		return engram.Opinion{}, errVerb
	}
	switch verb {
	case engram.VerbRelatesTo, engram.VerbCompatible, engram.VerbScoped, engram.VerbContradicts, engram.VerbSupersedes, engram.VerbNotConflict:
	default:
		return engram.Opinion{}, errVerb
	}
	if a.Confidence == nil || !(*a.Confidence >= 0 && *a.Confidence <= 1) {
		return engram.Opinion{}, errConfidence
	}
	return engram.Opinion{Verb: verb, Confidence: *a.Confidence, Reason: llm.Line(a.Reason, maxReason)}, nil
}
