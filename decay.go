package engram

import "slices"

// Curve is a way for strength to fade, named by what it does; package lifecycle has
// the formulas.
type Curve string

// The curves.
const (
	CurveImportance Curve = "importance" // exponential, from higher up for what is important; the default
	CurveGeometric  Curve = "geometric"  // a fixed part of it each day, use multiplies
	CurveEbbinghaus Curve = "ebbinghaus" // the slower the more often it was repeated
)

// Curves are the curves there are, the default first.
func Curves() []Curve { return []Curve{CurveImportance, CurveGeometric, CurveEbbinghaus} }

// CurveOf is the curve that a rate means which was given without one: from half to all of it
// left after a day is a factor, and so the geometric curve's, which an earlier design prints
// alone (a rate of 0.95). As a loss a day even 0.5 would leave nothing worth keeping after a week;
// more than 1 can be no factor.
func CurveOf(rate float64) Curve {
	if rate >= 0.5 && rate <= 1 {
		return CurveGeometric
	}
	return CurveImportance
}

// Decay says how strength fades. The zero value is the importance curve at its rates.
type Decay struct {
	Curve Curve `json:"curve,omitempty"` // "" is CurveImportance
	// Rate is what the curve makes of it: importance: loss a day, default 0.01;
	// geometric: what is left after a day, at most 1, default 0.95; ebbinghaus: days of
	// stability, default 30. 0 is the default.
	Rate     float64 `json:"rate,omitempty"`
	MaxBoost float64 `json:"max_boost,omitempty"` // geometric: the most that use multiplies by, at least 1; 0 is 2
}

// Validate says what is wrong with d, as an *Error of CodeInvalid.
func (d Decay) Validate() error {
	if d.Curve != "" && !slices.Contains(Curves(), d.Curve) {
		return Errorf(CodeInvalid, "there is no curve %.40q", string(d.Curve)).WithHint("importance, geometric or ebbinghaus")
	}
	most, what := 10.0, "the importance curve loses more than 0 and at most 10 a day, such as 0.01"
	switch d.Curve {
	case CurveGeometric:
		most, what = 1, "the geometric curve keeps more than 0 and at most 1 of it a day, such as 0.95"
	case CurveEbbinghaus:
		most, what = 100_000, "the ebbinghaus curve is stable for more than 0 and at most 100,000 days, such as 30"
	}
	// Written as a negation so that NaN is refused too.
	if !(d.Rate >= 0 && d.Rate <= most) {
		return Errorf(CodeInvalid, "rate %v is out of range", d.Rate).WithHint("%s", what)
	}
	if d.MaxBoost != 0 && !(d.MaxBoost >= 1 && d.MaxBoost <= 1000) {
		return Errorf(CodeInvalid, "max boost %v is out of range", d.MaxBoost).WithHint("from 1, where use does not strengthen, to 1000; 2 is the default")
	}
	return nil
}

// ProjectDecay is how the memories of one project fade, as far as it has a way of its own.
type ProjectDecay struct {
	Decay                // of all its types; with Curve "" the project has none of its own
	Types map[Type]Decay `json:"types,omitempty"` // of some; goes before Decay
}

// Validate says what is wrong with d, as an *Error of CodeInvalid.
func (d ProjectDecay) Validate() error {
	if err := d.Decay.Validate(); err != nil {
		return err
	}
	for _, own := range d.Types {
		if err := own.Validate(); err != nil {
			return err
		}
	}
	return nil
}
