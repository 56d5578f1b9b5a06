package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/suspicion"
)

// injectable returns those of some memories that may be told to an agent that did not ask for
// them, and how many are withheld. Whatever was not typed by a person and reads like an order
// to an agent waits until a person approved it; what is asked for is shown, but quoted.
func (e *Engine) injectable(_ context.Context, _ engram.Reader, ms []engram.Memory) (yes []engram.Memory, withheld int, err error) {
	yes = slices.DeleteFunc(slices.Clone(ms), func(m engram.Memory) bool { return len(suspicionsOf(m)) > 0 })
	return yes, len(ms) - len(yes), nil
}

// suspicionsOf are the reasons for which a memory reads like an order to an agent; nil for
// one that a person typed.
func suspicionsOf(m engram.Memory) (all []suspicion.Reason) {
	if m.Origin == engram.OriginHuman {
		return nil
	}
	for _, text := range trustedTexts(m) {
		all = append(all, suspicion.Of(text)...)
	}
	return all
}

// trustedTexts are the texts of a memory that whoever reads it is shown. Title and content
// are one, for an order may begin in the one and end in the other.
func trustedTexts(m engram.Memory) []string {
	texts := append([]string{m.Title + "\n" + m.Content, m.ToolName, m.TopicKey, string(m.Type)}, m.Tags...)
	texts = textsIn(texts, m.Metadata)
	return slices.DeleteFunc(texts, func(t string) bool { return t == "" })
}
