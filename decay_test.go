package engram_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/alanbuscaglia/engram"
)

func TestDecayIsChecked(t *testing.T) {
	for _, tt := range []struct {
		name string
		d    engram.Decay
		hint string // "" when it is good
	}{
		{"nothing said", engram.Decay{}, ""},
		{"each curve at its own rate", engram.Decay{Curve: engram.CurveEbbinghaus}, ""},
		{"all of it kept each day", engram.Decay{Curve: engram.CurveGeometric, Rate: 1, MaxBoost: 1}, ""},
		{"a long stability", engram.Decay{Curve: engram.CurveEbbinghaus, Rate: 3650}, ""},
		{"a curve that does not exist", engram.Decay{Curve: "linear"}, "use importance, geometric or ebbinghaus"},
		{"a curve in capitals", engram.Decay{Curve: "Geometric"}, "use importance, geometric or ebbinghaus"},
		{"more than all kept each day", engram.Decay{Curve: engram.CurveGeometric, Rate: 1.01},
			"the geometric curve keeps more than 0 and at most 1 of it a day, such as 0.95"},
		{"a rate below nothing", engram.Decay{Rate: -0.1}, "the importance curve loses more than 0 and at most 10 a day, such as 0.01"},
		{"an invalid rate", engram.Decay{Curve: engram.CurveEbbinghaus, Rate: math.NaN()},
			"the ebbinghaus curve is stable for more than 0 and at most 100,000 days, such as 30"},
		{"a boost that weakens", engram.Decay{MaxBoost: 0.9}, "use 1 (no boost) to 1000; the default is 2"},
		{"a boost without end", engram.Decay{MaxBoost: math.Inf(1)}, "use 1 (no boost) to 1000; the default is 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.d.Validate()
			if (err == nil) != (tt.hint == "") || err != nil && (engram.CodeOf(err) != engram.CodeInvalid || engram.HintOf(err) != tt.hint) {
				t.Errorf("%+v: got %v (hint %q), want the hint %q", tt.d, err, engram.HintOf(err), tt.hint)
			}
			own := engram.ProjectDecay{Types: map[engram.Type]engram.Decay{"fact": tt.d}}
			if got := own.Validate(); (got == nil) != (err == nil) {
				t.Errorf("for one type of a project: got %v, want %v", got, err)
			}
		})
	}
}

func TestProjectDecayIsKeptAsJSON(t *testing.T) {
	for _, tt := range []struct {
		name string
		d    engram.ProjectDecay
		want string
	}{
		{"of a project", engram.ProjectDecay{Decay: engram.Decay{Curve: "geometric", Rate: 0.9, MaxBoost: 3}}, `{"curve":"geometric","rate":0.9,"max_boost":3}`},
		{"of a type in it", engram.ProjectDecay{Types: map[engram.Type]engram.Decay{"fact": {Curve: "importance"}}}, `{"types":{"fact":{"curve":"importance"}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := json.Marshal(tt.d)
			if err != nil || string(b) != tt.want {
				t.Errorf("got %s, %v\nwant %s", b, err, tt.want)
			}
			var back engram.ProjectDecay
			if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, tt.d) {
				t.Errorf("read back %+v, %v\nwant %+v", back, err, tt.d)
			}
		})
	}
}
