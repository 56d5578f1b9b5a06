package source

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

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

// MaxLine is the longest JSON line, in bytes; the longest memory fits in any encoding.
const MaxLine = 8 << 20

// EachLine calls fn with each line of r, from 1, without its end. A line longer than maxLine is
// cut, with long true.
func EachLine(r io.Reader, fn func(number int, line []byte, long bool) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	var line []byte
	for number := 1; ; number++ {
		line = line[:0]
		long := false
		for {
			part, err := in.ReadSlice('\n')
			if room := MaxLine - len(line); len(part) > room {
				part, long = part[:room], true
			}
			line = append(line, part...)
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if err != nil { // the last line may have no end
				if len(line) == 0 {
					return nil
				}
				return fn(number, line, long)
			}
			break
		}
		if err := fn(number, line, long); err != nil {
			return err
		}
	}
}

// ErrEnough stops reading lines.
var ErrEnough = errors.New("enough was read")

// When returns the first text that is a time; zero for none. A time without a zone is UTC, as
// SQLite writes it.
func When(texts ...string) time.Time {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04", "2006-01-02"} {
			if t, err := time.Parse(layout, text); err == nil {
				return t.UTC()
			}
		}
	}
	return time.Time{}
}

// Epoch returns a time in milliseconds since 1970; zero for 0. Some early rows have seconds.
func Epoch(n int64) time.Time {
	const tooManySeconds = 100_000_000_000 // the year 5138
	switch {
	case n <= 0:
		return time.Time{}
	case n < tooManySeconds:
		return time.Unix(n, 0).UTC()
	}
	return time.UnixMilli(n).UTC()
}
