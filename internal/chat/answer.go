package chat

import (
	"errors"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/llm"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

const (
	maxTitle   = 200     // characters
	maxContent = 4 << 10 // bytes
)

// What is wrong with an answer. The answer itself is not quoted: it contains memories.
var (
	errNoObject = errors.New("the answer has no object with a title and a content")
	errEmpty    = errors.New("the title or the content is empty")
)

// verdict is the object that the model is asked for.
type verdict struct {
	None    bool   `json:"none"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

func parse(said string) (p engram.Pattern, ok bool, err error) {
	v, found := llm.Object(said, func(v verdict) bool { return v.None || v.Title != "" || v.Content != "" })
	if !found {
		return engram.Pattern{}, false, errNoObject
	}
	return v.pattern()
}

// pattern cleans v, which a memory may have manipulated.
func (v verdict) pattern() (engram.Pattern, bool, error) {
	if v.None {
		return engram.Pattern{}, false, nil
	}
	p := engram.Pattern{
		Title:   llm.Line(v.Title, maxTitle),
		Content: llm.Cut(strings.TrimSpace(redact.Private(render.Plain(v.Content))), maxContent),
	}
	if p.Title == "" || p.Content == "" {
		return engram.Pattern{}, false, errEmpty
	}
	return p, true, nil
}
