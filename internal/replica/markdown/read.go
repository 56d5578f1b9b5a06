package markdown

import (
	"errors"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Limits of a note that is read: a memory's longest text with what stands around it.
const (
	maxNote  = engram.MaxContent + 512<<10
	maxFront = 64 << 10
)

// read is a note as it was read.
type read struct {
	id      engram.ID // "" when it names none
	foreign bool      // it has an id that is not one of Engram's
	project string
	fields  engram.NoteFields
	lacks   []string          // fields that it does not tell
	told    map[string]string // what no edit changes: sync_id, session, times
	kept    kept
	tail    string // what follows the marker
	// unmarked says that it is a note of Engram's, and has no marker: then end says where the
	// memory ends in body, whose first line is the line first of the file.
	unmarked bool
	body     string
	first    int
	unmerged int // the line in which an unfinished merge begins; 0 for none
}

// flaw is why a note cannot be read.
type flaw struct {
	line int // from 1
	err  *engram.Error
}

func flawed(line int, format string, args ...any) *flaw {
	return &flaw{line, engram.Errorf(engram.CodeInvalid, format, args...)}
}

// readNote reads a note. What it says is from outside, and nothing of it is believed but
// its form: anchors, aliases and tags of YAML, keys that stand twice and values of another
// kind than their key has are flaws.
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
		return r, &flaw{1, engram.Errorf(engram.CodeInvalid, "the front matter that begins here has no end").
			WithHint("end it with a line of ---, or put an empty line first if it is none")}
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
		text := strings.TrimPrefix(body, "\n") // as splitBody
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

// splitFront parts front matter from what follows; found is false where there is none. An
// editor may have turned the ends of all lines into those of Windows: then they are turned
// back, for Engram writes no others into front matter.
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
	return "", s, false // a line across the page, and no front matter
}

// unclosed reports a page without front matter that begins as if it had some: a line --- with a
// key below it.
func unclosed(s string) bool {
	first, rest, _ := strings.Cut(s, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	key, value, is := strings.Cut(strings.TrimSuffix(line, "\r"), ":")
	return is && strings.TrimSuffix(first, "\r") == "---" && key != "" && !strings.ContainsAny(key, " \t") &&
		(value == "" || value[0] == ' ')
}

// splitBody parts the memory from what stands below the marker, and takes away what the
// writer of notes puts between them. A note that a person wrote has no marker: its content
// is what stands there.
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
	for range 2 { // the end of the line, and the blank one
		content = strings.TrimSuffix(content, "\n")
	}
	return content, tail, true
}
