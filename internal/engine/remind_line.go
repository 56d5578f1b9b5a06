package engine

import (
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// leastExcerpt is the fewest tokens of a text that say something.
const leastExcerpt = 12

// line is a hit as it is told, of at most so many tokens: what it is, and the passage that
// answers best. "" where not even its head goes in.
func (t *reminding) line(h engram.Hit, tokens int) string {
	m := h.Memory
	head := render.RemindLine(m, h.Note(), "", t.at)
	room := tokens - text.Tokens(head) - 2
	if room < leastExcerpt {
		if text.Tokens(head) > tokens {
			return ""
		}
		return head
	}
	c := retrieval.Candidate{Num: m.Num, Body: m.Content, Summary: m.OwnSummary()}
	return render.RemindLine(m, h.Note(), retrieval.Fragment(c, t.words, room), t.at)
}

// textOf is how a reminder reads with some of its memories alone.
func (t *reminding) textOf(mine []int64) string {
	var lines []string
	for _, item := range t.out.Items {
		if slices.Contains(mine, item.Hit.Memory.Num) {
			lines = append(lines, item.Text)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return render.Remind(t.head, lines)
}
