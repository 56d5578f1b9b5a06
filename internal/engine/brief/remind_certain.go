package brief

import (
	"cmp"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/text"
)

// sure returns the hits of several searches that are certain enough to inject, likeliest first, each once.
func (t *reminderBuilder) sure(lists []engram.Found) []engram.Hit {
	type certain struct {
		engram.Hit
		chance float64
	}
	var all []certain
	c := attend.DefaultCertainty()
	for _, found := range lists {
		hits, finds := t.weighed(found)
		for _, v := range t.verdicts(c, finds, found.Rows) {
			h := hits[v.Find]
			if t.fault != "" && !attend.Alike(t.fault, h.Memory.Title+"\n"+h.Memory.Content) {
				continue // words common to all errors prove no similarity
			}
			if !slices.ContainsFunc(all, func(o certain) bool { return o.Memory.Num == h.Memory.Num }) {
				all = append(all, certain{h, v.Chance})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b certain) int { return cmp.Compare(b.chance, a.chance) })
	out := make([]engram.Hit, min(len(all), c.Most))
	for i := range out {
		out[i] = all[i].Hit
	}
	return out
}

// verdicts returns the finds certain enough for this prompt.
func (t *reminderBuilder) verdicts(c attend.Certainty, finds []attend.Find, rows int) []attend.Verdict {
	if t.asks {
		return c.Answers(t.inquiry, finds, rows)
	}
	return c.Sure(finds, rows)
}

// weighed returns the hits that might be injected with the evidence for each. A hit inherits the evidence of
// what it supersedes, whose words it need not repeat.
//
// Session summaries are excluded: each touches many subjects. In two scripted sessions four ranked among the
// best three finds, none useful; the latest is shown when a session starts.
func (t *reminderBuilder) weighed(found engram.Found) (hits []engram.Hit, finds []attend.Find) {
	all, _ := found.InOrder()
	instead := map[int64]attend.Find{} // evidence of superseded memories, by successor
	for _, h := range all {
		m, f := h.Memory, t.evidence(h)
		if by := successor(h); by != 0 {
			instead[by] = stronger(instead[by], f)
			continue
		}
		if m.Type == engram.TypeSessionSummary || expired(m, t.at) {
			continue
		}
		hits, finds = append(hits, h), append(finds, f)
	}
	for i, h := range hits {
		if f, is := instead[h.Memory.Num]; is {
			seen := finds[i].Seen
			finds[i] = stronger(finds[i], f)
			finds[i].Seen = seen
		}
	}
	return hits, finds
}

func stronger(a, b attend.Find) attend.Find {
	if b.Words > a.Words {
		return b
	}
	return a
}

// successor returns the memory that supersedes a hit; 0 if none does.
func successor(h engram.Hit) int64 {
	for _, n := range h.Relations {
		if !n.Outgoing && n.Relation.Supersedes() && !n.Other.Forgotten() && n.Other.Num != 0 {
			return n.Other.Num
		}
	}
	return 0
}

// evidence returns what supports showing a hit.
func (t *reminderBuilder) evidence(h engram.Hit) attend.Find {
	f := attend.Find{Seen: t.seen[h.Memory.Num]}
	for _, c := range h.Why.Channels {
		switch c.Channel {
		case engram.ChannelLexical:
			f.Words = c.Score
		case engram.ChannelVector:
			f.Near = c.Rank
		}
	}
	for _, x := range h.Why.Factors {
		if x.Name == "relevance" {
			f.Relevance = x.Value
		}
	}
	matched := saidOf(h.Memory.Title+"\n"+h.Memory.Content, t.meant)
	f.Matched = len(matched)
	if t.asks {
		f.Whole = covers(matched, t.inquiry.Words)
		f.Titled = f.Whole && covers(saidOf(h.Memory.Title, t.meant), t.inquiry.Words)
	}
	return f
}

// saidOf returns the words of a set that a text contains.
func saidOf(s string, of map[string]bool) map[string]bool {
	has := map[string]bool{}
	text.Scan(s, func(tok text.Token) {
		if word := tok.Text(); of[word] {
			has[word] = true
		}
	})
	return has
}

func covers(has, words map[string]bool) bool {
	for w := range words {
		if !has[w] {
			return false
		}
	}
	return true
}
