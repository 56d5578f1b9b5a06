package agentcli

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/llm"
)

//go:embed judge.md
var instructions string

// Limits of a memory's text, in bytes.
const (
	maxTitle   = 300
	maxContent = 6 << 10
)

// note is a memory as the judge sees it.
type note struct {
	Which   string `json:"which"`
	Date    string `json:"date"`
	Type    string `json:"type"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

func noteOf(which string, m engram.Memory) note {
	return note{which, m.UpdatedAt.UTC().Format(time.DateOnly), string(m.Type), llm.Shown(m.Title, maxTitle), llm.Shown(m.Content, maxContent)}
}

// prompt returns the whole question.
func prompt(newer, older engram.Memory) (string, error) {
	notes, err := llm.Framed("notes", []note{noteOf("newer", newer), noteOf("older", older)})
	if err != nil {
		return "", fmt.Errorf("write memories %s and %s for the judge: %w", newer.ID, older.ID, err)
	}
	return strings.TrimSpace(instructions) + "\n\n" + notes +
		"\nHow does the newer note relate to the older one? Answer with the JSON object alone.\n", nil
}
