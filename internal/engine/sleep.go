package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// SleepInput asks for a sleep. The zero value consolidates everything.
type SleepInput struct {
	Project string // "" is every project
	DryRun  bool   // only says what would be done
	// Only are the steps that are wanted; nil is all. Patterns are looked for only where
	// there is an Extractor.
	Only []lifecycle.StepAction
	// Below is the strength, 0 to 1, under which a memory is forgotten; 0 is the policy's floor.
	Below float64
	// Progress, when it is not nil, is told what is being done, and how much of it is.
	Progress func(what string, done, total int)
}

// Slept says what a sleep found and what it did.
type Slept = lifecycle.Slept

// Sleep consolidates memories as lifecycle.Plan says; a dry run returns the plan that a run would apply. It writes in
// small transactions, so that others hardly wait, and checks in each whether the step is still due. It may be
// interrupted at any time, and the next one goes on; a second sleep has nothing to do until something changes. A sleep that
// takes every step ends by compacting the journal, as the policy says, and by removing secrets that were kept under older
// rules. A memory that an undo brought back is neither forgotten nor merged again.
//
// It compares memories that changed since the last sleep with all others to find near-duplicates; the first time, and
// under a new embedding model, it compares all. A project that does not exist has nothing to do. An unknown step or
// strength is invalid. What an Extractor cannot answer is reported in Degraded.
func (e *Engine) Sleep(ctx context.Context, in SleepInput) (Slept, error) {
	s, err := e.bed(ctx, in)
	if err != nil {
		return Slept{}, err
	}
	if err := s.look(ctx); err != nil {
		return Slept{}, err
	}
	if in.DryRun {
		return s.res, nil
	}
	if err := s.apply(ctx); err != nil {
		return s.res, err
	}
	if err := s.extract(ctx); err != nil {
		return s.res, err
	}
	if err := s.remember(ctx); err != nil || in.Only != nil {
		return s.res, err
	}
	if err := e.cutOlderSecrets(ctx, "sleep"); err != nil {
		return s.res, err
	}
	compacted, err := e.CompactJournal(ctx, CompactInput{})
	s.res.Compacted = compacted.Entries
	return s.res, err
}

// Prune forgets memories that are weaker than below (0: the policy's floor), as a sleep
// does.
func (e *Engine) Prune(ctx context.Context, project string, below float64, dryRun bool) (Slept, error) {
	return e.Sleep(ctx, SleepInput{Project: project, DryRun: dryRun, Only: []lifecycle.StepAction{lifecycle.StepPrune}, Below: below})
}

// sleep is one sleep at work.
type sleep struct {
	*Engine
	in     SleepInput
	policy lifecycle.Policy
	night  lifecycle.Night // what every plan of it knows: how projects fade, which steps are wanted
	res    Slept
	// covered are the projects whose twins were all looked for, in the model's space.
	covered []string
}

// bed checks what is asked and makes ready.
func (e *Engine) bed(ctx context.Context, in SleepInput) (*sleep, error) {
	if !(in.Below >= 0 && in.Below <= 1) {
		return nil, engram.Errorf(engram.CodeInvalid, "below %v is out of range", in.Below).WithHint("from 0 to 1")
	}
	for _, a := range in.Only {
		if steps := lifecycle.StepActions(); !slices.Contains(steps, a) {
			return nil, engram.Errorf(engram.CodeInvalid, "%.40q is no step of a sleep", a).WithHint("one of %s", listed(steps))
		}
	}
	s := &sleep{Engine: e, in: in, policy: e.policy, night: lifecycle.Night{Only: in.Only}}
	if in.Below > 0 {
		s.policy.Sleep.Prune = in.Below
	}
	s.res = Slept{Project: normalProject(in.Project), At: e.now()}
	err := e.store.View(ctx, func(r engram.Reader) (err error) {
		if s.night.Decay, err = r.Decays(ctx); err != nil {
			return err
		}
		s.night.Came, err = firstSince(ctx, r, s.res.At.Add(-s.policy.Sleep.Settled()))
		return err
	})
	return s, err
}

// firstSince is the number of the first memory that came into the store at a time or later; 0 when
// none did.
func firstSince(ctx context.Context, r engram.Reader, at time.Time) (int64, error) {
	seq, err := r.SeqBefore(ctx, at)
	if err != nil {
		return 0, err
	}
	first, err := r.FirstMade(ctx, engram.EntityMemory, seq)
	if err != nil || first == "" {
		return 0, err
	}
	return numOf(first), nil
}

