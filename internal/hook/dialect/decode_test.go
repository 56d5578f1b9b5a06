package dialect_test

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram/internal/hook/dialect"
)

// events are those of real agents, as they send them: each kind that an agent has, once.
func events() []struct {
	name, agent, event, text string
	want                     dialect.Event
} {
	return []struct {
		name, agent, event, text string
		want                     dialect.Event
	}{
		{"Claude Code starts", "claude-code", "session-start",
			`{"session_id":"c1","transcript_path":"/t/c1.jsonl","cwd":"/w/shop","hook_event_name":"SessionStart","source":"startup","model":"m"}`,
			dialect.Event{Name: "SessionStart", Session: "c1", Folder: "/w/shop", Source: "startup", Transcript: "/t/c1.jsonl"}},
		{"Claude Code starts again after compaction", "claude-code", "SessionStart",
			`{"session_id":"c1","cwd":"/w/shop","hook_event_name":"SessionStart","source":"compact"}`,
			dialect.Event{Name: "SessionStart", Session: "c1", Folder: "/w/shop", Source: "compact"}},
		{"Claude Code is asked", "claude-code", "prompt",
			`{"session_id":"c1","transcript_path":"/t/c1.jsonl","cwd":"/w/shop","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"fix it"}`,
			dialect.Event{Name: "UserPromptSubmit", Session: "c1", Folder: "/w/shop", Prompt: "fix it", Transcript: "/t/c1.jsonl"}},
		{"a helper of Claude Code is asked", "claude-code", "prompt",
			`{"session_id":"c1","cwd":"/w/shop","hook_event_name":"UserPromptSubmit","prompt":"look around","agent_id":"a7","agent_type":"Explore"}`,
			dialect.Event{Name: "UserPromptSubmit", Session: "c1", Folder: "/w/shop", Prompt: "look around", Subagent: true}},
		{"Claude Code will edit", "claude-code", "PreToolUse",
			`{"session_id":"c1","cwd":"/w/shop","hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"/w/shop/a.go","old_string":"x","new_string":"y"},"tool_use_id":"t1"}`,
			dialect.Event{Name: "PreToolUse", Session: "c1", Folder: "/w/shop", Tool: dialect.Tool{Name: "Edit", Path: "/w/shop/a.go", Writes: true}}},
		{"Claude Code has read", "claude-code", "PostToolUse",
			`{"session_id":"c1","cwd":"/w/shop","hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"/w/shop/a.go"},"tool_response":{"type":"text","file":{"content":"error: none"}},"tool_use_id":"t1"}`,
			dialect.Event{Name: "PostToolUse", Session: "c1", Folder: "/w/shop", Tool: dialect.Tool{Name: "Read", Path: "/w/shop/a.go"}}},
		{"Claude Code has run", "claude-code", "PostToolUse",
			`{"session_id":"c1","cwd":"/w/shop","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"go test ./...","description":"Run tests"},"tool_response":{"stdout":"ok","stderr":"","interrupted":false,"isImage":false}}`,
			dialect.Event{Name: "PostToolUse", Session: "c1", Folder: "/w/shop", Tool: dialect.Tool{Name: "Bash", Command: "go test ./..."}}},
		{"a command of Claude Code failed", "claude-code", "PostToolUseFailure",
			`{"session_id":"c1","cwd":"/w/shop","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"go test"},"error":"Exit code 1\nFAIL","is_interrupt":false}`,
			dialect.Event{Name: "PostToolUseFailure", Session: "c1", Folder: "/w/shop", Tool: dialect.Tool{Name: "Bash", Command: "go test", Failed: true, Error: "Exit code 1\nFAIL"}}},
		{"the person stopped a command of Claude Code", "claude-code", "PostToolUseFailure",
			`{"session_id":"c1","cwd":"/w/shop","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"go test"},"error":"stopped","is_interrupt":true}`,
			dialect.Event{Name: "PostToolUseFailure", Session: "c1", Folder: "/w/shop", Tool: dialect.Tool{Name: "Bash", Command: "go test", Stopped: true}}},
		{"Claude Code will compact", "claude-code", "PreCompact",
			`{"session_id":"c1","cwd":"/w/shop","hook_event_name":"PreCompact","trigger":"auto","custom_instructions":null}`,
			dialect.Event{Name: "PreCompact", Session: "c1", Folder: "/w/shop"}},
		{"Claude Code has compacted", "claude-code", "PostCompact",
			`{"session_id":"c1","cwd":"/w/shop","hook_event_name":"PostCompact","trigger":"auto","compact_summary":"we did much"}`,
			dialect.Event{Name: "PostCompact", Session: "c1", Folder: "/w/shop", Summary: "we did much"}},
		{"a helper of Claude Code stops", "claude-code", "SubagentStop",
			`{"session_id":"c1","transcript_path":"/t/c1.jsonl","cwd":"/w/shop","hook_event_name":"SubagentStop","stop_hook_active":false,"agent_id":"a7","agent_transcript_path":"/t/a7.jsonl","agent_type":"Explore","last_assistant_message":"found"}`,
			dialect.Event{Name: "SubagentStop", Session: "c1", Folder: "/w/shop", Last: "found", Transcript: "/t/a7.jsonl", Subagent: true}},
		{"Claude Code stops", "claude-code", "Stop",
			`{"session_id":"c1","cwd":"/w/shop","hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"done","background_tasks":[]}`,
			dialect.Event{Name: "Stop", Session: "c1", Folder: "/w/shop", Last: "done", Again: true}},
		{"Claude Code ends", "claude-code", "SessionEnd",
			`{"session_id":"c1","cwd":"/w/shop","hook_event_name":"SessionEnd","reason":"prompt_input_exit"}`,
			dialect.Event{Name: "SessionEnd", Session: "c1", Folder: "/w/shop"}},

		{"Codex patches", "codex", "PostToolUse",
			`{"session_id":"x1","turn_id":"3","transcript_path":null,"cwd":"/w/shop","hook_event_name":"PostToolUse","model":"m","permission_mode":"default","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: auth/session.go\n@@\n-a\n+b\n*** End Patch"},"tool_response":"Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.","tool_use_id":"t"}`,
			dialect.Event{Name: "PostToolUse", Session: "x1", Folder: "/w/shop", Tool: dialect.Tool{Name: "apply_patch", Path: "auth/session.go", Writes: true}}},
		{"a command of Codex failed", "codex", "PostToolUse",
			`{"session_id":"x1","turn_id":"3","transcript_path":null,"cwd":"/w/shop","hook_event_name":"PostToolUse","model":"m","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"go test"},"tool_response":"Exit code: 2\nWall time: 1 seconds\nOutput:\nboom","tool_use_id":"t"}`,
			dialect.Event{Name: "PostToolUse", Session: "x1", Folder: "/w/shop", Tool: dialect.Tool{Name: "Bash", Command: "go test", Failed: true, Error: "boom"}}},
		{"another shell of Codex", "codex", "PostToolUse",
			`{"session_id":"x1","cwd":"/w/shop","hook_event_name":"PostToolUse","tool_name":"exec_command","tool_input":{"cmd":"make","workdir":"/w/shop/cart"},"tool_response":"Chunk ID: 7f\nWall time: 1.2 seconds\nProcess exited with code 2\nOriginal token count: 3\nOutput:\nboom\nOutput: of the program\n"}`,
			dialect.Event{Name: "PostToolUse", Session: "x1", Folder: "/w/shop", Tool: dialect.Tool{Name: "exec_command", Command: "make", Folder: "/w/shop/cart", Failed: true, Error: "boom\nOutput: of the program"}}},
		{"Codex stops", "codex", "Stop",
			`{"session_id":"x1","turn_id":"3","transcript_path":"/t/r.jsonl","cwd":"/w/shop","hook_event_name":"Stop","model":"m","permission_mode":"default","stop_hook_active":false,"last_assistant_message":null}`,
			dialect.Event{Name: "Stop", Session: "x1", Folder: "/w/shop", Transcript: "/t/r.jsonl"}},

		{"Gemini CLI is asked", "gemini-cli", "BeforeAgent",
			`{"session_id":"g1","transcript_path":"/t/g.json","cwd":"/w/shop","hook_event_name":"BeforeAgent","timestamp":"2026-01-01T00:00:00Z","prompt":"fix it"}`,
			dialect.Event{Name: "BeforeAgent", Session: "g1", Folder: "/w/shop", Prompt: "fix it", Transcript: "/t/g.json"}},
		{"Gemini CLI has written", "gemini-cli", "AfterTool",
			`{"session_id":"g1","cwd":"/w/shop","hook_event_name":"AfterTool","tool_name":"write_file","tool_input":{"file_path":"a.go","content":"x"},"tool_response":{"llmContent":"Successfully wrote","returnDisplay":"x"}}`,
			dialect.Event{Name: "AfterTool", Session: "g1", Folder: "/w/shop", Tool: dialect.Tool{Name: "write_file", Path: "a.go", Writes: true}}},
		{"a command of Gemini CLI failed", "gemini-cli", "AfterTool",
			`{"session_id":"g1","cwd":"/w/shop","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"make"},"tool_response":{"llmContent":"Output: boom\nExit Code: 2\nProcess Group PGID: 7","returnDisplay":"boom"}}`,
			dialect.Event{Name: "AfterTool", Session: "g1", Folder: "/w/shop", Tool: dialect.Tool{Name: "run_shell_command", Command: "make", Failed: true, Error: "boom"}}},
		{"what Gemini CLI has run", "gemini-cli", "AfterTool",
			`{"session_id":"g1","cwd":"/w/shop","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"make","dir_path":"cart"},"tool_response":{"llmContent":"Output: (empty)\nProcess Group PGID: 7","returnDisplay":""}}`,
			dialect.Event{Name: "AfterTool", Session: "g1", Folder: "/w/shop", Tool: dialect.Tool{Name: "run_shell_command", Command: "make", Folder: "cart"}}},
		{"what a program prints that looks like an account is its own", "gemini-cli", "AfterTool",
			`{"session_id":"g1","cwd":"/w/shop","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"node a.js"},"tool_response":{"llmContent":"Output: a.js:10\nError: no cart\n    at a.js:10\nSignal: none\nbye\n\nExit Code: 1\nSignal: 15\nBackground PIDs: 8, 9\nProcess Group PGID: 7"}}`,
			dialect.Event{Name: "AfterTool", Session: "g1", Folder: "/w/shop", Tool: dialect.Tool{Name: "run_shell_command", Command: "node a.js", Failed: true, Error: "a.js:10\nError: no cart\n    at a.js:10\nSignal: none\nbye"}}},
		{"an older Gemini CLI", "gemini-cli", "AfterTool",
			`{"session_id":"g1","cwd":"/w/shop","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"make","directory":"cart"},"tool_response":{"llmContent":[{"text":"Command: make\nDirectory: cart\nOutput: boom\nError: (none)\nExit Code: 2\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 7"}]}}`,
			dialect.Event{Name: "AfterTool", Session: "g1", Folder: "/w/shop", Tool: dialect.Tool{Name: "run_shell_command", Command: "make", Folder: "cart", Failed: true, Error: "boom"}}},
		{"a command of Gemini CLI that the person stopped", "gemini-cli", "AfterTool",
			`{"session_id":"g1","cwd":"/w/shop","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"make"},"tool_response":{"llmContent":"Command was cancelled by user before it could complete. There was no output before it was cancelled."}}`,
			dialect.Event{Name: "AfterTool", Session: "g1", Folder: "/w/shop", Tool: dialect.Tool{Name: "run_shell_command", Command: "make", Stopped: true}}},
		{"a command of Gemini CLI that goes on has not passed", "gemini-cli", "AfterTool",
			`{"session_id":"g1","cwd":"/w/shop","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"make serve"},"tool_response":{"llmContent":"Command moved to background (PID: 7). Output hidden. Press Ctrl+B to view."}}`,
			dialect.Event{Name: "AfterTool", Session: "g1", Folder: "/w/shop", Tool: dialect.Tool{Name: "run_shell_command", Command: "make serve", Stopped: true}}},
		{"a tool of Gemini CLI failed", "gemini-cli", "AfterTool",
			`{"session_id":"g1","cwd":"/w/shop","hook_event_name":"AfterTool","tool_name":"read_file","tool_input":{"absolute_path":"/w/shop/no.go"},"tool_response":{"llmContent":"","error":{"message":"File not found","type":"file_not_found"}}}`,
			dialect.Event{Name: "AfterTool", Session: "g1", Folder: "/w/shop", Tool: dialect.Tool{Name: "read_file", Path: "/w/shop/no.go", Failed: true, Error: "File not found"}}},
		{"Gemini CLI stops", "gemini-cli", "AfterAgent",
			`{"session_id":"g1","cwd":"/w/shop","hook_event_name":"AfterAgent","prompt":"fix it","prompt_response":"done","stop_hook_active":false}`,
			dialect.Event{Name: "AfterAgent", Session: "g1", Folder: "/w/shop", Prompt: "fix it", Last: "done"}},

		{"Antigravity asks its model", "antigravity", "PreInvocation",
			`{"conversationId":"v1","invocationNum":0,"userPrompt":"fix it","transcriptPath":"/t/v","workspacePaths":["/w/shop"]}`,
			dialect.Event{Session: "v1", Folder: "/w/shop", Prompt: "fix it", Transcript: "/t/v"}},
		{"a command of Antigravity failed", "antigravity", "PostToolUse",
			`{"conversationId":"v1","stepIdx":4,"toolCall":{"name":"run_command","args":{"CommandLine":"make","Cwd":"/w/shop"}},"error":"exit status 2","workspacePaths":["/w/shop"]}`,
			dialect.Event{Session: "v1", Folder: "/w/shop", Tool: dialect.Tool{Name: "run_command", Command: "make", Folder: "/w/shop", Failed: true, Error: "exit status 2"}}},
		{"a tool of Antigravity that is not told", "antigravity", "PostToolUse",
			`{"conversationId":"v1","stepIdx":4,"toolCall":null,"error":"","workspacePaths":["/w/shop"]}`,
			dialect.Event{Session: "v1", Folder: "/w/shop", Tool: dialect.Tool{Name: "posttooluse"}}},

		{"Cursor starts", "cursor", "sessionStart",
			`{"conversation_id":"k1","generation_id":"n","model":"m","hook_event_name":"sessionStart","cursor_version":"2.4","workspace_roots":["/w/shop"],"user_email":"a@b.c","transcript_path":null,"session_id":"k1","is_background_agent":false,"composer_mode":"agent"}`,
			dialect.Event{Name: "sessionStart", Session: "k1", Folder: "/w/shop"}},
		{"Cursor is asked", "cursor", "beforeSubmitPrompt",
			`{"conversation_id":"k1","generation_id":"n","hook_event_name":"beforeSubmitPrompt","workspace_roots":["/w/shop"],"prompt":"fix it","attachments":[]}`,
			dialect.Event{Name: "beforeSubmitPrompt", Session: "k1", Folder: "/w/shop", Prompt: "fix it"}},
		{"Cursor has run", "cursor", "postToolUse",
			`{"conversation_id":"k1","hook_event_name":"postToolUse","workspace_roots":["/w/shop"],"tool_name":"Shell","tool_input":{"command":"make"},"tool_output":"{\"exitCode\":1,\"stdout\":\"boom\"}","duration":12,"cwd":"/w/shop"}`,
			dialect.Event{Name: "postToolUse", Session: "k1", Folder: "/w/shop", Tool: dialect.Tool{Name: "Shell", Command: "make", Failed: true, Error: `{"exitCode":1,"stdout":"boom"}`}}},
		{"a tool of Cursor failed", "cursor", "postToolUseFailure",
			`{"conversation_id":"k1","hook_event_name":"postToolUseFailure","workspace_roots":["/w/shop"],"tool_name":"Shell","tool_input":{"command":"make"},"error_message":"timed out","failure_type":"timeout","is_interrupt":false}`,
			dialect.Event{Name: "postToolUseFailure", Session: "k1", Folder: "/w/shop", Tool: dialect.Tool{Name: "Shell", Command: "make", Failed: true, Error: "timed out"}}},
		{"Cursor has edited", "cursor", "afterFileEdit",
			`{"conversation_id":"k1","hook_event_name":"afterFileEdit","workspace_roots":["/w/shop"],"file_path":"/w/shop/a.go","edits":[{"old_string":"a","new_string":"b"}]}`,
			dialect.Event{Name: "afterFileEdit", Session: "k1", Folder: "/w/shop", Tool: dialect.Tool{Name: "afterfileedit", Path: "/w/shop/a.go", Writes: true}}},
		{"Cursor stops the second time", "cursor", "stop",
			`{"conversation_id":"k1","hook_event_name":"stop","workspace_roots":["/w/shop"],"status":"completed","loop_count":1}`,
			dialect.Event{Name: "stop", Session: "k1", Folder: "/w/shop", Again: true}},

		{"VS Code is asked", "vscode", "UserPromptSubmit",
			`{"timestamp":"2026-02-09T10:30:00.000Z","cwd":"/w/shop","sessionId":"v1","hookEventName":"UserPromptSubmit","transcript_path":"/t/v.json","prompt":"fix it"}`,
			dialect.Event{Name: "UserPromptSubmit", Session: "v1", Folder: "/w/shop", Prompt: "fix it", Transcript: "/t/v.json"}},
		{"VS Code has replaced", "vscode", "PostToolUse",
			`{"timestamp":"t","cwd":"/w/shop","sessionId":"v1","hookEventName":"PostToolUse","tool_name":"replace_string_in_file","tool_input":{"filePath":"/w/shop/a.go","oldString":"a","newString":"b"},"tool_use_id":"t","tool_response":"edited"}`,
			dialect.Event{Name: "PostToolUse", Session: "v1", Folder: "/w/shop", Tool: dialect.Tool{Name: "replace_string_in_file", Path: "/w/shop/a.go", Writes: true}}},
		{"VS Code will edit several", "vscode", "PreToolUse",
			`{"cwd":"/w/shop","sessionId":"v1","hookEventName":"PreToolUse","tool_name":"editFiles","tool_input":{"files":["src/main.ts","src/b.ts"]},"tool_use_id":"t"}`,
			dialect.Event{Name: "PreToolUse", Session: "v1", Folder: "/w/shop", Tool: dialect.Tool{Name: "editFiles", Path: "src/main.ts", Writes: true}}},

		{"Windsurf is asked", "windsurf", "pre_user_prompt",
			`{"agent_action_name":"pre_user_prompt","trajectory_id":"w1","execution_id":"e","timestamp":"t","tool_info":{"user_prompt":"fix it"}}`,
			dialect.Event{Name: "pre_user_prompt", Session: "w1", Prompt: "fix it"}},
		{"Windsurf has run", "windsurf", "post_run_command",
			`{"agent_action_name":"post_run_command","trajectory_id":"w1","tool_info":{"command_line":"make","cwd":"/w/shop"}}`,
			dialect.Event{Name: "post_run_command", Session: "w1", Folder: "/w/shop", Tool: dialect.Tool{Name: "postruncommand", Command: "make"}}},
		{"Windsurf has written", "windsurf", "post_write_code",
			`{"agent_action_name":"post_write_code","trajectory_id":"w1","tool_info":{"file_path":"/w/shop/a.py","edits":[{"old_string":"a","new_string":"b"}]}}`,
			dialect.Event{Name: "post_write_code", Session: "w1", Tool: dialect.Tool{Name: "postwritecode", Path: "/w/shop/a.py", Writes: true}}},
		{"Windsurf stops", "windsurf", "post_cascade_response",
			`{"agent_action_name":"post_cascade_response","trajectory_id":"w1","tool_info":{"response":"done"}}`,
			dialect.Event{Name: "post_cascade_response", Session: "w1", Last: "done"}},

		{"Cline starts", "cline", "TaskStart",
			`{"clineVersion":"3.36","hookName":"TaskStart","timestamp":"1","taskId":"l1","workspaceRoots":["/w/shop"],"userId":"u","taskStart":{"task":"fix it"}}`,
			dialect.Event{Name: "TaskStart", Session: "l1", Folder: "/w/shop", Prompt: "fix it"}},
		{"Cline is asked", "cline", "UserPromptSubmit",
			`{"hookName":"UserPromptSubmit","taskId":"l1","workspaceRoots":["/w/shop"],"userPromptSubmit":{"prompt":"fix it","attachments":[]}}`,
			dialect.Event{Name: "UserPromptSubmit", Session: "l1", Folder: "/w/shop", Prompt: "fix it"}},
		{"Cline will read", "cline", "PreToolUse",
			`{"hookName":"PreToolUse","taskId":"l1","workspaceRoots":["/w/shop"],"preToolUse":{"toolName":"read_file","parameters":{"path":"a.go"}}}`,
			dialect.Event{Name: "PreToolUse", Session: "l1", Folder: "/w/shop", Tool: dialect.Tool{Name: "read_file", Path: "a.go"}}},
		{"a command of Cline failed", "cline", "PostToolUse",
			`{"hookName":"PostToolUse","taskId":"l1","workspaceRoots":["/w/shop"],"postToolUse":{"toolName":"execute_command","parameters":{"command":"make"},"result":"boom","success":false,"executionTimeMs":12}}`,
			dialect.Event{Name: "PostToolUse", Session: "l1", Folder: "/w/shop", Tool: dialect.Tool{Name: "execute_command", Command: "make", Failed: true, Error: "boom"}}},
		{"Cline has done it", "cline", "TaskComplete",
			`{"hookName":"TaskComplete","taskId":"l1","workspaceRoots":["/w/shop"],"taskComplete":{"taskMetadata":{"taskId":"l1","ulid":"u","result":"It is done.","command":""}}}`,
			dialect.Event{Name: "TaskComplete", Session: "l1", Folder: "/w/shop", Last: "It is done."}},

		{"Kiro starts", "kiro", "agentSpawn", `{"hook_event_name":"agentSpawn","cwd":"/w/shop"}`,
			dialect.Event{Name: "agentSpawn", Folder: "/w/shop"}},
		{"Kiro has written", "kiro", "postToolUse",
			`{"hook_event_name":"postToolUse","cwd":"/w/shop","tool_name":"fs_write","tool_input":{"command":"str_replace","path":"/w/shop/a.go","old_str":"a","new_str":"b"},"tool_response":{"success":true,"result":[""]}}`,
			dialect.Event{Name: "postToolUse", Folder: "/w/shop", Tool: dialect.Tool{Name: "fs_write", Path: "/w/shop/a.go", Writes: true}}},
		{"a command of Kiro failed", "kiro", "postToolUse",
			`{"hook_event_name":"postToolUse","cwd":"/w/shop","tool_name":"execute_bash","tool_input":{"command":"make"},"tool_response":{"success":false,"error":"boom"}}`,
			dialect.Event{Name: "postToolUse", Folder: "/w/shop", Tool: dialect.Tool{Name: "execute_bash", Command: "make", Failed: true, Error: "boom"}}},

		{"our plugin of OpenCode tells a tool", "opencode", "after-tool",
			`{"session_id":"o1","cwd":"/w/shop","tool_name":"bash","tool_input":{"command":"make"},"tool_response":{"output":"boom","metadata":{"exit":1,"exit_code":1}}}`,
			dialect.Event{Session: "o1", Folder: "/w/shop", Tool: dialect.Tool{Name: "bash", Command: "make", Failed: true, Error: "boom"}}},
		{"our extension of Pi stops", "pi", "stop", `{"session_id":"p1","cwd":"/w/shop","last_assistant_message":"done"}`,
			dialect.Event{Session: "p1", Folder: "/w/shop", Last: "done"}},
		{"Copilot's own names", "copilot-cli", "postToolUse",
			`{"timestamp":1,"cwd":"/w/shop","sessionId":"q1","toolName":"bash","toolArgs":"{\"command\":\"make\"}","toolResult":{"resultType":"failure","textResultForLlm":"boom"}}`,
			dialect.Event{Session: "q1", Folder: "/w/shop", Tool: dialect.Tool{Name: "bash", Command: "make", Failed: true, Error: "boom"}}},
		{"a later version", "claude-code", "Stop",
			`{"schema":9,"session_id":"c1","cwd":"/w/shop","hook_event_name":"Stop","stop_hook_active":"maybe","last_assistant_message":["in","parts"],"new":{"deep":[{}]}}`,
			dialect.Event{Name: "Stop", Session: "c1", Folder: "/w/shop"}},
	}
}

