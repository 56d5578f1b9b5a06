package mcp

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

const (
	defaultProfile = "agent"
	everyTool      = "all"
	memDialect     = "mem"
)

// selectTools returns the tools that list asks for, by name. list holds profiles and
// tool names, separated by commas; "" is the default profile.
func selectTools(all []tool.Tool, list string) ([]tool.Tool, error) {
	wanted := map[string]bool{}
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.ToLower(strings.TrimSpace(word)); word != "" {
			wanted[word] = true
		}
	}
	if len(wanted) == 0 {
		wanted[defaultProfile] = true
	}
	known := profilesAndTools(all)
	for word := range wanted {
		if !slices.Contains(known, word) {
			return nil, engram.Errorf(engram.CodeInvalid, "there is no MCP profile or tool %q", word).
				WithHint("did you mean %s? profiles: agent, core, admin, mem, all", nearest(word, known))
		}
	}
	var chosen []tool.Tool
	for _, t := range all {
		if slices.ContainsFunc(memberships(t), func(name string) bool { return wanted[name] }) {
			chosen = append(chosen, t)
		}
	}
	slices.SortFunc(chosen, func(a, b tool.Tool) int { return strings.Compare(a.Name, b.Name) })
	return chosen, nil
}

// memberships are the words that select t.
func memberships(t tool.Tool) []string {
	words := append([]string{t.Name, everyTool}, t.Profiles...)
	if strings.HasPrefix(t.Name, memDialect+"_") {
		words = append(words, memDialect)
	}
	return words
}

func profilesAndTools(all []tool.Tool) []string {
	var names []string
	for _, t := range all {
		names = append(names, memberships(t)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// nearest returns the name that takes the fewest edits to become, the first by
// alphabet among equals; "" for no names.
func nearest(word string, names []string) string {
	best, least := "", 0
	for _, name := range names {
		if d := edits(word, name); best == "" || d < least {
			best, least = name, d
		}
	}
	return best
}

// edits counts the bytes to insert, remove or replace to make b of a.
//
// Source: Levenshtein, "Binary codes capable of correcting deletions, insertions and
// reversals", Soviet Physics Doklady 10, 1966; with two rows of the table.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
