package lifecycle_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

const day = 24 * time.Hour

// slept is a live memory last written and touched so many days before noon.
func slept(num int64, days int, change ...func(*engram.Memory)) engram.Memory {
	at := noon().Add(-time.Duration(days) * day)
	m := engram.Memory{Num: num, Project: "shop", Scope: engram.ScopeProject, Type: engram.TypeDiscovery, Title: fmt.Sprintf("Finding %d", num),
		Content: fmt.Sprintf("What was found, number %d.", num), NormalizedHash: fmt.Sprint(num), Importance: 0.5, Strength: 1, TouchedAt: at,
		CreatedAt: at, UpdatedAt: at, RevisionCount: 1, DuplicateCount: 1}
	for _, c := range change {
		c(&m)
	}
	return m
}

// used is a change: so many accesses, the last one so many days before noon.
func used(times, days int) func(*engram.Memory) {
	return func(m *engram.Memory) {
		m.AccessCount, m.LastAccessedAt = times, noon().Add(-time.Duration(days)*day)
	}
}

func weak(strength float64) func(*engram.Memory) {
	return func(m *engram.Memory) { m.Strength = strength }
}

func permanent(m *engram.Memory) { m.Permanent = true }

func due(m *engram.Memory) { m.ReviewAfter = noon().Add(-day) }

func topic(key string) func(*engram.Memory) {
	return func(m *engram.Memory) { m.TopicKey = key }
}

// nights are the inputs of the golden plans.
func nights() map[string]lifecycle.Night {
	lasting := []engram.Memory{
		slept(1, 0), slept(2, 40), slept(3, 400), slept(4, 400, permanent), slept(5, 400, due),
		slept(6, 40, used(4, 2)), slept(7, 40, used(4, 50)), slept(8, 40, used(2, 2)), slept(9, 400, used(9, 1), weak(0.02)),
		slept(10, 40, used(5, 1), weak(0.6)), slept(11, 0, used(5, 0), weak(0.6)),
	}
	fading := func(c engram.Curve) map[string]engram.ProjectDecay {
		return map[string]engram.ProjectDecay{"shop": {Decay: engram.Decay{Curve: c}}}
	}
	duplicate := func(a, b int64, cosine float64, against string) lifecycle.NearDuplicate {
		return lifecycle.NearDuplicate{A: a, B: b, Cosine: cosine, Against: against}
	}
	return map[string]lifecycle.Night{
		"importance": {Memories: lasting},
		"geometric":  {Memories: lasting, Decay: fading(engram.CurveGeometric)},
		"ebbinghaus": {Memories: lasting, Decay: fading(engram.CurveEbbinghaus)},
		"prune only": {Memories: lasting, Decay: fading(engram.CurveGeometric), Only: []lifecycle.StepAction{lifecycle.StepPrune}},
		"merge": {Memories: []engram.Memory{
			slept(1, 9), slept(2, 8), slept(3, 7), // all alike
			slept(4, 9), slept(5, 8, topic("auth/model")), slept(6, 7, permanent), // the last one is kept
			slept(7, 9, topic("a/b")), slept(8, 9, topic("a/c")), // two topics
			slept(9, 9), slept(10, 9), // one forbids
			slept(11, 9), slept(12, 8), slept(13, 7), // a chain: the ends are not alike
			slept(14, 9), slept(15, 9, func(m *engram.Memory) { m.Type = engram.TypeDecision }),
			slept(16, 9), slept(17, 9, func(m *engram.Memory) { m.Scope = engram.ScopePersonal }),
			slept(18, 9, used(9, 1), weak(0.4)), slept(19, 8),
		}, NearDuplicates: []lifecycle.NearDuplicate{
			duplicate(1, 2, 0.97, ""), duplicate(2, 3, 0.95, ""), duplicate(1, 3, 0.94, ""), duplicate(4, 5, 0.96, ""), duplicate(5, 6, 0.96, ""), duplicate(4, 6, 0.96, ""),
			duplicate(7, 8, 0.99, ""), duplicate(9, 10, 0.99, "they differ in a number"), duplicate(11, 12, 0.95, ""), duplicate(12, 13, 0.96, ""),
			duplicate(14, 15, 0.99, ""), duplicate(16, 17, 0.99, ""), duplicate(18, 19, 0.98, ""),
		}},
		"extract": {Memories: []engram.Memory{slept(1, 1), slept(2, 1), slept(3, 1)}, Clusters: []lifecycle.Cluster{{Memories: []int64{2, 1, 3}, Cosine: 0.71}}},
	}
}