func TestDecodingRealEvents(t *testing.T) {
	t.Parallel()
	for _, tt := range events() {
		t.Run(tt.name, func(t *testing.T) {
			kind, known := dialect.KindOf(tt.event)
			if !known {
				t.Fatalf("%s is no event", tt.event)
			}
			tt.want.Kind = kind
			text, _, err := dialect.Read(kind, strings.NewReader(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := dialect.Decode(tt.agent, kind, tt.event, text); err != nil || got != tt.want {
				t.Errorf("%s\ngot  %+v, %v\nwant %+v", tt.text, got, err, tt.want)
			}
		})
	}
}

func TestEveryAgentsNamesAreKnown(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]dialect.Kind{
		"SESSION_START": dialect.SessionStart, "agentSpawn": dialect.SessionStart, "TaskResume": dialect.SessionStart, "user_prompt_submit": dialect.Prompt,
		"BeforeTool": dialect.BeforeTool, "preToolUse": dialect.BeforeTool, "PostToolUseFailure": dialect.AfterTool, "PreCompress": dialect.BeforeCompact,
		"agentStop": dialect.Stop, "subagentStop": dialect.SubagentStop, "TaskComplete": dialect.SessionEnd, "sessionEnd": dialect.SessionEnd,
	} {
		if got, known := dialect.KindOf(event); !known || got != want {
			t.Errorf("%s: got %q, %v, want %q", event, got, known, want)
		}
	}
	for _, event := range []string{"", "Notification", "SubagentStart", "session", "--help", "stop stop"} {
		if got, known := dialect.KindOf(event); known {
			t.Errorf("%q is taken for %s", event, got)
		}
	}
}

func TestWhatIsNoEventIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "null", "[]", "[{}]", "1", `"text"`, `{`, `{"a":`, `{"a":1`, `{]`, "\xff\xfe", `{'a':1}`, "<html>"} {
		b, _, err := dialect.Read(dialect.Stop, strings.NewReader(text))
		if err == nil {
			_, err = dialect.Decode("claude-code", dialect.Stop, "stop", b)
		}
		if err == nil {
			t.Errorf("%q was taken for an event", text)
		}
	}
}

