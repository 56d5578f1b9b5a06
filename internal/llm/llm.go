// Package llm holds what all questions to language models share: how memories are put into the question
// (Framed, Shown) and how the result is found in the answer (Object, Line, Cut).
//
// A memory is data: it can neither close its frame nor hide text. An answer is untrusted: it is bounded, and
// only the requested shape is accepted.
package llm

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Limits of the search for the requested object in an answer.
const (
	maxBytes  = 64 << 10
	maxBraces = 200
)

// Framed writes rows between two tags, each as a line of JSON, which escapes angle brackets as \u003c and
// \u003e: no row can close the frame or forge the tokens with which chat templates separate speakers. A row
// that cannot be JSON is an error.
func Framed[T any](tag string, rows []T) (string, error) {
	var b strings.Builder
	b.WriteString("<" + tag + ">\n")
	for _, row := range rows {
		line, err := json.Marshal(row)
		if err != nil {
			return "", err
		}
		b.Write(append(line, '\n'))
	}
	b.WriteString("</" + tag + ">\n")
	return b.String(), nil
}

// Shown returns the beginning of a memory's text, at most most bytes, with hidden characters made visible.
// Private spans were removed on saving, and are removed again here, where the text leaves the process.
func Shown(s string, most int) string { return Cut(render.Plain(redact.Private(s)), most) }

// Cut returns at most most bytes of s, whole characters, with … in place of the rest.
func Cut(s string, most int) string {
	const dots = "…"
	if len(s) <= most {
		return s
	}
	end := max(most-len(dots), 0)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimSpace(s[:end]) + dots
}

// Line returns a model's text as one line of at most most characters, with hidden characters made visible and
// private spans removed.
func Line(s string, most int) string {
	s = strings.Join(strings.Fields(redact.Private(render.Plain(s))), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most-1])) + "…"
}

// Object finds the first JSON object in a model's answer that asked accepts; found is false for none. Models
// put it into code fences and between prose, and those that think aloud write drafts first, so everything
// before the last </think> is skipped. At most 64 KiB are read.
func Object[T any](said string, asked func(T) bool) (object T, found bool) {
	if i := strings.LastIndex(said, "</think>"); i >= 0 {
		said = said[i:]
	}
	said = said[:min(len(said), maxBytes)]
	for range maxBraces {
		i := strings.IndexByte(said, '{')
		if i < 0 {
			break
		}
		said = said[i:]
		var v T
		if json.NewDecoder(strings.NewReader(said)).Decode(&v) == nil && asked(v) {
			return v, true
		}
		said = said[1:] // the object may be inside
	}
	var none T
	return none, false
}
