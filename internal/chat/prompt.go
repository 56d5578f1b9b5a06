package chat

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

//go:embed extract.md
var instructions string

// What one question may hold: small models read 8,000 tokens or fewer, instructions and
// answer included.
const (
	maxMemories = 40
	maxSent     = 16 << 10 // bytes of content, all memories together
	maxEach     = 4 << 10  // bytes of one content
	maxHeading  = 200      // bytes of one title
)

// message is one turn of a conversation.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// question is the body of the request about ms.
//
// The answer is not bounded here, though the API could: models that think aloud first
// would be cut off before they say anything, and the servers do not agree on a name.
func question(model string, ms []engram.Memory) ([]byte, error) {
	if model == "" {
		model = anyModel
	}
	data, err := framed(ms)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Model       string    `json:"model"`
		Messages    []message `json:"messages"`
		Temperature float64   `json:"temperature"`
		Stream      bool      `json:"stream"`
	}{model, []message{{"system", strings.TrimSpace(instructions)}, {"user", data}}, 0, false})
}

// framed writes memories so that nothing in them can pass for anything else: each is a
// line of JSON between two tags. JSON writes the angle brackets of a text as \u003c and
// \u003e, so no memory can close the frame or forge the tokens by which chat templates
// part the speakers. What hides is made visible.
func framed(ms []engram.Memory) (string, error) {
	ms = ms[:min(len(ms), maxMemories)]
	var b strings.Builder
	b.WriteString("<memories>\n")
	for _, m := range ms {
		line, err := json.Marshal(struct {
			Title   string `json:"title"`
			Content string `json:"content"`
		}{shown(m.Title, maxHeading), shown(m.Content, min(maxEach, maxSent/len(ms)))})
		if err != nil {
			return "", fmt.Errorf("write memory %s for the language model: %w", m.ID, err)
		}
		b.Write(append(line, '\n'))
	}
	b.WriteString("</memories>\n\nWhat do these memories have in common? Answer with the JSON object alone.")
	return b.String(), nil
}

// shown is the beginning of a text, at most most bytes of it. Private spans went when
// it was saved; this is where a text leaves the machine, so they are looked for again.
func shown(s string, most int) string {
	return cut(render.Plain(redact.Private(s)), most)
}

// cut returns at most most bytes of s, whole characters, with … where something is
// missing.
func cut(s string, most int) string {
	const dots = "…"
	if len(s) <= most {
		return s
	}
	end := most - len(dots)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimSpace(s[:end]) + dots
}
