package document_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
)

func TestVerbOf(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   engram.Relation
		want string
	}{
		{"what nobody has judged is pending, whatever is suspected", engram.Relation{Verb: engram.VerbContradicts, Status: engram.RelationPending}, "pending"},
		{"what was set aside keeps its verb", engram.Relation{Verb: engram.VerbContradicts, Status: engram.RelationIgnored}, "contradicts"},
		{"a relation is called as everywhere", engram.Relation{Verb: engram.VerbRelatesTo, Status: engram.RelationJudged}, "relates_to"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := document.VerbOf(tt.in); got != tt.want {
				t.Errorf("VerbOf(%+v): got %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}
