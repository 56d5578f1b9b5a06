package agentcli

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

const (
	maxReason   = 200 // characters
	maxObjects  = 200 // that are tried to be read as the answer
	maxLookedAt = 64 << 10
)

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

// parse finds the object in what a program said: agents put it into code fences, and
// prose before and behind. The first object that has a relation counts.
func parse(said string) (engram.Opinion, error) {
	if i := strings.LastIndex(said, "</think>"); i >= 0 {
		said = said[i:]
	}
	said = said[:min(len(said), maxLookedAt)]
	for range maxObjects {
		i := strings.IndexByte(said, '{')
		if i < 0 {
			break
		}
		said = said[i:]
		var a answer
		if json.NewDecoder(strings.NewReader(said)).Decode(&a) == nil && a.Relation != "" {
			return a.opinion()
		}
		said = said[1:] // what was asked for may lie inside of it
	}
	return engram.Opinion{}, errNoObject
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
	return engram.Opinion{Verb: verb, Confidence: *a.Confidence, Reason: line(redact.Private(render.Plain(a.Reason)), maxReason)}, nil
}

// line returns s in one line of at most most characters.
func line(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most-1])) + "…"
}
