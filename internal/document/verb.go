package document

import "github.com/alanbuscaglia/engram"

// VerbOf is what a relation is told as where a candidate and a verdict stand in one list:
// its verb, and "pending" while nobody has judged it, for then the verb is a suspicion.
func VerbOf(r engram.Relation) string {
	if r.Status == engram.RelationPending {
		return string(engram.RelationPending)
	}
	return string(r.Verb)
}
