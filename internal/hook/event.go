// Package hook is what an agent's life-cycle events run: `engram hook AGENT EVENT` reads the
// JSON of an event, does what belongs to it, and answers in the agent's own shape. It never
// fails and never keeps the agent waiting: what cannot be done in time is left undone.
package hook

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
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
func names() map[string]Kind {
	all := map[string]Kind{
		"userpromptsubmit": Prompt, "beforeagent": Prompt, "beforesubmitprompt": Prompt, "userpromptsubmitted": Prompt, "preuserprompt": Prompt, "promptsubmit": Prompt,
		"pretooluse": BeforeTool, "beforeshellexecution": BeforeTool, "beforereadfile": BeforeTool, "beforemcpexecution": BeforeTool,
		"prereadcode": BeforeTool, "prewritecode": BeforeTool, "preruncommand": BeforeTool,
		"posttooluse": AfterTool, "posttoolusefailure": AfterTool, "aftershellexecution": AfterTool, "afterfileedit": AfterTool, "aftermcpexecution": AfterTool,
		"postwritecode": AfterTool, "postruncommand": AfterTool,
		"precompact": BeforeCompact, "precompress": BeforeCompact, "postcompact": AfterCompact,
		"afteragent": Stop, "agentstop": Stop, "postcascaderesponse": Stop, "afteragentresponse": Stop,
		"taskstart": SessionStart, "taskresume": SessionStart, "agentspawn": SessionStart, "taskcomplete": SessionEnd, "taskcancel": SessionEnd,
	}
	for _, k := range Kinds() {
		all[plain(string(k))] = k
	}
	return all
}

func plain(name string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
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
	Session  string // the agent's id of it
	Folder   string // the one that the agent works in; "" when it is not told
	Subagent bool   // it is about a helper of the agent

	Source  string // of a session's start: startup, resume, clear, compact
	Prompt  string
	Summary string // that compaction made
	Last    string // what the agent said last
	Again   bool   // the agent goes on because of what was said at the last stop

	Tool Tool
}

// Tool is the use of one.
type Tool struct {
	Name    string
	Path    string // the file that it reads or writes, as the agent writes it
	Writes  bool   // it changes the file
	Command string // that it runs
	Failed  bool
	Error   string // or the end of what it printed
}

// maxEvent is how much of an event is read. 8 MiB: the output of a tool may be large.
const maxEvent = 8 << 20

// Decode reads the JSON of an event. Agents differ in the names of its fields, and add some
// with each version: what is not known is passed over, and what is missing stays empty.
func Decode(kind Kind, name string, b []byte) (Event, error) {
	all := fields{}
	if err := json.Unmarshal(b, &all); err != nil {
		return Event{Kind: kind}, err
	}
	e := Event{
		Kind: kind, Session: all.text("session_id", "sessionId", "sessionID", "conversation_id", "taskId", "trajectory_id"),
		Folder: all.text("cwd", "directory"),
		Source: all.text("source"), Prompt: all.text("prompt", "user_prompt"),
		Summary: all.text("compact_summary", "summary"), Last: all.text("last_assistant_message", "prompt_response", "text", "response"),
		Again: all.is("stop_hook_active"), Subagent: all.text("agent_id", "subagent_id", "parent_agent_id") != "" || kind == SubagentStop,
	}
	for _, inner := range []string{"userPromptSubmit", "preToolUse", "postToolUse", "tool_info", "taskStart"} { // some agents put them one deeper
		if o, ok := all[inner].(map[string]any); ok {
			for name, v := range o {
				if _, told := all[name]; !told {
					all[name] = v
				}
			}
		}
	}
	e.Prompt = first(e.Prompt, all.text("prompt", "user_prompt"))
	e.Last = first(e.Last, all.text("response"))
	if e.Folder == "" {
		e.Folder = all.firstOf("workspace_roots", "workspaceRoots")
	}
	if kind == BeforeTool || kind == AfterTool {
		e.Tool = all.tool(plain(name))
	}
	return e, nil
}

// fields are those of an event, by the agent's names.
type fields map[string]any

func (f fields) text(names ...string) string {
	for _, name := range names {
		if s, ok := f[name].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

func (f fields) is(name string) bool { yes, _ := f[name].(bool); return yes }

func (f fields) firstOf(names ...string) string {
	for _, name := range names {
		if list, ok := f[name].([]any); ok && len(list) > 0 {
			if s, ok := list[0].(string); ok {
				return s
			}
		}
	}
	return ""
}

// object is a field that is an object, or the JSON of one.
func (f fields) object(names ...string) fields {
	for _, name := range names {
		switch v := f[name].(type) {
		case map[string]any:
			return v
		case string:
			inner := fields{}
			if json.Unmarshal([]byte(v), &inner) == nil {
				return inner
			}
		}
	}
	return nil
}

// writers are words in the names of tools and events that change files.
func writers() []string { return []string{"write", "edit", "patch", "replace", "create", "insert"} }

// tool is the use of a tool that an event tells of; event is the name of that.
func (f fields) tool(event string) Tool {
	in := f.object("tool_input", "toolInput", "toolArgs", "parameters", "input", "args")
	t := Tool{
		Name:    first(f.text("tool_name", "toolName", "tool", "name"), event),
		Path:    first(in.text("file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file"), f.text("file_path", "filePath")),
		Command: first(in.text("command", "cmd", "script"), f.text("command", "command_line")),
	}
	named := strings.ToLower(t.Name) + " " + event
	t.Writes = t.Path != "" && slices.ContainsFunc(writers(), func(w string) bool { return strings.Contains(named, w) })
	t.Path = filepath.FromSlash(t.Path)
	t.Error = f.text("error", "error_message")
	t.Failed = t.Error != "" || strings.Contains(event, "failure")
	for _, out := range []fields{f, f.object("tool_response", "tool_result", "toolResult", "result", "result_json", "output")} {
		t.readResult(out)
	}
	return t
}

// readResult reads how a tool ended.
func (t *Tool) readResult(out fields) {
	for _, name := range []string{"exit_code", "exitCode", "code"} {
		if n, ok := out[name].(float64); ok && n != 0 {
			t.Failed = true
		}
	}
	if ok, told := out["success"].(bool); told && !ok || out.is("is_error") || out.is("isError") {
		t.Failed = true
	}
	if result := out.text("resultType"); result == "failure" {
		t.Failed = true
	}
	if t.Failed && t.Error == "" {
		t.Error = out.text("stderr", "error", "output", "stdout", "textResultForLlm", "llmContent")
	}
}

func first(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
