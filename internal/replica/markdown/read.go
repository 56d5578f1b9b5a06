package markdown

import (
	"errors"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Limits of a note: a memory's longest text plus the rest.
const (
	maxNote  = engram.MaxContent + 512<<10
	maxFront = 64 << 10
)

// read is a note as it was read.
type read struct {
	id      engram.ID // "" for none
	foreign bool      // its id is not one of Engram's
	project string
	fields  engram.NoteFields
	lacks   []string          // missing fields
	fixed   map[string]string // values that edits do not change: sync_id, session, times
	kept    kept
	tail    string // the text after the marker
	// unmarked reports a note of Engram's without a marker: then end finds where the memory ends in
	// body, whose first line is line first of the file.
	unmarked bool
	body     string
	first    int
	unmerged int // the line where an unfinished merge begins; 0 for none
}

// flaw is why a note is unreadable.
type flaw struct {
	line int // from 1
	err  *engram.Error
}

func flawed(line int, format string, args ...any) *flaw {
	return &flaw{line, engram.Errorf(engram.CodeInvalid, format, args...)}
}

// readNote reads a note. It is untrusted: YAML anchors, aliases and tags, duplicate keys and values
// of the wrong kind are flaws.
func readNote(b []byte) (read, *flaw) {
	if len(b) > maxNote {
		return read{}, flawed(0, "the note has %d bytes, the limit is %d", len(b), maxNote)
	}
	if err := engram.CheckText("the note", string(b), maxNote); err != nil {
		return read{}, &flaw{0, asError(err)}
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	head, body, found := splitFront(text)
	r := read{unmerged: unmerged(text)}
	if !found && unclosed(text) {
		return r, &flaw{1, engram.Errorf(engram.CodeInvalid, "the front matter that begins here is unterminated").
			WithHint("end it with a line of ---, or begin the file with an empty line if this is not front matter")}
	}
	if !found {
		r.lacks = []string{"title", "type", "scope", "topic", "tags", "importance", "permanent"}
	} else if f := r.readFront(head); f != nil {
		if r.unmerged > 0 {
			f = &flaw{r.unmerged, errUnmerged()}
		}
		return read{}, f
	}
	marked := false
	if r.fields.Content, r.tail, marked = splitBody(body, found); !marked && r.id != "" {
		text := strings.TrimPrefix(body, "\n") // like splitBody
		r.unmarked, r.body, r.first = true, text, strings.Count(head, "\n")+3+len(body)-len(text)
	}
	return r, nil
}

func asError(err error) *engram.Error {
	if e, ok := errors.AsType[*engram.Error](err); ok {
		return e
	}
	return engram.Errorf(engram.CodeInvalid, "%v", err)
}

// splitFront splits off front matter. Windows line ends, which an editor may have introduced, are
// converted: Engram writes none in front matter.
func splitFront(s string) (head, body string, found bool) {
	if strings.HasPrefix(s, "---\r\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	rest, found := strings.CutPrefix(s, "---\n")
	if !found {
		return "", s, false
	}
	for at := 0; at <= len(rest); {
		line, _, more := strings.Cut(rest[at:], "\n")
		if line == "---" || line == "..." {
			if !more {
				return rest[:at], "", true
			}
			return rest[:at], rest[at+len(line)+1:], true
		}
		if !more {
			break
		}
		at += len(line) + 1
	}
	return "", s, false // a rule across the page, not front matter
}

// unclosed reports a page that begins like unterminated front matter: a line --- and a key below
// it.
func unclosed(s string) bool {
	first, rest, _ := strings.Cut(s, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	key, value, is := strings.Cut(strings.TrimSuffix(line, "\r"), ":")
	return is && strings.TrimSuffix(first, "\r") == "---" && key != "" && !strings.ContainsAny(key, " \t") &&
		(value == "" || value[0] == ' ')
}

// splitBody splits the memory from what follows the marker, and removes the separators. A note by a
// person has no marker: all of it is the content.
func splitBody(body string, front bool) (content, tail string, marked bool) {
	if front {
		body = strings.TrimPrefix(body, "\n")
	}
	at := -1
	if strings.HasPrefix(body, marker) {
		at = 0
	}
	if i := strings.LastIndex(body, "\n"+marker); i >= 0 {
		at = i + 1
	}
	if at < 0 {
		return strings.TrimSpace(body), "", false
	}
	tail = strings.TrimPrefix(body[at+len(marker):], "\n")
	content = body[:at]
	for range 2 { // the line end and the blank line
		content = strings.TrimSuffix(content, "\n")
	}
	return content, tail, true
}
