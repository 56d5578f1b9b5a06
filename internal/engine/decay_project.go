package engine

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// ProjectDecayInput says how the memories of a project shall fade. What is nil stays.
type ProjectDecayInput struct {
	Project  string
	Type     engram.Type // only those of a type; "" is all of the project's
	Curve    *engram.Curve
	Rate     *float64 // 0 is the curve's default
	MaxBoost *float64 // 0 is the default
	Reset    bool     // as everywhere again, or with Type as in the rest of the project
}

// ProjectDecay is how the memories of a project fade, and what of it is its own.
type ProjectDecay struct {
	Project string
	Own     *engram.ProjectDecay // nil: none of its own
	InForce engram.Decay         // of the type that was asked for, or of a type that nobody singled out
}

// DecayProject changes how the memories of a project fade, and tells what is in force; with
// nothing to change it only tells. A setting without a curve goes with the curve that
// was in force, or that its rate means (engram.CurveOf) where the project was given none; a new
// curve begins at its own rate. not_found when there is no such
// project, invalid for a curve that does not exist and a rate that does not fit it.
func (e *Engine) DecayProject(ctx context.Context, in ProjectDecayInput) (ProjectDecay, error) {
	in.Type = engram.Type(strings.ToLower(line(string(in.Type))))
	if in.Reset && (in.Curve != nil || in.Rate != nil || in.MaxBoost != nil) {
		return ProjectDecay{}, engram.Errorf(engram.CodeInvalid, "reset goes with no other setting").WithHint("reset first, then set")
	}
	if !in.Reset && in.Curve == nil && in.Rate == nil && in.MaxBoost == nil {
		return e.projectDecay(ctx, in)
	}
	var out ProjectDecay
	err := e.write(ctx, "project_decay", func(o *op) error {
		was, err := namedProject(ctx, o.tx, in.Project)
		if err != nil {
			return err
		}
		now := was
		if now.Decay, err = in.applied(was.Decay, o.policy); err != nil {
			return err
		}
		out = decayIn(now, in.Type, o.policy)
		if reflect.DeepEqual(was.Decay, now.Decay) {
			return nil
		}
		return o.replaceProject(ctx, was, now, "asked for")
	})
	if err != nil {
		return ProjectDecay{}, err
	}
	return out, nil
}

func (e *Engine) projectDecay(ctx context.Context, in ProjectDecayInput) (out ProjectDecay, err error) {
	err = e.store.View(ctx, func(r engram.Reader) error {
		p, err := namedProject(ctx, r, in.Project)
		out = decayIn(p, in.Type, e.policy)
		return err
	})
	return out, err
}

// namedProject returns the project of a name or alias; not_found when there is none.
func namedProject(ctx context.Context, r engram.Reader, name string) (engram.Project, error) {
	name = normalProject(name)
	p, known, err := r.Project(ctx, name)
	if err == nil && !known {
		err = engram.Errorf(engram.CodeNotFound, "project %q does not exist", name).WithHint("{projects list} shows what there is")
	}
	return p, err
}

func decayIn(p engram.Project, t engram.Type, policy lifecycle.Policy) ProjectDecay {
	return ProjectDecay{Project: p.Name, Own: p.Decay, InForce: lifecycle.DecayOf(engram.Memory{Type: t}, p.Decay, policy)}
}

// applied is was with what is asked for; nil when nothing of its own is left.
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

// changed is d, which was in force, with what is asked for. A rate alone that is a factor takes
// the curve of factors along, unless the project was given a curve: set.
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