func TestPlanGolden(t *testing.T) {
	for name, night := range nights() {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for _, s := range lifecycle.Plan(night, noon(), lifecycle.DefaultPolicy()) {
				fmt.Fprintf(&b, "%-7s %v into %d  %.3f → %.3f\n        %s\n", s.Action, s.Memories, s.Into, s.From, s.To, s.Reason)
			}
			path := filepath.Join("testdata", "sleep_"+strings.ReplaceAll(name, " ", "_")+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil || b.String() != string(want) {
				t.Errorf("plan of %s (%v)\n got\n%s\nwant\n%s", name, err, b.String(), want)
			}
		})
	}
}

// drawMemory draws any valid memory.
func drawMemory(t *rapid.T, num int64) engram.Memory {
	ago := func(label string) time.Time {
		return noon().Add(-time.Duration(rapid.IntRange(-2, 900).Draw(t, label)) * 12 * time.Hour)
	}
	m := slept(num, 0)
	m.Project = rapid.SampledFrom([]string{"shop", "mail", ""}).Draw(t, "project")
	m.Type = rapid.SampledFrom([]engram.Type{engram.TypeDiscovery, engram.TypeDecision, engram.TypeSessionSummary}).Draw(t, "type")
	m.Importance = rapid.Float64Range(0, 1).Draw(t, "importance")
	m.Strength = rapid.Float64Range(0, 1).Draw(t, "strength")
	m.AccessCount = rapid.IntRange(0, 20).Draw(t, "accesses")
	m.Permanent = rapid.IntRange(0, 9).Draw(t, "permanent") == 0
	m.CreatedAt, m.TouchedAt = ago("created"), ago("touched")
	m.UpdatedAt = m.CreatedAt
	if m.AccessCount > 0 {
		m.LastAccessedAt = ago("accessed")
	}
	if rapid.IntRange(0, 4).Draw(t, "review") == 0 {
		m.ReviewAfter = ago("due")
	}
	m.TopicKey = rapid.SampledFrom([]string{"", "", "", "a/b", "a/c"}).Draw(t, "topic")
	return m
}

func drawDecay(t *rapid.T) engram.Decay {
	return engram.Decay{Curve: rapid.SampledFrom([]engram.Curve{engram.CurveImportance, engram.CurveGeometric, engram.CurveEbbinghaus}).Draw(t, "curve")}
}

// drawNight draws any night; near-duplicates are symmetric.
func drawNight(t *rapid.T) lifecycle.Night {
	n := lifecycle.Night{Decay: map[string]engram.ProjectDecay{"shop": {Decay: drawDecay(t)}, "mail": {Decay: drawDecay(t)}}}
	for i := range rapid.IntRange(0, 8).Draw(t, "memories") {
		n.Memories = append(n.Memories, drawMemory(t, int64(i+1)))
	}
	for i := range n.Memories {
		for j := range i {
			if rapid.Bool().Draw(t, "twins") {
				n.NearDuplicates = append(n.NearDuplicates, lifecycle.NearDuplicate{A: n.Memories[i].Num, B: n.Memories[j].Num, Cosine: 0.95,
					Against: rapid.SampledFrom([]string{"", "", "they differ in a number"}).Draw(t, "against")})
			}
		}
	}
	return n
}

// applied returns a night after its plan.
func applied(n lifecycle.Night, plan []lifecycle.Step, p lifecycle.Policy) lifecycle.Night {
	after := n
	after.Memories = slices.Clone(n.Memories)
	at := func(num int64) *engram.Memory {
		return &after.Memories[slices.IndexFunc(after.Memories, func(m engram.Memory) bool { return m.Num == num })]
	}
	merged := map[int64]bool{}
	for _, s := range plan {
		m := at(s.Memories[0])
		switch d := n.DecayOf(*m, p); s.Action {
		case lifecycle.StepFade:
			*m, _ = lifecycle.Faded(*m, noon(), d, p)
		case lifecycle.StepBoost:
			*m, _ = lifecycle.Boosted(*m, noon(), d, p)
		case lifecycle.StepPrune:
			m.DeletedAt = noon()
		case lifecycle.StepMerge:
			for _, num := range s.Memories[1:] {
				*m = lifecycle.Absorbed(*m, *at(num), noon(), d, p)
				at(num).DeletedAt = noon()
				merged[num] = true
			}
			merged[m.Num] = true
		}
	}
	after.Memories = slices.DeleteFunc(after.Memories, engram.Memory.Forgotten)
	after.NearDuplicates = slices.DeleteFunc(slices.Clone(n.NearDuplicates), func(t lifecycle.NearDuplicate) bool { return merged[t.A] || merged[t.B] })
	return after
}

