package search

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// newestOfTitle lists the newest memories whose common title is the question, and says how many there are, if more
// have it than are wanted: no word tells them apart.
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
	if same <= q.in.Limit || q.in.Filter.MinStrength > 0 { // the store cannot count by strength
		return nil
	}
	filter := q.in.Filter
	filter.Title = title
	all, err := q.r.Count(ctx, filter)
	if err != nil || all <= q.in.Limit { // the others are outside the project
		return err
	}
	found.BelowThreshold = nil
	found.Degraded = append(found.Degraded, fmt.Sprintf("%d memories have this title; newest first", all))
	found.Hits, err = q.finder.newest(ctx, q.r, filter, q.in.Limit)
	return err
}
