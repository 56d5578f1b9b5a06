package mcp

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// The instructions that a client gives its model, one text for each way of working.
var (
	//go:embed instructions.md
	agentInstructions string
	//go:embed instructions_core.md
	coreInstructions string
	//go:embed instructions_memory.md
	memoryInstructions string
	//go:embed instructions_recall.md
	recallInstructions string
	//go:embed instructions_any.md
	anyInstructions string
)

// way is a way of working with some of the tools.
type way struct {
	needs []string // tools that must be offered for it, beside those of the text with a name such as mem_save
	text  string
}

// instructionsFor returns what a model is told that is offered these tools: of each dialect
// the text that names no tool it does not have. Where several dialects are offered, the
// first counts and the others are told in their own short ones.
func instructionsFor(offered []tool.Tool) string {
	var told []string
	for _, ways := range [][]way{
		{{nil, agentInstructions}, {nil, coreInstructions}},
		{{nil, memoryInstructions}},
		{{[]string{"remember", "recall"}, recallInstructions}},
	} {
		if i := slices.IndexFunc(ways, func(w way) bool { return has(offered, append(named(w.text), w.needs...)) }); i >= 0 {
			told = append(told, strings.TrimSpace(ways[i].text))
		}
	}
	switch len(told) {
	case 0:
		return strings.TrimSpace(anyInstructions)
	case 1:
		return told[0]
	}
	return strings.Join(told, "\n\nTHE SAME MEMORIES BY OTHER TOOLS (use one set, not several)\n")
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
