package foreign

import (
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// reading is the meaning of a word for a relation.
type reading struct {
	verb    engram.Verb
	inverse bool // the word is seen from the other end
}

// ends returns the ends of a relation in the direction of its verb.
func (r reading) ends(from, to string) (string, string) {
	if r.inverse {
		return to, from
	}
	return from, to
}

// readings are words of other systems that match a verb better than relates_to. Only unambiguous
// words become judgments, which replace or contradict a memory.
func readings() map[string]reading {
	words := map[string]reading{}
	for verb, said := range map[engram.Verb]struct{ same, inverse string }{
		engram.VerbSupersedes:  {"supersedes replaces obsoletes", "superseded_by replaced_by obsoleted_by"},
		engram.VerbContradicts: {"contradicts conflicts_with refutes disproves", "contradicted_by refuted_by"},
		engram.VerbDerivedFrom: {"derived_from based_on builds_on extends inspired_by adapted_from refines", "basis_of extended_by inspired inspires refined_by"},
		engram.VerbEvolvedFrom: {"evolved_from continues follows follows_from successor_of", "continued_by evolved_into predecessor_of"},
		engram.VerbCausedBy:    {"caused_by because_of due_to results_from result_of triggered_by", "causes caused leads_to led_to triggers results_in"},
	} {
		for _, w := range strings.Fields(said.same) {
			words[w] = reading{verb, false}
		}
		for _, w := range strings.Fields(said.inverse) {
			words[w] = reading{verb, true}
		}
	}
	return words
}

// read returns the nearest verb.
func read(name string) reading {
	word := strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' || r == ' ' || r == '\t' }), "_")
	if r, known := readings()[word]; known {
		return r
	}
	return reading{engram.VerbRelatesTo, false}
}

// relation is a relation as another system has it.
type relation struct {
	from, to string // names of memories, made by naming
	word     string // the system's word for it
	about    string // its remark; "" for none
	item     string
	at       time.Time
}

// relations merges relations between the same two memories whose words are one verb here; the reason
// keeps all words.
type relations struct {
	naming
	order []string
	known map[string]*joinedRelation
}

type joinedRelation struct {
	relation
	verb    engram.Verb
	reasons []string
}

func (t *relations) add(x relation) {
	r := read(x.word)
	reason := x.word
	if x.about != "" {
		reason += " (" + x.about + ")"
	}
	other := r.inverse
	x.from, x.to = r.ends(x.from, x.to)
	pair := func(a, b string) string { return a + "\x00" + string(r.verb) + "\x00" + b }
	k := pair(x.from, x.to)
	// relates_to is symmetric: it is one relation, from whichever end.
	if back := pair(x.to, x.from); r.verb == engram.VerbRelatesTo && back != k && t.known[back] != nil {
		k, other = back, true
	}
	if other {
		reason += ", said from the other end"
	}
	was := t.known[k]
	if was == nil {
		was = &joinedRelation{relation: x, verb: r.verb}
		if t.known == nil {
			t.known = map[string]*joinedRelation{}
		}
		t.known[k], t.order = was, append(t.order, k)
	}
	if x.at.After(was.at) {
		was.at = x.at
	}
	if !slices.Contains(was.reasons, reason) {
		was.reasons = append(was.reasons, reason)
	}
}

// each yields the relations in the order of their first mention.
func (t *relations) each(yield func(engram.Record) bool) {
	for _, k := range t.order {
		x := t.known[k]
		r := engram.Relation{ID: t.relation(k), Verb: x.verb, Status: engram.RelationJudged, Strength: 1, Reason: strings.Join(x.reasons, "; "),
			Actor: string(t.system), ActorKind: "agent", CreatedAt: x.at, UpdatedAt: x.at}
		record := engram.Record{Item: x.item, Relation: &engram.RelationRecord{Relation: r, Source: engram.Ref{SyncID: x.from}, Target: engram.Ref{SyncID: x.to}}}
		if !yield(record) {
			return
		}
	}
}
