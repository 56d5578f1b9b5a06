// Package contradiction holds the rule that says whether two texts which speak of the
// same thing contradict each other, and in which words: a negation or an opposite, a
// number, a name, a verdict.
//
// A text is read into clauses (read.go, parse.go), whose words are looked up
// (lexicon.go, table.go) and settled: what is denied, what a number counts (settle.go,
// number.go). Every clause of one text is held against every clause of the other
// (compare.go, meeting.go). Those that share most of what they are about contradict
// each other when they differ in one telling place:
//
//   - an odd number of opposites: a word that one denies, or two ends of an axis such
//     as allowed and forbidden (opposite.go); two opposites say the same again;
//   - a number of the same unit or the same thing (count.go);
//   - the words in one place, behind a word that a name can stand behind (name.go).
//
// What happened once (fixed, released), numbers that are names (issue 12), places
// (staging, production) and purposes (for sessions) make another thing of it. The
// longer the texts, the more two clauses must share: some are alike by chance. A title
// says what a text is about and claims nothing, unless it is all there is.
//
// # Figures
//
// Of the pairs in testdata, that one contradicts the other. The first 268 of pairs.tsv
// were written before the rule, and halved by their text. It was fitted to one half;
// the other then gave precision .967 and recall .922 with the model, and 81 pairs written
// at that time .897 and .833. After that the errors in all of these were looked at, so
// that neither line of pairs.tsv below is unseen any more: fresh.tsv is, which was
// written last, and its errors were never looked at. All are the work of the rule's
// author, so expect less of other people's texts.
//
//	                             with the model     words alone
//	                      pairs  precision recall   precision recall
//	one half                181       .988   .922        .988   .933
//	the other               168       .988   .942        .988   .953
//	both                    349       .988   .932        .988   .943
//	fresh.tsv                72       .974   .974        .949   .974
//
// With the model means that pairs under its related mark are taken for different
// things, which names lose most by: Postgres and Redis are not near.
//
//	go test ./internal/contradiction -run TestFigures -v
//
// # Limits
//
// It knows words, not the world. Missed are contradictions in other words ("we left
// Heroku", "deployed on Heroku"), in several sentences, and of a number against a word.
// Raised without cause are two that may both be right: "uses a whiteboard", "uses a
// mentor". English is known best; of Spanish, German and French the negations, verdicts,
// units and commonest opposites. Scripts without spaces are hardly compared.
//
// # Cost
//
// Read is most of it: about as much as indexing the text, 15 µs for 350 characters.
// Comparing two such Readings takes 1.5 µs and no memory, so Between takes some 35 µs. Of
// long texts the beginning is read (see Read), and clauses without a word in common are
// told apart by one bit operation: two texts that say nearly the same in every sentence,
// which is the worst, take .7 ms. BenchmarkBetween and its neighbours measure it.
//
// Everything here is pure and safe for concurrent use.
package contradiction

import "strings"

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
	Duplicate float64 // the model's mark from which on they say the same; no matter here, where one number makes all the difference
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
