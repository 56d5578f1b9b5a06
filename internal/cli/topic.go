package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// topicDoc is the answer of `topic --json`.
type topicDoc struct {
	TopicKey string `json:"topic_key"`
}

func (p *program) topicCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "topic TYPE TITLE [CONTENT]",
		Short:   "Suggest a topic key for a memory",
		Example: examples(`engram topic decision 'Auth model'`, `engram save 'Auth model' 'JWT' --topic "$(engram topic decision 'Auth model')"`),
		Args:    between(2, 3),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			content := ""
			if len(args) == 3 {
				content = args[2]
			}
			key, err := e.SuggestTopic(engram.Type(args[0]), args[1], content)
			if err != nil {
				return err
			}
			return p.answer(topicDoc{key}, func(b *strings.Builder) { fmt.Fprintln(b, render.Plain(key)) })
		}),
	}
}
