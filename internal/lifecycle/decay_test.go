package lifecycle_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// faded is a row of the tables: a memory not touched for so many days.
type faded struct {
	name       string
	days       float64
	strength   float64
	importance float64
	accesses   int
	rate, most float64
	want       float64 // computed by hand to four places, as in the comment
}

func (tt faded) check(t *testing.T, curve engram.Curve) {
	t.Helper()
	at := noon().Add(-time.Duration(tt.days * float64(day)))
	m := engram.Memory{Strength: tt.strength, Importance: tt.importance, CreatedAt: at, UpdatedAt: at, TouchedAt: at, AccessCount: tt.accesses}
	d := engram.Decay{Curve: curve, Rate: tt.rate, MaxBoost: tt.most}
	if got := lifecycle.Strength(m, noon(), d); math.Abs(got-tt.want) > 0.00006 {
		t.Errorf("Strength(%+v, %+v)\n got %.5f\nwant %.4f", m, d, got, tt.want)
	}
}

func TestImportanceCurve(t *testing.T) {
	for _, tt := range []faded{
		{"new, of ordinary importance", 0, 1, 0.5, 0, 0, 0, 0.75},                // e^0 · (0.5 + 0.25) + 0
		{"new and important", 0, 1, 1, 0, 0, 0, 1},                               // 1 · (0.5 + 0.5)
		{"new and unimportant", 0, 1, 0, 0, 0, 0, 0.5},                           // 1 · 0.5
		{"after a day", 1, 1, 0.5, 0, 0, 0, 0.7425},                              // e^-0.01 = 0.99005; · 0.75
		{"after a month", 30, 1, 0.5, 0, 0, 0, 0.5556},                           // e^-0.3 = 0.74082; · 0.75
		{"after a month, read three times", 30, 1, 0.5, 3, 0, 0, 0.6942},         // 0.55561 + 0.1 · ln 4 = 0.13863
		{"after a year", 365, 1, 0.5, 0, 0, 0, 0.1},                              // e^-3.65 = 0.02599; · 0.75 = 0.0195: the floor
		{"after a year, read twenty times", 365, 1, 0.5, 20, 0, 0, 0.3239},       // 0.01949 + 0.1 · ln 21 = 0.30445
		{"important after half a year", 180, 1, 0.9, 0, 0, 0, 0.1570},            // e^-1.8 = 0.16530; · 0.95
		{"read very often it is as strong as can be", 10, 1, 1, 1000, 0, 0, 1},   // 0.90484 + 0.1 · ln 1001 = 0.69088: over 1
		{"half as strong to begin with", 30, 0.5, 0.5, 0, 0, 0, 0.2778},          // 0.5 · 0.74082 · 0.75
		{"a rate of its own", 10, 1, 0.5, 0, 0.1, 0, 0.2759},                     // e^-1 = 0.36788; · 0.75
		{"part of a day counts", 0.5, 1, 0.5, 0, 0, 0, 0.7463},                   // e^-0.005 = 0.99501; · 0.75
		{"a clock that ran backwards costs nothing", -30, 1, 0.5, 0, 0, 0, 0.75}, // 0 days
		{"a boost is not of this curve", 30, 1, 0.5, 3, 0, 10, 0.6942},           // as without
		{"nothing falls below a tenth", 3650, 0, 0, 0, 0, 0, 0.1},                // the floor
		{"an old curve is the default", 30, 1, 0.5, 0, 0.01, 0, 0.5556},          // the default rate, spelt out
		{"an access count below none is none", 30, 1, 0.5, -5, 0, 0, 0.5556},     // ln 1 = 0
		{"a month of an unimportant one", 30, 1, 0.2, 0, 0, 0, 0.4445},           // 0.74082 · 0.6
		{"a hundred days, read once", 100, 1, 0.5, 1, 0, 0, 0.3452},              // e^-1 · 0.75 = 0.27591; + 0.1 · ln 2 = 0.06931
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.check(t, engram.CurveImportance)
			tt.check(t, "") // the default
		})
	}
}

