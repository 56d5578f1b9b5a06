package backfill

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// call is the use of a tool whose result has not come yet.
type call struct{ command, edited string }

// calls are those that are open, by their ids.
type calls map[string]call

// maxCalls is how many may be open: in a transcript of which parts were cut off results
// never come.
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

// loose is a text where one is expected, and "" where something else stands.
type loose string

// UnmarshalJSON implements json.Unmarshaler.
func (l *loose) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*l = loose(s)
	}
	return nil
}

// textOf is the whole text of a content, which is a text or a list of blocks: private spans are looked
// for before anything is cut off. The bounds of a line (maxLine) bound it.
func textOf(content json.RawMessage) string {
	if len(content) == 0 {
		return ""
	}
	var text string
	if content[0] == '"' {
		if json.Unmarshal(content, &text) != nil {
			return ""
		}
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

// typed reports whether a person may have typed a text. What agents put into the person's mouth begins
// with a tag, the name of a file of instructions or a remark about itself.
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

// below is a path as seen from a folder that it lies in; the path itself elsewhere.
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

// errNoJSON is what is wrong with a line that begins or ends as none does.
var errNoJSON = errors.New("no JSON, or cut off")

// notJSON is what is wrong with a line, without what stands in it.
func notJSON(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return errNoJSON
	case errors.As(err, &kind):
		return errors.New("a field " + kind.Field + " of another kind")
	}
	return errors.New("no JSON")
}

// moment reads a time; the zero time where none stands.
func moment(s loose) time.Time {
	at, err := time.Parse(time.RFC3339, string(s))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}
