package render

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// historyPreview is how many characters of each version a history shows.
const historyPreview = 200

// History writes what a memory said over time, oldest first, cut to previews.
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
	fmt.Fprintf(&b, "#%d [%s] %s — %d %s", m.Num, typeOf(m), line(m.Title), len(h.Versions), plural(len(h.Versions), "version"))
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

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// VersionText is a version as a text of its own: its title, then its content.
func VersionText(v engram.Version) string { return v.Title + "\n\n" + v.Content }

// VersionDiff shows what changed from one version of a memory to another.
func VersionDiff(from, to engram.Version) string {
	head := fmt.Sprintf("version %d → version %d\n", from.Number, to.Number)
	diff := Diff(VersionText(from), VersionText(to))
	if diff == "" {
		return head + "The texts are equal.\n"
	}
	return head + "\n" + diff + "\n"
}
