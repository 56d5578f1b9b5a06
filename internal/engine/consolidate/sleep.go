package consolidate

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// SleepInput configures a sleep. The zero value consolidates everything.
type SleepInput struct {
	Project string // "" is every project
	DryRun  bool   // only plan
	// Only are the requested steps; nil is all. Patterns require an Extractor.
	Only []lifecycle.StepAction
	// Below is the strength, 0 to 1, under which memories are forgotten; 0 is the policy's.
	Below float64
	// Progress, if not nil, receives the current activity and its progress.
	Progress func(what string, done, total int)
}

// Slept is the result of a sleep.
type Slept = lifecycle.Slept

// Sleep consolidates memories as lifecycle.Plan says; a dry run returns the plan that a run would apply. It
// writes in small transactions, so that others hardly wait, and checks in each whether the step is still due.
// It can be interrupted at any time and resumed; a second sleep has nothing to do until something changes. A
// sleep with all steps also compacts the journal, by policy, and removes secrets kept under older rules. It
// neither forgets nor merges a memory that an undo restored.
//
// To find near-duplicates it compares memories changed since the last sleep with all others; the first time, or
// with a new embedding model, it compares all. An unknown project has nothing to do. An unknown step or
// strength is invalid. Failures of the Extractor are reported in Degraded.
func (c *Consolidator) Sleep(ctx context.Context, in SleepInput) (Slept, error) {
	s, err := c.newSleep(ctx, in)
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
	if err := c.cutOlderSecrets(ctx, "sleep"); err != nil {
		return s.res, err
	}
	compacted, err := c.CompactJournal(ctx, CompactInput{})
	s.res.Compacted = compacted.Entries
	return s.res, err
}

// Prune forgets memories weaker than below (0: the policy's strength), as a sleep does.
func (c *Consolidator) Prune(ctx context.Context, project string, below float64, dryRun bool) (Slept, error) {
	return c.Sleep(ctx, SleepInput{Project: project, DryRun: dryRun, Only: []lifecycle.StepAction{lifecycle.StepPrune}, Below: below})
}

type sleep struct {
	consolidator *Consolidator
	in           SleepInput
	policy       lifecycle.Policy
	night        lifecycle.Night // inputs of every plan: project settings, requested steps
	res          Slept
	// covered are the projects fully searched for near-duplicates with the current model.
	covered []string
}

func (c *Consolidator) newSleep(ctx context.Context, in SleepInput) (*sleep, error) {
	if err := screen.CheckShare("below", in.Below); err != nil {
		return nil, err
	}
	for _, a := range in.Only {
		if steps := lifecycle.StepActions(); !slices.Contains(steps, a) {
			return nil, engram.Errorf(engram.CodeInvalid, "%.40q is not a step of a sleep", a).WithHint("use one of %s", listed(steps))
		}
	}
	s := &sleep{consolidator: c, in: in, policy: c.ledger.Policy, night: lifecycle.Night{Only: in.Only}}
	if in.Below > 0 {
		s.policy.Sleep.Prune = in.Below
	}
	s.res = Slept{Project: screen.NormalProject(in.Project), At: c.ledger.Now()}
	err := c.ledger.View(ctx, func(r engram.Reader) (err error) {
		if s.night.Decay, err = r.Decays(ctx); err != nil {
			return err
		}
		s.night.Came, err = firstSince(ctx, r, s.res.At.Add(-s.policy.Sleep.Settled()))
		return err
	})
	return s, err
}

// firstSince returns the number of the first memory created at or after a time; 0 if none.
func firstSince(ctx context.Context, r engram.Reader, at time.Time) (int64, error) {
	seq, err := r.SeqBefore(ctx, at)
	if err != nil {
		return 0, err
	}
	first, err := r.FirstMade(ctx, engram.EntityMemory, seq)
	if err != nil || first == "" {
		return 0, err
	}
	return ledger.NumOf(first), nil
}

// listed joins steps: "fade, boost".
func listed(steps []lifecycle.StepAction) string {
	words := walk.Mapped(steps, func(a lifecycle.StepAction) string { return string(a) })
	return strings.Join(words, ", ")
}

func (s *sleep) report(what string, done, total int) {
	ledger.Progress(s.in.Progress).Report(what, done, total)
}

