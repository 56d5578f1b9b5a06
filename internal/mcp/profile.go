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
	// smallProfile offers its tools in few and short words, for small models.
	smallProfile = "core"
	adminProfile = "admin"
)

// Profiles returns the names that choose several tools at once, in the order in which
// they are explained.
func Profiles() []string {
	return []string{defaultProfile, smallProfile, adminProfile, memDialect, "memory", "recall", everyTool}
}

// selectTools returns the tools that list asks for, by name, and those that are taken
// beside them without being listed. list holds profiles and tool names, separated by commas;
// "" is the default profile. A tool that only the core profile asks for is described as for a
// small model.
//
// A profile of the mem_* dialect decides what a model reads about, not what a client may
// call: plugins and scripts call what they know. Whoever names single tools means those
// and no others.
func selectTools(all []tool.Tool, list string) (chosen, beside []tool.Tool, err error) {
	wanted, err := wantedOf(profilesAndTools(all), list)
	if err != nil {
		return nil, nil, err
	}
	whole := slices.ContainsFunc(wanted, func(w string) bool { return slices.Contains(memProfiles(), w) })
	for _, t := range all {
		by := memberships(t)
		by = slices.DeleteFunc(by, func(name string) bool { return !slices.Contains(wanted, name) })
		switch {
		case len(by) == 0 && whole && strings.HasPrefix(t.Name, memDialect+"_"):
			beside = append(beside, t)
		case len(by) == 0:
		case slices.Equal(by, []string{smallProfile}):
			chosen = append(chosen, t.Small())
		default:
			chosen = append(chosen, t)
		}
	}
	slices.SortFunc(chosen, func(a, b tool.Tool) int { return strings.Compare(a.Name, b.Name) })
	return chosen, beside, nil
}

// memProfiles are the profiles that show tools of the mem_* dialect.
func memProfiles() []string {
	return []string{defaultProfile, smallProfile, adminProfile, memDialect, everyTool}
}

// wantedOf reads a list of profiles and tool names, all of them known: each once, sorted,
// so that two lists that mean the same read the same.
func wantedOf(known []string, list string) ([]string, error) {
	var wanted []string
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.ToLower(strings.TrimSpace(word)); word == "" {
			continue
		}
		if !slices.Contains(known, word) {
			hint := "profiles: " + strings.Join(Profiles(), ", ") + "; or names of tools"
			if near := text.Nearest(word, known); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return nil, engram.Errorf(engram.CodeInvalid, "there is no MCP profile or tool %q", tool.Clip(word)).WithHint("%s", hint)
		}
		wanted = append(wanted, word)
	}
	if len(wanted) == 0 {
		wanted = []string{defaultProfile}
	}
	slices.Sort(wanted)
	return slices.Compact(wanted), nil
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
	names := Profiles()
	for _, t := range all {
		names = append(names, memberships(t)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
