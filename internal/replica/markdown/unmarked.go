package markdown

import (
	"strings"

	"github.com/alanbuscaglia/engram"
)

// heading begins what an export writes below the marker.
const heading = "## Relations"

// end finds where the memory ends in a note of Engram's whose marker somebody removed: what
// was written below it must not become text of the memory. tail is the digest of what stood
// there, "" where that is not known. Where it cannot be told, the note is flawed.
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
	case ours == 0: // a heading of the memory's own
		return nil
	case others == 0:
		r.endAt(last)
		return nil
	}
	return r.unended(last)
}

// unended is what is wrong with a note of which nobody knows where the memory ends; at is where
// in body that shows.
func (r *read) unended(at int) *flaw {
	return &flaw{r.first + strings.Count(r.body[:at], "\n"),
		engram.Errorf(engram.CodeConflict, "the line that ends the memory is gone, and what stands here may not be all of its text, or more").
			WithHint("put it back behind the text: %s", marker)}
}

// lastHeading is where the last heading of relations begins in a text, a line by itself; -1 where
// there is none. An export writes one, below whatever the memory has: only the last may be its.
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

// below is what follows the marker as an export writes it, from a section that an editor
// may have trimmed.
func below(section string) string { return "\n" + strings.TrimRight(section, " \t\r\n") + "\n" }

// endAt parts the body: the marker stood between two blank lines.
func (r *read) endAt(at int) {
	r.tail, r.fields.Content = below(r.body[at:]), r.body[:at]
	for range 3 {
		r.fields.Content = strings.TrimSuffix(r.fields.Content, "\n")
	}
}

// generated reports a line as an export writes it below the marker; words are relationWords.
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

// relationWords are the words by which notes tell relations, with what they say.
func relationWords() map[string]engram.NoteLink {
	words := map[string]engram.NoteLink{}
	for _, v := range engram.Verbs() {
		for _, outgoing := range []bool{false, true} { // the same words both ways mean outgoing
			l := engram.NoteLink{Verb: v, Outgoing: outgoing}
			words[linkWords(l)] = l
		}
	}
	return words
}

// unmerged is the line, from 1, in which what git leaves of a merge that nobody finished
// begins; 0 for none.
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

// errUnmerged is what is wrong with a note in which unmerged finds something.
func errUnmerged() *engram.Error {
	return engram.Errorf(engram.CodeConflict, "a merge was left unfinished here").
		WithHint("choose what is to hold, and remove the lines <<<<<<<, ======= and >>>>>>>")
}
