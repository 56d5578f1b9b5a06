package agentcli

import (
	"errors"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/llm"
)

const maxReason = 200 // characters

// What is wrong with an answer. The answer itself is not repeated: it speaks of memories.
var (
	errNoObject   = errors.New("no object with a relation in its answer")
	errVerb       = errors.New("a relation that is none of those it was offered")
	errConfidence = errors.New("no confidence between 0 and 1")
)

// answer is the object that is asked for.
type answer struct {
	Relation   string   `json:"relation"`
	Confidence *float64 `json:"confidence"`
	Reason     string   `json:"reason"`
}

// parse finds the object in what a program said.
func parse(said string) (engram.Opinion, error) {
	a, found := llm.Object(said, func(a answer) bool { return a.Relation != "" })
	if !found {
		return engram.Opinion{}, errNoObject
	}
	return a.opinion()
}

// opinion cleans a, which a model wrote that may have been led astray by a memory.
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
