package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Log writes operations, newest first, with the records of each: + created, ~ changed. begins is the start of
// the journal, zero if it is complete.
func Log(entries []engram.LogEntry, begins time.Time, o Options) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "#%d  %s  %s  %s", e.Op, Time(e.At.Time(), o), Line(e.Actor, 0), Line(e.Name, 0))
		if e.Project != "" {
			fmt.Fprintf(&b, "  (%s)", Line(e.Project, 0))
		}
		if e.Undoes != 0 {
			fmt.Fprintf(&b, "  undoes #%d", e.Undoes)
		}
		if e.UndoneBy != 0 {
			fmt.Fprintf(&b, "  undone by #%d", e.UndoneBy)
		}
		if e.Final {
			b.WriteString("  erased: cannot be undone")
		}
		b.WriteByte('\n')
		for _, item := range e.Items {
			fmt.Fprintf(&b, "    %s\n", logItem(item))
		}
		if e.More > 0 {
			fmt.Fprintf(&b, "    … and %d more\n", e.More)
		}
		if e.Reason != "" {
			fmt.Fprintf(&b, "    because: %s\n", Line(e.Reason, 0))
		}
	}
	if len(entries) == 0 {
		b.WriteString("No operations found.\n")
	}
	if !begins.IsZero() {
		fmt.Fprintf(&b, "The journal begins on %s; earlier operations were removed.\n", Time(begins, o))
	}
	return b.String()
}

func logItem(i engram.LogItem) string {
	sign := "~"
	if i.Created {
		sign = "+"
	}
	s := fmt.Sprintf("%s %s %s", sign, i.Entity, Line(i.Key, 0))
	if i.Entity == engram.EntityMemory || i.Entity == engram.EntityPrompt || i.Entity == engram.EntityRelation {
		s = fmt.Sprintf("%s %s #%s", sign, i.Entity, i.Key)
	}
	if i.Title != "" {
		s += ` "` + Line(i.Title, 80) + `"`
	}
	if len(i.Fields) > 0 {
		s += ": " + strings.Join(i.Fields, ", ")
	}
	return s
}

// mostUndone limits the changes that an undo lists: a batch has hundreds.
const mostUndone = 20

// Undone writes what an undo did, or with dry what it would do: the first changes and the number of others.
func Undone(u engram.Undone, dry bool) string {
	var b strings.Builder
	did := "Undid"
	if dry {
		did = "Would undo"
	}
	fmt.Fprintf(&b, "%s operation %d (%s)\n", did, u.Undone.Op, Line(u.Undone.Name, 0))
	if n := len(u.Projects); n > 1 {
		fmt.Fprintf(&b, "  it affects %d projects: %s\n", n, Line(strings.Join(u.Projects[:min(n, mostUndone)], ", "), 0))
	}
	listed := map[string]bool{} // a merge of several sources changes one target several times
	for _, c := range u.Changes {
		sign := ""
		if c.Entity == engram.EntityMemory || c.Entity == engram.EntityPrompt {
			sign = "#"
		}
		line := fmt.Sprintf("  %s %s%s %s\n", c.Entity, sign, Line(c.Key, 0), Line(c.What, 0))
		if !listed[line] && len(listed) < mostUndone {
			b.WriteString(line)
		}
		listed[line] = true
	}
	if more := len(listed) - mostUndone; more > 0 {
		fmt.Fprintf(&b, "  … and %d more\n", more)
	}
	for i, left := range u.Left {
		if i == mostUndone {
			fmt.Fprintf(&b, "  … and %d more are left unchanged\n", len(u.Left)-mostUndone)
			break
		}
		fmt.Fprintf(&b, "  left unchanged: %s\n", Line(left, 0))
	}
	if u.Op != 0 && !dry {
		fmt.Fprintf(&b, "To redo it, undo operation %d\n", u.Op)
	}
	return b.String()
}

// historyPreview is the number of characters of each version in a history.
const historyPreview = 200

