package memory

import (
	"context"
	_ "embed"
	"regexp"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// The prompt that brings memories into a conversation, and its arguments.
const (
	PromptName   = "recall_context"
	TopicArg     = "topic"
	BudgetArg    = "budget"
	frameOpening = "<recalled-memories>"
	frameClosing = "</recalled-memories>"
)

//go:embed recall_context.md
var recallFrame string

// RecallContext returns the text of the prompt: what is remembered of a topic, as much of
// it as goes into a budget of tokens ("" is 4,000), in a frame that says what it is.
// CodeInvalid for a topic that is blank and for a budget that is no number, or too great.
func (d *Dialect) RecallContext(ctx context.Context, by tool.Caller, topic, budget string) (string, error) {
	topic = redact.Private(topic)
	if strings.TrimSpace(topic) == "" {
		return "", engram.Errorf(engram.CodeInvalid, "%s is required", TopicArg)
	}
	in := engine.RecallInput{Zone: d.text.Zone}
	if budget = strings.TrimSpace(budget); budget != "" {
		n, err := strconv.Atoi(budget)
		if err != nil || n < 1 || n > engine.MaxBudget {
			return "", engram.Errorf(engram.CodeInvalid, "%s %q is no number of tokens", BudgetArg, tool.Clip(redact.Private(budget))).
				WithHint("from 1 to %d", engine.MaxBudget)
		}
		in.Budget = n
	}
	at, err := d.reading(ctx, "")
	if err != nil {
		return "", err
	}
	in.SearchInput = engine.SearchInput{Query: topic, Filter: engram.Filter{Project: at.Name, Current: true}}
	found, err := d.as(by).Recall(ctx, in)
	if err != nil {
		return "", err
	}
	about := render.Line(topic, 200)
	if len(found.Items) == 0 {
		return "Nothing is remembered of project " + at.Name + " about: " + about, nil
	}
	text := strings.NewReplacer("{topic}", about, "{project}", at.Name).Replace(strings.TrimSpace(recallFrame)) +
		"\n\n" + frameOpening + "\n" + framed(found.Text) + "\n" + frameClosing
	return withWarnings(text, found.Degraded), nil
}

// framed is text in which nothing ends the frame that it stands in. Characters that do not
// show are written out: a model may read over those that part a closing tag.
func framed(text string) string {
	return regexp.MustCompile(`(?i)<[\s\pZ]*/([\s\pZ]*recalled-memories)`).ReplaceAllString(render.Plain(strings.TrimSpace(text)), `<\/$1`)
}
