package app

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/chat"
	"github.com/alanbuscaglia/engram/internal/config"
)

// extractorOf returns the extractor that c names; nil where it names none.
func extractorOf(c config.Config) engram.Extractor {
	if !c.LLM() {
		return nil
	}
	if err := c.MayAsk(); err != nil {
		return misnamed{model: c.LLMModel, err: err}
	}
	x, err := chat.New(chat.Options{BaseURL: c.LLMBaseURL, Model: c.LLMModel, Key: c.LLMKey})
	if err != nil {
		return misnamed{model: c.LLMModel, err: err}
	}
	return x
}

// misnamed stands for an extractor that cannot be, or may not. What is wrong with a setting that
// only sleep needs is said when sleep needs it, and keeps nobody from searching.
type misnamed struct {
	model string
	err   error // an *engram.Error
}

// Model implements engram.Extractor.
func (m misnamed) Model() string { return m.model }

// Extract implements engram.Extractor.
func (m misnamed) Extract(context.Context, []engram.Memory) (engram.Pattern, bool, error) {
	return engram.Pattern{}, false, m.err
}
