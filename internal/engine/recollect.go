package engine

import (
	"context"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// LeastStrength is the strength, 0 to 1, below which Recollect leaves memories out that is
// not told another.
const LeastStrength = 0.1

// RecollectInput is what the tool recall asks.
type RecollectInput struct {
	Query       string         // a question or words; "" lists the newest
	Limit       int            // 0 is the default of a search
	Category    string         // only of this type; blank: of any
	MinStrength *float64       // 0 to 1; nil is LeastStrength
	Metadata    map[string]any // only what has all of this, exactly
}

// Recollect answers as the tool recall does, for whoever offers it: from all projects, by
// likeness × strength, current memories alone, each whole.
func (e *Engine) Recollect(ctx context.Context, in RecollectInput) (engram.Found, error) {
	filter := engram.Filter{MinStrength: LeastStrength, Metadata: in.Metadata, Current: true}
	if in.MinStrength != nil {
		filter.MinStrength = *in.MinStrength
	}
	if strings.TrimSpace(in.Category) != "" {
		filter.Types = []engram.Type{engram.Type(in.Category)}
	}
	// Without a session: nobody opens one there.
	return e.SearchWhole(ctx, "", SearchInput{Query: in.Query, Limit: in.Limit, Filter: filter, ByStrength: true})
}

// Known reports whether what was to be saved was there before: it was counted as a repeat,
// taken up by another memory, or revised one.
func (r SaveResult) Known() bool { return r.Action != ActionInserted }

// Contested is the memory that the saved one likeliest contradicts; nil when none is
// suspected.
func (r SaveResult) Contested() *engram.Memory {
	if len(r.Candidates) == 0 {
		return nil
	}
	return &r.Candidates[0].Memory
}
