package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Log writes operations, newest first, with what each touched: + made, ~ changed.
// begins is the time before which the journal knows nothing; zero when it knows all.
func Log(entries []engram.LogEntry, begins time.Time, o Options) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "#%d  %s  %s  %s", e.Op, Time(e.At.Time(), o), Line(e.Actor, 0), Line(e.Verb, 0))
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

// mostUndone is how many changes an undo names one by one: a batch has hundreds.
const mostUndone = 20

// Undone writes what an undo did, or with dry what it would do: the first changes, and how
// many there were beyond.
func Undone(u engram.Undone, dry bool) string {
	var b strings.Builder
	did := "Undid"
	if dry {
		did = "Would undo"
	}
	fmt.Fprintf(&b, "%s operation %d (%s)\n", did, u.Undone.Op, Line(u.Undone.Verb, 0))
	if n := len(u.Projects); n > 1 {
		fmt.Fprintf(&b, "  it affects %d projects: %s\n", n, Line(strings.Join(u.Projects[:min(n, mostUndone)], ", "), 0))
	}
	told := map[string]bool{} // a merge of several sources changed one target several times
	for _, c := range u.Changes {
		sign := ""
		if c.Entity == engram.EntityMemory || c.Entity == engram.EntityPrompt {
			sign = "#"
		}
		line := fmt.Sprintf("  %s %s%s %s\n", c.Entity, sign, Line(c.Key, 0), Line(c.What, 0))
		if !told[line] && len(told) < mostUndone {
			b.WriteString(line)
		}
		told[line] = true
	}
	if more := len(told) - mostUndone; more > 0 {
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
		fmt.Fprintf(&b, "To redo it: undo %d\n", u.Op)
	}
	return b.String()
}
