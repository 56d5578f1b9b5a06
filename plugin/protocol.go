package plugin

import (
	_ "embed"
	"slices"
	"strings"
)

// source is the protocol with marks that say which variants each line belongs to.
//
//go:embed protocol.md
var source string

// Variant selects the readers of the protocol: it decides which tools the text names and what the agent does
// itself. The zero value is no variant.
type Variant string

// The variants. Server, Core, Memory, Recall and Any are instructions of the MCP server, which chooses by the
// tools it offers; the others go into files of agents.
const (
	// Hooks is for agents whose hooks call engram hook: they receive the context, and their prompts and
	// learnings are saved, so the text asks for the rest.
	Hooks Variant = "hooks"
	// NoHooks is for agents with the mem_* tools and without hooks, which must call mem_context,
	// mem_save_prompt and mem_session_summary themselves.
	NoHooks Variant = "no-hooks"
	// Shell is for agents that run commands and have no tools of Engram.
	Shell Variant = "shell"
	// Server is for the agent profile, with or without hooks. It stays below 2,048 characters, where clients
	// cut.
	Server Variant = "server"
	// Core is Server for small models, which are offered three tools.
	Core Variant = "core"
	// Memory is Server for the tools named memory_….
	Memory Variant = "memory"
	// Recall is Server for remember, recall and forget.
	Recall Variant = "recall"
	// Any is Server for any other selection of tools, and names none.
	Any Variant = "any"
)

// Variants returns every variant, in the order in which they are documented.
func Variants() []Variant {
	return []Variant{Hooks, NoHooks, Shell, Server, Core, Memory, Recall, Any}
}

// Protocol returns a variant of the protocol: Markdown without headings and marks, trimmed; "" for an unknown
// variant.
func Protocol(v Variant) string {
	var b strings.Builder
	b.Grow(2048) // most variants have less
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

// mark reads a line that says which variants the lines below belong to.
func mark(line string) (variants []string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "<!-- for: ")
	if !ok {
		return nil, false
	}
	names, ok := strings.CutSuffix(rest, " -->")
	return strings.Fields(names), ok
}
