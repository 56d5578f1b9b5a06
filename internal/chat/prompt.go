package chat

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/llm"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

//go:embed extract.md
var instructions string

// The limits of one question: small models read 8,000 tokens or fewer, instructions and answer included.
const (
	maxMemories = 40
	maxSent     = 16 << 10 // bytes of content, all memories together
	maxEach     = 4 << 10  // bytes of one content
	maxHeading  = 200      // bytes of one title
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// question returns the body of the request about ms.
//
// It does not limit the answer's length: models that think aloud first would be cut off before the answer, and
// servers disagree on the parameter's name.
func question(model string, ms []engram.Memory) ([]byte, error) {
	data, err := framed(ms)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Model       string    `json:"model"`
		Messages    []message `json:"messages"`
		Temperature float64   `json:"temperature"`
		Stream      bool      `json:"stream"`
	}{cmp.Or(model, anyModel), []message{{"system", strings.TrimSpace(instructions)}, {"user", data}}, 0, false})
}

// framed writes memories as data, followed by the question.
func framed(ms []engram.Memory) (string, error) {
	type row struct {
		Title   string `json:"title"`
		Content string `json:"content"`
	}
	ms = ms[:min(len(ms), maxMemories)]
	rows := make([]row, len(ms))
	for i, m := range ms {
		rows[i] = row{llm.Shown(m.Title, maxHeading), llm.Shown(m.Content, min(maxEach, maxSent/len(ms)))}
	}
	data, err := llm.Framed("memories", rows)
	if err != nil {
		return "", fmt.Errorf("write memories for the language model: %w", err)
	}
	return data + "\nWhat do these memories have in common? Answer with the JSON object alone.", nil
}

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
