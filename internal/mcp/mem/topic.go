package mem

import (
	"context"
	_ "embed"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

//go:embed topic.md
var topicProse string

func (d *dialect) topicTool() tool.Tool {
	return tool.New(tool.Def{Name: "mem_suggest_topic_key", Title: "Suggest a topic key", Prose: topicProse, Effect: tool.Reads,
		Idempotent: true, Deferred: true, Profiles: []string{agent}}, d.suggestTopic)
}

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