// listed is steps in words: "fade, boost".
func listed(steps []lifecycle.StepAction) string {
	words := mapped(steps, func(a lifecycle.StepAction) string { return string(a) })
	return strings.Join(words, ", ")
}

func (s *sleep) report(what string, done, total int) {
	if s.in.Progress != nil {
		s.in.Progress(what, done, total)
	}
}

// look makes the plan.
func (s *sleep) look(ctx context.Context) error {
	alone := s.night
	alone.Only = s.wanted(lifecycle.StepFade, lifecycle.StepBoost, lifecycle.StepPrune)
	var groups duplicateGroups
	err := s.store.View(ctx, func(r engram.Reader) error {
		return r.Vitals(ctx, engram.Filter{Project: s.res.Project}, func(m engram.Memory) bool {
			s.res.Memories++
			if d := s.night.DecayOf(m, s.policy); !m.Permanent && d.Curve != engram.CurveEbbinghaus {
				s.res.Fading++
			}
			s.res.Spared = lifecycle.AddSpared(s.res.Spared, s.night.Spare(m, s.res.At, s.policy)...)
			alone.Memories = append(alone.Memories[:0], m)
			s.res.Plan = append(s.res.Plan, lifecycle.Plan(alone, s.res.At, s.policy)...)
			groups.add(m)
			return true
		})
	})
	if err != nil {
		return err
	}
	if err := s.keepBroughtBack(ctx); err != nil {
		return err
	}
	if s.night.Wants(lifecycle.StepMerge) {
		merges, err := s.merges(ctx, groups)
		if err != nil {
			return err
		}
		s.res.Plan = lifecycle.JoinSteps(s.res.Plan, merges)
	}
	if s.night.Wants(lifecycle.StepExtract) {
		extracts, err := s.extracts(ctx, groups)
		if err != nil {
			return err
		}
		s.res.Plan = lifecycle.JoinSteps(s.res.Plan, extracts)
	}
	s.res.Plan = lifecycle.JoinSteps(s.res.Plan, nil)
	s.res.Spared = slices.DeleteFunc(s.res.Spared, func(k lifecycle.Spared) bool {
		return slices.ContainsFunc(s.res.Plan, func(step lifecycle.Step) bool { return step.Action == k.Action })
	})
	return s.titles(ctx)
}

// mostTitles is of how many memories a plan tells the titles.
const mostTitles = 1000

func (s *sleep) titles(ctx context.Context) error {
	var nums []int64
	for _, step := range s.res.Plan {
		if step.Action != lifecycle.StepFade && len(nums) < mostTitles {
			nums = append(nums, step.Memories...)
		}
	}
	return s.store.View(ctx, func(r engram.Reader) error {
		ms, err := r.Memories(ctx, nums)
		s.res.Titles = make(map[int64]string, len(ms))
		for _, m := range ms {
			s.res.Titles[m.Num] = m.Title
		}
		return err
	})
}

// wanted are those of the steps that were asked for; never nil.
func (s *sleep) wanted(of ...lifecycle.StepAction) []lifecycle.StepAction {
	wanted := []lifecycle.StepAction{}
	for _, a := range of {
		if s.night.Wants(a) {
			wanted = append(wanted, a)
		}
	}
	return wanted
}

// nightFact is what is known of the last night: a store has one, whatever number of
// processes serve it.
type nightFact struct {
	Due   int64 `json:"due"`   // milliseconds since 1970
	Begun int64 `json:"begun"` // when somebody began to sleep
	Done  bool  `json:"done"`
}

const nightName = "sleep-night"

// nightLease is how long a night that was begun and not ended is left to who began it: a
// process that was stopped meanwhile never ends it.
const nightLease = time.Hour

// SleepNight sleeps in every project, unless another process slept for the night that was due at due, or for a later
// one. slept says whether it did. It makes up for a night that no process was there for; but on a store that never had
// one, the night that is due counts as slept, because asking for sleep at night does not mean now.
func (e *Engine) SleepNight(ctx context.Context, due time.Time) (res Slept, slept bool, err error) {
	mine, err := e.claimNight(ctx, due)
	if err != nil || !mine {
		return res, false, err
	}
	if res, err = e.Sleep(ctx, SleepInput{}); err != nil {
		return res, false, err
	}
	return res, true, e.store.Update(ctx, func(tx engram.Tx) error {
		return putNight(ctx, tx, nightFact{Due: due.UnixMilli(), Begun: e.now().UnixMilli(), Done: true})
	})
}

