// Package dialect translates between agents and package hook: an event of any agent is read and decoded
// (decode.go, by the words of words.go, tool calls by tool.go) into an Event, and an Answer is encoded in
// the form that the agent passes to its model (answer.go, agent.go).
//
// It decides nothing, and touches no file but the transcript that an event names (transcript.go).
package dialect

import (
	"strings"
	"sync"
)

// Kind is the kind of an event.
type Kind string

// Kinds of events.
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

// Kinds returns all kinds, in the order of a session.
func Kinds() []Kind {
	return []Kind{SessionStart, Prompt, BeforeTool, AfterTool, BeforeCompact, AfterCompact, SubagentStop, Stop, SessionEnd}
}

// names maps event names of agents, without case, dashes and underscores, to kinds.
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

// KindOf returns the kind of an event name, ours or an agent's. known is false for other names,
// which later versions of an agent may send.
func KindOf(name string) (k Kind, known bool) {
	k, known = names()[plain(name)]
	return k, known
}

// Event is a decoded event.
type Event struct {
	Kind     Kind
	Name     string // the agent's name of it, "" if not given
	Session  string // the agent's session id; "" if it has none
	Folder   string // working folder; "" if not given
	Subagent bool   // it is about a subagent

	Source     string // cause of a session start: startup, resume, clear, compact
	Prompt     string
	Summary    string // summary made by a compaction
	Last       string // last message of the agent
	Transcript string // file with that message, or ""
	Again      bool   // the agent continues because of the answer to the last stop

	Tool Tool
}

// Tool is a tool call.
type Tool struct {
	Name    string
	Path    string // file read or written, in the agent's spelling
	Writes  bool   // the call changes the file
	Command string // command that ran
	Folder  string // its folder if given, relative to the event's
	Failed  bool
	Stopped bool   // by the person, which is not a failure
	Error   string // error message, or the end of the output
}
