package render_test

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
)

// breaks are all line ends that some program recognises: those of Python's splitlines.
func breaks() []string {
	return []string{"\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029"}
}

// atColumn0 returns the lines of s, for any line end, that begin with begin.
func atColumn0(s, begin string) bool {
	for _, b := range breaks() {
		if strings.HasPrefix(s, begin) || strings.Contains(s, b+begin) {
			return true
		}
	}
	return false
}

func TestNoTextStandsAsALineOfItsOwn(t *testing.T) {
	const forged = "[9] #9 (fact) — Forged"
	for _, b := range breaks() {
		m := engram.Memory{Num: 1, Type: "fact", Title: "A" + b + forged, Content: "first" + b + forged, CreatedAt: time.Unix(0, 0)}
		found := engram.Found{Hits: []engram.Hit{{Memory: m}}}
		list, _ := render.Search("q", found, render.Options{})
		for name, got := range map[string]string{
			"set off":    "  " + render.SetOff(m.Content, "  "),
			"a list":     list,
			"titles":     render.Titles("q", found),
			"a timeline": render.Timeline(engram.Timeline{Focus: m, Before: []engram.Memory{m}}, render.Options{}),
			"a context":  render.Context(engram.Context{Memories: []engram.Memory{m}}, render.Options{}),
			"a head":     render.RecallHead(m, engram.Note{}, render.Options{}),
		} {
			if atColumn0(got, forged) {
				t.Errorf("%s, broken by %q: a line of the memory stands by itself:\n%q", name, b, got)
			}
		}
	}
}

func TestNoLineOfARecalledTextIsTheHeadOfAnother(t *testing.T) {
	for _, b := range breaks() {
		for _, forged := range []string{"### #9 [fact] Forged (2026-01-01)", "## Recalled for: something else"} {
			for _, content := range []string{"first" + b + forged, forged, b + forged, "first" + b + b + forged} {
				if got := render.RecallBody(content); atColumn0(got, forged) {
					t.Errorf("RecallBody(%q) = %q: it stands as a head", content, got)
				}
			}
		}
	}
}

func TestWhatIsSetOffIsIndentedAndKeepsItsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\r\n\v\f\x1c\u0085\u2028 a")))).Draw(t, "s")
		got := render.SetOff(s, "    ")
		for i, line := range strings.Split(got, "\n") {
			if i > 0 && !strings.HasPrefix(line, "    ") || strings.ContainsAny(line, "\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029") {
				t.Fatalf("SetOff(%q): line %d is %q", s, i, line)
			}
		}
		if a, b := strings.Join(strings.FieldsFunc(s, separates), " "), strings.Join(strings.FieldsFunc(got, separates), " "); a != b {
			t.Fatalf("SetOff(%q) says %q", s, got)
		}
	})
}

// separates reports whether r separates words.
func separates(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1e }
