// Package contradiction holds the rule that says whether two texts which speak of the
// same thing contradict each other, and in which words: a negation or an opposite, a
// number, a name, a verdict.
//
// A text is read into clauses (read.go), whose words are looked up (lexicon.go) and
// settled: which are denied, what numbers count (settle.go, number.go). Two texts are
// compared clause by clause (compare.go).
//
// Everything here is pure and safe for concurrent use.
package contradiction

import (
	"strings"
)

// Kind says what kind of word two texts differ in.
type Kind string

// The kinds.
const (
	KindNegation Kind = "negation" // one says what the other denies, or its opposite
	KindNumber   Kind = "number"   // another number in the same place
	KindName     Kind = "name"     // another name in the same place
	KindVerdict  Kind = "verdict"  // accepted by one, rejected by the other
)

// Difference says in what two texts that speak of the same thing differ.
type Difference struct {
	Kind   Kind
	A, B   string  // the differing words of each text, as written, at most 60 characters
	Weight float64 // 0 to 1: how sure; what is found is at .5 or more
}

// String says the difference for a person: "15 minutes against 5 minutes". "" for the
// zero Difference.
func (d Difference) String() string {
	if d.A == "" && d.B == "" {
		return ""
	}
	return d.A + " against " + d.B
}

// Text is what of a memory is compared.
type Text struct{ Title, Content string }

// Nearness is how near two texts are in the vectors of a model.
type Nearness struct {
	Cosine    float64 // of their vectors; 0 when unknown
	Related   float64 // the model's mark from which on two texts are related; 0 for no model
	Duplicate float64 // the model's mark from which on they say the same; not used yet by the rule
}

// apart reports whether a model knows the texts to be about different things.
func (n Nearness) apart() bool { return n.Related > 0 && n.Cosine < n.Related }

// Between says in what two texts contradict each other. found is false when they do
// not, or when a model says that they are not about the same thing. Between(b, a) is
// the same with A and B exchanged.
//
// Who compares one text with many reads it once, with Read.
func Between(a, b Text, near Nearness) (d Difference, found bool) {
	if near.apart() {
		return Difference{}, false
	}
	ra, rb := Read(a), Read(b)
	return ra.Against(rb, near)
}

// Against is Between of texts that have been read.
func (r Reading) Against(other Reading, near Nearness) (d Difference, found bool) {
	if near.apart() {
		return Difference{}, false
	}
	// Compared in an order of their own, the two give the same whoever comes first.
	if strings.Compare(r.text.Title, other.text.Title) > 0 ||
		r.text.Title == other.text.Title && r.text.Content > other.text.Content {
		d, found = between(&other, &r)
		d.A, d.B = d.B, d.A
		return d, found
	}
	return between(&r, &other)
}
