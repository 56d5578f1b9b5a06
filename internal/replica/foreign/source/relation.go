package source

import (
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Reading is the meaning of a word for a relation.
type Reading struct {
	Verb    engram.Verb
	inverse bool // the word is seen from the other end
}

// Ends returns the ends of a relation in the direction of its verb.
func (r Reading) Ends(from, to string) (string, string) {
	if r.inverse {
		return to, from
	}
	return from, to
}

// readings are words of other systems that match a verb better than relates_to. Only unambiguous
// words become judgments, which replace or contradict a memory.
func readings() map[string]Reading {
	words := map[string]Reading{}
	for verb, said := range map[engram.Verb]struct{ same, inverse string }{
		engram.VerbSupersedes:  {"supersedes replaces obsoletes", "superseded_by replaced_by obsoleted_by"},
		engram.VerbContradicts: {"contradicts conflicts_with refutes disproves", "contradicted_by refuted_by"},
		engram.VerbDerivedFrom: {"derived_from based_on builds_on extends inspired_by adapted_from refines", "basis_of extended_by inspired inspires refined_by"},
		engram.VerbEvolvedFrom: {"evolved_from continues follows follows_from successor_of", "continued_by evolved_into predecessor_of"},
		engram.VerbCausedBy:    {"caused_by because_of due_to results_from result_of triggered_by", "causes caused leads_to led_to triggers results_in"},
	} {
		for _, w := range strings.Fields(said.same) {
			words[w] = Reading{verb, false}
		}
		for _, w := range strings.Fields(said.inverse) {
			words[w] = Reading{verb, true}
		}
	}
	return words
}

// ReadingOf returns the nearest verb.
func ReadingOf(name string) Reading {
	word := strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' || r == ' ' || r == '\t' }), "_")
	if r, known := readings()[word]; known {
		return r
	}
	return Reading{engram.VerbRelatesTo, false}
}

// Relation is a relation as another system has it.
type Relation struct {
	From, To string // names of memories, made by naming
	Word     string // the system's word for it
	About    string // its remark; "" for none
	Item     string
	At       time.Time
}

// Relations merges relations between the same two memories whose words are one verb here; the reason
// keeps all words.
type Relations struct {
	Naming
	order []string
	known map[string]*merged
}

type merged struct {
	Relation
	verb    engram.Verb
	reasons []string
}

// Add adds a relation to those of the same memories and verb.
func (t *Relations) Add(x Relation) {
	r := ReadingOf(x.Word)
	reason := x.Word
	if x.About != "" {
		reason += " (" + x.About + ")"
	}
	other := r.inverse
	x.From, x.To = r.Ends(x.From, x.To)
	pair := func(a, b string) string { return a + "\x00" + string(r.Verb) + "\x00" + b }
	k := pair(x.From, x.To)
	// relates_to is symmetric: it is one relation, from whichever end.
	if back := pair(x.To, x.From); r.Verb == engram.VerbRelatesTo && back != k && t.known[back] != nil {
		k, other = back, true
	}
	if other {
		reason += ", said from the other end"
	}
	was := t.known[k]
	if was == nil {
		was = &merged{Relation: x, verb: r.Verb}
		if t.known == nil {
			t.known = map[string]*merged{}
		}
		t.known[k], t.order = was, append(t.order, k)
	}
	if x.At.After(was.At) {
		was.At = x.At
	}
	if !slices.Contains(was.reasons, reason) {
		was.reasons = append(was.reasons, reason)
	}
}

// Each yields the relations in the order of their first mention.
func (t *Relations) Each(yield func(engram.Record) bool) {
	for _, k := range t.order {
		x := t.known[k]
		r := engram.Relation{ID: t.Relation(k), Verb: x.verb, Status: engram.RelationJudged, Strength: 1, Reason: strings.Join(x.reasons, "; "),
			Actor: string(t.System), ActorKind: "agent", CreatedAt: x.At, UpdatedAt: x.At}
		record := engram.Record{Item: x.Item, Relation: &engram.RelationRecord{Relation: r, Source: engram.Ref{SyncID: x.From}, Target: engram.Ref{SyncID: x.To}}}
		if !yield(record) {
			return
		}
	}
}
