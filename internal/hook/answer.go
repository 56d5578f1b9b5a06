package hook

import "encoding/json"

// Answer is what is said to an agent about an event; the zero Answer is silence.
type Answer struct {
	Context string // for the model, beside what it has
	// Ask has the agent go on once more, with this for the model, where a stop allows it.
	Ask string
}

// shape is how an agent wants to be answered.
type shape string

const (
	shapeClaude shape = "claude" // hookSpecificOutput.additionalContext; a stop is blocked with a reason
	shapeCursor shape = "cursor" // additional_context; a stop has a followup_message
	shapeCline  shape = "cline"  // contextModification
	shapeOwn    shape = "own"    // {"context": …, "ask": …}, for plugins of ours
	shapeText   shape = "text"   // plain text
	shapeNone   shape = "none"   // what is said goes nowhere
)

// Agents are those that hooks know, and how they want to be answered.
func agents() map[string]shape {
	return map[string]shape{
		"claude-code": shapeClaude, "codex": shapeClaude, "gemini-cli": shapeClaude, "antigravity": shapeClaude, "vscode": shapeClaude,
		"cursor": shapeCursor, "cline": shapeCline, "opencode": shapeOwn, "pi": shapeOwn, "kiro": shapeText, "windsurf": shapeNone,
	}
}

// Encode is an answer in the shape of an agent; nil for one that says nothing. event is the
// name that the agent has for it. An agent that is not known is answered in plain text.
func Encode(agent, event string, kind Kind, a Answer) []byte {
	if a == (Answer{}) {
		return nil
	}
	how, known := agents()[agent]
	if !known {
		how = shapeText
	}
	var out any
	switch how {
	case shapeNone:
		return nil
	case shapeText:
		return []byte(first(a.Context, a.Ask) + "\n")
	case shapeOwn:
		out = map[string]string{"context": a.Context, "ask": a.Ask}
	case shapeCline:
		out = map[string]any{"cancel": false, "contextModification": first(a.Context, a.Ask)}
	case shapeCursor:
		if out = map[string]string{"additional_context": a.Context}; kind == Stop || kind == SubagentStop {
			out = map[string]string{"followup_message": a.Ask}
		}
	default:
		if kind == Stop || kind == SubagentStop {
			if a.Ask == "" {
				return nil
			}
			out = map[string]string{"decision": "block", "reason": a.Ask}
			break
		}
		out = map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": event, "additionalContext": a.Context}}
	}
	b, err := json.Marshal(out)
	if err != nil { // texts always can be
		return nil
	}
	return append(b, '\n')
}
