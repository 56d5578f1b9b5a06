package mcp

import (
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// instead says which tool does what a command does that hints name. Words in angles stand
// for whatever the command has there.
type instead struct{ command, call string }

// calls are the commands that hints name and the tools that do the work of them; of those
// for one command the first that is offered is told, one of the caller's dialect before
// another's.
func calls() []instead {
	return []instead{
		{"projects list", "mem_stats"},
		{"projects merge <from> --into <to>", "mem_merge_projects from=<from> to=<to>"},
		{"search <words>", "mem_search"},
		{"search <words>", "memory_query"},
		{"search <words>", "recall"},
		{"log", "mem_log"},
		{"log --all-projects", "mem_log all_projects=true"},
		{"log --verb <verb>", "mem_log verb=<verb>"},
		{"log <id>", "mem_log id=<id>"},
		{"undo <op>", "mem_undo op=<op>"},
		{"history <id>", "mem_history id=<id>"},
		{"update <id> --scope <scope>", "mem_update id=<id> scope=<scope>"},
		{"graph <id>", "mem_graph id=<id>"},
		{"graph <id>", "memory_graph id=<id>"},
		{"graph <id> --relation <relation>", "mem_graph id=<id> relation_types=<relation>"},
		{"graph <id> --relation <relation>", "memory_graph id=<id> relation_types=<relation>"},
		{"link <a> <b>", "mem_link source_id=<a> relation=relates_to target_id=<b>"},
		{"link <a> <relation> <b>", "mem_link source_id=<a> relation=<relation> target_id=<b>"},
		{"link <a> <relation> <b>", "memory_link"},
		{"unlink <a> <relation> <b>", "mem_unlink source_id=<a> relation=<relation> target_id=<b>"},
		{"conflicts list", "mem_conflicts"},
		{"conflicts judge <id> <verdict>", "mem_judge judgment_id=<id> relation=<verdict>"},
	}
}

// hint is the hint of err for whoever called the tool of that name, "" when it was none:
// with the tools in it that this server offers. What none of them does is told as the
// command, which a person can run, or an agent that has a shell.
func (s *Server) hint(name string, err error) string {
	return engram.HintFor(err, func(c engram.Call) string {
		for _, own := range []bool{true, false} {
			for _, i := range calls() {
				values, ok := c.Match(i.command)
				other, _, _ := strings.Cut(i.call, " ")
				if ok && s.offers(other) && sameDialect(name, other) == own {
					return strings.NewReplacer(argued(values)...).Replace(i.call)
				}
			}
		}
		return c.String()
	})
}

// sameDialect reports whether the names of two tools begin alike: mem_log, mem_undo.
func sameDialect(a, b string) bool {
	first, _, _ := strings.Cut(a, "_")
	other, _, _ := strings.Cut(b, "_")
	return first == other
}

// argued is what Match returned, a value in quotes where it would not be told from what
// follows it.
func argued(values []string) []string {
	all := make([]string, len(values))
	for i, v := range values {
		if all[i] = v; i%2 == 1 && (v == "" || strings.ContainsAny(v, " =\"'\\")) {
			all[i] = strconv.Quote(v)
		}
	}
	return all
}
