package markdown

import (
	"strings"

	"github.com/alanbuscaglia/engram"
)

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

// errUnmerged reports an unfinished merge.
func errUnmerged() *engram.Error {
	return engram.Errorf(engram.CodeConflict, "a merge is unfinished here").
		WithHint("choose one side and remove the lines <<<<<<<, ======= and >>>>>>>")
}
