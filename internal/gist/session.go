package gist

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// MostSession is how many characters Session has at most.
const MostSession = 1500

// What one memory, the goal and the list of files may take of it.
const (
	mostItem  = 220
	leastItem = 80
	mostGoal  = 200
	mostFiles = 8
)

// section is a part of the summary of a session.
type section struct {
	head  string
	types []engram.Type
}

// sections are the parts in which a reader looks: what binds later work, what is mended, what was
// found out. The last one takes what is of no other.
var sections = []section{
	{"Decided", []engram.Type{engram.TypeDecision, engram.TypeArchitecture, engram.TypePolicy, engram.TypePreference, engram.TypePattern, engram.TypeConfig, engram.TypeReflex}},
	{"Fixed", []engram.Type{engram.TypeBugfix, engram.TypeDebug}},
	{"Learned", []engram.Type{engram.TypeDiscovery, engram.TypeLearning, engram.TypeInsight, engram.TypeFact, engram.TypeEntity, engram.TypePassive}},
	{"Also", nil},
}

// Session is what the memories of a session, the oldest first, say of it, for one that nobody
// summed up: what was decided, mended and found out, each memory in short, and the files that they
// speak of. goal is what was asked for at first; "" where that is not known. It says of itself that
// it was made automatically. Without a memory it is "".
//
// What does not go in is counted. Each part has its share: many decisions do not crowd out the one
// mistake that was mended.
func Session(goal string, ms []engram.Memory) string {
	if len(ms) == 0 {
		return ""
	}
	head := fmt.Sprintf("Made automatically from %s.\n", count(len(ms), "memory", "memories"))
	if goal = Of(goal, mostGoal); goal != "" {
		head += "\n## Goal\n" + goal + "\n"
	}
	tail := filesOf(ms)
	const frame = 80 // the heads of all parts, and the line of what is left out
	room := MostSession - frame - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	most := min(mostItem, max(leastItem, room/len(ms)-len("- \n")))
	parts := make([][]string, len(sections))
	for _, m := range ms {
		at := slices.IndexFunc(sections, func(s section) bool { return s.types == nil || slices.Contains(s.types, m.Type) })
		parts[at] = append(parts[at], "- "+item(m, most)+"\n")
	}
	taken, left := share(parts, room)
	var b strings.Builder
	b.WriteString(head)
	for i, part := range parts {
		if taken[i] > 0 {
			b.WriteString("\n## " + sections[i].head + "\n" + strings.Join(part[:taken[i]], ""))
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n%s more.\n", count(left, "memory", "memories"))
	}
	return b.String() + tail
}

// share takes the first of each part in turn as far as room goes; it returns how many of each it
// took, and how many are left.
func share(parts [][]string, room int) (taken []int, left int) {
	taken = make([]int, len(parts))
	full := make([]bool, len(parts))
	for more := true; more; {
		more = false
		for i, part := range parts {
			if full[i] || taken[i] == len(part) {
				continue
			}
			if cost := utf8.RuneCountInString(part[taken[i]]); cost <= room {
				room -= cost
				taken[i]++
				more = true
			} else {
				full[i] = true
			}
		}
	}
	for i, part := range parts {
		left += len(part) - taken[i]
	}
	return taken, left
}

// item is a memory as one line of at most most characters. A title that the content begins with
// is not said twice.
func item(m engram.Memory, most int) string {
	title := strings.Join(strings.Fields(m.Title), " ")
	said := Line(m, most)
	if said != "" && strings.HasPrefix(strings.ToLower(said), strings.ToLower(strings.TrimRight(title, "….: "))) {
		return said
	}
	title = shorten(title, most*2/3)
	if rest := most - utf8.RuneCountInString(title) - len(": "); rest >= leastItem/4 {
		if said = Line(m, rest); said != "" {
			return title + ": " + said
		}
	}
	return title
}

// filesOf names the files that memories speak of, each once, in a part of its own; "" for none.
func filesOf(ms []engram.Memory) string {
	var all []string
	for _, m := range ms {
		for _, a := range m.Anchors {
			if a.Path != "" && !slices.Contains(all, a.Path) && utf8.RuneCountInString(a.Path) <= leastItem {
				all = append(all, a.Path)
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	more := ""
	if n := len(all) - mostFiles; n > 0 {
		all, more = all[:mostFiles], fmt.Sprintf(" and %d more", n)
	}
	return "\n## Files\n" + shorten(strings.Join(all, ", "), 4*leastItem) + more + "\n"
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
