package gist

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// MostSession is the maximum length of Session in characters.
const MostSession = 1500

// The limits of one memory, the goal and the list of files.
const (
	mostItem  = 220
	leastItem = 80
	mostGoal  = 200
	mostFiles = 8
)

type section struct {
	head  string
	types []engram.Type
}

// sections are the parts of a summary. The last one takes all other types.
var sections = []section{
	{"Decided", []engram.Type{engram.TypeDecision, engram.TypeArchitecture, engram.TypePolicy, engram.TypePreference, engram.TypePattern, engram.TypeConfig, engram.TypeReflex}},
	{"Fixed", []engram.Type{engram.TypeBugfix, engram.TypeDebug}},
	{"Learned", []engram.Type{engram.TypeDiscovery, engram.TypeLearning, engram.TypeInsight, engram.TypeFact, engram.TypeEntity, engram.TypePassive}},
	{"Also", nil},
}

// Session summarises a session from its memories, oldest first, when no summary was written: decisions, fixes
// and findings, each memory in short, and the files they refer to. goal is the first request; "" when unknown.
// The text says that it was made automatically. Without memories it is "".
//
// Omitted memories are counted. Each part has its share, so that many decisions do not crowd out the only fix.
func Session(goal string, ms []engram.Memory) string {
	if len(ms) == 0 {
		return ""
	}
	head := fmt.Sprintf("Made automatically from %s.\n", text.Counted(len(ms), "memory", "memories"))
	if goal = Of(goal, mostGoal); goal != "" {
		head += "\n## Goal\n" + goal + "\n"
	}
	tail := filesOf(ms)
	const frame = 80 // the headings, and the line about omitted memories
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
		fmt.Fprintf(&b, "\n%s more.\n", text.Counted(left, "memory", "memories"))
	}
	return b.String() + tail
}

// share takes items from each part in turn while there is room; it returns how many of each it took, and how
// many are left.
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

// item is a memory as one line of at most most characters. A title with which the content begins is not
// repeated.
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

// filesOf lists the files that memories refer to, each once, in a part of its own; "" for none.
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
