package engram_test

import (
	"regexp"
	"strings"
	"testing"
)

// A word we do not use, because the field has one that everybody knows, or because it makes a
// sentence hard to read.
type unwantedWord struct {
	pattern string // a regular expression over whole words, case ignored
	instead string
}

// unwantedWords are those that have no other meaning in prose. Words with a second, common
// meaning (apart, floor, settle, gone, weak) are left to the reader.
func unwantedWords() []unwantedWord {
	return []unwantedWord{
		{`reckon(s|ed|ing)?`, "compute"},
		{`told unasked|tells? unasked`, "injected"},
		{`reads? like an order`, "flagged, instruction-like"},
		{`what waits`, "pending items"},
		{`buried`, "tombstone"},
		{`twins?`, "near-duplicate"},
		{`bunch(es)?`, "cluster, group"},
		{`mend(s|ed|ing)?`, "repair"},
		{`faces?`, "frontend"},
		{`verbs?`, "operation"},
		{`ties?|tied`, "relation, to relate"},
		{`soiled|washing|sieve`, "redaction"},
		{`dear|dearer|dearest`, "expensive"},
		{`whoever|whatever's`, "a noun: clients, people who can push"},
		{`nobody`, "a noun and a negated verb: no program, not"},
		{`that is none|which is none|are none of|and is none`, "is not one"},
	}
}

var generatedPart = regexp.MustCompile(`(?s)<!-- settings: .*?<!-- end of settings -->`)

// proseOf returns a page without code and generated parts.
func proseOf(text string) string {
	return codeSpan.ReplaceAllString(fencedCode.ReplaceAllString(generatedPart.ReplaceAllString(text, ""), ""), "")
}

// TestWordsWeDoNotUse reads the documents that are written by hand.
func TestWordsWeDoNotUse(t *testing.T) {
	for _, w := range unwantedWords() {
		pattern := regexp.MustCompile(`(?i)\b(?:` + w.pattern + `)\b`)
		for _, p := range pages(t) {
			if p.path == "CHANGELOG.md" || generatedPage(p.path) {
				continue // the one is history, the others are written from the program
			}
			for line := range strings.SplitSeq(proseOf(p.text), "\n") {
				if found := pattern.FindString(line); found != "" {
					t.Errorf("%s says %q: use %s\n  %s", p.path, found, w.instead, line)
				}
			}
		}
	}
}
