package relate

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

// leastSeries is the least number of memories, each with another number or name, that form a series.
const leastSeries = 3

// SeriesOf returns the members of near that form a series with m; nil if they are too few.
func SeriesOf(m engram.Memory, near []Neighbour) map[int64]bool {
	members, texts := map[int64]bool{}, map[string]bool{m.NormalizedHash: true}
	for _, n := range near {
		if n.Series {
			members[n.Memory.Num], texts[n.Memory.NormalizedHash] = true, true
		}
	}
	if len(texts) < leastSeries {
		return nil
	}
	return members
}

// Neighbour is a similar memory, compared with the saved one.
type Neighbour struct {
	search.Near
	Difference contradiction.Difference
	Differs    bool
	Series     bool // equal but for the counted part of a series
}

// NearnessOf returns a cosine with the marks of its model.
func NearnessOf(m engram.Model, cosine float64) contradiction.Nearness {
	return contradiction.Nearness{Cosine: cosine, Related: m.Related, Duplicate: m.Duplicate}
}

// LeastOf returns the least cosine at which memories are compared. Only those above the model's related mark
// get a relation.
func LeastOf(m engram.Model) float64 { return NearnessOf(m, 0).Least() }

// ComparisonText returns the text used to find contradictions.
func ComparisonText(m engram.Memory) contradiction.Text {
	return contradiction.Text{Title: m.Title, Content: m.Content}
}