// claimNight reports whether the night is this process's to sleep.
func (e *Engine) claimNight(ctx context.Context, due time.Time) (mine bool, err error) {
	// Mostly it is somebody else's, which is seen without keeping other writers waiting.
	taken := false
	err = e.store.View(ctx, func(r engram.Reader) (err error) {
		_, taken, err = e.nightTaken(ctx, r, due)
		return err
	})
	if err != nil || taken {
		return false, err
	}
	err = e.store.Update(ctx, func(tx engram.Tx) error {
		known, taken, err := e.nightTaken(ctx, tx, due)
		if err != nil || taken {
			return err
		}
		mine = known
		return putNight(ctx, tx, nightFact{Due: due.UnixMilli(), Begun: e.now().UnixMilli(), Done: !known})
	})
	return mine, err
}

// nightTaken reports whether there ever was a night, and whether the one that is due was
// slept or is being slept.
func (e *Engine) nightTaken(ctx context.Context, r engram.Reader, due time.Time) (known, taken bool, err error) {
	text, err := r.Fact(ctx, nightName)
	if err != nil {
		return false, false, err
	}
	var f nightFact
	if text == "" || json.Unmarshal([]byte(text), &f) != nil {
		return false, false, nil
	}
	now := e.now()
	if time.UnixMilli(f.Due).After(now.Add(24 * time.Hour)) {
		return false, false, nil // noted by a clock that was ahead: every night until then would be taken
	}
	begun := now.Sub(time.UnixMilli(f.Begun)).Abs() // a clock that was set back does not keep it for ever
	return true, f.Due > due.UnixMilli() || f.Due == due.UnixMilli() && (f.Done || begun < nightLease), nil
}

func putNight(ctx context.Context, tx engram.Tx, f nightFact) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return tx.PutFact(ctx, nightName, string(text))
}

// sleptFact is what is known of a project's last sleep.
type sleptFact struct {
	Model string `json:"model"` // fingerprint: in whose space twins were looked for
	At    int64  `json:"at"`    // milliseconds since 1970
}

func sleptName(project string) string { return "sleep:" + project }

// lastSlept is when the twins of a project were last looked for in the model in force;
// zero for never, or where the journal no longer tells what changed since.
func (s *sleep) lastSlept(ctx context.Context, r engram.Reader, project string) (time.Time, error) {
	text, err := r.Fact(ctx, sleptName(project))
	if err != nil || text == "" {
		return time.Time{}, err
	}
	var fact sleptFact
	if json.Unmarshal([]byte(text), &fact) != nil || fact.Model != s.embedder.Model().Fingerprint {
		return time.Time{}, nil
	}
	begins, err := r.JournalBegins(ctx)
	at := time.UnixMilli(fact.At).UTC()
	if at.Before(begins) || at.After(s.res.At) { // a clock that was set back: what is newer would look older
		return time.Time{}, err
	}
	return at, err
}

// changedSince says which memories changed since their project's last sleep. What sleep
// itself did is no change, nor what an undo brought back.
func (s *sleep) changedSince(ctx context.Context, groups duplicateGroups) (func(num int64) bool, error) {
	changed := map[int64]bool{}
	err := s.store.View(ctx, func(r engram.Reader) error {
		since := map[string]time.Time{}
		var first time.Time
		for at, nums := range groups {
			slept, known := since[at.project]
			if !known {
				var err error
				if slept, err = s.lastSlept(ctx, r, at.project); err != nil {
					return err
				}
				since[at.project] = slept
			}
			if slept.IsZero() {
				for _, num := range nums {
					changed[num] = true
				}
			} else if first.IsZero() || slept.Before(first) {
				first = slept
			}
		}
		if first.IsZero() {
			return nil
		}
		after, err := r.SeqBefore(ctx, first)
		if err != nil {
			return err
		}
		err = walkBack(ctx, r, engram.JournalSpan{Entity: engram.EntityMemory, After: after}, func(m engram.Mutation) {
			num, _ := strconv.ParseInt(m.Key, 10, 64)
			if m.Operation != sleepOperation && m.Operation != "undo" && !m.At.Time().Before(since[m.Project]) {
				changed[num] = true
			}
		})
		if err != nil {
			return err
		}
		// What came from another project was not compared here either.
		return walkBack(ctx, r, engram.JournalSpan{Entity: engram.EntityProject, After: after}, func(m engram.Mutation) {
			var was projectWas
			if m.Was == nil || m.Operation == "undo" || json.Unmarshal(m.Was, &was) != nil || m.At.Time().Before(since[was.To]) {
				return
			}
			for _, num := range was.Memories {
				changed[num] = true
			}
		})
	})
	return func(num int64) bool { return changed[num] }, err
}

