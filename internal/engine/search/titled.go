package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// newestOfTitle orders the memories whose common title is the question by age, newest first: no word tells them
// apart. If more of them were found than are wanted, it lists the newest of all and says how many there are.
func (q *Question) newestOfTitle(ctx context.Context, found *engram.Found) error {
	if q.in.ByStrength || q.in.Rerank {
		return nil // the caller asked for another order
	}
	title, same := "", 0
	for _, f := range q.finds {
		switch m := q.memories[f.Num]; {
		case title == "" && strings.EqualFold(m.Title, q.in.Query):
			title, same = m.Title, 1
		case title != "" && m.Title == title:
			same++
		}
	}
	switch {
	case same < 2:
		return nil
	case same <= q.in.Limit || q.in.Filter.MinStrength > 0: // the store cannot count by strength
		sortTitled(found.Hits, title)
		return nil
	}
	filter := q.in.Filter
	filter.Title = title
	all, err := q.r.Count(ctx, filter)
	if err != nil || all <= q.in.Limit { // the others are outside the project
		sortTitled(found.Hits, title)
		return err
	}
	found.BelowThreshold = nil
	found.Degraded = append(found.Degraded, fmt.Sprintf("%d memories have this title; newest first", all))
	found.Hits, err = q.finder.newest(ctx, q.r, filter, q.in.Limit)
	return err
}

// sortTitled sorts the hits of that title among their places, newest first.
func sortTitled(hits []engram.Hit, title string) {
	var places []int
	var titled []engram.Hit
	for i, h := range hits {
		if h.Memory.Title == title {
			places, titled = append(places, i), append(titled, h)
		}
	}
	slices.SortStableFunc(titled, func(a, b engram.Hit) int { return b.Memory.CreatedAt.Compare(a.Memory.CreatedAt) })
	for i, at := range places {
		titled[i].Score, hits[at].Score = hits[at].Score, titled[i].Score // scores fall with the rank
	}
	for i, at := range places {
		hits[at] = titled[i]
	}
}
