package attend

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is decided without an expression is decided as by it.
func TestNoExpressionIsPassedOverThatMatches(t *testing.T) {
	sentence := regexp.MustCompile(`[.!?;:]\s|[。！？\n]`)
	starts := regexp.MustCompile(`^\s*`)
	pieces := strings.Split("a|/compact|!ls|<command-x>|#note| |  |\t|at main.go:3|goroutine 12|File \"x\", line 3|f(0x1|2026-05-03T10:00|12:00:01|[DEBUG]|INFO|WARN x|ERROR:|--- |+++ |@@ |- x;|> |$ |% |#3 0x|"+
		"FAIL |ok x|RUN: |{|}|[|]|<|exit status 2|<file a>b</file>|https://a.b/c d|http|what|What's|where|is|hOw|whatever|we|We're|our|us|use|here|this project|this  repo|This repository|thistle|unsere|unserm|the|THE|theme|les|"+
		"hi|hey, |OK so |can you tell me |i'm wondering |in|you|your|please|shall i|let's|könntest du|où|qué|wie|. |? |! |; |:|\n|。|.|_|é|-", "|")
	pieces = append(pieces, "|")
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "pieces"), "")
		line, _, _ := strings.Cut(s, "\n")
		trimmed := s[len(starts.FindString(s)):]
		for _, c := range []struct {
			name      string
			got, want any
		}{
			{"a command", command(trimmed), commandInPrompt().MatchString(trimmed)},
			{"a pasted line", pasted(line), pastedInPrompt().MatchString(line)},
			{"own words", ownWords(s), placeInPrompt().ReplaceAllString(tagInPrompt().ReplaceAllString(s, " "), " ")},
			{"an introduction", introduced(trimmed), len(leadOfInquiry().FindString(trimmed))},
			{"a request", requests(s), orderInInquiry().MatchString(s)},
			{"an open question", opens(trimmed), openInquiry().MatchString(trimmed)},
			{"the work here", ours(s), oursInInquiry().MatchString(s)},
			{"something known", refers(s), knownInInquiry().MatchString(s)},
			{"another sentence", goesOn(s), sentence.MatchString(s)},
		} {
			if c.got != c.want {
				t.Fatalf("%s in %q: got %v, want %v", c.name, s, c.got, c.want)
			}
		}
	})
}
