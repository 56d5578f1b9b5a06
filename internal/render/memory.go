package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Marked returns a whole memory as Memory does, and below it a line for each of its Marks.
func Marked(m engram.Memory, n engram.Note, o Options) string {
	return strings.TrimSuffix(whole(m, n, o)+"\n"+markLines(n, ""), "\n")
}

// Headed returns the title of a memory and its Marks: what whoever has its fields cannot see in them.
func Headed(m engram.Memory, n engram.Note) string {
	return strings.TrimSuffix(fmt.Sprintf("#%d [%s] %s\n", m.Num, typeOf(m), titleOf(m, n))+markLines(n, ""), "\n")
}

// Memory returns a whole memory: its content to the byte, between its title and
// what is known about it. What nobody here wrote is quoted, below its source.
func Memory(m engram.Memory, o Options) string { return whole(m, engram.Note{}, o) }

func whole(m engram.Memory, n engram.Note, o Options) string {
	var b strings.Builder
	content := m.Content
	if Quoted(m, n) {
		content = Source(m, o) + ":\n" + Quote(m.Content)
	}
	fmt.Fprintf(&b, "#%d [%s] %s\n%s\n", m.Num, typeOf(m), titleOf(m, n), content)
	summary := m.OwnSummary() // a session is told it in the place of a long content
	if summary != "" && Quoted(m, n) {
		summary = QuoteLine(summary)
	}
	for _, f := range []struct{ name, value string }{
		{"Summary", summary}, {"Session", m.SessionID}, {"Project", m.Project}, {"Scope", string(m.Scope)}, {"Topic", m.TopicKey}, {"Tool", m.ToolName},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", f.name, Line(f.value, 0))
		}
	}
	fmt.Fprintf(&b, "Duplicates: %d\nRevisions: %d\nCreated: %s", m.DuplicateCount, m.RevisionCount, Time(m.CreatedAt, o))
	return b.String()
}

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
	if len(n.Flagged) > 0 {
		marks = append(marks, flaggedMark(n.Flagged))
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

// MarksByID is Marks for the dialects whose memories have ids and no numbers; forgotten memories are left out.
func MarksByID(n engram.Note) (all []string) {
	if n.State == engram.StateNeedsReview {
		all = append(all, "due for review")
	}
	if len(n.Flagged) > 0 {
		all = append(all, flaggedMark(n.Flagged))
	}
	if mark := codeMark(n.Anchors); mark != "" {
		all = append(all, mark)
	}
	var contested []string
	for _, r := range n.Relations {
		if r.Other.Num == 0 || r.Other.Forgotten() {
			continue
		}
		other := string(r.Other.ID)
		switch {
		case r.Relation.Status == engram.RelationPending:
			contested = append(contested, other)
		case r.Relation.Verb == engram.VerbContradicts:
			all = append(all, "contradicts "+other)
		case r.Relation.Supersedes() && r.Outgoing:
			all = append(all, "replaces "+other)
		case r.Relation.Supersedes():
			all = append(all, "replaced by "+other)
		}
	}
	if named := strings.Join(contested[:min(len(contested), mostContested)], ", "); named != "" {
		if more := len(contested) - mostContested; more > 0 {
			named += fmt.Sprintf(" and %d more", more)
		}
		all = append(all, "may contradict "+named)
	}
	return all
}

// mostCode is how many places in code are told beside a memory.
const mostCode = 2

// Anchors says what became of the code a memory is about, in one line, worst first:
// "internal/a.go:10-20 (changed), b.go (moved to c.go)", and of more than two how many more; "" for nothing.
func Anchors(all []engram.Anchored) string {
	var told []engram.Anchored
	for _, a := range all {
		worked := a.Named && a.Whole() && (a.State == engram.AnchorChanged && a.Now.Path == "" || a.State == engram.AnchorVerified)
		if a.State != engram.AnchorUnknown && !worked {
			told = append(told, a)
		}
	}
	worst := []engram.AnchorState{engram.AnchorGone, engram.AnchorChanged, engram.AnchorMoved, engram.AnchorVerified}
	slices.SortStableFunc(told, func(a, b engram.Anchored) int { return slices.Index(worst, a.State) - slices.Index(worst, b.State) })
	var parts []string
	for _, a := range told[:min(len(told), mostCode)] {
		parts = append(parts, Anchor(a))
	}
	if more := len(told) - mostCode; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// Anchor is a place in code and what became of it: "internal/a.go:10-20 (changed)".
func Anchor(a engram.Anchored) string {
	place := placeLine(a.Place())
	switch {
	case a.State == engram.AnchorUnknown:
		return place
	case a.State == engram.AnchorMoved && a.Now.Path == a.Path:
		return fmt.Sprintf("%s (moved to %s)", place, a.Now.Lines())
	case a.State == engram.AnchorMoved:
		return fmt.Sprintf("%s (moved to %s)", place, placeLine(a.Now))
	case a.State == engram.AnchorChanged && a.Now.Path != "":
		return fmt.Sprintf("%s (moved to %s, changed)", place, placeLine(a.Now))
	}
	return fmt.Sprintf("%s (%s)", place, a.State)
}

// mostPath is how many characters of a path are shown: it may come from anybody.
const mostPath = 120

func placeLine(p engram.Place) string {
	p.Path = Line(p.Path, mostPath)
	return p.String()
}

// AnchoredTo says which code a save anchored a memory to, a line for each that was asked for and one for all
// that its text names. Nil for none.
func AnchoredTo(all []engram.Anchor) (lines []string) {
	var named []string
	for _, a := range all {
		if a.Named {
			named = append(named, placeLine(a.Place()))
		} else {
			lines = append(lines, "Anchored to "+placeLine(a.Place()))
		}
	}
	if len(named) > 0 {
		lines = append(lines, "Anchored to "+strings.Join(named, ", ")+", which its text names")
	}
	return lines
}

// codeMark is Anchors as one of Marks; "" for none.
func codeMark(all []engram.Anchored) string {
	if told := Anchors(all); told != "" {
		return "code: " + told
	}
	return ""
}

// Anew says what a review made of the anchors of a memory, a line each: of these places it has what
// stands there now, and those are gone. "" where nothing became of them.
func Anew(anchored, released []string) string {
	var b strings.Builder
	if len(anchored) > 0 {
		fmt.Fprintf(&b, "  anchored to the current code in %s\n", Line(strings.Join(anchored, ", "), 0))
	}
	if len(released) > 0 {
		fmt.Fprintf(&b, "  no longer anchored to deleted code: %s\n", Line(strings.Join(released, ", "), 0))
	}
	return b.String()
}

// SetOff returns s, trimmed, for a place among other lines: each line but the first begins with indent, so
// that no line of a memory can pass for another memory, a block's end or the program's own words.
func SetOff(s, indent string) string {
	return breaksAs(strings.TrimSpace(s), "\n"+indent)
}

// breaksAs returns s with each of its line breaks written as brk.
func breaksAs(s, brk string) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); {
		size := breakSize(s[i:])
		if size == 0 {
			i++
			continue
		}
		b.WriteString(s[from:i])
		b.WriteString(brk)
		i += size
		from = i
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// breakSize is how many bytes the line break takes that s begins with, 0 for none: all that any terminal,
// editor or tokenizer takes for one.
func breakSize(s string) int {
	switch c := s[0]; {
	case strings.HasPrefix(s, "\r\n"), strings.HasPrefix(s, "\u0085"):
		return 2
	case c >= '\n' && c <= '\r', c >= 0x1c && c <= 0x1e:
		return 1
	case strings.HasPrefix(s, "\u2028"), strings.HasPrefix(s, "\u2029"):
		return 3
	}
	return 0
}
