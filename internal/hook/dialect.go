package hook

import (
	"slices"
	"strings"
)

// word is something that agents tell, each in words of its own.
type word string

// What they tell of an event. Where a field has several names the first one counts that says
// something.
const (
	lifted       word = "lifted"       // objects whose fields count as if they stood beside them
	wEvent       word = "event"        // what the agent calls it
	wSession     word = "session"      // its id of the session
	wFolder      word = "folder"       // the one it works in
	wFolders     word = "folders"      // a list of such, the first one counts
	wSource      word = "source"       // of a session's start
	wPrompt      word = "prompt"       // what was asked: a text, or a list of parts
	wSummary     word = "summary"      // that compaction made
	wLast        word = "last"         // what the agent said last
	wLastAtStop  word = "last at stop" // the same, at a stop alone
	wLastAtEnd   word = "last at end"  // the same, at a session's end alone
	wTranscript  word = "transcript"   // the file of what was said
	wHelperTells word = "helper tells" // the same of a helper that stops
	wAgain       word = "again"        // true: it goes on because it was asked
	wRounds      word = "rounds"       // a number above 0 says so, too
	wHelper      word = "helper"       // it is about a helper, if that is told
)

// What they tell of a tool.
const (
	wTool        word = "tool"         // its name
	wInput       word = "input"        // what it was given: an object, or its JSON
	wInputFile   word = "input file"   // in there: the file
	wInputFiles  word = "input files"  // in there: a list of files, the first one counts
	wCommand     word = "command"      // in there: what it runs, a text or its words
	wWorkFolder  word = "work folder"  // in there: where it runs that
	wPatch       word = "patch"        // in there: a patch of files
	wFile        word = "file"         // beside it: the file
	wRan         word = "ran"          // beside it: what was run
	wWholePatch  word = "whole patch"  // beside it, or in its place: a patch of files
	wAnswer      word = "answer"       // what came of it: a text, an object, or its JSON
	wPrinted     word = "printed"      // in there: what was printed
	wError       word = "error"        // what went wrong: a text, or an object with a message
	wCode        word = "code"         // a number other than 0 says that it went wrong
	wWell        word = "well"         // false says so
	wIll         word = "ill"          // true says so
	wResult      word = "result"       // "failure" says so
	wStopped     word = "stopped"      // true says that the person stopped it
	wUnended     word = "unended"      // what is printed begins so when it was stopped, or goes on
	wExitLine    word = "exit line"    // a line of what is printed begins so, and goes on with the code
	wAccountHead word = "account head" // lines before what was printed that begin so are the agent's own
	wAccountTail word = "account tail" // and lines behind it
)

// What stands in a prompt that no person has typed.
const (
	wMachineTag  word = "machine tag"  // <tag>…</tag>: the agent put it there
	wPersonTag   word = "person tag"   // <tag>…</tag>: the agent put that around what was typed
	wCommandTag  word = "command tag"  // <tag>/name</tag>: the command that was typed
	wMachineHead word = "machine head" // a prompt that begins so is the agent's own
	wMachineTail word = "machine tail" // from there on it is the agent's own
)

// dialect is how an agent says what it tells.
type dialect map[word][]string

// and is a dialect with the words of others behind its own, each once.
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

// dialectOf is how an agent by this name speaks: in its own words, else in those of Claude
// Code, which others take over with each version. One that nobody knows may speak any.
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

// The agents' words, each agent's in one place. Sources: those of agentOf; what stands in
// prompts is as the clients write it (Claude Code 2.1.197, Codex 0.169.0, Gemini CLI 0.61.0),
// and of the others as their transcripts have it.