// History writes the versions of a memory as previews, oldest first.
func History(h engram.History, o Options) string {
	m := h.Memory
	var b strings.Builder
	quoted := Quoted(m, engram.Note{})
	line := func(s string) string {
		if s = Line(s, 0); quoted {
			s = QuoteLine(s)
		}
		return s
	}
	fmt.Fprintf(&b, "#%d [%s] %s — %s", m.Num, typeOf(m), line(m.Title), text.Counted(len(h.Versions), "version", "versions"))
	if m.Forgotten() {
		fmt.Fprintf(&b, ", forgotten %s", Time(m.DeletedAt, o))
	}
	b.WriteByte('\n')
	for i, v := range h.Versions {
		fmt.Fprintf(&b, "\n[%d] %s", v.Number, Time(v.WrittenAt, o))
		if i == len(h.Versions)-1 {
			b.WriteString(" (now)\n")
		} else {
			fmt.Fprintf(&b, " until %s, replaced by: %s\n", Time(v.ReplacedAt, o), Line(v.Reason, 0))
		}
		fmt.Fprintf(&b, "    %s\n    %s\n", line(v.Title), line(Preview(v.Content, historyPreview)))
	}
	return b.String()
}

// VersionText returns the title and content of a version.
func VersionText(v engram.Version) string { return v.Title + "\n\n" + v.Content }

// VersionDiff compares two versions of a memory.
func VersionDiff(from, to engram.Version) string {
	head := fmt.Sprintf("version %d → version %d\n", from.Number, to.Number)
	diff := Diff(VersionText(from), VersionText(to))
	if diff == "" {
		return head + "The texts are equal.\n"
	}
	return head + "\n" + diff + "\n"
}

// Diff compares two texts word by word, since lines of prose are long: removed words stand between [- and -],
// added ones between {+ and +}; long unchanged parts are cut. "" for equal texts.
func Diff(was, now string) string {
	if was == now {
		return ""
	}
	before := words(was)
	var b strings.Builder
	at := 0
	for _, e := range udiff.Lines(before, words(now)) {
		b.WriteString(elide(joined(before[at:e.Start])))
		if removed := joined(before[e.Start:e.End]); removed != "" {
			b.WriteString("[-" + removed + "-]")
		}
		if come := joined(e.New); come != "" {
			b.WriteString("{+" + come + "+}")
		}
		at = e.End
	}
	b.WriteString(elide(joined(before[at:])))
	return b.String()
}

// lineBreak represents a line break while each word is a line: a character that no stored text contains.
const lineBreak = "\x00"

// words writes each word, and each run of white space, on a line of its own.
func words(s string) string {
	var b strings.Builder
	space := false
	for i, r := range s {
		if now := unicode.IsSpace(r); i > 0 && (now != space || r == '\n') {
			b.WriteByte('\n')
		}
		space = unicode.IsSpace(r)
		if r == '\n' {
			b.WriteString(lineBreak)
			continue
		}
		b.WriteRune(r)
	}
	b.WriteByte('\n')
	return b.String()
}

// joined reverses words.
func joined(lines string) string {
	return strings.ReplaceAll(strings.ReplaceAll(lines, "\n", ""), lineBreak, "\n")
}

// diffLines is the number of lines shown on each side of a change.
const diffLines = 3

// elide cuts the middle out of a long unchanged text.
func elide(s string) string {
	lines := strings.SplitAfter(s, "\n")
	if len(lines) <= 2*diffLines+1 {
		return s
	}
	head, tail := lines[:diffLines], lines[len(lines)-diffLines:]
	return strings.Join(head, "") + "…\n" + strings.Join(tail, "")
}

// Unified compares two contents of a file as diff -u does; nil is no file, and the result is "" for no
// change. Binary content is made readable, as by Plain.
func Unified(path string, before, after []byte) string {
	name := func(content []byte) string {
		if content == nil {
			return "/dev/null"
		}
		return path
	}
	text := udiff.Unified(name(before), name(after), lines(before), lines(after))
	if text == "" && (before == nil) != (after == nil) {
		text = "--- " + name(before) + "\n+++ " + name(after) + "\n"
	}
	return text
}

// lines prepares a file for comparison; line ends of Windows count as line ends.
func lines(content []byte) string {
	return Plain(strings.ReplaceAll(string(content), "\r\n", "\n"))
}

