// Package dialect translates between agents and package hook: an event of any agent is read and decoded
// (decode.go, by the words of its dialect) into an Event, and an Answer is encoded in the form that the agent
// passes to its model (answer.go).
//
// It decides nothing, and touches no file but the transcript that an event names.
package dialect

import (
	"slices"
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

// word is a fact of an event, for which each agent has its own field names.
type word string

// Facts of an event. Of several field names, the first with a value counts.
const (
	lifted            word = "lifted"       // objects whose fields count as if they were at the top
	wEvent            word = "event"        // event name of the agent
	wSession          word = "session"      // session id of the agent
	wFolder           word = "folder"       // working folder
	wFolders          word = "folders"      // list of working folders; the first one counts
	wSource           word = "source"       // cause of a session start
	wPrompt           word = "prompt"       // the prompt: a text, or a list of parts
	wSummary          word = "summary"      // summary made by a compaction
	wLast             word = "last"         // last message of the agent
	wLastAtStop       word = "last at stop" // the same, only at a stop
	wLastAtEnd        word = "last at end"  // the same, only at a session's end
	wTranscript       word = "transcript"   // file of the conversation
	wHelperTranscript word = "helper tells" // the same, of a subagent that stops
	wAgain            word = "again"        // true: it continues because it was asked
	wRounds           word = "rounds"       // the same, as a number above 0
	wHelper           word = "helper"       // present if the event is about a subagent
)

// Facts of a tool call.
const (
	wTool        word = "tool"         // its name
	wInput       word = "input"        // its input: an object, or the JSON of one
	wInputFile   word = "input file"   // in the input: the file
	wInputFiles  word = "input files"  // in the input: a list of files; the first one counts
	wCommand     word = "command"      // in the input: the command, as a text or as words
	wWorkFolder  word = "work folder"  // in the input: the folder of the command
	wPatch       word = "patch"        // in the input: a patch
	wFile        word = "file"         // beside the input: the file
	wRan         word = "ran"          // beside the input: the command
	wWholePatch  word = "whole patch"  // beside the input or instead of it: a patch
	wAnswer      word = "answer"       // the result: a text, an object, or the JSON of one
	wPrinted     word = "printed"      // in the result: the output
	wError       word = "error"        // the error: a text, or an object with a message
	wCode        word = "code"         // failed if not 0
	wWell        word = "well"         // failed if false
	wIll         word = "ill"          // failed if true
	wResult      word = "result"       // failed if "failure"
	wStopped     word = "stopped"      // the person stopped it, if true
	wUnended     word = "unended"      // beginnings of the output of a stopped or continuing command
	wExitLine    word = "exit line"    // beginnings of an output line with the exit code
	wAccountHead word = "account head" // beginnings of the agent's own lines before the output
	wAccountTail word = "account tail" // and after it
)

// Parts of a prompt that no person typed.
const (
	wMachineTag  word = "machine tag"  // <tag>…</tag>: added by the agent
	wPersonTag   word = "person tag"   // <tag>…</tag>: around what the person typed
	wCommandTag  word = "command tag"  // <tag>/name</tag>: the command that the person typed
	wMachineHead word = "machine head" // beginning of a prompt of the agent's own
	wMachineTail word = "machine tail" // beginning of an addition up to the end
)

// dialect holds the names that an agent uses for each fact.
type dialect map[word][]string

// and returns d with the names of others after its own, each once.
func (d dialect) and(others ...dialect) dialect {
	all := dialect{}
	for _, o := range append([]dialect{d}, others...) {
		for w, names := range o {
			for _, name := range names {
				if !slices.Contains(all[w], name) {
					all[w] = append(all[w], name)
				}
			}
		}
	}
	return all
}

// dialectOf returns the dialect of an agent: its own names, then those of Claude Code, which other
// agents adopt over time. An unknown agent may use any.
func dialectOf(name string) dialect {
	switch name {
	case "claude-code", "claude", "devin":
		return claudeWords()
	case "codex":
		return codexWords().and(claudeWords())
	case "gemini-cli", "gemini":
		return geminiWords().and(claudeWords())
	case "vscode", "copilot", "copilot-cli":
		return copilotWords().and(claudeWords())
	case "antigravity":
		return antigravityWords().and(claudeWords())
	case "cursor":
		return cursorWords().and(claudeWords())
	case "cline":
		return clineWords().and(claudeWords())
	case "kiro":
		return kiroWords().and(claudeWords())
	case "windsurf":
		return windsurfWords().and(claudeWords())
	case "opencode", "pi":
		return ownWords().and(claudeWords())
	}
	return claudeWords().and(codexWords(), geminiWords(), copilotWords(), antigravityWords(), cursorWords(), clineWords(), kiroWords(), windsurfWords(), ownWords())
}

// Dialects, one function per agent. Sources: those of AgentOf; marks in prompts are taken from the
// clients (Claude Code 2.1.197, Codex 0.169.0, Gemini CLI 0.61.0), and for the others from their
// transcripts.

func claudeWords() dialect {
	return dialect{
		wEvent: {"hook_event_name"}, wSession: {"session_id"}, wFolder: {"cwd"}, wSource: {"source"}, wPrompt: {"prompt"},
		wSummary: {"compact_summary"}, wLast: {"last_assistant_message"}, wTranscript: {"transcript_path"}, wHelperTranscript: {"agent_transcript_path"},
		wAgain: {"stop_hook_active"}, wHelper: {"agent_id"},

		wTool: {"tool_name"}, wInput: {"tool_input"}, wInputFile: {"file_path", "notebook_path", "path"}, wCommand: {"command"},
		wAnswer: {"tool_response"}, wPrinted: {"stderr", "error", "stdout", "content"}, wError: {"error"}, wIll: {"is_error", "isError"}, wWell: {"success"},
		wStopped: {"is_interrupt", "interrupted"}, wExitLine: {"Exit code "},

		wMachineTag: {"system-reminder", "task-notification", "local-command-stdout", "local-command-stderr", "local-command-caveat", "bash-input", "bash-stdout",
			"bash-stderr", "command-message", "command-contents", "user-prompt-submit-hook", "session-start-hook", "new-diagnostics", "ide_opened_file", "ide_selection",
			"ide_diagnostics", "teammate-message", "cross-session-message", "fork-boilerplate", "persisted-output", "tick"},
		wCommandTag: {"command-name"}, wPersonTag: {"command-args", "user-memory-input"},
		wMachineHead: {"Caveat: The messages below were generated by the user while running local commands", "[Request interrupted by user",
			"This session is being continued from a previous conversation", "Stop hook feedback:", "Base directory for this skill:"},
	}
}

func codexWords() dialect {
	return dialect{
		wWorkFolder: {"workdir"}, wCommand: {"cmd"}, wPatch: {"input", "patch"}, wWholePatch: {"tool_input", "input"},
		wExitLine:    {"Exit code: ", "Process exited with code "},
		wAccountHead: {"Exit code: ", "Process exited with code ", "Chunk ID: ", "Wall time: ", "Original token count: ", "Total output lines: ", "Output:"},
		wMachineTag: {"user_instructions", "environment_context", "environments_instructions", "permissions_instructions", "apps_instructions", "skills_instructions",
			"plugins_instructions", "turn_aborted", "subagent_notification", "agent_message_board_notification", "user_shell_command", "startup_context"},
		wMachineHead: {"# AGENTS.md instructions"},
	}
}

// geminiWords is the dialect of Gemini CLI. Its shell reports its output among lines of its own
// ("Output: …", "Exit Code: 2").
func geminiWords() dialect {
	return dialect{
		wLast: {"prompt_response"}, wInputFile: {"absolute_path"}, wWorkFolder: {"dir_path", "directory"},
		wPrinted: {"llmContent"}, wExitLine: {"Exit Code: "},
		wAccountHead: {"Command: ", "Directory: ", "Output: "}, wAccountTail: {"(empty)", "Error: (none)", "Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "},
		wUnended:     {"Command was cancelled by user", "Command moved to background"},
		wMachineTag:  {"session_context", "hook_context", "state_snapshot"},
		wMachineTail: {"--- Content from referenced files ---"},
	}
}

// copilotWords is the dialect of VS Code, which also has Claude Code's, and of the Copilot CLI.
func copilotWords() dialect {
	return dialect{
		wEvent: {"hookEventName"}, wSession: {"sessionId"}, wTranscript: {"transcriptPath"}, wHelperTranscript: {"agentTranscriptPath"},
		wTool: {"toolName"}, wInput: {"toolArgs"}, wInputFile: {"filePath", "path"}, wInputFiles: {"files", "paths"}, wAnswer: {"toolResult", "tool_result"},
		wPrinted: {"textResultForLlm"}, wResult: {"resultType"}, wExitLine: {"Command exited with code "}, wPatch: {"input", "patch"},
		wPersonTag:  {"userRequest"},
		wMachineTag: {"attachments", "reminderInstructions", "editorContext", "workspace_info", "environment_info"},
	}
}

func antigravityWords() dialect {
	return dialect{
		lifted: {"toolCall"}, wSession: {"conversationId"}, wFolders: {"workspacePaths"}, wPrompt: {"userPrompt"}, wTranscript: {"transcriptPath"},
		wTool: {"name"}, wInput: {"args"}, wInputFile: {"AbsolutePath", "TargetFile"}, wCommand: {"CommandLine"}, wWorkFolder: {"Cwd"}, wAnswer: {"result", "output"},
		wPersonTag: {"USER_REQUEST"}, wMachineTag: {"ADDITIONAL_METADATA", "USER_SETTINGS_CHANGE", "EPHEMERAL_MESSAGE"},
	}
}

func cursorWords() dialect {
	return dialect{
		wSession: {"conversation_id"}, wFolders: {"workspace_roots"}, wLastAtStop: {"text"}, wRounds: {"loop_count"}, wHelper: {"subagent_id"},
		wInputFile: {"path", "target_file"}, wFile: {"file_path"}, wRan: {"command"}, wWorkFolder: {"cwd", "working_directory"},
		wAnswer: {"tool_output", "result_json", "output"}, wPrinted: {"output"}, wCode: {"exitCode"}, wError: {"error_message"},
		wPersonTag: {"user_query"}, wMachineTag: {"external_links", "attached_files", "open_and_recently_viewed_files", "user_info", "system_reminder"},
	}
}

func clineWords() dialect {
	return dialect{
		lifted: {"userPromptSubmit", "preToolUse", "postToolUse", "taskStart", "taskResume", "taskComplete", "taskMetadata"}, wEvent: {"hookName"}, wSession: {"taskId"}, wFolders: {"workspaceRoots"},
		wPrompt: {"task"}, wLastAtEnd: {"result"}, wTool: {"toolName"}, wInput: {"parameters"}, wInputFile: {"path"}, wAnswer: {"result"},
		wPersonTag: {"task", "feedback", "user_message", "answer"}, wMachineTag: {"environment_details", "file_content", "folder_content", "url_content"},
		wMachineHead: {"[TASK RESUMPTION]"},
	}
}

func kiroWords() dialect {
	return dialect{wInputFile: {"path"}, wAnswer: {"tool_result"}, wPrinted: {"error", "result"}, wCode: {"exit_status"}, wWorkFolder: {"working_dir"}}
}

func windsurfWords() dialect {
	return dialect{
		lifted: {"tool_info"}, wEvent: {"agent_action_name"}, wSession: {"trajectory_id"}, wPrompt: {"user_prompt"}, wLast: {"response"},
		wFile: {"file_path"}, wRan: {"command_line"},
	}
}

// ownWords is the dialect of our plugins, and of OpenCode's and Pi's tools.
func ownWords() dialect {
	return dialect{
		wSession: {"sessionID"}, wFolder: {"directory"}, wSummary: {"summary"}, wHelper: {"parent_agent_id"},
		wTool: {"tool"}, wInput: {"toolInput", "input"}, wInputFile: {"filePath", "path"}, wWorkFolder: {"workdir"}, wPatch: {"patchText", "patch"},
		wPrinted: {"output"}, wError: {"errorMessage"}, wCode: {"exit_code", "exitCode", "code"}, wCommand: {"script"},
	}
}
