package mcp

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/text"
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
			hint := "profiles: agent, core, admin, mem, all"
			if near := text.Nearest(word, known); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return nil, engram.Errorf(engram.CodeInvalid, "there is no MCP profile or tool %q", word).WithHint("%s", hint)
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