func TestGeometricCurve(t *testing.T) {
	for _, tt := range []faded{
		{"new", 0, 1, 0.5, 0, 0, 0, 1},                                       // 0.95^0 · 1
		{"after a day", 1, 1, 0.5, 0, 0, 0, 0.95},                            // 0.95
		{"after two days", 2, 1, 0.5, 0, 0, 0, 0.9025},                       // 0.95²
		{"after two weeks", 14, 1, 0.5, 0, 0, 0, 0.4877},                     // 14 · ln 0.95 = -0.71811; e^ of it
		{"after a month", 30, 1, 0.5, 0, 0, 0, 0.2146},                       // 30 · ln 0.95 = -1.53880
		{"one access is no boost yet", 30, 1, 0.5, 1, 0, 0, 0.2146},          // log2 2 = 1
		{"two accesses are some", 30, 1, 0.5, 2, 0, 0, 0.3402},               // log2 3 = 1.58496; · 0.21464
		{"three accesses double", 30, 1, 0.5, 3, 0, 0, 0.4293},               // log2 4 = 2
		{"a thousand accesses double too", 30, 1, 0.5, 1000, 0, 0, 0.4293},   // log2 1001 = 9.97, at most 2
		{"a greater boost", 30, 1, 0.5, 7, 0, 10, 0.6439},                    // log2 8 = 3
		{"no boost above what use earns", 30, 1, 0.5, 3, 0, 1, 0.2146},       // at most 1
		{"never more than 1", 1, 1, 0.5, 3, 0, 0, 1},                         // 0.95 · 2
		{"a rate of its own", 10, 1, 0.5, 0, 0.8, 0, 0.1074},                 // 0.8^10 = 0.10737
		{"importance does not matter", 30, 1, 1, 0, 0, 0, 0.2146},            // not in the formula
		{"half as strong to begin with", 30, 0.5, 0.5, 0, 0, 0, 0.1073},      // 0.21464 / 2
		{"a year leaves nothing", 365, 1, 0.5, 0, 0, 0, 0},                   // 0.95^365 = 7e-9; no floor
		{"a clock that ran backwards costs nothing", -9, 1, 0.5, 0, 0, 0, 1}, // 0 days
	} {
		t.Run(tt.name, func(t *testing.T) { tt.check(t, engram.CurveGeometric) })
	}
}

func TestEbbinghausCurve(t *testing.T) {
	for _, tt := range []faded{
		{"new", 0, 1, 0.5, 0, 0, 0, 1},                                       // e^0
		{"after a month", 30, 1, 0.5, 0, 0, 0, 0.3679},                       // stability 30 · 1 · 1; e^-1
		{"after a week", 7, 1, 0.5, 0, 0, 0, 0.7919},                         // e^-0.23333
		{"repeating makes it last", 30, 1, 0.5, 3, 0, 0, 0.6577},             // stability 30 · (1 + 1.38629) = 71.589; e^-0.41906
		{"importance makes it last", 30, 1, 1, 0, 0, 0, 0.5134},              // stability 45; e^-0.66667
		{"what matters little goes sooner", 30, 1, 0, 0, 0, 0, 0.1353},       // stability 15; e^-2
		{"a stability of its own", 30, 1, 0.5, 0, 60, 0, 0.6065},             // e^-0.5
		{"half as strong to begin with", 30, 0.5, 0.5, 0, 0, 0, 0.1839},      // 0.36788 / 2
		{"a clock that ran backwards costs nothing", -9, 1, 0.5, 0, 0, 0, 1}, // 0 days
	} {
		t.Run(tt.name, func(t *testing.T) { tt.check(t, engram.CurveEbbinghaus) })
	}
}

