package plugin

import (
	_ "embed"
	"slices"
	"strings"
)

// source is the protocol with the marks that say which variant a line belongs to.
//
//go:embed protocol.md
var source string

// Variant is for whom the protocol is told: it decides which tools the text names and what
// the agent has to do itself. The zero value is no variant.
type Variant string

// The variants. Server, Core, Memory, Recall and Any are the MCP server's instructions, of
// which it chooses by the tools that it offers; the others go into files of the agent.
const (
	// Hooks is for agents whose hooks call engram hook: they are told the context, their
	// prompts are kept and their learnings saved, so the text asks for the rest.
	Hooks Variant = "hooks"
	// NoHooks is for agents that have the mem_* tools and no hooks, and so have to call
	// mem_context, mem_save_prompt and mem_session_summary themselves.
	NoHooks Variant = "no-hooks"
	// Shell is for agents that run commands and have no tools of Engram.
	Shell Variant = "shell"
	// Server is what the MCP server says that offers the agent profile. It cannot know
	// whether there are hooks, and stays below 2,048 characters: clients cut what is longer.
	Server Variant = "server"
	// Core is Server for small models, which are offered three tools.
	Core Variant = "core"
	// Memory is Server for the tools named memory_….
	Memory Variant = "memory"
	// Recall is Server for remember, recall and forget.
	Recall Variant = "recall"
	// Any is Server for whatever other choice of tools, and names none.
	Any Variant = "any"
)

// Variants returns every variant, in the order in which they are documented.
func Variants() []Variant {
	return []Variant{Hooks, NoHooks, Shell, Server, Core, Memory, Recall, Any}
}

// Protocol returns the protocol in a variant: Markdown without headings and marks, no
// space around it; "" for a variant that does not exist.
func Protocol(v Variant) string {
	var b strings.Builder
	mine := false
	for line := range strings.Lines(source) {
		if names, ok := mark(line); ok {
			mine = slices.Contains(names, string(v))
			continue
		}
		if mine {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}

// mark reads a line that says to which variants those below it belong.
func mark(line string) (variants []string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "<!-- for: ")
	if !ok {
		return nil, false
	}
	names, ok := strings.CutSuffix(rest, " -->")
	return strings.Fields(names), ok
}
