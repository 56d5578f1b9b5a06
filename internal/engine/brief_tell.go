package engine

import (
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// tell writes it, as far as the budget goes.
func (b *briefing) tell() {
	if len(b.worth) == 0 && b.earlier.Text == "" && len(b.saved) == 0 && b.out.Waiting == 0 {
		return
	}
	t := render.Brief{Project: b.in.Project, Waiting: b.out.Waiting, WaitingMore: b.out.Waiting == waitingMost}
	b.rest -= text.Tokens(render.BriefFrame(t))
	if before := b.earlier; before.Text != "" {
		before.Text = retrieval.Fragment(retrieval.Candidate{Body: render.RecallBody(before.Text)}, nil, b.in.Budget/4)
		t.Before = render.BriefBefore(before, b.now)
		b.rest -= text.Tokens(t.Before)
	}
	for _, m := range b.saved {
		if l := render.BriefSaved(m); b.fits(l) {
			t.Saved = append(t.Saved, l)
		}
	}
	b.frame = t
	var alike []engram.Memory
	var told titles
	for _, m := range b.worth {
		if told.has(m.Title) {
			alike = append(alike, m)
		} else if b.tellMemory(m) {
			told.add(m.Title)
		}
	}
	for _, m := range alike {
		b.tellMemory(m)
	}
	b.out.Text = b.textOf(showing{items: b.shown}.nums())
	b.out.Tokens = text.Tokens(b.out.Text)
}

// toldLine is a memory as it stands in a brief.
type toldLine struct {
	num   int64
	line  string
	holds bool // for all later work
}

// textOf is how the brief reads with some of its memories alone.
func (b *briefing) textOf(mine []int64) string {
	t := b.frame
	for _, l := range b.told {
		switch {
		case !slices.Contains(mine, l.num):
		case l.holds:
			t.Holds = append(t.Holds, l.line)
		default:
			t.Lately = append(t.Lately, l.line)
		}
	}
	if t.Before == "" && t.Waiting == 0 && len(t.Saved)+len(t.Holds)+len(t.Lately) == 0 {
		return ""
	}
	return render.BriefText(t)
}

// titles are the words of titles that were told.
type titles []map[string]bool

// has reports whether a title is like one that was told: three fifths of the words of the
// shorter one are in both. Of several such memories ("The X keeps its folder") the first
// says enough until all else is told.
func (ts titles) has(title string) bool {
	words := titleWords(title)
	return slices.ContainsFunc(ts, func(t map[string]bool) bool {
		both := 0
		for w := range words {
			if t[w] {
				both++
			}
		}
		return both > 0 && 5*both >= 3*min(len(words), len(t))
	})
}

func (ts *titles) add(title string) { *ts = append(*ts, titleWords(title)) }

func titleWords(title string) map[string]bool {
	words := map[string]bool{}
	text.Scan(title, func(tok text.Token) {
		if !tok.Stop && tok.Kind != text.Joined {
			words[tok.Text()] = true
		}
	})
	return words
}

// tellMemory takes a memory, with what holds or with what was learned; it reports whether
// it went in.
func (b *briefing) tellMemory(m engram.Memory) bool {
	if len(b.shown) == briefMemories || slices.ContainsFunc(b.saved, func(s engram.Memory) bool { return s.Num == m.Num }) {
		return false
	}
	head := render.RemindLine(m, b.notes[m.Num], "", b.now)
	l := head
	if room := briefLine - text.Tokens(head); room >= leastExcerpt {
		l = render.RemindLine(m, b.notes[m.Num], retrieval.Fragment(retrieval.Candidate{Body: m.Content, Summary: gist.Summary(m)}, nil, room), b.now)
	}
	if !b.fits(l) {
		return false
	}
	b.told = append(b.told, toldLine{m.Num, l, holds(m)})
	b.out.Memories = append(b.out.Memories, m)
	b.shown = append(b.shown, shownItem{m, text.Tokens(l)})
	return true
}

// holds reports whether a memory is about all later work rather than about what was.
func holds(m engram.Memory) bool {
	switch m.Type {
	case engram.TypeDecision, engram.TypePreference, engram.TypePolicy, engram.TypeArchitecture, engram.TypePattern, engram.TypeReflex, engram.TypeConfig:
		return true
	}
	return m.Permanent
}

// fits takes the cost of a line, where it goes in.
func (b *briefing) fits(l string) bool {
	cost := text.Tokens(l)
	if cost > b.rest {
		return false
	}
	b.rest -= cost
	return true
}
