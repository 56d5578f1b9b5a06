package engine

import (
	"cmp"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/text"
)

// sure are the hits of several searches that are certain enough to be told, the likeliest
// first, each once.
func (t *reminding) sure(lists []engram.Found) []engram.Hit {
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
				continue // words that all errors have are no likeness
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

// verdicts are what of finds is told beside this prompt.
func (t *reminding) verdicts(c attend.Certainty, finds []attend.Find, rows int) []attend.Verdict {
	if t.asks {
		return c.Answers(t.inquiry, finds, rows)
	}
	return c.Sure(finds, rows)
}

// weighed are the hits of a search that might be told, with what speaks for each. What
// supersedes a hit has as much for it as that: it need not say the same words.
//
// Session summaries are left out: each tells a little of many matters. On two scripted
// sessions four stood among the best three finds, and none was what the prompt needed; the
// latest is told when a session begins.
func (t *reminding) weighed(found engram.Found) (hits []engram.Hit, finds []attend.Find) {
	all, _ := found.InOrder()
	instead := map[int64]attend.Find{} // of what others supersede, by the others
	for _, h := range all {
		m, f := h.Memory, t.evidence(h)
		if by := successor(h); by != 0 {
			instead[by] = stronger(instead[by], f)
			continue
		}
		if m.Type == engram.TypeSessionSummary || !m.ValidTo.IsZero() && !m.ValidTo.After(t.at) {
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

// successor is the memory that stands in the place of a hit; 0: it stands itself.
func successor(h engram.Hit) int64 {
	for _, n := range h.Relations {
		if !n.Outgoing && n.Relation.Supersedes() && !n.Other.Forgotten() && n.Other.Num != 0 {
			return n.Other.Num
		}
	}
	return 0
}

// evidence is what speaks for telling a hit.
func (t *reminding) evidence(h engram.Hit) attend.Find {
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

// saidOf are those of some words that a text has.
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
