package dialect

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/render"
)

// Answer is the answer to an event; the zero Answer is no answer.
type Answer struct {
	Context string // added to the model's context
	// Ask makes the agent continue with this text for the model, where a stop allows it.
	Ask string
}

// Encode returns an answer in an agent's format; nil if empty or if the agent would not pass it on.
func Encode(name string, e Event, a Answer) []byte {
	how := AgentOf(name)
	if e.Kind == Stop || e.Kind == SubagentStop {
		a.Context = ""
	} else {
		a.Ask = ""
	}
	if a == (Answer{}) || a.Ask == "" && !how.TellsAt(e) || a.Ask != "" && !how.Asks {
		return nil
	}
	a.Context, a.Ask = render.Tame(render.Plain(a.Context)), render.Tame(render.Plain(a.Ask)) // neutralise terminal sequences and forged roles
	if how.shape == shapeText || slices.Contains(how.plain, e.Kind) {
		return []byte(cmp.Or(a.Context, a.Ask) + "\n")
	}
	b, err := json.Marshal(how.document(e, a))
	if err != nil { // strings never fail to encode
		return nil
	}
	return append(b, '\n')
}

func (how Agent) document(e Event, a Answer) any {
	name := cmp.Or(e.Name, how.events[e.Kind])
	if _, ours := KindOf(name); !ours {
		name = how.events[e.Kind]
	}
	switch how.shape {
	case shapeOwn:
		return map[string]string{"context": a.Context, "ask": a.Ask}
	case shapeCline:
		return map[string]any{"cancel": false, "contextModification": a.Context}
	case shapeAntigravity:
		return map[string]any{"injectSteps": []any{map[string]string{"ephemeralMessage": a.Context}}}
	case shapeCursor:
		if a.Ask != "" {
			return map[string]string{"followup_message": a.Ask}
		}
		return map[string]string{"additional_context": a.Context}
	}
	switch {
	case a.Ask != "" && how.inside:
		return map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": name, "decision": "block", "reason": a.Ask}}
	case a.Ask != "":
		return map[string]string{"decision": "block", "reason": a.Ask}
	}
	return map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": name, "additionalContext": a.Context}}
}

// shape is the format of an agent's answers.
type shape string

const (
	shapeClaude      shape = "claude"      // hookSpecificOutput.additionalContext; a stop is blocked with a reason
	shapeCursor      shape = "cursor"      // additional_context; a stop has a followup_message
	shapeCline       shape = "cline"       // contextModification
	shapeAntigravity shape = "antigravity" // steps to inject
	shapeOwn         shape = "own"         // {"context": …, "ask": …}, for our plugins
	shapeText        shape = "text"        // plain text
)

// Agent holds the hook capabilities of an agent.
type Agent struct {
	shape shape
	Tells []Kind // events whose answer reaches the model
	Asks  bool   // it can be asked to continue at a stop
	// inside means that an ask at a stop is nested like other answers.
	inside bool
	plain  []Kind // events with plain-text answers in spite of shape
	// events are the event names for answers that must contain one.
	events map[Kind]string
}

// claudeEvents returns Claude Code's event names, which other agents share.
func claudeEvents() map[Kind]string {
	return map[Kind]string{SessionStart: "SessionStart", Prompt: "UserPromptSubmit", BeforeTool: "PreToolUse", AfterTool: "PostToolUse",
		BeforeCompact: "PreCompact", AfterCompact: "PostCompact", SubagentStop: "SubagentStop", Stop: "Stop", SessionEnd: "SessionEnd"}
}

// AgentOf returns the capabilities of an agent. An unknown one is assumed to show plain text to its
// model at a session start and with a prompt, as most do.
//
// Sources: the schemas in Claude Code 2.1.197 and Codex 0.169.0; the hook references of Gemini
// CLI 0.61, VS Code, Cursor, Cline, Kiro, Windsurf, Devin and Antigravity.
func AgentOf(name string) Agent {
	around := []Kind{SessionStart, Prompt, BeforeTool, AfterTool}
	switch name {
	case "claude-code", "claude":
		// The output of PreCompact goes to the model that writes the summary; that of PostCompact
		// does not reach the model.
		return Agent{shape: shapeClaude, Tells: append(around, BeforeCompact), plain: []Kind{BeforeCompact}, Asks: true, events: claudeEvents()}
	case "codex", "devin":
		return Agent{shape: shapeClaude, Tells: around, Asks: true, events: claudeEvents()}
	case "vscode", "copilot":
		return Agent{shape: shapeClaude, Tells: around, Asks: true, inside: true, events: claudeEvents()}
	case "gemini-cli", "gemini":
		return Agent{shape: shapeClaude, Tells: []Kind{SessionStart, Prompt, AfterTool}, Asks: true, events: map[Kind]string{
			SessionStart: "SessionStart", Prompt: "BeforeAgent", BeforeTool: "BeforeTool", AfterTool: "AfterTool", Stop: "AfterAgent"}}
	case "antigravity":
		return Agent{shape: shapeAntigravity, Tells: []Kind{Prompt}}
	case "cursor":
		return Agent{shape: shapeCursor, Tells: []Kind{SessionStart, AfterTool}, Asks: true}
	case "cline":
		return Agent{shape: shapeCline, Tells: around}
	case "opencode", "pi":
		return Agent{shape: shapeOwn, Tells: Kinds(), Asks: true}
	case "windsurf":
		return Agent{}
	}
	return Agent{shape: shapeText, Tells: []Kind{SessionStart, Prompt}}
}

// Knows reports whether an agent of this name is known.
func Knows(name string) bool { return name == "kiro" || AgentOf(name).shape != shapeText }

// TellsAt reports whether an answer to an event reaches the model.
func (a Agent) TellsAt(e Event) bool {
	if a.shape == shapeCursor && e.Kind == AfterTool && strings.HasPrefix(plain(e.Name), "after") {
		return false // afterFileEdit and similar events take no answer
	}
	return slices.Contains(a.Tells, e.Kind)
}
