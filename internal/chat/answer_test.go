package chat

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

func TestAnswersOfModels(t *testing.T) {
	long := strings.Repeat("é", 5000)
	for _, tt := range []struct {
		name, said     string
		title, content string // "" is no pattern
		err            error
	}{
		{"the object alone", `{"title":"T","content":"C"}`, "T", "C", nil},
		{"in a fence, with prose", "Sure, {here} it is:\n```json\n{\"title\":\"T\",\"content\":\"C\"}\n```\nAnything else?", "T", "C", nil},
		{"after loud thoughts", `<think>maybe {"none":true}, or {"title":"draft","content":"draft"}</think>{"title":"T","content":"C"}`, "T", "C", nil},
		{"inside of another object", `{"answer":{"title":"T","content":"C"}}`, "T", "C", nil},
		{"more fields than asked for", `{"confidence":0.9,"title":"T","content":"C","none":false}`, "T", "C", nil},
		{"none", `{"none": true}`, "", "", nil},
		{"none, after prose", "They differ. {\"none\": true}", "", "", nil},
		{"none, with empty fields", `{"none":true,"title":"","content":""}`, "", "", nil},
		{"nothing", "", "", "", errNoObject},
		{"prose", "These memories have a lot in common.", "", "", errNoObject},
		{"an object of another kind", `{"pattern":"x"}`, "", "", errNoObject},
		{"wrong types", `{"title":["T"],"content":7}`, "", "", errNoObject},
		{"broken off", `{"title":"T","content":"C`, "", "", errNoObject},
		{"no content", `{"title":"T"}`, "", "", errEmpty},
		{"blank content", `{"title":"T","content":" \n"}`, "", "", errEmpty},
		{"a title of two lines", `{"title":"T\n## and more","content":"C"}`, "T ## and more", "C", nil},
		{"a long title", `{"title":"` + long + `","content":"C"}`, long[:2*199] + "…", "C", nil},
		{"a long content", `{"title":"T","content":"` + long + `"}`, "T", long[:4092] + "…", nil},
		{"private spans", `{"title":"T <private>x</private>","content":"C <PRIVATE>y"}`, "T [REDACTED]", "C [REDACTED]", nil},
		{"escapes of a terminal", `{"title":"T\u001b[2J","content":"C\u202e"}`, `T\x1b[2J`, `C\u202e`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, ok, err := parse(tt.said)
			if err != tt.err || ok != (tt.title != "") || p.Title != tt.title || p.Content != tt.content {
				t.Errorf("%.200q: got %.300q and %.300q, %v, %v\nwant %.300q and %.300q, %v", tt.said, p.Title, p.Content, ok, err, tt.title, tt.content, tt.err)
			}
		})
	}
}

// For any answer of a model, a pattern is short, clean, without private spans and not empty, or absent.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{`{"title":"T","content":"C"}`, "```json\n{\"none\":true}\n```", `{"a":{"title":"<private>","content":"</private>"}}`,
		`<think>{</think>{"title":"\u0000","content":"\ud800"}`, strings.Repeat(`{"a":`, 300), `{"title":"<pri\rvate>x","content":"<private"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		p, ok, err := parse(said)
		if ok == (p.Title == "") || ok && err != nil {
			t.Fatalf("%q: got %+v, %v, %v", said, p, ok, err)
		}
		for _, s := range []string{p.Title, p.Content} {
			if !utf8.ValidString(s) || redact.Private(s) != s || render.Plain(s) != s || strings.TrimSpace(s) != s || ok && s == "" {
				t.Errorf("%q: got %q", said, s)
			}
		}
		if utf8.RuneCountInString(p.Title) > maxTitle || strings.Contains(p.Title, "\n") || len(p.Content) > maxContent {
			t.Errorf("%q: got a title of %d characters and a content of %d bytes", said, utf8.RuneCountInString(p.Title), len(p.Content))
		}
	})
}
