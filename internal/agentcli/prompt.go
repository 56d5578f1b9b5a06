package agentcli

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

//go:embed judge.md
var instructions string

// What of a memory is sent, in bytes.
const (
	maxTitle   = 300
	maxContent = 6 << 10
)

// prompt is the whole question. Each memory is a line of JSON between two tags: JSON
// writes the angle brackets of a text as \u003c and \u003e, so no memory can close the
// frame. What hides is made visible.
func prompt(newer, older engram.Memory) (string, error) {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(instructions) + "\n\n<notes>\n")
	for _, note := range []struct {
		which string
		m     engram.Memory
	}{{"newer", newer}, {"older", older}} {
		m := note.m
		line, err := json.Marshal(struct {
			Which   string `json:"which"`
			Date    string `json:"date"`
			Type    string `json:"type"`
			Title   string `json:"title"`
			Content string `json:"content"`
		}{note.which, m.UpdatedAt.UTC().Format(time.DateOnly), string(m.Type), shown(m.Title, maxTitle), shown(m.Content, maxContent)})
		if err != nil {
			return "", fmt.Errorf("write memory %s for the judge: %w", m.ID, err)
		}
		b.Write(append(line, '\n'))
	}
	b.WriteString("</notes>\n\nHow does the newer note relate to the older one? Answer with the JSON object alone.\n")
	return b.String(), nil
}

// shown is the beginning of a text. Private spans went when it was saved; this is where a
// text leaves the process, so they are looked for again.
func shown(s string, most int) string {
	const dots = "…"
	if s = render.Plain(redact.Private(s)); len(s) <= most {
		return s
	}
	end := most - len(dots)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimSpace(s[:end]) + dots
}
