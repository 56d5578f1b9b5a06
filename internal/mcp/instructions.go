package mcp

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// Instructions are what a client gives its model, one text for each way of working; "" is
// none. They are handed in, because the same words stand in skills and rules of agents.
type Instructions struct {
	Agent  string // for the agent profile
	Core   string // for the core profile, whose readers are small models
	Memory string // for the tools named memory_…
	Recall string // for remember, recall and forget
	Any    string // for any other choice of tools; names none
}

// way is a way of working with some of the tools.
type way struct {
	needs []string // tools that must be offered for it, beside those of the text with a name such as mem_save
	text  string
}

// offering returns what a model is told that is offered these tools: of each dialect
// the text that names no tool it does not have. Where several dialects are offered, the
// first counts and the others are told in their own short ones.
func (i Instructions) offering(offered []tool.Tool) string {
	var told []string
	for _, ways := range [][]way{
		{{nil, i.Agent}, {nil, i.Core}},
		{{nil, i.Memory}},
		{{[]string{"remember", "recall"}, i.Recall}},
	} {
		if i := slices.IndexFunc(ways, func(w way) bool { return w.fits(offered) }); i >= 0 {
			told = append(told, ways[i].text)
		}
	}
	switch len(told) {
	case 0:
		return i.Any
	case 1:
		return told[0]
	}
	return strings.Join(told, "\n\nTHE SAME MEMORIES BY OTHER TOOLS (use one set, not several)\n")
}

// fits reports whether everything that w names is offered.
func (w way) fits(offered []tool.Tool) bool {
	return w.text != "" && has(offered, append(named(w.text), w.needs...))
}

// named returns the tools that a text names, as far as they can be told from other words.
func named(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
	return slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, "mem_") && !strings.HasPrefix(w, "memory_") })
}

// has reports whether every one of the names is a tool's.
func has(tools []tool.Tool, names []string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(tools, func(t tool.Tool) bool { return t.Name == name }) {
			return false
		}
	}
	return true
}
