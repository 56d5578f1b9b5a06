package provider

import (
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// passageBytes is the size of a passage: the least that servers' models read is 256 tokens, 1,000 bytes of English, most read
// 512 or more, and of what is longer many drop the end without a word.
const passageBytes = 2 << 10

// passages divides a memory's text into parts of about equal size, at most vector.MostPassages, each repeating an eighth of
// the one before. A short text is one part.
func passages(text string) []string {
	if len(text) <= passageBytes {
		return []string{text}
	}
	size := max(passageBytes, len(text)*8/(7*(vector.MostPassages-1)))
	overlap := size / 8
	n := min((len(text)-overlap+size-overlap-1)/(size-overlap), vector.MostPassages)
	parts := make([]string, n)
	for i := range parts {
		from := i * (len(text) - size) / (n - 1)
		for !utf8.RuneStart(text[from]) {
			from++
		}
		parts[i] = clip(clip(text[from:], size), maxText)
	}
	return parts
}

// inPassages takes the vectors of a text's n passages from vectors, and returns them behind that of the text, their mean; of
// one passage, its own.
func inPassages(vectors [][]float32, n int) []float32 {
	v := vector.Mean(vectors[:n])
	if n > 1 {
		for _, passage := range vectors[:n] {
			v = append(v, passage...)
		}
	}
	return v
}

// said returns what is sent of a text, after what the model wants before it.
func (o Options) said(text string, role engram.Role) []string {
	parts := []string{o.sent(text, maxText)}
	if role == engram.RoleMemory {
		parts = passages(o.sent(text, engram.MaxContent+engram.MaxTitle))
	}
	for i, part := range parts {
		parts[i] = o.Prefixes[role] + part
	}
	return parts
}
