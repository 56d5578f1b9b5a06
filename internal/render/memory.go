package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Marked returns a memory as Memory does, followed by its Marks, a line each.
func Marked(m engram.Memory, n engram.Note, o Options) string {
	return strings.TrimSuffix(whole(m, n, o)+"\n"+markLines(n, ""), "\n")
}

// Headed returns the title of a memory and its Marks, for readers that have its fields.
func Headed(m engram.Memory, n engram.Note) string {
	return strings.TrimSuffix(fmt.Sprintf("#%d [%s] %s\n", m.Num, typeOf(m), titleOf(m, n))+markLines(n, ""), "\n")
}

// Memory returns a memory in full: title, exact content and fields. Content from elsewhere is quoted, below
// its source.
func Memory(m engram.Memory, o Options) string { return whole(m, engram.Note{}, o) }

func whole(m engram.Memory, n engram.Note, o Options) string {
	var b strings.Builder
	content := m.Content
	if Quoted(m, n) {
		content = Source(m, o) + ":\n" + Quote(m.Content)
	}
	fmt.Fprintf(&b, "#%d [%s] %s\n%s\n", m.Num, typeOf(m), titleOf(m, n), content)
	summary := m.OwnSummary() // shown to sessions instead of a long content
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

// mostMarks limits the marks of relations where space is short, so that they do not crowd out the memory.
const mostMarks = 5

// Marks returns what affects how to read a memory, as phrases without line breaks: "state: needs_review",
// "suspect: …", "code: a.go:3-9 (changed)", "superseded_by: #14 (New title)", "supersedes: …", "conflicts:
// …", "conflict: contested by #12 (pending)", "conflict: contested by 3: #12, #14, #15 (pending)". Memories
// that supersede it come first. At most five relations are listed, with the number of others. Nil if there is
// nothing to mark.
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
	most := len(marks) + mostMarks
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
	if more := len(marks) - most; more > 0 {
		marks = append(marks[:most], fmt.Sprintf("and %d more relations like these", more))
	}
	return marks
}

// markLines writes Marks below a memory, a line each. No line of a memory's text can pass for one.
func markLines(n engram.Note, indent string) string {
	var b strings.Builder
	for _, mark := range Marks(n) {
		b.WriteString(indent + mark + "\n")
	}
	return b.String()
}

func stateMark(s engram.State) string { return fmt.Sprintf("state: %s", s) }

// mostContested limits the contesting memories that are named.
const mostContested = 3

// contestedMark names the memories that contest this one, on one line. Read them before relying on it.
func contestedMark(by []engram.RelationNote) string {
	switch len(by) {
	case 0:
		return ""
	case 1:
		return annotation(by[0])
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

// numOf returns the number of the other memory, which may not have been read.
func numOf(n engram.RelationNote) int64 {
	switch {
	case n.Other.Num != 0:
		return n.Other.Num
	case n.Outgoing:
		return n.Relation.Target
	}
	return n.Relation.Source
}

// withoutPending returns n without pending candidates, which are irrelevant for a memory that hardly matches.
func withoutPending(n engram.Note) engram.Note {
	n.Relations = slices.DeleteFunc(slices.Clone(n.Relations), func(r engram.RelationNote) bool {
		return r.Relation.Status == engram.RelationPending
	})
	return n
}

// annotation returns the mark of a relation; "" for none.
func annotation(n engram.RelationNote) string {
	r := n.Relation
	num, deleted := numOf(n), n.Other.Num == 0 || n.Other.Forgotten()
	label := ""
	switch {
	case r.Status == engram.RelationPending && deleted:
		return fmt.Sprintf("conflict: contested by #%d (deleted)", num)
	case r.Status == engram.RelationPending:
		return fmt.Sprintf("conflict: contested by #%d (%s)", num, r.Status) // by number, like every other memory
	case r.Status != engram.RelationJudged:
		return ""
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
	if deleted {
		title = "deleted"
	}
	return fmt.Sprintf("%s: #%d (%s)", label, num, title)
}

// MarksByID is Marks for dialects whose memories have ids instead of numbers; forgotten memories are left
// out.
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

// mostCode limits the places in code listed beside a memory.
const mostCode = 2

// Anchors returns the state of a memory's code on one line, worst first: "internal/a.go:10-20 (changed), b.go
// (moved to c.go)", at most two places and the number of others; "" for none.
func Anchors(all []engram.Anchored) string {
	var known []engram.Anchored
	for _, a := range all {
		worked := a.Named && a.Whole() && (a.State == engram.AnchorChanged && a.Now.Path == "" || a.State == engram.AnchorVerified)
		if a.State != engram.AnchorUnknown && !worked {
			known = append(known, a)
		}
	}
	worst := []engram.AnchorState{engram.AnchorGone, engram.AnchorChanged, engram.AnchorMoved, engram.AnchorVerified}
	slices.SortStableFunc(known, func(a, b engram.Anchored) int { return slices.Index(worst, a.State) - slices.Index(worst, b.State) })
	var parts []string
	for _, a := range known[:min(len(known), mostCode)] {
		parts = append(parts, Anchor(a))
	}
	if more := len(known) - mostCode; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// Anchor returns a place in code with its state: "internal/a.go:10-20 (changed)".
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

// mostPath limits the characters of a path, which may come from an untrusted source.
const mostPath = 120

func placeLine(p engram.Place) string {
	p.Path = Line(p.Path, mostPath)
	return p.String()
}

// AnchoredTo reports the code that a save anchored a memory to: a line for each place that was requested, and
// one for all that the text names. Nil for none.
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

// codeMark returns Anchors as a mark; "" for none.
func codeMark(all []engram.Anchored) string {
	if known := Anchors(all); known != "" {
		return "code: " + known
	}
	return ""
}

// AnchorChanges reports the anchors that a review renewed or removed, a line each; "" for none.
func AnchorChanges(anchored, released []string) string {
	var b strings.Builder
	if len(anchored) > 0 {
		fmt.Fprintf(&b, "  anchored to the current code in %s\n", Line(strings.Join(anchored, ", "), 0))
	}
	if len(released) > 0 {
		fmt.Fprintf(&b, "  no longer anchored to deleted code: %s\n", Line(strings.Join(released, ", "), 0))
	}
	return b.String()
}

// SetOff returns s, trimmed, for use between other lines: each line but the first begins with indent, so that
// no line of a memory can pass for another memory, the end of a block or the program's own words.
func SetOff(s, indent string) string {
	return breaksAs(strings.TrimSpace(s), "\n"+indent)
}

// breaksAs replaces each line break of s by brk.
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

// breakSize returns the number of bytes of the line break that s begins with, 0 for none. It includes
// everything that some terminal, editor or tokenizer treats as one.
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
