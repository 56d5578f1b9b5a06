package text

import (
	"slices"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// knownTypes has the known types by the stems of their names and of the other words for them.
var knownTypes = sync.OnceValue(func() map[string]engram.Type {
	types := map[string]engram.Type{ // by stem, what the names themselves do not give
		"decid": engram.TypeDecision, "bug": engram.TypeBugfix, "fix": engram.TypeBugfix, "configur": engram.TypeConfig,
		"discov": engram.TypeDiscovery, "learnt": engram.TypeLearning,
	}
	for _, t := range engram.KnownTypes() {
		if stem := (Token{Word: string(t)}).Text(); t != engram.TypeManual && types[stem] == "" {
			types[stem] = t
		}
	}
	return types
})

// TypeOf returns the known type that a word of a question is a form of, "" for none: bugs, fixed, decided, preferences.
func TypeOf(word string) engram.Type { return knownTypes()[Token{Word: word}.Text()] }

// IsType reports whether a word of a question is a form of the name of a type: gotcha, gotchas.
func IsType(word string, t engram.Type) bool {
	return Token{Word: word}.Text() == Token{Word: strings.ToLower(string(t))}.Text()
}

// asksForSome are words beside the name of a type that ask for any of it.
var asksForSome = Words{List: "make made take took find found use exist latest newest recent last known far please give"}

// AsksForTypes returns the known types that a question asks for if it asks for nothing else but a time, such as "what
// decisions did we make" or "bugs we fixed". A single word does so in the plural: "decision" may be a subject as well.
func AsksForTypes(question string, terms []engram.Term) (types []engram.Type) {
	words := 0
	Scan(question, func(t Token) {
		if t.Kind != Joined {
			words++
		}
	})
	for _, t := range terms {
		asked := TypeOf(t.Written)
		switch {
		case asked != "" && (words > 1 || strings.HasSuffix(t.Written, "s")):
			types = append(types, asked)
		case !t.Time && !t.Stop && !t.Joined && !Asks(t.Written) && !asksForSome.Has(t.Written):
			return nil
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}
