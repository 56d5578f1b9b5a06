package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// mostMarks is how many relations are told beside a memory where room is short: the memory
// itself must not be crowded out by what is said of it.
const mostMarks = 5

// Marks returns what changes how a memory should be read, a phrase each, none of which has
// a line break: "state: needs_review", "suspect: …", "code: a.go:3-9 (changed)", "superseded_by: #14 (New title)", "supersedes: …",
// "conflicts: …", "conflict: contested by #12 (pending)", "conflict: contested by 3: #12, #14, #15 (pending)". What stands in its place
// comes first. Of many relations five are told, and how many more there are. Nil when the
// memory is to be read as it stands.
//
// Source of the phrases: the mem_* dialect, docs/protocol.
func Marks(n engram.Note) []string {
	var marks, rest []string
	if n.State == engram.StateNeedsReview {
		marks = append(marks, stateMark(n.State))
	}
	if len(n.Suspect) > 0 {
		marks = append(marks, suspectMark(n.Suspect))
	}
	if mark := codeMark(n.Anchors); mark != "" {
		marks = append(marks, mark)
	}
	told := len(marks) + mostMarks
	var contested []engram.RelationNote
	for _, r := range n.Relations {
		switch mark := annotation(r); {
		case r.Relation.Status == engram.RelationPending:
			contested = append(contested, r)
		case mark == "":
		case !r.Outgoing && r.Relation.Supersedes():
			marks = append(marks, mark)
		default:
			rest = append(rest, mark)
		}
	}
	marks = append(marks, rest...)
	if mark := contestedMark(contested); mark != "" {
		marks = append(marks, mark)
	}
	if more := len(marks) - told; more > 0 {
		marks = append(marks[:told], fmt.Sprintf("and %d more relations like these", more))
	}
	return marks
}

// markLines is Marks below a memory in a list, each on a line of its own: no text of a
// memory that is shown on one line can pass for one.
func markLines(n engram.Note, indent string) string {
	var b strings.Builder
	for _, mark := range Marks(n) {
		b.WriteString(indent + mark + "\n")
	}
	return b.String()
}

func stateMark(s engram.State) string { return fmt.Sprintf("state: %s", s) }

// mostContested is how many of those that contest a memory are named.
const mostContested = 3

// contestedMark says in one line who contests a memory: nobody has judged it yet, and it is
// to be read first.
func contestedMark(by []engram.RelationNote) string {
	if len(by) < 2 {
		for _, n := range by {
			return annotation(n)
		}
		return ""
	}
	var named []string
	for _, n := range by[:min(len(by), mostContested)] {
		named = append(named, fmt.Sprintf("#%d", numOf(n)))
	}
	all := strings.Join(named, ", ")
	if len(by) > mostContested {
		all += " …"
	}
	return fmt.Sprintf("conflict: contested by %d: %s (%s)", len(by), all, engram.RelationPending)
}

// contestedState is what becomes of a pair that nobody has judged.
func contestedState(n engram.RelationNote) engram.RelationStatus {
	if n.Other.Num == 0 || n.Other.Forgotten() {
		return "deleted"
	}
	return n.Relation.Status
}

// numOf is the number of the other memory, read or not.
func numOf(n engram.RelationNote) int64 {
	switch {
	case n.Other.Num != 0:
		return n.Other.Num
	case n.Outgoing:
		return n.Relation.Target
	}
	return n.Relation.Source
}

// Settled is a note without what nobody has judged: of a memory that is hardly what was
// asked for, that says nothing.
func Settled(n engram.Note) engram.Note {
	n.Relations = slices.DeleteFunc(slices.Clone(n.Relations), func(r engram.RelationNote) bool {
		return r.Relation.Status == engram.RelationPending
	})
	return n
}

// annotation returns what a relation says about reading its memory, "" when nothing.
func annotation(n engram.RelationNote) string {
	r := n.Relation
	num, gone := numOf(n), n.Other.Num == 0 || n.Other.Forgotten()
	if r.Status == engram.RelationPending {
		return fmt.Sprintf("conflict: contested by #%d (%s)", num, contestedState(n)) // by its number, as every other memory is named
	}
	if r.Status != engram.RelationJudged {
		return ""
	}
	label := ""
	switch {
	case r.Verb == engram.VerbContradicts:
		label = "conflicts"
	case r.Verb == engram.VerbSupersedes && n.Outgoing:
		label = "supersedes"
	case r.Verb == engram.VerbSupersedes:
		label = "superseded_by"
	default:
		return ""
	}
	title := Tame(Line(n.Other.Title, 0))
	if from, foreign := sourceOf(n.Other.Origin); foreign {
		title = QuoteLine(title) + ", " + from
	}
	if n.Withheld {
		title = "withheld until reviewed"
	}
	if gone {
		title = "deleted"
	}
	return fmt.Sprintf("%s: #%d (%s)", label, num, title)
}