func TestPlanOfWhatWasSleptOnHasNoStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := lifecycle.DefaultPolicy()
		p.Sleep.Prune = rapid.SampledFrom([]float64{0, 0.2, 0.7, 1}).Draw(t, "floor")
		n := drawNight(t)
		plan := lifecycle.Plan(n, noon(), p)
		if again := lifecycle.Plan(applied(n, plan, p), noon(), p); len(again) > 0 {
			t.Errorf("Plan of %+v\nwas %+v\nand then %+v, want nothing", n, plan, again)
		}
	})
}

func TestPlanForgetsNothingThatMustStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := lifecycle.DefaultPolicy()
		p.Sleep.Prune = rapid.SampledFrom([]float64{0, 0.2, 0.7, 1}).Draw(t, "floor")
		n := drawNight(t)
		in := map[int64]int{}
		for _, s := range lifecycle.Plan(n, noon(), p) {
			for _, num := range s.Memories {
				in[num]++
				m := n.Memories[num-1]
				if s.Action == lifecycle.StepPrune && (m.Permanent || lifecycle.State(m, noon()) == engram.StateNeedsReview) {
					t.Errorf("Plan of %+v prunes #%d", n, num)
				}
				if s.Action == lifecycle.StepMerge && num != s.Into && m.TopicKey != "" && n.Memories[s.Into-1].TopicKey != m.TopicKey && !n.Memories[s.Into-1].Permanent {
					t.Errorf("Plan of %+v loses the topic of #%d", n, num)
				}
			}
			if s.Reason == "" {
				t.Errorf("step %+v has no reason", s)
			}
		}
		for num, times := range in {
			if times > 1 {
				t.Errorf("Plan of %+v has #%d in %d steps, want one", n, num, times)
			}
		}
	})
}

func TestPlanInPartsIsThePlanOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, n := lifecycle.DefaultPolicy(), drawNight(t)
		var alone []lifecycle.Step
		for _, m := range n.Memories {
			part := lifecycle.Night{Memories: []engram.Memory{m}, Decay: n.Decay}
			alone = append(alone, lifecycle.Plan(part, noon(), p)...)
		}
		merging := n
		merging.Only = []lifecycle.StepAction{lifecycle.StepMerge}
		got, want := lifecycle.JoinSteps(alone, lifecycle.Plan(merging, noon(), p)), lifecycle.Plan(n, noon(), p)
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("plan of %+v in parts\n got %+v\nwant %+v", n, got, want)
		}
	})
}

func TestSleepNeverWeakens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, d := lifecycle.DefaultPolicy(), drawDecay(t)
		m, other := drawMemory(t, 1), drawMemory(t, 2)
		boosted, _ := lifecycle.Boosted(m, noon(), d, p)
		faded, _ := lifecycle.Faded(m, noon(), d, p)
		one := lifecycle.Absorbed(m, other, noon(), d, p)
		for _, days := range []int{0, 1, 30, 400} {
			at := noon().Add(time.Duration(days) * day)
			was := lifecycle.Strength(m, at, d)
			for what, now := range map[string]float64{"boosted": lifecycle.Strength(boosted, at, d),
				"faded": lifecycle.Strength(faded, at, d), "merged": lifecycle.Strength(one, at, d)} {
				if now < was-1e-9 {
					t.Errorf("%+v under %+v, in %d days: %v once it is %s, was %v", m, d, days, now, what, was)
				}
			}
		}
	})
}

func TestFadedSettlesThePast(t *testing.T) {
	d, p := engram.Decay{Curve: engram.CurveEbbinghaus}, lifecycle.DefaultPolicy()
	m := slept(1, 60)
	faded, worth := lifecycle.Faded(m, noon(), d, p)
	if !worth || faded.Strength != lifecycle.Strength(m, noon(), d) || !faded.TouchedAt.Equal(noon()) {
		t.Errorf("Faded(%+v)\n got %+v, %v\nwant what is left of it, as of now", m, faded, worth)
	}
	m.AccessCount, faded.AccessCount = 5, 5
	before, after := lifecycle.Strength(m, noon(), d), lifecycle.Strength(faded, noon(), d)
	if !(after < before) {
		t.Errorf("after five accesses: %v once it was consolidated, %v if it was not; want less: what was lost stays lost", after, before)
	}
	if _, worth := lifecycle.Faded(m, noon(), engram.Decay{}, p); worth {
		t.Errorf("Faded(%+v) under the importance curve is worth writing; want not", m)
	}
}
