// Package llm is what goes for every question to a language model and every answer of
// one, whichever way it is asked: how memories are put into the question (Framed,
// Shown) and how what was asked for is found in the answer (Object, Line, Cut).
//
// A memory is data: it can neither close the frame that it stands in nor hide from who
// reads it. An answer comes from outside: it is bounded, and nothing of it is believed
// that does not have the shape that was asked for.
package llm

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// How much of an answer is looked at for the object that was asked for.
const (
	maxBytes  = 64 << 10
	maxBraces = 200
)

// Framed writes rows between two tags, each as a line of JSON, so that nothing in them can
// pass for anything else: JSON writes the angle brackets of a text as \u003c and \u003e,
// so no row can close the frame or forge the tokens by which chat templates part the
// speakers. A row that is no JSON is an error.
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

// Shown is the beginning of a text of a memory, at most most bytes of it, with what hides
// made visible. Private spans went when it was saved; this is where it leaves the
// process, so they are looked for again.
func Shown(s string, most int) string { return Cut(render.Plain(redact.Private(s)), most) }

// Cut returns at most most bytes of s, whole characters, with … where something is
// missing.
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

// Line returns what a model said in one line of at most most characters, with what hides
// made visible and private spans removed.
func Line(s string, most int) string {
	s = strings.Join(strings.Fields(redact.Private(render.Plain(s))), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most-1])) + "…"
}

// Object finds the first JSON object in what a model said that is one which was asked
// for; found is false when there is none. Models put it into code fences, and prose before
// and behind; those that think aloud write drafts of it first, so what stands before the
// last </think> is passed over. What is longer than 64 KiB is not read to its end.
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
		said = said[1:] // what was asked for may lie inside of it
	}
	var none T
	return none, false
}
