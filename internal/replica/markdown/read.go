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

// heading begins the part below the marker.
const heading = "## Relations"

// end finds where the memory ends in a note of Engram's without a marker: the part below it must
// not become content. tail is the digest of that part, "" if unknown. If the end is ambiguous, the
// note is flawed.
func (r *read) end(tail string) *flaw {
	if !r.unmarked || tail == digest(nil) {
		return nil
	}
	last := lastHeading(r.body)
	if last >= 0 && digest([]byte(below(r.body[last:]))) == tail {
		r.endAt(last)
		return nil
	}
	switch {
	case tail != "" && last >= 0: // it may be cut off
		return r.unended(last)
	case tail != "":
		return r.unended(len(strings.TrimRight(r.body, "\n")))
	case last < 0:
		return nil
	}
	words := relationWords()
	ours, others := 0, 0
	for line := range strings.SplitSeq(r.body[last+len(heading):], "\n") {
		switch {
		case strings.TrimSpace(line) == "":
		case generated(line, words):
			ours++
		default:
			others++
		}
	}
	switch {
	case ours == 0: // a heading of the memory itself
		return nil
	case others == 0:
		r.endAt(last)
		return nil
	}
	return r.unended(last)
}

// unended reports a note whose memory has no certain end; at is where that shows in body.
func (r *read) unended(at int) *flaw {
	return &flaw{r.first + strings.Count(r.body[:at], "\n"),
		engram.Errorf(engram.CodeConflict, "the line that ends the memory is missing, so its text may be incomplete or too long here").
			WithHint("add it after the text: %s", marker)}
}

// lastHeading returns the position of the last relations heading on a line by itself; -1 for none.
// Only the last can be from an export.
func lastHeading(body string) int {
	at := strings.LastIndex(body, heading)
	for ; at >= 0; at = strings.LastIndex(body[:at], heading) {
		if at > 0 && body[at-1] != '\n' {
			continue
		}
		if line, _, _ := strings.Cut(body[at:], "\n"); strings.TrimRight(line, " \t\r") == heading {
			break
		}
	}
	return at
}

// below returns the part after the marker as an export writes it, from a section that an editor may
// have trimmed.
func below(section string) string { return "\n" + strings.TrimRight(section, " \t\r\n") + "\n" }

// endAt splits the body: the marker was between two blank lines.
func (r *read) endAt(at int) {
	r.tail, r.fields.Content = below(r.body[at:]), r.body[:at]
	for range 3 {
		r.fields.Content = strings.TrimSuffix(r.fields.Content, "\n")
	}
}

// generated reports whether a line looks like an export's line below the marker; words are
// relationWords.
func generated(line string, words map[string]engram.NoteLink) bool {
	item, is := strings.CutPrefix(strings.TrimRight(line, " \t\r"), "- ")
	if !is {
		return false
	}
	item = strings.TrimPrefix(item, "perhaps ")
	for _, k := range []engram.HubKind{engram.HubSession, engram.HubTopic, engram.HubCluster} {
		if strings.HasPrefix(item, string(k)+" [") {
			return true
		}
	}
	for said := range words {
		if strings.HasPrefix(item, said+" ") {
			return true
		}
	}
	return false
}

// relationWords maps the words for relations in notes to relations.
func relationWords() map[string]engram.NoteLink {
	words := map[string]engram.NoteLink{}
	for _, v := range engram.Verbs() {
		for _, outgoing := range []bool{false, true} { // words equal in both directions mean outgoing
			l := engram.NoteLink{Verb: v, Outgoing: outgoing}
			words[linkWords(l)] = l
		}
	}
	return words
}

// unmerged returns the line, from 1, where an unfinished git merge begins; 0 for none.
func unmerged(s string) int {
	begun, parted, n := 0, false, 0
	for line := range strings.SplitSeq(s, "\n") {
		n++
		line = strings.TrimSuffix(line, "\r")
		switch {
		case begun == 0 && strings.HasPrefix(line, "<<<<<<< "):
			begun = n
		case begun > 0 && line == "=======":
			parted = true
		case parted && strings.HasPrefix(line, ">>>>>>> "):
			return begun
		}
	}
	return 0
}

func errUnmerged() *engram.Error {
	return engram.Errorf(engram.CodeConflict, "a merge is unfinished here").
		WithHint("choose one side and remove the lines <<<<<<<, ======= and >>>>>>>")
}
