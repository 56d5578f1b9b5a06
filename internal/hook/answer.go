package hook

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/alanbuscaglia/engram/internal/render"
)

// Answer is what is said to an agent about an event; the zero Answer is silence.
type Answer struct {
	Context string // for the model, beside what it has
	// Ask has the agent go on once more, with this for the model, where a stop allows it.
	Ask string
}

// Encode is an answer in the shape of an agent; nil for one that says nothing, or that the
// agent would not pass on.
func Encode(name string, e Event, a Answer) []byte {
	how := agentOf(name)
	if e.Kind == Stop || e.Kind == SubagentStop {
		a.Context = ""
	} else {
		a.Ask = ""
	}
	if a == (Answer{}) || a.Ask == "" && !how.tellsAt(e) || a.Ask != "" && !how.asks {
		return nil
	}
	a.Context, a.Ask = render.Tame(render.Plain(a.Context)), render.Tame(render.Plain(a.Ask)) // they act on no terminal, and speak for nobody
	if how.shape == shapeText || slices.Contains(how.plain, e.Kind) {
		return []byte(cmp.Or(a.Context, a.Ask) + "\n")
	}
	b, err := json.Marshal(how.document(e, a))
	if err != nil { // texts always can be
		return nil
	}
	return append(b, '\n')
}

// document is what an answer is as JSON.
func (how agent) document(e Event, a Answer) any {
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