// Timeline returns what was saved around a memory, with the Marks of each. Empty sides, and a missing
// session, are left out.
func Timeline(t engram.Timeline, o Options) string {
	var b strings.Builder
	writeSession(&b, t, o)
	writeSide(&b, "Before", t.Before, t.Notes)
	m := t.Focus
	said, note := m.Content, t.Notes[m.Num]
	if utf8.RuneCountInString(said) > gist.Long {
		said = gist.Line(m, gist.Long)
	}
	title, said := once(m.Title, said)
	switch quoted := Quoted(m, note); {
	case quoted && strings.TrimSpace(said) == "":
		title, said = QuoteLine(title), Source(m, o)
	case quoted:
		title, said = QuoteLine(title), Source(m, o)+":\n"+Quote(said)
	}
	fmt.Fprintf(&b, ">>> #%d [%s] %s <<<\n", m.Num, typeOf(m), title)
	if said = strings.TrimSpace(said); said != "" {
		b.WriteString(listIndent + SetOff(said, listIndent) + "\n")
	}
	fmt.Fprintf(&b, "%s%s\n", listIndent, Time(m.CreatedAt, o))
	b.WriteString(markLines(t.Notes[m.Num], "    "))
	if len(t.After) > 0 {
		b.WriteByte('\n')
		writeSide(&b, "After", t.After, t.Notes)
	}
	return strings.TrimRight(b.String(), "\n")
}

func writeSession(b *strings.Builder, t engram.Timeline, o Options) {
	s := t.Session
	if s.ID == "" {
		return
	}
	fmt.Fprintf(b, "Session: %s (%s)", sessionName(s), Time(s.StartedAt, o))
	if len(t.Flagged) > 0 {
		b.WriteString(" — " + Summary(s, 100, t.Flagged))
	} else if summary := Line(gist.Of(s.Summary, 100), 0); summary != "" {
		b.WriteString(" — " + summary)
	}
	fmt.Fprintf(b, "\nTotal observations in session: %d\n\n", t.Total)
}

// Summary returns a session's summary on one line of at most `most` characters, 0 for all. It is quoted
// because its author is unknown; flagged is why it is flagged as instruction-like.
func Summary(s engram.Session, most int, flagged []string) string {
	said := s.Summary
	if most > 0 && utf8.RuneCountInString(said) > most {
		said = gist.Of(said, most)
	}
	said = QuoteLine(said)
	if len(flagged) > 0 {
		said += " | " + flaggedMark(flagged)
	}
	return said
}

// sessionName returns the project of a session, or its id if it has none.
func sessionName(s engram.Session) string {
	if s.Project == "" {
		return Line(s.ID, 0)
	}
	return Line(s.Project, 0)
}

func writeSide(b *strings.Builder, name string, side []engram.Memory, notes engram.Notes) {
	if len(side) == 0 {
		return
	}
	fmt.Fprintf(b, "─── %s ───\n", name)
	for _, m := range side {
		fmt.Fprintf(b, "  #%d [%s] %s\n", m.Num, typeOf(m), ListItem(m, notes[m.Num], 150))
		b.WriteString(markLines(notes[m.Num], "    "))
	}
	b.WriteByte('\n')
}

// mostSteps limits the steps listed per action.
const mostSteps = 50

// Slept writes what a sleep did, or in a dry run would do: its steps with reasons, at most 50 of each action,
// and how to undo it.
func Slept(s lifecycle.Slept, dryRun bool) string {
	var b strings.Builder
	for _, a := range lifecycle.StepActions() {
		var steps []lifecycle.Step
		for _, step := range s.Plan {
			if step.Action == a {
				steps = append(steps, step)
			}
		}
		for _, step := range steps[:min(len(steps), mostSteps)] {
			writeStep(&b, step, s.Titles[step.Memories[0]])
		}
		if left := len(steps) - mostSteps; left > 0 {
			fmt.Fprintf(&b, "  … and %d more to %s\n", left, a)
		}
	}
	writeSlept(&b, s, dryRun)
	return strings.TrimSuffix(b.String(), "\n")
}

// stepIndent indents the text below a step's action.
const stepIndent = "        "

func writeStep(b *strings.Builder, s lifecycle.Step, title string) {
	line := fmt.Sprintf("%-7s #%d", s.Action, s.Memories[0])
	if len(s.Memories) > 1 {
		line += " ← " + numbers("#", s.Memories[1:])
	}
	if title != "" {
		line += " " + Line(title, 60)
	}
	switch {
	case s.Action == lifecycle.StepPrune:
		line += fmt.Sprintf("  %.2f", s.From)
	case s.Action != lifecycle.StepExtract:
		line += fmt.Sprintf("  %.2f → %.2f", s.From, s.To)
	}
	fmt.Fprintf(b, "%s\n%s\n", Fold(line, stepIndent, Columns), Fold(stepIndent+s.Reason, stepIndent, Columns))
}

