package source

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// TagsOf returns words as tags, up to the limit of a memory.
func TagsOf(words []string) []string {
	var tags []string
	for _, w := range words {
		if len(tags) < engram.MaxTags {
			tags = append(tags, TagOf(w)...)
		}
	}
	return tags
}

// longestTitle is the longest title made from a text, in bytes.
const longestTitle = 120

// FirstLine returns the beginning of a text as a title, cut between words.
func FirstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= longestTitle {
		return text
	}
	cut := strings.LastIndexByte(text[:longestTitle], ' ')
	if cut <= 0 {
		cut = longestTitle
	}
	return strings.ToValidUTF8(text[:cut], "") + "…"
}

// Bullets formats texts as a list; a single text stands alone.
func Bullets(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	var b strings.Builder
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			fmt.Fprintf(&b, "- %s\n", strings.ReplaceAll(strings.TrimSpace(t), "\n", "\n  "))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TagOf returns a word as a tag; nil if it is too long.
func TagOf(word string) []string {
	word = strings.Join(strings.Fields(word), "-")
	if word == "" || len(word) > engram.MaxTag {
		return nil
	}
	return []string{word}
}
