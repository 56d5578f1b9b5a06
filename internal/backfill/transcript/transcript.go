// Package transcript decodes what coding agents on this machine write about their sessions into turns of a conversation:
// the lines of Claude Code and Codex (claude.go), the messages of OpenCode (opencode.go). It reads no file.
//
// Input is treated as data: unknown entries of newer agents are passed over, and errors do not quote it.
package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// Head is what a transcript says about its session.
type Head struct {
	ID        string // the agent's id
	Directory string // folder where the agent was started; "" if unknown
}

// call is a tool call without its result.
type call struct{ command, edited string }

// calls are open calls by id.
type calls map[string]call

// maxCalls limits the open calls: in truncated transcripts results are missing.
const maxCalls = 1000

func (c *calls) begin(id string, one call) {
	if one == (call{}) || id == "" {
		return
	}
	if *c == nil || len(*c) >= maxCalls {
		*c = calls{}
	}
	(*c)[id] = one
}

func (c *calls) end(id string) (call, bool) {
	one, ok := (*c)[id]
	delete(*c, id)
	return one, ok
}

// loose is a string, or "" for a JSON value of another type.
type loose string

// UnmarshalJSON implements json.Unmarshaler.
func (l *loose) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*l = loose(s)
	}
	return nil
}

// textOf returns the whole text of a content, a string or a list of blocks: private spans are
// removed before anything is cut. The reader limits its size.
func textOf(content json.RawMessage) string {
	if bytes.HasPrefix(content, []byte(`"`)) {
		var text string
		_ = json.Unmarshal(content, &text) // it is a string of well-formed JSON
		return text
	}
	var blocks []struct {
		Text loose `json:"text"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var b strings.Builder
	for _, one := range blocks {
		b.WriteString(string(one.Text))
	}
	return b.String()
}

// typed reports whether a person may have typed a text. Texts that agents insert begin with a tag,
// the name of an instructions file or a remark.
func typed(text string) bool {
	text = strings.TrimSpace(text)
	for _, head := range []string{"# AGENTS.md", "# CLAUDE.md", "Caveat: ", "[Request interrupted", "This session is being continued", "<<", "Base directory for this skill:", "Stop hook feedback:"} {
		if strings.HasPrefix(text, head) {
			return false
		}
	}
	if strings.HasPrefix(text, "<") {
		end := strings.IndexFunc(text[1:], func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '_' })
		return end <= 0 || strings.HasPrefix(text, "<private")
	}
	return text != ""
}

// below returns a path relative to a folder that contains it, else the path itself.
func below(dir, path string) string {
	if dir == "" || path == "" || !filepath.IsAbs(path) {
		return path
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}

// errNoJSON is the error for a line that is not a complete JSON object.
var errNoJSON = errors.New("invalid or truncated JSON")

// notJSON describes what is wrong with a line, without its content.
func notJSON(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return errNoJSON
	case errors.As(err, &kind):
		return errors.New("field " + kind.Field + " has another type")
	}
	return errors.New("invalid JSON")
}

// moment parses a time; the zero time if it is missing or invalid.
func moment(s loose) time.Time {
	at, err := time.Parse(time.RFC3339, string(s))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}
