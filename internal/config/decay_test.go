package config_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
)

func TestWithoutSettingsMemoriesFadeAndFallDueAsTheyAlwaysDid(t *testing.T) {
	c := load(t, config.Sources{Env: env()})
	if want := (engram.Decay{Curve: engram.CurveImportance, MaxBoost: 2}); c.Decay != want || c.TypeDecay != nil {
		t.Errorf("decay: got %+v and %+v, want %+v and none", c.Decay, c.TypeDecay, want)
	}
	if want := map[engram.Type]int{"decision": 6, "policy": 12, "preference": 3}; !reflect.DeepEqual(c.ReviewMonths, want) {
		t.Errorf("reviews: got %v, want %v", c.ReviewMonths, want)
	}
}

func TestDecayAndReviewsAreSet(t *testing.T) {
	dir := writeFile(t, `decay_rate = 0.9
review_months = "decision=3, bugfix=1, policy=0"
`)
	c := load(t, config.Sources{Flags: map[string]string{"data_dir": dir}, Env: env("ENGRAM_DECAY_POLICY", "Geometric",
		"ENGRAM_DECAY_MAX_ACCESS_BOOST", "4", "ENGRAM_DECAY_TYPES", "Fact=importance , reflex = ebbinghaus:60,")})
	if want := (engram.Decay{Curve: "geometric", Rate: 0.9, MaxBoost: 4}); c.Decay != want {
		t.Errorf("decay: got %+v, want %+v", c.Decay, want)
	}
	types := map[engram.Type]engram.Decay{"fact": {Curve: "importance", MaxBoost: 4}, "reflex": {Curve: "ebbinghaus", Rate: 60, MaxBoost: 4}}
	if !reflect.DeepEqual(c.TypeDecay, types) {
		t.Errorf("types: got %+v, want %+v", c.TypeDecay, types)
	}
	if want := map[engram.Type]int{"decision": 3, "bugfix": 1, "policy": 0, "preference": 3}; !reflect.DeepEqual(c.ReviewMonths, want) {
		t.Errorf("reviews: got %v, want %v", c.ReviewMonths, want)
	}
}

func TestWrongDecayAndReviewsNameTheGoodOnes(t *testing.T) {
	for _, tt := range []struct{ name, variable, value, says string }{
		{"a curve that does not exist", "ENGRAM_DECAY_POLICY", "linear", "importance, geometric or ebbinghaus"},
		{"a rate that is no number", "ENGRAM_DECAY_RATE", "fast", "not a number above 0"},
		{"a rate of nothing", "ENGRAM_DECAY_RATE", "0", "not a number above 0"},
		{"a rate that fits another curve", "ENGRAM_DECAY_RATE", "30", "such as 0.01"},
		{"a rate that is no rate", "ENGRAM_DECAY_RATE", "NaN", "not a number above 0"},
		{"a boost that weakens", "ENGRAM_DECAY_MAX_ACCESS_BOOST", "0.5", "use 1 (no boost) to 1000"},
		{"a type without a curve", "ENGRAM_DECAY_TYPES", "fact", "fact=geometric:0.97"},
		{"a type with an empty curve", "ENGRAM_DECAY_TYPES", "fact=", "importance, geometric or ebbinghaus"},
		{"a type with a wrong curve", "ENGRAM_DECAY_TYPES", "fact=linear:1", "importance, geometric or ebbinghaus"},
		{"a type with a rate that does not fit", "ENGRAM_DECAY_TYPES", "fact=geometric:7", "such as 0.95"},
		{"a type that is there twice", "ENGRAM_DECAY_TYPES", "fact=geometric, Fact=importance", "twice"},
		{"months that are no number", "ENGRAM_REVIEW_MONTHS", "decision=soon", "0, which is never"},
		{"months before today", "ENGRAM_REVIEW_MONTHS", "decision=-1", "0, which is never"},
		{"months without a type", "ENGRAM_REVIEW_MONTHS", "6", "decision=6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := load(t, config.Sources{Env: env(tt.variable, tt.value)})
			if len(c.Remarks) != 1 || !strings.Contains(c.Remarks[0].String(), tt.says) || !strings.Contains(c.Remarks[0].String(), tt.variable) {
				t.Errorf("%s=%q\n got %v\nwant %q and %q in it", tt.variable, tt.value, c.Remarks, tt.variable, tt.says)
			}
			if want := load(t, config.Sources{Env: env()}); !reflect.DeepEqual([]any{c.Decay, c.TypeDecay, c.ReviewMonths}, []any{want.Decay, want.TypeDecay, want.ReviewMonths}) {
				t.Errorf("%s=%q: got %+v, want the defaults", tt.variable, tt.value, c.Decay)
			}
		})
	}
}

// Seed 000 prints ENGRAM_DECAY_RATE=0.95 and means what is left after a day.
func TestAHighRateAloneIsTheFactorOfTheGeometricCurve(t *testing.T) {
	for _, tt := range []struct {
		name, policy, rate string
		want               engram.Curve
		remarks            int
	}{
		{"as seed 000 prints it", "", "0.95", "geometric", 1},
		{"the least that is a factor", "", "0.5", "geometric", 1},
		{"the most that is a factor", "", "1", "geometric", 1},
		{"more than all of it can be no factor", "", "1.5", "importance", 0},
		{"a loss a day", "", "0.49", "importance", 0},
		{"the default of seed 001", "", "0.01", "importance", 0},
		{"a curve that was named counts", "importance", "0.95", "importance", 0},
		{"and so does the geometric one", "geometric", "0.95", "geometric", 0},
	} {
		c := load(t, config.Sources{Env: env("ENGRAM_DECAY_POLICY", tt.policy, "ENGRAM_DECAY_RATE", tt.rate)})
		if c.Decay.Curve != tt.want || numberOf(tt.rate) != c.Decay.Rate || len(c.Remarks) != tt.remarks || len(c.Ignored()) != 0 {
			t.Errorf("%s: got %+v, %v; want the %s curve and %d remarks", tt.name, c.Decay, c.Remarks, tt.want, tt.remarks)
		}
	}
}

func numberOf(s string) float64 {
	n, _ := strconv.ParseFloat(s, 64)
	return n
}

func FuzzTypesAndTheirDecay(f *testing.F) {
	for _, seed := range []string{"fact=geometric:0.97, reflex=ebbinghaus:60", "=", "a=b=c", ",,,", "x=importance:1e400", "x=ebbinghaus:-1", "é=geometric:.5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := config.Load(config.Sources{Env: env("ENGRAM_DECAY_TYPES", s)})
		if err != nil {
			t.Fatalf("%q: %v, want the start to go on", s, err)
		}
		for typ, d := range c.TypeDecay {
			if typ == "" || d.Curve == "" || d.Validate() != nil {
				t.Errorf("%q lets %q fade by %+v", s, typ, d)
			}
		}
	})
}
