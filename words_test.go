package engram_test

import (
	"go/ast"
	"regexp"
	"strings"
	"sync"
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
		{`told unasked|tells? unasked|unasked`, "injected"},
		{`reads? like an order`, "flagged, instruction-like"},
		{`what waits`, "pending items"},
		{`buried`, "tombstone"},
		{`twins?`, "near-duplicate"},
		{`bunch(es)?`, "cluster, group"},
		{`mend(s|ed|ing)?`, "repair"},
		{`soiled|washing|sieve`, "redaction"},
		{`dear|dearer|dearest`, "expensive"},
		{`whoever|whatever's`, "a noun: clients, people who can push"},
		{`nobody`, "a noun and a negated verb: no program, not"},
		{`(is|are|was|that|which|be) none`, "is not one, there is no"},
	}
}

// unwantedInDocuments are words that the code needs: relations have verbs, lists have ties.
func unwantedInDocuments() []unwantedWord {
	return []unwantedWord{
		{`faces?`, "frontend"},
		{`verbs?`, "operation"},
		{`ties?|tied`, "relation, to relate"},
	}
}

// unwantedNames are parts of the names in the code, in lower case.
func unwantedNames() map[string]string {
	return map[string]string{
		"reckon": "compute", "reckoned": "computed", "suspect": "flagged", "suspects": "flagged", "twin": "near-duplicate",
		"twins": "near-duplicates", "bunch": "cluster", "bunches": "clusters", "mend": "fix", "mended": "fixed",
		"mends": "fixes", "soiled": "leak", "washing": "redactor", "sieve": "redactor", "outlet": "redactor",
		"buried": "tombstone", "impatient": "lock timeout", "unasked": "injected", "shelf": "cache", "spot": "location",
		"lot": "batch", "lots": "batches", "fate": "outcome",
	}
}

var (
	generatedPart = regexp.MustCompile(`(?s)<!-- (?:settings|speed): .*?<!-- end of (?:settings|speed) -->`)
	quotedText    = regexp.MustCompile("`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”")
	nameParts     = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
)

// proseOf returns a page without code and generated parts.
func proseOf(text string) string {
	return codeSpan.ReplaceAllString(fencedCode.ReplaceAllString(generatedPart.ReplaceAllString(text, ""), ""), "")
}

// wordPatterns are compiled once: the tests look for each in every text.
var wordPatterns sync.Map

func wholeWords(pattern string) *regexp.Regexp {
	known, ok := wordPatterns.Load(pattern)
	if !ok {
		known, _ = wordPatterns.LoadOrStore(pattern, regexp.MustCompile(`(?i)\b(?:`+pattern+`)\b`))
	}
	return known.(*regexp.Regexp)
}

// unwantedIn calls report for each line of text with a word of the lists.
func unwantedIn(text string, report func(line, found, instead string), lists ...[]unwantedWord) {
	for _, words := range lists {
		for _, w := range words {
			pattern := wholeWords(w.pattern)
			if !pattern.MatchString(text) {
				continue
			}
			for line := range strings.SplitSeq(text, "\n") {
				if found := pattern.FindString(line); found != "" {
					report(strings.TrimSpace(line), found, w.instead)
				}
			}
		}
	}
}

// TestWordsWeDoNotUse reads the documents that are written by hand.
func TestWordsWeDoNotUse(t *testing.T) {
	for _, p := range pages(t) {
		if p.path == "CHANGELOG.md" || generatedPage(p.path) {
			continue // the one is history, the others are written from the program
		}
		unwantedIn(proseOf(p.text), func(line, found, instead string) {
			t.Errorf("%s says %q: use %s\n  %s", p.path, found, instead, line)
		}, unwantedWords(), unwantedInDocuments())
	}
}

// TestWordsWeDoNotUseInCode reads comments, the names that are declared, and user-facing texts.
func TestWordsWeDoNotUseInCode(t *testing.T) {
	for _, f := range tree(t) {
		complain := func(n ast.Node) func(line, found, instead string) {
			return func(line, found, instead string) {
				t.Errorf("%s", f.at(n, "says %q: use %s\n  %s", found, instead, line))
			}
		}
		if f.path == "words_test.go" {
			continue
		}
		for _, group := range f.file.Comments {
			for _, c := range group.List {
				unwantedIn(quotedText.ReplaceAllString(c.Text, ""), complain(c), unwantedWords())
			}
		}
		for _, u := range textsOf(f) {
			unwantedIn(u.text, complain(u.node), unwantedWords())
		}
		if f.test {
			continue
		}
		for _, name := range declaredNames(f.file) {
			for _, part := range nameParts.FindAllString(name.Name, -1) {
				if instead := unwantedNames()[strings.ToLower(part)]; instead != "" {
					complain(name)(name.Name, part, instead)
				}
			}
		}
	}
}

// declaredNames returns the names of functions, types, fields, constants and variables of a file.
func declaredNames(file *ast.File) (names []*ast.Ident) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names = append(names, n.Name)
		case *ast.TypeSpec:
			names = append(names, n.Name)
		case *ast.ValueSpec:
			names = append(names, n.Names...)
		case *ast.Field:
			names = append(names, n.Names...)
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && n.Tok.String() == ":=" {
					names = append(names, name)
				}
			}
		}
		return true
	})
	return names
}
