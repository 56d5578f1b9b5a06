package render

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
)

// Recall returns what was recalled for a question as one block of Markdown that can
// be pasted into a prompt, "" when there is nothing. Each part is a head and a text,
// as RecallHead and RecallBody give them, and ends in a line break. The block ends in
// an empty line.
func Recall(query string, parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(RecallTitle(query))
	for _, p := range parts {
		b.WriteString(p)
		b.WriteByte('\n')
	}
	return b.String()
}

// RecallTitle is what Recall writes above its parts. A long question is cut: whoever
// asked it knows it.
func RecallTitle(query string) string {
	if query = Line(query, 100); query != "" {
		return recallTitle + " for: " + query + "\n\n"
	}
	return recallTitle + "\n\n"
}

// What opens a block of recalled memories, and in it the head of a memory.
const (
	recallTitle = "## Recalled"
	recallMark  = "### #"
)

// RecallHead returns the line above a recalled memory. Its Marks stand in that line: one
// below it could be a line of the memory's own text.
func RecallHead(m engram.Memory, n engram.Note, o Options) string {
	day, _, _ := strings.Cut(Time(m.CreatedAt, o), " ")
	head := fmt.Sprintf("%s%d [%s] ", recallMark, m.Num, typeOf(m))
	// A text that is shown whole begins with it; of another it says what the passage is from.
	if body, _, _ := strings.Cut(strings.TrimSpace(m.Content), "\n"); utf8.RuneCountInString(m.Content) > gist.Long || !opensWith(body, Line(m.Title, 0)) {
		head += titleOf(m, n) + " "
	}
	head += "(" + day
	if m.Project != "" {
		head += ", " + Line(m.Project, 0)
	}
	if Quoted(m, n) {
		name, _ := sourceOf(m.Origin)
		head += ", " + name
	}
	return strings.Join(append([]string{head + ")"}, Marks(n)...), " | ")
}

// RecallBody returns the text of a recalled memory. A line in it that looks like the
// head of another memory, or of another block, is set off by a blank, whatever character
// the line before it ends in.
func RecallBody(content string) string {
	body := "\n" + breaksAs(strings.TrimSpace(content), "\n")
	for _, mark := range []string{recallMark, recallTitle} {
		body = strings.ReplaceAll(body, "\n"+mark, "\n "+mark)
	}
	return body[1:]
}
