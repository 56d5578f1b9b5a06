package engine

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// fading says how every memory of one snapshot fades. It is read once per verb: that
// costs one look at an index that is empty where no project has a way of its own.
type fading struct {
	policy lifecycle.Policy
	own    map[string]engram.ProjectDecay
}

func (e *Engine) fading(ctx context.Context, r engram.Reader) (fading, error) {
	own, err := r.Decays(ctx)
	return fading{e.policy, own}, err
}

// decay is how m fades.
func (f fading) decay(m engram.Memory) engram.Decay {
	if own, ok := f.own[m.Project]; ok {
		return lifecycle.DecayOf(m, &own, f.policy)
	}
	return lifecycle.DecayOf(m, nil, f.policy)
}

// strength is how strong m is at now, 0 to 1.
func (f fading) strength(m engram.Memory, now time.Time) float64 {
	return lifecycle.Strength(m, now, f.decay(m))
}

// passes reports whether m is as strong at now as f asks.
func (f fading) passes(m engram.Memory, asked engram.Filter, now time.Time) bool {
	return asked.MinStrength <= 0 || f.strength(m, now) >= asked.MinStrength
}

// strong is passes for a single memory.
func (e *Engine) strong(ctx context.Context, r engram.Reader, m engram.Memory, f engram.Filter) (bool, error) {
	if f.MinStrength <= 0 {
		return true, nil
	}
	fades, err := e.fading(ctx, r)
	return err == nil && fades.passes(m, f, e.now()), err
}

// list is what List of the store lists, of that what is as strong as f asks. Pages are
// counted in what passes: none is short, and no memory stands on two.
func (e *Engine) list(ctx context.Context, r engram.Reader, f engram.Filter, p engram.Page) ([]engram.Memory, error) {
	if f.MinStrength <= 0 {
		return r.List(ctx, f, p)
	}
	fades, err := e.fading(ctx, r)
	if err != nil {
		return nil, err
	}
	now := e.now()
	if past, is := r.(*pastReader); is {
		now = past.at // as strong as they were then
	}
	strong := func(m engram.Memory) bool { return p.After.Before(m) && fades.passes(m, f, now) }
	wanted := p.Offset + p.Limit
	for most := wanted; ; most *= 2 {
		nums, all, err := strongest(ctx, r, f, most, strong)
		if err != nil {
			return nil, err
		}
		if len(nums) >= wanted || all {
			nums = nums[min(len(nums), p.Offset):min(len(nums), wanted)]
			if len(nums) == 0 {
				return nil, nil
			}
			return r.Memories(ctx, nums)
		}
	}
}

// strongest lists so many memories that pass f and are strong, without those in whose place
// another one stands that passes and is strong too, if f asks for that; all says that there
// are no more. No store knows that one is too weak to stand in another's place.
func strongest(ctx context.Context, r engram.Reader, f engram.Filter, most int, strong func(engram.Memory) bool) (nums []int64, all bool, err error) {
	listed := f
	_, past := r.(*pastReader) // it reads each memory as it was anyway, and sees to it itself
	listed.Current, all = f.Current && past, true
	err = r.Vitals(ctx, listed, func(m engram.Memory) bool {
		if len(nums) == most {
			all = false
			return false
		}
		if strong(m) {
			nums = append(nums, m.Num)
		}
		return true
	})
	if err != nil || !f.Current || past {
		return nums, all, err
	}
	relations, err := r.RelationsOf(ctx, nums, []engram.Verb{engram.VerbSupersedes}, mostRelations)
	if err != nil {
		return nil, false, err
	}
	notes, err := notesFrom(ctx, r, relations, nil)
	return slices.DeleteFunc(nums, func(num int64) bool {
		return slices.ContainsFunc(notes[num], func(n engram.RelationNote) bool {
			return !n.Outgoing && n.Relation.Supersedes() && n.Other.Num != 0 && passes(n.Other, f) && strong(n.Other)
		})
	}), all, err
}

// DecayInput says whose strength is wanted.
type DecayInput struct {
	Refs   []engram.Ref  // these memories; none: those that pass Filter
	Filter engram.Filter // MinStrength counts too
	Below  float64       // only what is weaker; 0 is all
	Days   int           // how far ahead is looked; 0 is 30, at most MaxDecayDays
	Curve  engram.Curve  // as if everything faded by this curve at its default rate; "" is as it does
	Limit  int           // 0 is 20, at most 1000
	Offset int
}

// MaxDecayDays is how far ahead a fading may be asked.
const MaxDecayDays = 36_500

// Faded is a memory's strength, and why it is that.
type Faded struct {
	Memory engram.Memory
	Now    float64 // 0 to 1
	Later  float64 // in so many days, if nobody touches it
	Curve  engram.Curve
	Reason string // in words
}

