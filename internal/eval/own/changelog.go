package own

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/eval"
)

// Line is an entry of a changelog.
type Line struct {
	Text   string
	Commit string // the hash of the commit that wrote it
}

// Commit is what a commit says of itself.
type Commit struct {
	Hash          string
	Subject, Body string
	At            time.Time
}

// mostLines is how many entries a commit may have written and still be what they are
// about: one that wrote more is a release, or moved the file.
const mostLines = 3

// Changelog asks the entries of a changelog and wants the commits that wrote them,
// among all commits, which come oldest first. What would give the answer away is taken
// out of the questions: numbers of issues, names, links and hashes.
func Changelog(lines []Line, commits []Commit) eval.Set {
	b := newBuilder("changelog")
	known := map[string]bool{}
	for i, c := range commits {
		d := eval.Document{ID: c.Hash, Title: c.Subject, Text: strings.TrimSpace(c.Body), Time: c.At, Group: "changelog", Seq: i}
		if d.Text == "" {
			d.Text = c.Subject
		}
		known[c.Hash] = true
		b.document(d)
	}
	wrote := map[string]int{}
	for _, l := range lines {
		wrote[l.Commit]++
	}
	giveaway := regexp.MustCompile(`https?://[^\s)\]>]+|\[?#\d+\]?|@[\w-]+|\b[0-9a-f]{7,40}\b|[*_` + "`" + `]`)
	emptied := regexp.MustCompile(`[(\[][\s()\[\]]*[)\]]`) // brackets around what was taken out
	for i, l := range lines {
		if known[l.Commit] && wrote[l.Commit] <= mostLines {
			asked := emptied.ReplaceAllString(giveaway.ReplaceAllString(l.Text, " "), " ")
			b.question(fmt.Sprintf("line-%d", i+1), "changelog", strings.Join(strings.Fields(asked), " "), l.Commit)
		}
	}
	return b.set.Head(MaxQuestions)
}
