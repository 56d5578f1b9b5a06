package chat

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

const (
	maxTitle   = 200     // characters
	maxContent = 4 << 10 // bytes
	// What is looked at for the object: so many braces, within so many bytes.
	maxObjects  = 200
	maxLookedAt = 64 << 10
)

// What is wrong with an answer. The answer itself is not repeated: it speaks of memories.
var (
	errNoObject = errors.New("no object with a title and a content in it")
	errEmpty    = errors.New("a title or a content without any text")
)

// verdict is the object that a model is asked for.
type verdict struct {
	None    bool   `json:"none"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

// parse finds the object in what a model said. Models put it into code fences, and
// prose before and behind; those that think aloud write drafts of it first, so what
// stands before the last </think> is passed over. The first object that fits counts.
func parse(said string) (p engram.Pattern, ok bool, err error) {
	if i := strings.LastIndex(said, "</think>"); i >= 0 {
		said = said[i:]
	}
	said = said[:min(len(said), maxLookedAt)]
	for range maxObjects {
		i := strings.IndexByte(said, '{')
		if i < 0 {
			break
		}
		said = said[i:]
		d := json.NewDecoder(strings.NewReader(said))
		var object json.RawMessage
		if d.Decode(&object) != nil {
			said = said[1:]
			continue
		}
		var v verdict
		if json.Unmarshal(object, &v) == nil && (v.None || v.Title != "" || v.Content != "") {
			return v.pattern()
		}
		said = said[1:] // what was asked for may lie inside of it
	}
	return engram.Pattern{}, false, errNoObject
}

// pattern cleans v, which a model wrote that may have been led astray by a memory.
func (v verdict) pattern() (engram.Pattern, bool, error) {
	if v.None {
		return engram.Pattern{}, false, nil
	}
	p := engram.Pattern{
		Title:   line(redact.Private(render.Plain(v.Title)), maxTitle),
		Content: cut(strings.TrimSpace(redact.Private(render.Plain(v.Content))), maxContent),
	}
	if p.Title == "" || p.Content == "" {
		return engram.Pattern{}, false, errEmpty
	}
	return p, true, nil
}

// line returns s in one line of at most most characters.
func line(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	return strings.TrimSpace(string(r[:most-1])) + "…"
}
