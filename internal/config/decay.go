package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

func setDecayPolicy(c *Config, _ paths, v string) error {
	c.Decay.Curve = engram.Curve(strings.ToLower(strings.TrimSpace(v)))
	return sentence(c.Decay.Validate())
}

func setDecayRate(c *Config, _ paths, v string) (err error) {
	if v = strings.TrimSpace(v); v == "" {
		return nil // the curve's own
	}
	if c.Decay.Rate, err = positive(v); err != nil {
		return err
	}
	if meant := engram.CurveOf(c.Decay.Rate); meant != c.Decay.Curve && c.Origins[keyDecayPolicy].Source == SourceDefault {
		c.Decay.Curve = meant
		c.Remarks = append(c.Remarks, Remark{Text: v + " without decay_policy is the factor that is left after a day, so the geometric curve is in force; set decay_policy to say otherwise"})
	}
	return sentence(c.Decay.Validate())
}

func setDecayBoost(c *Config, _ paths, v string) (err error) {
	if c.Decay.MaxBoost, err = positive(v); err != nil {
		return fmt.Errorf("%w; use one from 1 to 1000", err)
	}
	return sentence(c.Decay.Validate())
}

// setDecayTypes reads ways to fade of single types: "fact=geometric:0.97, reflex=ebbinghaus".
// It comes after the rest of the decay: how much use multiplies by is the same for all.
func setDecayTypes(c *Config, _ paths, v string) error {
	return eachType(v, "fact=geometric:0.97, reflex=ebbinghaus:60", func(t engram.Type, value string) error {
		curve, rate, rated := strings.Cut(value, ":")
		d := engram.Decay{Curve: engram.Curve(strings.ToLower(strings.TrimSpace(curve))), MaxBoost: c.Decay.MaxBoost}
		if d.Curve == "" {
			return fmt.Errorf("%s has no curve; use importance, geometric or ebbinghaus", t)
		}
		if rated {
			var err error
			if d.Rate, err = positive(rate); err != nil {
				return err
			}
		}
		if c.TypeDecay == nil {
			c.TypeDecay = map[engram.Type]engram.Decay{}
		}
		c.TypeDecay[t] = d
		return sentence(d.Validate())
	})
}

// maxReviewMonths is a hundred years: later dates are no dates.
const maxReviewMonths = 1200

// setReviewMonths reads after how many months a type falls due for review; a type that is
// not named keeps its default, 0 is never.
func setReviewMonths(c *Config, _ paths, v string) error {
	c.ReviewMonths = defaultReviewMonths()
	return eachType(v, "decision=6, policy=12, preference=3", func(t engram.Type, value string) error {
		months, err := strconv.Atoi(value)
		if err != nil || months < 0 || months > maxReviewMonths {
			return fmt.Errorf("%q is not a number of months for %s; use a whole number from 0, which is never, to %d", value, t, maxReviewMonths)
		}
		c.ReviewMonths[t] = months
		return nil
	})
}

func defaultReviewMonths() map[engram.Type]int { return lifecycle.DefaultPolicy().ReviewMonths }

// reviewMonthsText spells months as setReviewMonths reads them, by type.
func reviewMonthsText(months map[engram.Type]int) string {
	return typesText(months, func(n int) string { return strconv.Itoa(n) })
}

// decayTypesText spells the types that fade otherwise as setDecayTypes reads them.
func decayTypesText(c Config) string {
	return typesText(c.TypeDecay, func(d engram.Decay) string {
		if d.Rate == 0 {
			return string(d.Curve)
		}
		return string(d.Curve) + ":" + numberText(d.Rate)
	})
}

func typesText[V any](values map[engram.Type]V, text func(V) string) string {
	var entries []string
	for _, t := range slices.Sorted(maps.Keys(values)) {
		entries = append(entries, string(t)+"="+text(values[t]))
	}
	return strings.Join(entries, ", ")
}

// eachType reads a list of types with a value each, "type=value, type=value"; like is one
// such list, for hints.
func eachType(list, like string, each func(engram.Type, string) error) error {
	var seen []engram.Type
	for entry := range strings.SplitSeq(list, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		name, value, found := strings.Cut(entry, "=")
		t := engram.Type(strings.ToLower(strings.TrimSpace(name)))
		if !found || t == "" {
			return fmt.Errorf("%.60q does not name a type and its value; one list is like %q", entry, like)
		}
		if slices.Contains(seen, t) {
			return fmt.Errorf("%s stands there twice", t)
		}
		seen = append(seen, t)
		if err := each(t, strings.TrimSpace(value)); err != nil {
			return err
		}
	}
	return nil
}

// positive reads a number above 0.
func positive(v string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("%.40q is not a number above 0", v)
	}
	return n, nil
}

// sentence makes one of what is wrong and what would be right.
func sentence(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*engram.Error](err)
	switch {
	case !ok:
		return err
	case e.Hint == "":
		return errors.New(e.Msg)
	}
	return errors.New(e.Msg + "; " + e.Hint)
}
