package consolidate

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// DecayInput selects whose strength is reported.
type DecayInput struct {
	Refs   []engram.Ref  // these memories; none: those that pass Filter
	Filter engram.Filter // MinStrength applies too
	Below  float64       // only weaker memories; 0 is all
	Days   int           // how far ahead to look; 0 is 30, at most MaxDecayDays
	Curve  engram.Curve  // as if all faded by this curve at its default rate; "" uses their own settings
	Limit  int           // 0 is 20, at most 1000
	Offset int
}

// MaxDecayDays limits how far ahead Decay looks.
const MaxDecayDays = 36_500

// Faded is a memory's strength and its reason.
type Faded struct {
	Memory engram.Memory
	Now    float64 // 0 to 1
	Later  float64 // after DecayInput.Days, without a read until then
	Curve  engram.Curve
	Reason string // in words
}

// Fadings is the result of Decay.
type Fadings struct {
	Memories []Faded // weakest first
	Total    int     // number that pass, on all pages
	Days     int
}

// Decay reports how strong memories are, how strong they will be and why, weakest first. It writes nothing:
// strength is computed from time, not stored.
func (c *Consolidator) Decay(ctx context.Context, in DecayInput) (Fadings, error) {
	in, err := in.clean()
	if err != nil {
		return Fadings{}, err
	}
	return ledger.Read(ctx, c.ledger, func(r engram.Reader) (out Fadings, err error) {
		w := decayReport{in: in, now: c.ledger.Now()}
		if w.Fading, err = c.search.Fading(ctx, r); err != nil {
			return out, err
		}
		if err := w.read(ctx, r); err != nil {
			return out, err
		}
		out = Fadings{Total: len(w.all), Days: in.Days}
		out.Memories, err = w.page(ctx, r)
		return out, err
	})
}

func (in DecayInput) clean() (DecayInput, error) {
	p, err := screen.PageOf(engram.Page{Limit: in.Limit, Offset: in.Offset}, 20)
	if err != nil {
		return in, err
	}
	in.Limit = p.Limit
	if in.Days, err = screen.Limited("days", in.Days, 30, MaxDecayDays); err != nil {
		return in, err
	}
	if err := screen.CheckShare("below", in.Below); err != nil {
		return in, err
	}
	if err := (engram.Decay{Curve: in.Curve}).Validate(); err != nil {
		return in, err
	}
	in.Filter, err = search.CleanFilter(in.Filter)
	return in, err
}

type decayReport struct {
	search.Fading
	in  DecayInput
	now time.Time
	all []weakness // weakest first
}

// weakness is one memory; a large store has many.
type weakness struct {
	num        int64
	now, later float64
}

func (w *decayReport) read(ctx context.Context, r engram.Reader) error {
	if len(w.in.Refs) == 0 {
		err := r.Outlines(ctx, w.in.Filter, 0, func(m engram.Memory) bool {
			w.add(m)
			return true
		})

		if err != nil {
			return err
		}
	}
	seen := map[int64]bool{}
	for _, ref := range w.in.Refs {
		m, err := ledger.Live(ctx, r, ref)
		if err != nil {
			return err
		}
		if !seen[m.Num] {
			seen[m.Num] = true
			w.add(m)
		}
	}
	slices.SortFunc(w.all, func(a, b weakness) int {
		return cmp.Or(cmp.Compare(a.now, b.now), cmp.Compare(a.later, b.later), cmp.Compare(a.num, b.num))
	})
	return nil
}

// asked returns the settings by which m fades, or those of the requested curve.
func (w *decayReport) asked(m engram.Memory) engram.Decay {
	if w.in.Curve != "" {
		return engram.Decay{Curve: w.in.Curve}
	}
	return w.Decay(m)
}

func (w *decayReport) add(m engram.Memory) {
	d := w.asked(m)
	now := lifecycle.Strength(m, w.now, d)
	if now < w.in.Filter.MinStrength || w.in.Below > 0 && now >= w.in.Below {
		return
	}
	w.all = append(w.all, weakness{m.Num, now, lifecycle.Strength(m, w.now.AddDate(0, 0, w.in.Days), d)})
}

// page reads the memories of the page and explains their strength.
func (w *decayReport) page(ctx context.Context, r engram.Reader) ([]Faded, error) {
	chosen := w.all[min(w.in.Offset, len(w.all)):]
	chosen = chosen[:min(w.in.Limit, len(chosen))]
	ms, err := r.Memories(ctx, walk.Mapped(chosen, func(f weakness) int64 { return f.num }))
	if err != nil {
		return nil, err
	}
	fs := make([]Faded, len(ms))
	for i, m := range ms { // one snapshot has them all
		d := w.asked(m)
		fs[i] = Faded{Memory: m, Later: chosen[i].later, Curve: cmp.Or(d.Curve, engram.CurveImportance)}
		fs[i].Now, fs[i].Reason = lifecycle.Explain(m, w.now, d)
	}
	return fs, nil
}