func claudeWords() dialect {
	return dialect{
		wEvent: {"hook_event_name"}, wSession: {"session_id"}, wFolder: {"cwd"}, wSource: {"source"}, wPrompt: {"prompt"},
		wSummary: {"compact_summary"}, wLast: {"last_assistant_message"}, wTranscript: {"transcript_path"}, wHelperTells: {"agent_transcript_path"},
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

// geminiWords are those of Gemini CLI. What its shell has printed stands in an account of
// lines of its own ("Output: …", "Exit Code: 2").
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

// copilotWords are those of VS Code, which has Claude Code's, and of Copilot on the command line.
func copilotWords() dialect {
	return dialect{
		wEvent: {"hookEventName"}, wSession: {"sessionId"}, wTranscript: {"transcriptPath"}, wHelperTells: {"agentTranscriptPath"},
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

// ownWords are those of our plugins, and of OpenCode's and Pi's tools.
func ownWords() dialect {
	return dialect{
		wSession: {"sessionID"}, wFolder: {"directory"}, wSummary: {"summary"}, wHelper: {"parent_agent_id"},
		wTool: {"tool"}, wInput: {"toolInput", "input"}, wInputFile: {"filePath", "path"}, wWorkFolder: {"workdir"}, wPatch: {"patchText", "patch"},
		wPrinted: {"output"}, wError: {"errorMessage"}, wCode: {"exit_code", "exitCode", "code"}, wCommand: {"script"},
	}
}

// shape is how an agent wants to be answered.
type shape string

const (
	shapeClaude      shape = "claude"      // hookSpecificOutput.additionalContext; a stop is blocked with a reason
	shapeCursor      shape = "cursor"      // additional_context; a stop has a followup_message
	shapeCline       shape = "cline"       // contextModification
	shapeAntigravity shape = "antigravity" // steps to inject
	shapeOwn         shape = "own"         // {"context": …, "ask": …}, for plugins of ours
	shapeText        shape = "text"        // plain text
)

// agent is what hooks know of one.
type agent struct {
	shape shape
	tells []Kind // events at which what is said reaches the model
	asks  bool   // at a stop it can be asked to go on
	// inside says that it reads what is asked at a stop where it reads the rest.
	inside bool
	plain  []Kind // events at which it wants plain text although its shape is another
	// events are what it calls the kinds, where an answer must say so.
	events map[Kind]string
}

// claudeEvents are the names of Claude Code's events, which others have taken over.
func claudeEvents() map[Kind]string {
	return map[Kind]string{SessionStart: "SessionStart", Prompt: "UserPromptSubmit", BeforeTool: "PreToolUse", AfterTool: "PostToolUse",
		BeforeCompact: "PreCompact", AfterCompact: "PostCompact", SubagentStop: "SubagentStop", Stop: "Stop", SessionEnd: "SessionEnd"}
}

// agentOf is what is known of an agent by its name. One that is not known is taken for one
// that shows plain text to its model when a session begins and with a prompt, as most do.
//
// Sources: the schemas in Claude Code 2.1.197 and Codex 0.169.0; the hook references of Gemini
// CLI 0.61, VS Code, Cursor, Cline, Kiro, Windsurf, Devin and Antigravity.
func agentOf(name string) agent {
	around := []Kind{SessionStart, Prompt, BeforeTool, AfterTool}
	switch name {
	case "claude-code", "claude":
		// What PreCompact prints goes to whoever writes the summary; PostCompact says nothing to the model.
		return agent{shape: shapeClaude, tells: append(around, BeforeCompact), plain: []Kind{BeforeCompact}, asks: true, events: claudeEvents()}
	case "codex", "devin":
		return agent{shape: shapeClaude, tells: around, asks: true, events: claudeEvents()}
	case "vscode", "copilot":
		return agent{shape: shapeClaude, tells: around, asks: true, inside: true, events: claudeEvents()}
	case "gemini-cli", "gemini":
		return agent{shape: shapeClaude, tells: []Kind{SessionStart, Prompt, AfterTool}, asks: true, events: map[Kind]string{
			SessionStart: "SessionStart", Prompt: "BeforeAgent", BeforeTool: "BeforeTool", AfterTool: "AfterTool", Stop: "AfterAgent"}}
	case "antigravity":
		return agent{shape: shapeAntigravity, tells: []Kind{Prompt}}
	case "cursor":
		return agent{shape: shapeCursor, tells: []Kind{SessionStart, AfterTool}, asks: true}
	case "cline":
		return agent{shape: shapeCline, tells: around}
	case "opencode", "pi":
		return agent{shape: shapeOwn, tells: Kinds(), asks: true}
	case "windsurf":
		return agent{}
	}
	return agent{shape: shapeText, tells: []Kind{SessionStart, Prompt}}
}

// Knows reports whether an agent by this name is known.
func Knows(name string) bool { return name == "kiro" || agentOf(name).shape != shapeText }

// tellsAt reports whether what is said at an event reaches the model.
func (a agent) tellsAt(e Event) bool {
	if a.shape == shapeCursor && e.Kind == AfterTool && strings.HasPrefix(plain(e.Name), "after") {
		return false // afterFileEdit and its like are told, and not asked
	}
	return slices.Contains(a.tells, e.Kind)
}
