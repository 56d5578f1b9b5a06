package retrieval_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

func TestStanding(t *testing.T) {
	asked := func(s engram.AnchorState) engram.Anchored { return engram.Anchored{State: s} }
	named := func(s engram.AnchorState) engram.Anchored {
		return engram.Anchored{Anchor: engram.Anchor{Named: true}, State: s}
	}
	line := engram.Anchored{Anchor: engram.Anchor{Named: true, First: 3, Last: 3}, State: engram.AnchorChanged}
	for _, tt := range []struct {
		name   string
		all    []engram.Anchored
		want   engram.AnchorState
		factor float64
	}{
		{"no anchors", nil, "", 1},
		{"nobody could look", []engram.Anchored{asked("")}, "", 1},
		{"all stands", []engram.Anchored{asked(engram.AnchorVerified), asked("")}, engram.AnchorVerified, 1},
		{"one moved", []engram.Anchored{asked(engram.AnchorVerified), asked(engram.AnchorMoved)}, engram.AnchorMoved, 1},
		{"one changed", []engram.Anchored{asked(engram.AnchorVerified), asked(engram.AnchorChanged), asked(engram.AnchorMoved)}, engram.AnchorChanged, 0.93},
		{"one of two is gone", []engram.Anchored{asked(engram.AnchorGone), asked(engram.AnchorVerified)}, engram.AnchorChanged, 0.93},
		{"all is gone that can be seen", []engram.Anchored{asked(engram.AnchorGone), asked(""), asked(engram.AnchorGone)}, engram.AnchorGone, 0.86},
		{"a file that the text names is worked on", []engram.Anchored{named(engram.AnchorChanged)}, engram.AnchorVerified, 1},
		{"a line that the text names changed", []engram.Anchored{line}, engram.AnchorChanged, 0.93},
		{"a file that the text names is gone", []engram.Anchored{named(engram.AnchorGone)}, engram.AnchorGone, 0.86},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := retrieval.Standing(tt.all); got != tt.want {
				t.Errorf("Standing(%+v) = %q, want %q", tt.all, got, tt.want)
			}
			if f := retrieval.DefaultAnchors().Prior(tt.all); f.Name != "anchors" || f.Value != tt.factor {
				t.Errorf("Prior(%+v) = %+v, want %v", tt.all, f, tt.factor)
			}
		})
	}
}
