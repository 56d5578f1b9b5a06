package agent

import "github.com/alanbuscaglia/engram/internal/setup"

// pi gets an extension, which does everything: pi has hooks and no MCP.
//
// Source: the extensions page of pi-coding-agent.
func pi() Agent {
	dir := func(e Env) string { return e.moved("PI_CODING_AGENT_DIR", e.home(".pi", "agent")) }
	return Agent{
		Name: "pi", Title: "Pi", Aliases: []string{"pi-coding-agent", "pi-agent"},
		Next:   "Start a new session, or type /reload.",
		traces: func(e Env) []string { return []string{dir(e), e.home(".pi")} }, // many programs are named pi
		parts: func(e Env) ([]setup.Part, error) {
			return e.whole("pi", e.join(dir(e), "extensions"), func(name string) (string, bool) { return name, name == "engram.ts" })
		},
	}
}
