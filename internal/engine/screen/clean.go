package screen

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// Line cleans a one-line field: it removes control characters, then private spans, which those could hide, and
// folds white space.
func Line(s string) string {
	mark := func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }
	if strings.ContainsFunc(s, mark) {
		s = strings.Map(func(r rune) rune {
			if mark(r) {
				return -1
			}
			return r
		}, s)
	}
	return strings.Join(strings.Fields(redact.Private(s)), " ")
}

// Raw are texts as received, each after the name of its field. They are checked before cleaning, which would hide
// invalid UTF-8 or cut away a NUL or a megabyte.
type Raw []string

// And adds texts of one name.
func (r Raw) And(name string, texts ...string) Raw {
	for _, t := range texts {
		r = append(r, name, t)
	}
	return r
}

// Check rejects texts that no store keeps: CodeInvalid.
func (r Raw) Check() error {
	for field := range slices.Chunk(r, 2) {
		name, text := field[0], field[1]
		if err := engram.CheckText(name, text, engram.MaxContent); err != nil {
			return err
		}
		if name == "project" {
			// A name appears in lists and in texts for agents, among other lines.
			if err := project.CheckText(redact.Private(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// CleanMetadata removes private spans and converts values to JSON's own kinds, as stores return them. Nil when
// nothing is left.
func CleanMetadata(in map[string]any) (map[string]any, error) {
	return PlainMetadata(redact.Metadata(in))
}

// PlainMetadata is cleanMetadata without redaction.
func PlainMetadata(in map[string]any) (map[string]any, error) {
	if len(in) == 0 {
		return nil, nil
	}
	b, err := json.Marshal(in)
	if err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "metadata is not JSON").WithHint("use numbers, texts, lists and objects").WithCause(err)
	}
	if len(b) > engram.MaxMetadata {
		return nil, engram.Errorf(engram.CodeInvalid, "metadata has %d bytes, the limit is %d", len(b), engram.MaxMetadata).
			WithHint("keep long texts in the content")
	}
	var clean map[string]any
	if err := json.Unmarshal(b, &clean); err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return clean, nil
}

// TitleOf makes a title of the first words of a content: of the first line that is more than Markdown marks, if
// there is one.
func TitleOf(content string) string {
	const most = 80
	var first string
	for l := range strings.Lines(content) {
		if first = strings.TrimLeft(Line(l), "#*->_ \t"); first != "" {
			break
		}
	}
	if first == "" {
		first = Line(content)
	}
	if utf8.RuneCountInString(first) <= most {
		return first
	}
	cut := string([]rune(first)[:most])
	if i := strings.LastIndexByte(cut, ' '); i > most/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

// HashOf returns the NormalizedHash of a content.
func HashOf(content string) string { return lifecycle.Hash(content) }

// Tags cleans tags: one line, lower case, unique, not empty, sorted as stores return them.
func Tags(in []string) []string {
	var out []string
	for _, t := range in {
		if t = strings.ToLower(Line(t)); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
