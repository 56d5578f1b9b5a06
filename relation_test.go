package engram_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

func TestParseVerb(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     engram.Verb
	}{
		{"our spelling", "derived_from", engram.VerbDerivedFrom},
		{"capitals and blanks around it", "  Supersedes\n", engram.VerbSupersedes},
		{"a hyphen for the underscore", "caused-by", engram.VerbCausedBy},
		{"a blank for the underscore", "evolved from", engram.VerbEvolvedFrom},
		{"related, as the mem dialect writes it", "related", engram.VerbRelatesTo},
		{"related_to, as metadata writes it", "related_to", engram.VerbRelatesTo},
		{"conflicts_with, as the mem dialect writes it", "conflicts_with", engram.VerbContradicts},
		{"no conflict", "not-conflict", engram.VerbNotConflict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := engram.ParseVerb(tt.in); err != nil || got != tt.want {
				t.Errorf("ParseVerb(%q): got %q, %v, want %q", tt.in, got, err, tt.want)
			}
		})
	}
}

func TestParseVerbNamesTheGoodOnes(t *testing.T) {
	for _, in := range []string{"", "pending", "likes", "relates_to_", "supersedes\x00"} {
		got, err := engram.ParseVerb(in)
		if got != "" || engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("ParseVerb(%q): got %q, %v, want nothing and invalid", in, got, err)
			continue
		}
		for _, v := range engram.Verbs() {
			if !strings.Contains(engram.HintOf(err), string(v)) {
				t.Errorf("ParseVerb(%q): the hint %q lacks %s", in, engram.HintOf(err), v)
			}
		}
	}
}