func writeSlept(b *strings.Builder, s lifecycle.Slept, dryRun bool) {
	steps, on := text.Counted(len(s.Plan), "step", "steps"), text.Counted(s.Memories, "memory", "memories")
	switch {
	case len(s.Plan) == 0:
		fmt.Fprintf(b, "Nothing to do among %s.\n", on)
	case dryRun:
		fmt.Fprintf(b, "Would apply %s to %s.\n", steps, on)
	default:
		fmt.Fprintf(b, "Applied %d of %s to %s.\n", s.Applied, steps, on)
	}
	if s.Fading > 0 {
		fmt.Fprintf(b, "%d grow weaker with time: engram decay shows them.\n", s.Fading)
	}
	report := func(format string, args ...any) {
		fmt.Fprintln(b, Fold(fmt.Sprintf(format, args...), stepIndent, Columns))
	}
	for _, a := range []lifecycle.StepAction{lifecycle.StepBoost, lifecycle.StepPrune} {
		if why := spared(s, a); why != "" {
			report("Nothing to %s: %s", a, why)
		}
	}
	for _, k := range s.Skipped[:min(len(s.Skipped), mostSteps)] {
		report("Not applied: %s #%d: %s", k.Step.Action, k.Step.Memories[0], k.Reason)
	}
	if len(s.Made) > 0 {
		report("Patterns saved: %s", numbers("#", s.Made))
	}
	if s.Compacted > 0 {
		report("Removed from the journal because of age: %s", text.Counted(s.Compacted, "entry", "entries"))
	}
	if undo := UndoOfSleep(s); undo != "" {
		report("To undo: %s", undo)
	}
}

// spared returns how many memories were spared and why, most frequent reason first; "" for none.
func spared(s lifecycle.Slept, a lifecycle.StepAction) string {
	all := slices.DeleteFunc(slices.Clone(s.Spared), func(k lifecycle.Spared) bool { return k.Action != a })
	slices.SortStableFunc(all, func(x, y lifecycle.Spared) int { return cmp.Compare(y.Memories, x.Memories) })
	var words []string
	for _, k := range all {
		words = append(words, fmt.Sprintf("%d %s", k.Memories, k.Reason))
	}
	return strings.Join(words, ", ")
}

// UndoOfSleep returns the command that undoes a sleep; "" if it did nothing.
func UndoOfSleep(s lifecycle.Slept) string {
	first, last := s.Span()
	switch {
	case last == 0:
		return ""
	case first == last:
		return fmt.Sprintf("engram undo %d", first)
	}
	// Other writers may have operations in between.
	return fmt.Sprintf("engram undo %d..%d --verb sleep", first, last)
}

// Diagnosed lists memories that may need attention.
func Diagnosed(d lifecycle.Diagnostics) string {
	var b strings.Builder
	fmt.Fprintln(&b, text.Counted(d.Memories, "memory", "memories"))
	if len(d.Weakest) > 0 {
		fmt.Fprintln(&b, "\nWeakest:")
	}
	for _, w := range d.Weakest {
		fmt.Fprintf(&b, "  %.2f  %s\n", w.Strength, outlined(w.Memory))
	}
	if d.Pairs > 0 {
		fmt.Fprintf(&b, "\nNear-duplicates (%s; engram sleep merges them):\n", text.Counted(d.Pairs, "pair", "pairs"))
	}
	for _, pair := range d.Duplicates {
		fmt.Fprintf(&b, "  %.3f  %s\n         %s\n", pair.Cosine, outlined(pair.A), outlined(pair.B))
		if pair.Against != "" {
			fmt.Fprintf(&b, "         not merged: %s\n", pair.Against)
		}
	}
	writeOutlines(&b, "Orphans (no relation, no topic, never accessed)", d.Orphans)
	writeOutlines(&b, fmt.Sprintf("Never recalled (%d)", d.Never), d.Unrecalled)
	return strings.TrimSuffix(b.String(), "\n")
}

func writeOutlines(b *strings.Builder, what string, all []engram.Memory) {
	if len(all) > 0 {
		fmt.Fprintf(b, "\n%s:\n", what)
	}
	for _, m := range all {
		fmt.Fprintf(b, "  %s\n", outlined(m))
	}
}

func outlined(m engram.Memory) string {
	return fmt.Sprintf("#%d [%s] %s", m.Num, typeOf(m), Line(m.Title, 60))
}

// numbers lists numbers, with a sign before each.
func numbers(sign string, nums []int64) string {
	words := make([]string, len(nums))
	for i, num := range nums {
		words[i] = fmt.Sprintf("%s%d", sign, num)
	}
	return strings.Join(words, " ")
}
