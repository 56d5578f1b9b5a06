package text_test

import (
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

func TestAsksForTypes(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][]engram.Type{
		"what decisions did we make":    {engram.TypeDecision},
		"what have we decided":          {engram.TypeDecision},
		"bugs we fixed":                 {engram.TypeBugfix},
		"show preferences and policies": {engram.TypePolicy, engram.TypePreference},
		"decisions":                     {engram.TypeDecision},
		"what did we learn":             {engram.TypeLearning},
		"list discoveries":              {engram.TypeDiscovery},
		"decision":                      nil,
		"bug":                           nil,
		"bugs":                          {engram.TypeBugfix},
		"config":                        nil,
		"bugs of the parser":            nil,
		"what decisions about tokens":   nil,
		"manual":                        nil,
		"what happened":                 nil,
		"":                              nil,
	} {
		if got := text.AsksForTypes(question, text.Query(question)); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", question, got, want)
		}
	}
}