// Fadings is the answer of Decay.
type Fadings struct {
	Memories []Faded // weakest first
	Total    int     // how many pass, with those that are not on this page
	Days     int
}

// Decay says how strong memories are now, how strong they will be and why, the weakest
// first. It writes nothing, whatever is asked: strength fades by being reckoned, not by
// being written down.
func (e *Engine) Decay(ctx context.Context, in DecayInput) (Fadings, error) {
	in, err := in.clean()
	if err != nil {
		return Fadings{}, err
	}
	var out Fadings
	err = e.store.View(ctx, func(r engram.Reader) error {
		w := weakening{in: in, now: e.now()}
		if w.fading, err = e.fading(ctx, r); err != nil {
			return err
		}
		if err := w.read(ctx, r); err != nil {
			return err
		}
		out = Fadings{Total: len(w.all), Days: in.Days}
		out.Memories, err = w.page(ctx, r)
		return err
	})
	if err != nil {
		return Fadings{}, err
	}
	return out, nil
}

func (in DecayInput) clean() (DecayInput, error) {
	var err error
	if in.Limit, err = limited("limit", in.Limit, 20, 1000); err != nil {
		return in, err
	}
	if in.Days, err = limited("days", in.Days, 30, MaxDecayDays); err != nil {
		return in, err
	}
	if in.Offset < 0 {
		return in, engram.Errorf(engram.CodeInvalid, "offset %d is negative", in.Offset)
	}
	if err := checkShare("below", in.Below); err != nil {
		return in, err
	}
	if err := (engram.Decay{Curve: in.Curve}).Validate(); err != nil {
		return in, err
	}
	in.Filter, err = cleanFilter(in.Filter)
	return in, err
}

// checkShare refuses what is not a number from 0 to 1.
func checkShare(name string, v float64) error {
	if !(v >= 0 && v <= 1) { // NaN too
		return engram.Errorf(engram.CodeInvalid, "%s %v is out of range", name, v).WithHint("from 0 to 1")
	}
	return nil
}

// weakening is one answer of Decay in the making.
type weakening struct {
	fading
	in  DecayInput
	now time.Time
	all []weak // weakest first
}

// weak is one memory; of a large store there are many.
type weak struct {
	num        int64
	now, later float64
}

func (w *weakening) read(ctx context.Context, r engram.Reader) error {
	if len(w.in.Refs) == 0 {
		err := r.Vitals(ctx, w.in.Filter, func(m engram.Memory) bool {
			w.add(m)
			return true
		})
		if err != nil {
			return err
		}
	}
	seen := map[int64]bool{}
	for _, ref := range w.in.Refs {
		m, err := live(ctx, r, ref)
		if err != nil {
			return err
		}
		if !seen[m.Num] {
			seen[m.Num] = true
			w.add(m)
		}
	}
	slices.SortFunc(w.all, func(a, b weak) int {
		return cmp.Or(cmp.Compare(a.now, b.now), cmp.Compare(a.later, b.later), cmp.Compare(a.num, b.num))
	})
	return nil
}

// asked is how m fades, or would by the curve that was asked for.
func (w *weakening) asked(m engram.Memory) engram.Decay {
	if w.in.Curve != "" {
		return engram.Decay{Curve: w.in.Curve}
	}
	return w.decay(m)
}

func (w *weakening) add(m engram.Memory) {
	d := w.asked(m)
	now := lifecycle.Strength(m, w.now, d)
	if now < w.in.Filter.MinStrength || w.in.Below > 0 && now >= w.in.Below {
		return
	}
	w.all = append(w.all, weak{m.Num, now, lifecycle.Strength(m, w.now.AddDate(0, 0, w.in.Days), d)})
}

// page reads the memories that are told, and says why they are as strong.
func (w *weakening) page(ctx context.Context, r engram.Reader) ([]Faded, error) {
	told := w.all[min(w.in.Offset, len(w.all)):]
	told = told[:min(w.in.Limit, len(told))]
	nums := make([]int64, len(told))
	for i, f := range told {
		nums[i] = f.num
	}
	ms, err := r.Memories(ctx, nums)
	if err != nil {
		return nil, err
	}
	fs := make([]Faded, len(ms))
	for i, m := range ms { // in one snapshot none is missing
		d := w.asked(m)
		fs[i] = Faded{Memory: m, Later: told[i].later, Curve: cmp.Or(d.Curve, engram.CurveImportance)}
		fs[i].Now, fs[i].Reason = lifecycle.Explain(m, w.now, d)
	}
	return fs, nil
}

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