func (s *sleep) look(ctx context.Context) error {
	alone := s.night
	alone.Only = s.wanted(lifecycle.StepFade, lifecycle.StepBoost, lifecycle.StepPrune)
	var groups relate.DuplicateGroups
	err := s.consolidator.ledger.View(ctx, func(r engram.Reader) error {
		return r.Outlines(ctx, engram.Filter{Project: s.res.Project}, 0, func(m engram.Memory) bool {
			s.res.Memories++
			if d := s.night.DecayOf(m, s.policy); !m.Permanent && d.Curve != engram.CurveEbbinghaus {
				s.res.Fading++
			}
			s.res.Spared = lifecycle.AddSpared(s.res.Spared, s.night.Spare(m, s.res.At, s.policy)...)
			alone.Memories = append(alone.Memories[:0], m)
			s.res.Plan = append(s.res.Plan, lifecycle.Plan(alone, s.res.At, s.policy)...)
			groups.Add(m)
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

// mostTitles limits the memories of a plan whose titles are read.
const mostTitles = 1000

func (s *sleep) titles(ctx context.Context) error {
	var nums []int64
	for _, step := range s.res.Plan {
		if step.Action != lifecycle.StepFade && len(nums) < mostTitles {
			nums = append(nums, step.Memories...)
		}
	}
	return s.consolidator.ledger.View(ctx, func(r engram.Reader) error {
		ms, err := r.Memories(ctx, nums)
		s.res.Titles = make(map[int64]string, len(ms))
		for _, m := range ms {
			s.res.Titles[m.Num] = m.Title
		}
		return err
	})
}

// wanted returns the requested ones of some steps; never nil.
func (s *sleep) wanted(of ...lifecycle.StepAction) []lifecycle.StepAction {
	return slices.DeleteFunc(of, func(a lifecycle.StepAction) bool { return !s.night.Wants(a) })
}

// nightFact records the last night's sleep of a store, shared by all processes.
type nightFact struct {
	Due   int64 `json:"due"`   // milliseconds since 1970
	Begun int64 `json:"begun"` // when a process started to sleep
	Done  bool  `json:"done"`
}

const nightName = "sleep-night"

// nightLease is how long a started sleep belongs to its process, which may have been killed.
const nightLease = time.Hour

// SleepNight sleeps in every project, unless another process slept for the night due at due or a later one;
// slept reports whether it did. It makes up for a missed night. On a store without any, the current night
// counts as slept, since sleeping at night does not mean now.
func (c *Consolidator) SleepNight(ctx context.Context, due time.Time) (res Slept, slept bool, err error) {
	mine, err := c.claimNight(ctx, due)
	if err != nil || !mine {
		return res, false, err
	}
	if res, err = c.Sleep(ctx, SleepInput{}); err != nil {
		return res, false, err
	}
	return res, true, c.ledger.Update(ctx, func(tx engram.Tx) error {
		return putFact(ctx, tx, nightName, nightFact{Due: due.UnixMilli(), Begun: c.ledger.Now().UnixMilli(), Done: true})
	})
}

// claimNight reports whether this process should sleep tonight.
func (c *Consolidator) claimNight(ctx context.Context, due time.Time) (mine bool, err error) {
	// Checked without blocking writers first: usually another process has it.
	taken := false
	err = c.ledger.View(ctx, func(r engram.Reader) (err error) {
		_, taken, err = c.nightTaken(ctx, r, due)
		return err
	})
	if err != nil || taken {
		return false, err
	}
	err = c.ledger.Update(ctx, func(tx engram.Tx) error {
		known, taken, err := c.nightTaken(ctx, tx, due)
		if err != nil || taken {
			return err
		}
		mine = known
		return putFact(ctx, tx, nightName, nightFact{Due: due.UnixMilli(), Begun: c.ledger.Now().UnixMilli(), Done: !known})
	})
	return mine, err
}

// nightTaken reports whether the store ever had a night, and whether the one due was slept or is in progress.
func (c *Consolidator) nightTaken(ctx context.Context, r engram.Reader, due time.Time) (known, taken bool, err error) {
	text, err := r.Fact(ctx, nightName)
	if err != nil {
		return false, false, err
	}
	var f nightFact
	if text == "" || json.Unmarshal([]byte(text), &f) != nil {
		return false, false, nil
	}
	now := c.ledger.Now()
	if time.UnixMilli(f.Due).After(now.Add(24 * time.Hour)) {
		return false, false, nil // written by a clock that was ahead: it would block every night until then
	}
	begun := now.Sub(time.UnixMilli(f.Begun)).Abs() // a clock set back must not block it forever
	return true, f.Due > due.UnixMilli() || f.Due == due.UnixMilli() && (f.Done || begun < nightLease), nil
}

func putFact(ctx context.Context, tx engram.Tx, name string, fact any) error {
	text, err := json.Marshal(fact)
	if err != nil {
		return err
	}
	return tx.PutFact(ctx, name, string(text))
}

// sleptFact records a project's last sleep.
type sleptFact struct {
	Model string `json:"model"` // fingerprint of the model that found near-duplicates
	At    int64  `json:"at"`    // milliseconds since 1970
}

func sleptName(project string) string { return "sleep:" + project }

// lastSlept returns when a project was last searched for near-duplicates with the current model; zero if never,
// or if the journal no longer covers the time since.
func (s *sleep) lastSlept(ctx context.Context, r engram.Reader, project string) (time.Time, error) {
	text, err := r.Fact(ctx, sleptName(project))
	if err != nil || text == "" {
		return time.Time{}, err
	}
	var fact sleptFact
	if json.Unmarshal([]byte(text), &fact) != nil || fact.Model != s.consolidator.ledger.Embedder.Model().Fingerprint {
		return time.Time{}, nil
	}
	begins, err := engram.JournalBegins(ctx, r)
	at := time.UnixMilli(fact.At).UTC()
	if at.Before(begins) || at.After(s.res.At) { // a clock that was set back would make newer changes look older
		return time.Time{}, err
	}
	return at, err
}

// changedSince returns which memories changed since their project's last sleep, not counting changes by sleep
// and undo.
func (s *sleep) changedSince(ctx context.Context, groups relate.DuplicateGroups) (func(num int64) bool, error) {
	changed := map[int64]bool{}
	err := s.consolidator.ledger.View(ctx, func(r engram.Reader) error {
		since := map[string]time.Time{}
		var first time.Time
		for at, nums := range groups {
			slept, known := since[at.Project]
			if !known {
				var err error
				if slept, err = s.lastSlept(ctx, r, at.Project); err != nil {
					return err
				}
				since[at.Project] = slept
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
		err = view.WalkBack(ctx, r, engram.JournalSpan{Entity: engram.EntityMemory, After: after}, func(m engram.Mutation) {
			if m.Operation != sleepOperation && m.Operation != "undo" && !m.At.Time().Before(since[m.Project]) {
				changed[ledger.NumOf(m.Key)] = true
			}
		})
		if err != nil {
			return err
		}
		// Memories from another project were not compared here either.
		return view.WalkBack(ctx, r, engram.JournalSpan{Entity: engram.EntityProject, After: after}, func(m engram.Mutation) {
			var was view.ProjectWas
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

// against sets the reasons that keep near-duplicates from being merged.
func against(ctx context.Context, r engram.Reader, ms []engram.Memory, pairs []lifecycle.NearDuplicate, model engram.Model) ([]lifecycle.NearDuplicate, error) {
	alone, judged, err := relationsAgainst(ctx, r, ms)
	if err != nil {
		return nil, err
	}
	byNum := screen.ByNum(ms)
	readings := map[int64]contradiction.Reading{}
	read := func(m engram.Memory) contradiction.Reading {
		if _, known := readings[m.Num]; !known {
			readings[m.Num] = contradiction.Read(relate.ComparisonText(m))
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
			p.Against = "the pair is judged or pending"
		case alone[p.A] != "" || alone[p.B] != "":
			p.Against = cmp.Or(alone[p.A], alone[p.B])
		case a.NormalizedHash != b.NormalizedHash || a.Title != b.Title:
			if d, differ := read(a).Against(read(b), relate.NearnessOf(model, p.Cosine)); differ {
				p.Against = "they differ in a " + string(d.Kind)
			} else if lifecycle.Adds(a, b) == lifecycle.AddsBeside {
				p.Against = lifecycle.SaysElse
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// relationsAgainst returns which memories must not be merged at all, with the reason, and which pairs must not.
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
			alone[m.Num] = "restored by an undo"
		}
	}
	relations, err := engram.RelationsOf(ctx, r, nums, nil, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, rel := range relations {
		if rel.Judgment() || rel.Status == engram.RelationPending {
			judged[[2]int64{rel.Source, rel.Target}], judged[[2]int64{rel.Target, rel.Source}] = true, true
		}
		if !rel.Supersedes() {
			continue
		}
		by, err := r.Memories(ctx, []int64{rel.Source})
		if err != nil {
			return nil, nil, err
		}
		if len(by) == 1 && !by[0].Forgotten() {
			alone[rel.Target] = "another memory supersedes it"
		}
	}
	return alone, judged, nil
}

// journalDepth limits the search for an undo in a memory's journal.
const journalDepth = 50

// broughtBack reports whether an undo ever restored a forgotten memory: somebody wants it.
func broughtBack(ctx context.Context, r engram.Reader, num int64) (bool, error) {
	entries, err := r.Mutations(ctx, engram.JournalSpan{Entity: engram.EntityMemory, Key: ledger.Key(num)}, engram.Page{Limit: journalDepth})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(entries, func(m engram.Mutation) bool {
		var was struct {
			DeletedAt *time.Time `json:"deleted_at"`
		}
		return m.Operation == "undo" && json.Unmarshal(m.Was, &was) == nil && was.DeletedAt != nil && !was.DeletedAt.IsZero()
	}), nil
}

// keepBroughtBack removes restored memories from the plan.
func (s *sleep) keepBroughtBack(ctx context.Context) error {
	return s.consolidator.ledger.View(ctx, func(r engram.Reader) error {
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
