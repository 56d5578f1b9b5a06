package document_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
)

func TestWhatTheDialectWritesIsReadBack(t *testing.T) {
	for _, verb := range engram.Verbs() {
		written := document.DialectVerb(engram.Relation{Verb: verb, Status: engram.RelationJudged})
		if got, err := engram.ParseVerb(written); err != nil || got != verb {
			t.Errorf("%s is written as %q and read as %q, %v", verb, written, got, err)
		}
	}
}

func TestDialectVerb(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   engram.Relation
		want string
	}{
		{"what nobody has judged is pending, whatever is suspected", engram.Relation{Verb: engram.VerbContradicts, Status: engram.RelationPending}, "pending"},
		{"a contradiction", engram.Relation{Verb: engram.VerbContradicts, Status: engram.RelationJudged}, "conflicts_with"},
		{"a relation", engram.Relation{Verb: engram.VerbRelatesTo, Status: engram.RelationJudged}, "related"},
		{"what was set aside keeps its verb", engram.Relation{Verb: engram.VerbContradicts, Status: engram.RelationIgnored}, "conflicts_with"},
		{"a verb that the dialect does not have", engram.Relation{Verb: engram.VerbCausedBy, Status: engram.RelationJudged}, "caused_by"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := document.DialectVerb(tt.in); got != tt.want {
				t.Errorf("DialectVerb(%+v): got %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}
