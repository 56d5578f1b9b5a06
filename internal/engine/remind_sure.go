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
		for _, v := range c.Sure(finds, found.Rows) {
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
	matched := map[string]bool{}
	text.Scan(h.Memory.Title+"\n"+h.Memory.Content, func(tok text.Token) {
		if word := tok.Text(); t.meant[word] {
			matched[word] = true
		}
	})
	f.Matched = len(matched)
	return f
}

// meantWords are the words of a question that say what it is about.
func meantWords(question string) map[string]bool {
	words := map[string]bool{}
	for _, w := range text.Query(question) {
		if !w.Joined && !w.Stop && !attend.Moves(w.Written) {
			words[w.Word] = true
		}
	}
	return words
}
