// Package hook is what an agent's life-cycle events run: `engram hook AGENT EVENT` reads the
// JSON of an event (read.go, decode.go) in the agent's own words (dialects.go, use.go, typed.go), does what belongs to it (handle.go, session.go,
// work.go, stop.go, write.go), and answers in the agent's own shape (answer.go, agent.go).
//
// It never fails and never keeps the agent waiting: what cannot be done in time is left
// undone, and what was to be written then waits in the notebook for the next event.
package hook

import (
	"strings"
	"sync"
)

// Kind is what happened.
type Kind string

// The kinds.
const (
	SessionStart  Kind = "session-start"
	Prompt        Kind = "prompt"
	BeforeTool    Kind = "before-tool"
	AfterTool     Kind = "after-tool"
	BeforeCompact Kind = "before-compact"
	AfterCompact  Kind = "after-compact"
	SubagentStop  Kind = "subagent-stop"
	Stop          Kind = "stop"
	SessionEnd    Kind = "session-end"
)

// Kinds are all of them, in the order of a session.
func Kinds() []Kind {
	return []Kind{SessionStart, Prompt, BeforeTool, AfterTool, BeforeCompact, AfterCompact, SubagentStop, Stop, SessionEnd}
}

// names are what agents call the events, without case, dashes and underscores.
var names = sync.OnceValue(func() map[string]Kind {
	all := map[string]Kind{
		"userpromptsubmit": Prompt, "beforeagent": Prompt, "beforesubmitprompt": Prompt, "userpromptsubmitted": Prompt, "preuserprompt": Prompt, "promptsubmit": Prompt,
		"preinvocation": Prompt,
		"pretooluse":    BeforeTool, "beforeshellexecution": BeforeTool, "beforereadfile": BeforeTool, "beforemcpexecution": BeforeTool,
		"prereadcode": BeforeTool, "prewritecode": BeforeTool, "preruncommand": BeforeTool, "premcptooluse": BeforeTool,
		"posttooluse": AfterTool, "posttoolusefailure": AfterTool, "aftershellexecution": AfterTool, "afterfileedit": AfterTool, "aftermcpexecution": AfterTool,
		"postreadcode": AfterTool, "postwritecode": AfterTool, "postruncommand": AfterTool, "postmcptooluse": AfterTool,
		"precompact": BeforeCompact, "precompress": BeforeCompact, "postcompact": AfterCompact,
		"afteragent": Stop, "agentstop": Stop, "postcascaderesponse": Stop, "afteragentresponse": Stop,
		"taskstart": SessionStart, "taskresume": SessionStart, "agentspawn": SessionStart, "taskcomplete": SessionEnd, "taskcancel": SessionEnd,
	}
	for _, k := range Kinds() {
		all[plain(string(k))] = k
	}
	return all
})

func plain(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(name), "-", ""), "_", "")
}

// KindOf is the kind that a name stands for: ours, or that of an agent; known is false for
// one that is neither, which a later version of the agent may send.
func KindOf(name string) (k Kind, known bool) {
	k, known = names()[plain(name)]
	return k, known
}

// Event is what an agent tells.
type Event struct {
	Kind     Kind
	Name     string // what the agent calls it, "" when it does not say
	Session  string // the agent's id of it; "" when it has none
	Folder   string // the one that the agent works in; "" when it is not told
	Subagent bool   // it is about a helper of the agent

	Source     string // of a session's start: startup, resume, clear, compact
	Prompt     string
	Summary    string // that compaction made
	Last       string // what the agent said last
	Transcript string // path of a file that has what it said; "" when there is none
	Again      bool   // the agent goes on because of what was said at the last stop

	Tool Tool
}

// Tool is the use of one.
type Tool struct {
	Name    string
	Path    string // the file that it reads or writes, as the agent writes it
	Writes  bool   // it changes the file
	Command string // that it runs
	Folder  string // in which it runs that, where the agent says so; from the event's folder on
	Failed  bool
	Stopped bool   // by the person, which is no failure
	Error   string // what it said when it failed, or the end of what it printed
}