func TestAByteOrderMarkIsPassedOver(t *testing.T) {
	t.Parallel()
	b, _, err := dialect.Read(dialect.Stop, strings.NewReader("\xef\xbb\xbf"+` {"session_id":"s"}`))
	if err != nil {
		t.Fatal(err)
	}
	if e, err := dialect.Decode("claude-code", dialect.Stop, "stop", b); err != nil || e.Session != "s" {
		t.Errorf("got %+v, %v", e, err)
	}
}

// An agent that leaves the pipe open is answered all the same.
func TestAnEventIsReadNoFurtherThanItGoes(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	go func() { _, _ = out.Write([]byte(`{"session_id":"s"}` + "\n")) }()
	b, _, err := dialect.Read(dialect.Stop, in)
	if err != nil || string(b) != `{"session_id":"s"}` {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestOfAnEventThatIsTooLargeTheBeginningCounts(t *testing.T) {
	t.Parallel()
	const mega = 1 << 20
	for name, tt := range map[string]struct{ text, prompt string }{
		"the prompt itself":                      {`{"session_id":"s","cwd":"/w","prompt":"` + strings.Repeat("a", 10*mega) + `"}`, strings.Repeat("a", 1000)},
		"a prompt of other letters":              {`{"session_id":"s","cwd":"/w","prompt":"` + strings.Repeat(`é\n\ud83d\ude00`, mega) + `"}`, strings.Repeat("é\n😀", 100)},
		"something that nobody reads, before it": {`{"session_id":"s","cwd":"/w","zip":"` + strings.Repeat("a", 10*mega) + `","prompt":"lost"}`, ""},
		"lists":                                  {`{"session_id":"s","cwd":"/w","prompt":"kept","all":[` + strings.Repeat("1,", 5*mega) + `1]}`, "kept"},
	} {
		b, cut, err := dialect.Read(dialect.Prompt, strings.NewReader(tt.text))
		if err != nil || !cut {
			t.Fatalf("%s: cut %v, %v", name, cut, err)
		}
		e, err := dialect.Decode("claude-code", dialect.Prompt, "prompt", b)
		if err != nil || e.Session != "s" || e.Folder != "/w" || !strings.HasPrefix(e.Prompt, tt.prompt) || tt.prompt == "" && e.Prompt != "" {
			t.Errorf("%s: got session %q, folder %q, prompt %.40q, %v", name, e.Session, e.Folder, e.Prompt, err)
		}
	}
}

func TestTheOrderOfFieldsSaysNothing(t *testing.T) {
	t.Parallel()
	all := events()
	rapid.Check(t, func(t *rapid.T) {
		tt := rapid.SampledFrom(all).Draw(t, "event")
		var f map[string]json.RawMessage
		if err := json.Unmarshal([]byte(tt.text), &f); err != nil {
			t.Fatal(err)
		}
		var names []string
		for name := range f {
			names = append(names, name)
		}
		var b bytes.Buffer
		for i, name := range rapid.Permutation(names).Draw(t, "order") {
			b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
			key, _ := json.Marshal(name)
			b.Write(append(append(key, ':'), f[name]...))
		}
		b.WriteByte('}')
		kind, _ := dialect.KindOf(tt.event)
		tt.want.Kind = kind
		if got, err := dialect.Decode(tt.agent, kind, tt.event, b.Bytes()); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Fatalf("%s\ngot  %+v, %v\nwant %+v", b.String(), got, err, tt.want)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, tt := range events() {
		f.Add(tt.agent, []byte(tt.text))
	}
	f.Add("codex", []byte(`{"tool_input":{"command":["go","test"]},"tool_response":{"metadata":{"metadata":{}}}}`))
	f.Fuzz(func(t *testing.T, agent string, text []byte) {
		b, _, err := dialect.Read(dialect.AfterTool, bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, kind := range dialect.Kinds() {
			once, err := dialect.Decode(agent, kind, "PostToolUseFailure", b)
			again, errAgain := dialect.Decode(agent, kind, "PostToolUseFailure", b)
			if once != again || (err == nil) != (errAgain == nil) {
				t.Fatalf("%q: once %+v, %v, then %+v, %v", text, once, err, again, errAgain)
			}
		}
	})
}
