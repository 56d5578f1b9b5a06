package hook

import (
	"slices"
	"strings"
)

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
