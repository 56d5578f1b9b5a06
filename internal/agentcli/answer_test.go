package agentcli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, said string
		want       engram.Opinion
	}{
		{"the object alone", `{"relation":"scoped","confidence":0.5,"reason":"two systems"}`, engram.Opinion{Verb: engram.VerbScoped, Confidence: 0.5, Reason: "two systems"}},
		{"in a fence, behind prose", "Here:\n```json\n{\"relation\":\"Not-Conflict\",\"confidence\":1}\n```", engram.Opinion{Verb: engram.VerbNotConflict, Confidence: 1}},
		{"behind another object", `{"notes":2} {"relation":"related","confidence":0}`, engram.Opinion{Verb: engram.VerbRelatesTo}},
		{"inside another object", `{"answer":{"relation":"compatible","confidence":0.25}}`, engram.Opinion{Verb: engram.VerbCompatible, Confidence: 0.25}},
		{"after thinking aloud", `<think>{"relation":"supersedes","confidence":1}</think>{"relation":"conflicts_with","confidence":0.5}`, engram.Opinion{Verb: engram.VerbContradicts, Confidence: 0.5}},
		{"with a brace in front that opens nothing", `{ so: {"relation":"scoped","confidence":1}`, engram.Opinion{Verb: engram.VerbScoped, Confidence: 1}},
		{"with something private", `{"relation":"scoped","confidence":1,"reason":"pin <private>1234</private>"}`, engram.Opinion{Verb: engram.VerbScoped, Confidence: 1, Reason: "pin [REDACTED]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := parse(tt.said); err != nil || got != tt.want {
				t.Errorf("%s: got %+v, %v; want %+v", tt.said, got, err, tt.want)
			}
		})
	}
}

// Whatever a program says, an opinion can be recorded, or is refused.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "{", `{"relation":"scoped","confidence":1}`, `{"relation":"supersedes","confidence":1e999}`, "{\"relation\":\"scoped\",\"confidence\":1,\"reason\":\"\x1b[2J\xff" + strings.Repeat("é", 300) + "\"}",
		strings.Repeat("{", 300), `{"relation":{"relation":"related","confidence":0.5}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		o, err := parse(said)
		if err != nil {
			return
		}
		if !(o.Confidence >= 0 && o.Confidence <= 1) || o.Verb == "" || utf8.RuneCountInString(o.Reason) > maxReason ||
			strings.ContainsAny(o.Reason, "\x00\x1b\n\r\x7f") || !utf8.ValidString(o.Reason) {
			t.Errorf("%q: got %+v", said, o)
		}
	})
}