func TestFromWhenACurveCounts(t *testing.T) {
	old := noon().Add(-100 * day)
	for _, tt := range []struct {
		name   string
		curve  engram.Curve
		change func(*engram.Memory)
		want   float64
	}{
		{"importance: a reading begins anew", engram.CurveImportance, func(m *engram.Memory) { m.LastAccessedAt, m.AccessCount = noon(), 1 }, 0.75 + 0.1*math.Log(2)},
		{"importance: a change begins anew", engram.CurveImportance, func(m *engram.Memory) { m.UpdatedAt = noon() }, 0.75},
		{"importance: a boost begins anew", engram.CurveImportance, func(m *engram.Memory) { m.TouchedAt = noon() }, 0.75},
		{"geometric: a boost begins anew", engram.CurveGeometric, func(m *engram.Memory) { m.TouchedAt = noon() }, 1},
		{"geometric: a reading begins anew", engram.CurveGeometric, func(m *engram.Memory) { m.LastAccessedAt, m.AccessCount = noon(), 1 }, 1},
		{"ebbinghaus: a reading does not", engram.CurveEbbinghaus, func(m *engram.Memory) { m.LastAccessedAt = noon() }, math.Exp(-100.0 / 30)},
		{"ebbinghaus: consolidation begins anew", engram.CurveEbbinghaus, func(m *engram.Memory) { m.TouchedAt = noon() }, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := engram.Memory{Strength: 1, Importance: 0.5, CreatedAt: old, UpdatedAt: old, TouchedAt: old}
			tt.change(&m)
			if got := lifecycle.Strength(m, noon(), engram.Decay{Curve: tt.curve}); math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("Strength(%+v) by %s\n got %v\nwant %v", m, tt.curve, got, tt.want)
			}
		})
	}
}

// anyDecay is a decay that Validate accepts.
func anyDecay(t *rapid.T) engram.Decay {
	d := engram.Decay{Curve: rapid.SampledFrom(append(engram.Curves(), "")).Draw(t, "curve")}
	d.Rate = rapid.Float64Range(0, 1).Draw(t, "rate")
	if rapid.Bool().Draw(t, "boosted") {
		d.MaxBoost = rapid.Float64Range(1, 1000).Draw(t, "boost")
	}
	if err := d.Validate(); err != nil {
		t.Fatalf("%+v: %v", d, err)
	}
	return d
}

func TestTimeWeakensAndUseStrengthens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := noon()
		at := func(name string) time.Time {
			return now.Add(-time.Duration(rapid.Int64Range(-1000, 100_000).Draw(t, name)) * time.Hour)
		}
		m := engram.Memory{Strength: rapid.Float64Range(0, 1).Draw(t, "strength"), Importance: rapid.Float64Range(0, 1).Draw(t, "importance"),
			AccessCount: rapid.IntRange(0, 1_000_000).Draw(t, "accesses"), UpdatedAt: at("updated"), TouchedAt: at("touched"), LastAccessedAt: at("read")}
		d := anyDecay(t)
		today := lifecycle.Strength(m, now, d)
		then := now.Add(time.Duration(rapid.Int64Range(0, 10_000).Draw(t, "later")) * time.Hour)
		later := lifecycle.Strength(m, then, d)
		if !(today >= 0 && today <= 1) {
			t.Fatalf("Strength(%+v, %+v) = %v, want 0 to 1", m, d, today)
		}
		if later > today {
			t.Fatalf("Strength(%+v, %+v) grew by waiting: %v, then %v", m, d, today, later)
		}
		used := m
		used.AccessCount++
		if got := lifecycle.Strength(used, now, d); got < today {
			t.Fatalf("Strength(%+v, %+v) fell by an access: %v, then %v", m, d, today, got)
		}
		if got, _ := lifecycle.Explain(m, now, d); got != today {
			t.Fatalf("Explain(%+v, %+v) says %v, Strength %v", m, d, got, today)
		}
		m.Permanent = true
		if a, b := lifecycle.Strength(m, now, d), lifecycle.Strength(m, then, d); a != b || a != m.Strength {
			t.Fatalf("a permanent memory of strength %v fades by %+v: %v, then %v", m.Strength, d, a, b)
		}
	})
}