// against fills in what keeps twins from becoming one.
func against(ctx context.Context, r engram.Reader, ms []engram.Memory, pairs []lifecycle.NearDuplicate, model engram.Model) ([]lifecycle.NearDuplicate, error) {
	alone, judged, err := relationsAgainst(ctx, r, ms)
	if err != nil {
		return nil, err
	}
	byNum := map[int64]engram.Memory{}
	readings := map[int64]contradiction.Reading{}
	for _, m := range ms {
		byNum[m.Num] = m
	}
	read := func(m engram.Memory) contradiction.Reading {
		if _, known := readings[m.Num]; !known {
			readings[m.Num] = contradiction.Read(contradiction.Text{Title: m.Title, Content: m.Content})
		}
		return readings[m.Num]
	}
	all := make([]lifecycle.NearDuplicate, 0, len(pairs))
	for _, p := range pairs {
		a, b := byNum[p.A], byNum[p.B]
		why, may := lifecycle.MayMerge(a, b)
		switch {
		case !may:
			p.Against = why
		case judged[[2]int64{p.A, p.B}]:
			p.Against = "the two are judged, or waiting for it"
		case alone[p.A] != "" || alone[p.B] != "":
			p.Against = cmp.Or(alone[p.A], alone[p.B])
		case a.NormalizedHash != b.NormalizedHash || a.Title != b.Title:
			if d, differ := read(a).Against(read(b), nearnessOf(model, p.Cosine)); differ {
				p.Against = "they differ in a " + string(d.Kind)
			} else if lifecycle.Adds(a, b) == lifecycle.AddsBeside {
				p.Against = lifecycle.SaysElse
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// relationsAgainst says which memories must not be merged at all, and why, and which pairs
// must not.
func relationsAgainst(ctx context.Context, r engram.Reader, ms []engram.Memory) (alone map[int64]string, judged map[[2]int64]bool, err error) {
	alone, judged = map[int64]string{}, map[[2]int64]bool{}
	var nums []int64
	for _, m := range ms {
		nums = append(nums, m.Num)
		back, err := broughtBack(ctx, r, m.Num)
		if err != nil {
			return nil, nil, err
		}
		if back {
			alone[m.Num] = "brought back by an undo"
		}
	}
	ties, err := r.Relations(ctx, nums)
	if err != nil {
		return nil, nil, err
	}
	for _, tie := range ties {
		if tie.Judgment() || tie.Status == engram.RelationPending {
			judged[[2]int64{tie.Source, tie.Target}], judged[[2]int64{tie.Target, tie.Source}] = true, true
		}
		if !tie.Supersedes() {
			continue
		}
		by, err := r.Memories(ctx, []int64{tie.Source})
		if err != nil {
			return nil, nil, err
		}
		if len(by) == 1 && !by[0].Forgotten() {
			alone[tie.Target] = "another memory has taken its place"
		}
	}
	return alone, judged, nil
}

// journalDepth is how far back in a memory's journal an undo is looked for.
const journalDepth = 50

// broughtBack reports whether an undo ever brought back a memory that was forgotten: then
// somebody wants it.
func broughtBack(ctx context.Context, r engram.Reader, num int64) (bool, error) {
	entries, err := r.Mutations(ctx, engram.EntityMemory, key(num), engram.Page{Limit: journalDepth})
	if err != nil {
		return false, err
	}
	for _, m := range entries {
		var was struct {
			DeletedAt *time.Time `json:"deleted_at"`
		}
		if m.Operation == "undo" && json.Unmarshal(m.Was, &was) == nil && was.DeletedAt != nil && !was.DeletedAt.IsZero() {
			return true, nil
		}
	}
	return false, nil
}

// keepBroughtBack takes out of the plan what an undo has brought back.
func (s *sleep) keepBroughtBack(ctx context.Context) error {
	return s.store.View(ctx, func(r engram.Reader) error {
		var failed error
		s.res.Plan = slices.DeleteFunc(s.res.Plan, func(step lifecycle.Step) bool {
			if failed != nil || step.Action != lifecycle.StepPrune {
				return false
			}
			back, err := broughtBack(ctx, r, step.Memories[0])
			failed = err
			return back
		})
		return failed
	})
}
