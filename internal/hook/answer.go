package hook

import (
	"encoding/json"
	"strings"

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
	a.Context, a.Ask = inert(a.Context), inert(a.Ask)
	if how.shape == shapeText || len(how.plain) > 0 && how.plain[0] == e.Kind {
		return []byte(first(a.Context, a.Ask) + "\n")
	}
	b, err := json.Marshal(how.document(e, a))
	if err != nil { // texts always can be
		return nil
	}
	return append(b, '\n')
}

// document is what an answer is as JSON.
func (how agent) document(e Event, a Answer) any {
	name := first(e.Name, how.events[e.Kind])
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

// inert is a text from memories that can act on nobody's terminal, and on no model as if its
// own system, or the person, spoke: the tags of turns are written with other brackets.
func inert(s string) string {
	s = render.Plain(s)
	if !strings.Contains(s, "<") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '<' && opensTurn(s[i+1:]) {
			b.WriteString("‹")
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// opensTurn reports whether a text goes on behind a < as the mark of a turn does.
func opensTurn(s string) bool {
	const longest = 32
	s = strings.TrimLeft(strings.ToLower(s[:min(len(s), longest)]), "/ \t")
	for _, tag := range []string{"|", "system", "user", "assistant", "human", "developer", "tool", "function", "invoke", "antml", "im_start", "im_end", "instruction"} {
		if strings.HasPrefix(s, tag) {
			return true
		}
	}
	return false
}