func TestExplain(t *testing.T) {
	month := noon().Add(-30 * day)
	m := engram.Memory{Strength: 1, Importance: 0.5, CreatedAt: month, UpdatedAt: month, TouchedAt: month, AccessCount: 3}
	with := func(change func(*engram.Memory)) engram.Memory {
		other := m
		change(&other)
		return other
	}
	for _, tt := range []struct {
		name  string
		m     engram.Memory
		curve engram.Curve
		want  string
	}{
		{"importance", m, "", "0.69 · 30 days without access · importance 0.5 · 3 accesses · importance curve"},
		{"geometric knows no importance", m, engram.CurveGeometric, "0.43 · 30 days without access · 3 accesses · geometric curve"},
		{"ebbinghaus counts from consolidation", m, engram.CurveEbbinghaus, "0.66 · 30 days since it was consolidated · importance 0.5 · 3 accesses · ebbinghaus curve"},
		{"one of each", with(func(m *engram.Memory) { m.UpdatedAt, m.AccessCount = noon().Add(-day), 1 }), "",
			"0.81 · 1 day without access · importance 0.5 · 1 access · importance curve"},
		{"a strength that was lowered", with(func(m *engram.Memory) { m.Strength, m.AccessCount = 0.5, 0 }), "",
			"0.28 · 30 days without access · from 0.50 · importance 0.5 · 0 accesses · importance curve"},
		{"a boost", with(func(m *engram.Memory) { m.TouchedAt = noon().Add(-day) }), "",
			"0.88 · 1 day since it was boosted · importance 0.5 · 3 accesses · importance curve"},
		{"the floor", with(func(m *engram.Memory) {
			m.UpdatedAt, m.TouchedAt, m.AccessCount = noon().Add(-3650*day), noon().Add(-3650*day), 0
		}), "",
			"0.10 · 3650 days without access · importance 0.5 · 0 accesses · importance curve · its minimum"},
		{"permanent", with(func(m *engram.Memory) { m.Permanent = true }), engram.CurveGeometric, "1.00 · permanent, does not fade"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			strength, got := lifecycle.Explain(tt.m, noon(), engram.Decay{Curve: tt.curve})
			if got != tt.want {
				t.Errorf("Explain(%+v, %q)\n got %s\nwant %s", tt.m, tt.curve, got, tt.want)
			}
			if want := lifecycle.Strength(tt.m, noon(), engram.Decay{Curve: tt.curve}); strength != want {
				t.Errorf("Explain(%+v, %q) is %v, Strength %v", tt.m, tt.curve, strength, want)
			}
		})
	}
}

func TestWhatIsSaidMostCloselyCounts(t *testing.T) {
	p := lifecycle.DefaultPolicy()
	p.Decay = engram.Decay{Curve: engram.CurveImportance, Rate: 0.02}
	p.TypeDecay = map[engram.Type]engram.Decay{"fact": {Curve: engram.CurveGeometric, Rate: 0.9}}
	own := &engram.ProjectDecay{Decay: engram.Decay{Curve: engram.CurveEbbinghaus, Rate: 60},
		Types: map[engram.Type]engram.Decay{"fact": {Curve: engram.CurveImportance, Rate: 0.5}}}
	single := &engram.ProjectDecay{Types: own.Types}
	for _, tt := range []struct {
		name string
		typ  engram.Type
		own  *engram.ProjectDecay
		want engram.Decay
	}{
		{"a type in its project before all else", "fact", own, own.Types["fact"]},
		{"the project before a type anywhere", "bugfix", own, own.Decay},
		{"a type anywhere before everything", "fact", nil, p.TypeDecay["fact"]},
		{"everything", "bugfix", nil, p.Decay},
		{"a project with a way for one type has none for the others", "bugfix", single, p.Decay},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := lifecycle.DecayOf(engram.Memory{Type: tt.typ}, tt.own, p); got != tt.want {
				t.Errorf("DecayOf(%s, %+v)\n got %+v\nwant %+v", tt.typ, tt.own, got, tt.want)
			}
		})
	}
}
