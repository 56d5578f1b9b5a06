package engine

import (
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// SuggestTopic proposes a topic key; title and content both empty is invalid.
func (e *Engine) SuggestTopic(typ engram.Type, title, content string) (string, error) {
	title, content = line(title), redact.Private(content)
	if title == "" && strings.TrimSpace(content) == "" {
		return "", engram.Errorf(engram.CodeInvalid, "provide title or content to suggest a topic_key")
	}
	return topic.Suggest(engram.Type(strings.ToLower(line(string(typ)))), title, content), nil
}
