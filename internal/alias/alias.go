// Package alias holds the rules of words that mean the same: a table of abbreviations that developers use for the
// word (table.go), the user's own groups (alias.go), and definitions in a text, such as "Kubernetes (k8s)"
// (define.go).
//
// Words are compared as the index has them. A group is symmetric: each of its words finds the others. It is not
// transitive, so that a word in two groups does not join them.
package alias

import (
	"fmt"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Table has the aliases of words. The zero value has the built-in ones. It is safe for concurrent use.
type Table struct {
	own map[string][]string // indexed words by indexed word
}

// New returns the built-in table with further groups, as Parse returns them.
func New(groups [][]string) Table { return Table{own: others(groups)} }

// Add sets Also of the terms that have aliases, and returns terms. Terms of an expression of time and stop words
// stay as they are.
func (t Table) Add(terms []engram.Term) []engram.Term {
	for i := range terms {
		term := &terms[i]
		if term.Stop || term.Time {
			continue
		}
		for _, also := range [][]string{builtIn()[term.Word], t.own[term.Word]} {
			term.Also = append(term.Also, also...)
		}
	}
	return terms
}

// builtIn returns the aliases of the built-in groups.
var builtIn = sync.OnceValue(func() map[string][]string { return others(BuiltIn()) })

// BuiltIn returns the groups of the table, words in lower case.
func BuiltIn() [][]string {
	var groups [][]string
	for line := range strings.Lines(table) {
		groups = append(groups, strings.Fields(line))
	}
	return groups
}

// others returns for each word of the groups the other words of its groups, all as indexed.
func others(groups [][]string) map[string][]string {
	also := map[string][]string{}
	for _, g := range groups {
		words := make([]string, len(g))
		for i, word := range g {
			words[i] = indexed(word)
		}
		for i, word := range words {
			also[word] = append(append(also[word], words[:i]...), words[i+1:]...)
		}
	}
	return also
}

// indexed returns a word as the index has it; "" if it is not one word with a topic.
func indexed(word string) string {
	terms := text.Terms(strings.ToLower(word)) // PostgreSQL would be three words
	if len(terms) != 1 || terms[0].Stop {
		return ""
	}
	return terms[0].Word
}

// Bounds of the user's groups: a question must not turn into hundreds of words.
const (
	MaxGroups = 200
	MaxWords  = 8 // in a group
)

// Parse reads groups as "wm=warehouse, fe=frontend=ui". Its error is a sentence that names the entry. Each word may
// stand in one group.
func Parse(list string) ([][]string, error) {
	var groups [][]string
	seen := map[string]string{} // words as written, by indexed word
	for entry := range strings.SplitSeq(list, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		var group []string
		for word := range strings.SplitSeq(entry, "=") {
			word = strings.ToLower(strings.TrimSpace(word))
			stem := indexed(word)
			if stem == "" {
				return nil, fmt.Errorf("%.60q in %.60q is not one word to search for; one group is like fe=frontend", word, entry)
			}
			if same, is := seen[stem]; is {
				return nil, fmt.Errorf("%.60q is the same word as %.60q, which is already there", word, same)
			}
			seen[stem] = word
			group = append(group, word)
		}
		if len(group) < 2 || len(group) > MaxWords {
			return nil, fmt.Errorf("%.60q has %s; a group has 2 to %d, like fe=frontend", entry, text.Counted(len(group), "word", "words"), MaxWords)
		}
		if groups = append(groups, group); len(groups) > MaxGroups {
			return nil, fmt.Errorf("there are more than %d groups", MaxGroups)
		}
	}
	return groups, nil
}

// Format writes groups as Parse reads them; "" for none.
func Format(groups [][]string) string {
	var entries []string
	for _, g := range groups {
		entries = append(entries, strings.Join(g, "="))
	}
	return strings.Join(entries, ", ")
}
