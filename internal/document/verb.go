package document

import "github.com/alanbuscaglia/engram"

// DialectVerb is the relation's verb as the mem_* dialect spells it: "pending" while
// nobody has judged it, related for relates_to, conflicts_with for contradicts, the rest
// as here. engram.ParseVerb reads all of these but "pending", which is no verdict.
func DialectVerb(r engram.Relation) string {
	switch {
	case r.Status == engram.RelationPending:
		return string(engram.RelationPending)
	case r.Verb == engram.VerbRelatesTo:
		return "related"
	case r.Verb == engram.VerbContradicts:
		return "conflicts_with"
	}
	return string(r.Verb)
}