// ProjectDecayInput changes how the memories of a project fade. Nil fields stay.
type ProjectDecayInput struct {
	Project  string
	Type     engram.Type // only this type; "" is all of the project
	Curve    *engram.Curve
	Rate     *float64 // 0 is the curve's default
	MaxBoost *float64 // 0 is the default
	Reset    bool     // back to the default, or with Type to the rest of the project
}

// ProjectDecay says how the memories of a project fade, and which settings are its own.
type ProjectDecay struct {
	Project string
	Own     *engram.ProjectDecay // nil without its own
	InForce engram.Decay         // for the requested type, or for a type without its own settings
}

// DecayProject changes how the memories of a project fade and returns the settings in force; without a change
// it only returns them. A setting without a curve keeps the project's curve or, if it had none, takes the one
// its rate fits (engram.CurveOf); a new curve starts at its default rate. not_found for an unknown project,
// invalid for an unknown curve or a rate that does not fit it.
func (c *Consolidator) DecayProject(ctx context.Context, in ProjectDecayInput) (ProjectDecay, error) {
	in.Type = engram.Type(strings.ToLower(screen.Line(string(in.Type))))
	if in.Reset && (in.Curve != nil || in.Rate != nil || in.MaxBoost != nil) {
		return ProjectDecay{}, engram.Errorf(engram.CodeInvalid, "reset cannot be combined with other settings").WithHint("reset first, then set")
	}
	if !in.Reset && in.Curve == nil && in.Rate == nil && in.MaxBoost == nil {
		return ledger.Read(ctx, c.ledger, func(r engram.Reader) (ProjectDecay, error) {
			p, err := projects.NamedProject(ctx, r, in.Project)
			return decayIn(p, in.Type, c.ledger.Policy), err
		})
	}
	return ledger.Perform(ctx, c.ledger, "project_decay", func(o *ledger.Tx) (ProjectDecay, error) {
		was, err := projects.NamedProject(ctx, o.Store, in.Project)
		if err != nil {
			return ProjectDecay{}, err
		}
		now := was
		if now.Decay, err = in.applied(was.Decay, o.Ledger.Policy); err != nil {
			return ProjectDecay{}, err
		}
		if !reflect.DeepEqual(was.Decay, now.Decay) {
			err = projects.ReplaceProject(ctx, o, was, now, "requested")
		}
		return decayIn(now, in.Type, o.Ledger.Policy), err
	})
}

func decayIn(p engram.Project, t engram.Type, policy lifecycle.Policy) ProjectDecay {
	return ProjectDecay{Project: p.Name, Own: p.Decay, InForce: lifecycle.DecayOf(engram.Memory{Type: t}, p.Decay, policy)}
}

// applied returns was with the requested changes; nil if nothing of its own remains.
func (in ProjectDecayInput) applied(was *engram.ProjectDecay, policy lifecycle.Policy) (*engram.ProjectDecay, error) {
	own := engram.ProjectDecay{}
	if was != nil {
		own.Decay, own.Types = was.Decay, maps.Clone(was.Types)
	}
	_, typed := own.Types[in.Type]
	d := in.changed(lifecycle.DecayOf(engram.Memory{Type: in.Type}, was, policy), own.Curve != "" || typed)
	switch {
	case in.Reset && in.Type != "":
		delete(own.Types, in.Type)
	case in.Reset:
		own = engram.ProjectDecay{}
	case in.Type != "":
		if own.Types == nil {
			own.Types = map[engram.Type]engram.Decay{}
		}
		own.Types[in.Type] = d
	default:
		own.Decay = d
	}
	if len(own.Types) == 0 {
		own.Types = nil
		if own.Curve == "" {
			return nil, nil
		}
	}
	return &own, own.Validate()
}

// changed returns d with the requested changes. A rate that is a factor selects the curve of factors, unless
// the project has its own curve (set).
func (in ProjectDecayInput) changed(d engram.Decay, set bool) engram.Decay {
	d.Curve = cmp.Or(d.Curve, engram.CurveImportance)
	if in.Curve == nil && in.Rate != nil && !set && d.Curve == engram.CurveImportance {
		d.Curve = engram.CurveOf(*in.Rate)
	}
	if in.Curve != nil && *in.Curve != d.Curve {
		d.Curve, d.Rate = cmp.Or(*in.Curve, engram.CurveImportance), 0
	}
	if in.Rate != nil {
		d.Rate = *in.Rate
	}
	if in.MaxBoost != nil {
		d.MaxBoost = *in.MaxBoost
	}
	return d
}
