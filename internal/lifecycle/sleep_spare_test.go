package lifecycle_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// actions are the steps of a plan about one memory.
func actions(plan []lifecycle.Step) (all []lifecycle.StepAction) {
	for _, s := range plan {
		all = append(all, s.Action)
	}
	return all
}

// TestEachCurveBoostsAndForgets plays a history under each curve with the defaults: accessed
// memories are boosted, others forgotten, and a second sleep right after has nothing to do.
func TestEachCurveBoostsAndForgets(t *testing.T) {
	p := lifecycle.DefaultPolicy()
	for _, curve := range engram.Curves() {
		t.Run(string(curve), func(t *testing.T) {
			decay := map[string]engram.ProjectDecay{"shop": {Decay: engram.Decay{Curve: curve}}}
			for _, tt := range []struct {
				name string
				m    engram.Memory
				want lifecycle.StepAction
			}{
				{"read often, the last time three weeks ago", slept(1, 60, used(3, 21)), lifecycle.StepBoost},
				{"never read for two years", slept(1, 730), lifecycle.StepPrune},
			} {
				n := lifecycle.Night{Memories: []engram.Memory{tt.m}, Decay: decay}
				plan := lifecycle.Plan(n, noon(), p)
				if got := actions(plan); !slices.Equal(got, []lifecycle.StepAction{tt.want}) {
					t.Errorf("%s: plan of %+v is %+v, want one %s", tt.name, tt.m, plan, tt.want)
				}
				if again := lifecycle.Plan(applied(n, plan, p), noon(), p); len(again) > 0 {
					t.Errorf("%s: a second time there is %+v, want nothing", tt.name, again)
				}
			}
		})
	}
}

// TestTheDefaultFloorIsGentle checks that the default threshold forgets nothing young, important or
// used, under any curve, and only weak memories.
func TestTheDefaultFloorIsGentle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p := drawNight(t), lifecycle.DefaultPolicy()
		n.Came = int64(rapid.IntRange(0, 9).Draw(t, "came"))
		for _, s := range lifecycle.Plan(n, noon(), p) {
			if s.Action != lifecycle.StepPrune {
				continue
			}
			m := n.Memories[s.Memories[0]-1]
			young := noon().Sub(m.UpdatedAt) < 30*day || n.Came > 0 && m.Num >= n.Came
			if young || m.Permanent || m.Importance >= 0.7 || m.AccessCount > 0 || lifecycle.State(m, noon()) == engram.StateNeedsReview || s.From > 0.1 {
				t.Errorf("forgets %+v: %+v", m, s)
			}
		}
	})
}

// TestOnePassOverWhatIsSpared checks that a memory is boosted or has a reason against it, and is
// forgotten or has a reason against it.
func TestOnePassOverWhatIsSpared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p := lifecycle.Night{Memories: []engram.Memory{drawMemory(t, 1)}}, lifecycle.DefaultPolicy()
		m := n.Memories[0]
		plan := actions(lifecycle.Plan(n, noon(), p))
		pruned := slices.Contains(plan, lifecycle.StepPrune)
		if why := n.Kept(m, noon(), p); pruned != (why == "") {
			t.Errorf("plan of %+v is %v, and it is kept for being %q", m, plan, why)
		}
		boosted := slices.Contains(plan, lifecycle.StepBoost)
		if _, why := lifecycle.Boosted(m, noon(), n.DecayOf(m, p), p); !pruned && boosted != (why == "") {
			t.Errorf("plan of %+v is %v, and it is not boosted for being %q", m, plan, why)
		}
	})
}

func TestWhySleepLeavesAMemoryAlone(t *testing.T) {
	p, old := lifecycle.DefaultPolicy(), 400
	n := lifecycle.Night{Came: 9}
	for _, tt := range []struct {
		name         string
		m            engram.Memory
		floor        float64
		kept, boosts string
	}{
		{"an ordinary one", slept(1, 1), 0, "not weaker than 0.05", "read fewer than 3 times"},
		{"a year old and never read", slept(1, old), 0, "", "read fewer than 3 times"},
		{"permanent", slept(1, old, permanent), 0, "permanent", "permanent"},
		{"due for review", slept(1, old, due), 0, "due for review", "read fewer than 3 times"},
		{"important", slept(1, old, func(m *engram.Memory) { m.Importance = 0.9 }), 0, "of an importance of 0.7 or more", "read fewer than 3 times"},
		{"a preference", slept(1, old, func(m *engram.Memory) { m.Type = engram.TypePreference }), 0, "a preference or a policy", "read fewer than 3 times"},
		{"read once, which still counts", slept(1, old, used(1, old)), 0, "not weaker than 0.05", "read fewer than 3 times"},
		{"read once, when it was weak from the start", slept(1, old, used(1, old), weak(0.1)), 0.08, "", "read fewer than 3 times"},
		{"weak but young", slept(1, 3, weak(0.01)), 0, "saved, changed or imported within 30 days", "read fewer than 3 times"},
		{"said again lately", slept(1, old, func(m *engram.Memory) { m.LastSeenAt = noon().Add(-day) }), 0,
			"saved, changed or imported within 30 days", "read fewer than 3 times"},
		{"old, and imported yesterday", slept(9, old), 0, "saved, changed or imported within 30 days", "read fewer than 3 times"},
		{"old, imported, and a floor was named", slept(9, old), 0.05, "", "read fewer than 3 times"},
		{"saved today and read often", slept(1, 0, used(5, -1)), 0, "not weaker than 0.05", "boosted or saved within 1 day"},
		{"read long before it was boosted", slept(1, 5, used(5, 6)), 0, "not weaker than 0.05", "not read since they were last boosted or saved"},
		{"read this hour", slept(1, 5, used(5, 0)), 0, "not weaker than 0.05", "as strong as a boost would make them"},
		{"read last week", slept(1, 9, used(5, 7)), 0, "not weaker than 0.05", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.Sleep.Prune = tt.floor
			if got := n.Kept(tt.m, noon(), p); got != tt.kept {
				t.Errorf("Kept(%+v)\n got %q\nwant %q", tt.m, got, tt.kept)
			}
			if _, got := lifecycle.Boosted(tt.m, noon(), engram.Decay{}, p); got != tt.boosts {
				t.Errorf("Unboosted(%+v)\n got %q\nwant %q", tt.m, got, tt.boosts)
			}
		})
	}
}

func TestTheImportanceCurveReachesTheFloor(t *testing.T) {
	n, p := lifecycle.Night{}, lifecycle.DefaultPolicy()
	m := slept(1, 0)
	for days, kept := range map[int]bool{30: true, 200: true, 270: true, 271: false, 400: false} {
		if got := n.Kept(m, noon().Add(time.Duration(days)*day), p) != ""; got != kept {
			t.Errorf("after %d days kept %v, want %v", days, got, kept)
		}
	}
}
