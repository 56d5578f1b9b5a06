package dialect

import (
	"cmp"
	"encoding/json"
	"slices"

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
