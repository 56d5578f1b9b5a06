package mem

import (
	"context"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

type topicArgs struct {
	Title   string `json:"title"`
	Content string `json:"content" doc:"used without a title"`
	Type    string `json:"type"`
}

type topicKey struct {
	TopicKey string `json:"topic_key"`
}

// PlainText returns the line the dialect answers with.
func (t topicKey) PlainText() (string, bool) { return "Suggested topic_key: " + t.TopicKey, true }

func (d *dialect) suggestTopic(_ context.Context, _ tool.Caller, a topicArgs) (topicKey, error) {
	if strings.TrimSpace(a.Title) == "" && strings.TrimSpace(a.Content) == "" {
		return topicKey{}, invalid("provide title or content to suggest a topic_key")
	}
	key, err := d.engine.SuggestTopic(engram.Type(a.Type), a.Title, a.Content)
	return topicKey{key}, err
}
