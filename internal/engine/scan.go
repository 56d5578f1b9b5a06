package engine

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
)

// ScanInput asks to look for contradictions among the memories of a project.
type ScanInput struct {
	Project string    // must be named
	Since   time.Time // only memories made at or after it are looked at, each against all
	// Apply keeps what was found: candidates are raised, verdicts recorded. Without it
	// nothing is written.
	Apply     bool
	MaxInsert int // candidates to raise at most; 0 is 100, at most 10,000
	// Semantic asks the engine's judge about the candidates, those that wait for a verdict
	// already and memories that are near to each other without a difference that the rule
	// sees.
	Semantic       bool
	MaxSemantic    int           // pairs to ask about at most, the likeliest first; 0 is 100, at most 10,000
	Concurrency    int           // questions at a time, 1 to 20; 0 is 5
	TimeoutPerCall time.Duration // of one question, 1 s to 600 s; 0 is 60 s
	// Confirm, when it is not nil, is told before the judge is asked about how many pairs it
	// will be; false asks it about none.
	Confirm func(judge string, pairs int) (bool, error)
	// Progress, when it is not nil, is told how far the scan is: "scanning" memories, then
	// "judging" pairs. No two calls overlap.
	Progress func(what string, done, total int)
}

// The bounds and defaults of a scan.
const (
	scanPairs      = 100   // default of MaxInsert and MaxSemantic
	MostScanPairs  = 10000 // most of both
	scanCalls      = 5     // default of Concurrency
	MostScanCalls  = 20
	scanTimeout    = 60 * time.Second
	MostScanWait   = 600 * time.Second
	scanNeighbours = 10  // memories near to each one that are compared with it
	scanPage       = 200 // memories looked at in one transaction
)

// Scanned says what a scan saw and did.
type Scanned struct {
	Project        string
	Inspected      int    // memories
	Found          int    // pairs with a difference
	AlreadyRelated int    // of these, those that wait for a verdict or have one
	Inserted       int    // candidates raised now
	Capped         bool   // there are more than MaxInsert
	DryRun         bool   // nothing was written
	Judged         int    // pairs that the judge had an opinion on
	Skipped        int    // pairs that it was not asked about: too many, or not confirmed
	Errors         int    // questions without an answer
	Trouble        string // what the last of Errors says; "" without one
	// Pairs are the new ones, and those with an opinion, the likeliest first; no more
	// than there are raised and asked about.
	Pairs []ScanPair
}

// ScanPair is a pair that a scan found.
type ScanPair struct {
	Newer, Older engram.Memory
	Difference   string          // in what they differ, for a person; "" when the rule sees nothing
	Score        float64         // 0 to 1, greater is likelier
	Opinion      *engram.Opinion // of the judge; nil when there is none
}

// Scan looks for memories of a project that may contradict each other: those that are
// near in meaning and differ in a negation, a number, a name or a verdict. What it finds
// it raises as candidates, or with Semantic has judged.
//
// CodeInvalid for what is out of range; CodeUnavailable without an embedding model, and
// with Semantic without a judge.
func (e *Engine) Scan(ctx context.Context, in ScanInput) (Scanned, error) {
	in, err := e.scanInput(in)
	if err != nil {
		return Scanned{}, err
	}
	s := &scan{Engine: e, in: in, seen: map[[2]int64]bool{}, out: Scanned{Project: in.Project, DryRun: !in.Apply}}
	if err := s.walk(ctx); err != nil {
		return s.out, err
	}
	s.dropSeries()
	s.sort()
	if in.Semantic {
		if err := s.judge(ctx); err != nil {
			return s.out, err
		}
	}
	return s.out, s.raise(ctx)
}

// CanJudge reports whether there is a judge to ask.
func (e *Engine) CanJudge() bool { return e.judgeOf != nil }

// scanInput checks what was asked and fills in defaults.
func (e *Engine) scanInput(in ScanInput) (ScanInput, error) {
	if in.Project = normalProject(in.Project); in.Project == "" {
		return in, engram.Errorf(engram.CodeInvalid, "project is required")
	}
	if e.embedder == nil {
		return in, engram.Errorf(engram.CodeUnavailable, "no embedding model is configured: nothing says which memories are near").
			WithHint("set embedding_model, or leave it out for the built-in one")
	}
	var err error
	if in.MaxInsert, err = limited("max_insert", in.MaxInsert, scanPairs, MostScanPairs); err != nil {
		return in, err
	}
	if !in.Semantic {
		return in, nil
	}
	if in.MaxSemantic, err = limited("max_semantic", in.MaxSemantic, scanPairs, MostScanPairs); err != nil {
		return in, err
	}
	if in.Concurrency, err = limited("concurrency", in.Concurrency, scanCalls, MostScanCalls); err != nil {
		return in, err
	}
	seconds, err := limited("timeout_per_call_seconds", int(in.TimeoutPerCall/time.Second), int(scanTimeout/time.Second), int(MostScanWait/time.Second))
	if err != nil {
		return in, err
	}
	in.TimeoutPerCall = time.Duration(seconds) * time.Second
	if e.judgeOf == nil {
		return in, engram.Errorf(engram.CodeUnavailable, "no program that could judge is configured").WithHint("set agent_cli to claude or opencode")
	}
	return in, nil
}

// scan is one scan at work.
type scan struct {
	*Engine
	in    ScanInput
	out   Scanned
	asked map[int64]bool    // memories to look at
	seen  map[[2]int64]bool // pairs that were looked at
	texts comparedTexts
	pairs []scanned
	kin   map[int64]map[string]bool // texts that are the same but for what a series counts

	dropped int // pairs that were too many to keep
}

// scanned is a pair on its way.
type scanned struct {
	ScanPair
	near       float64
	difference *contradiction.Difference // nil: the rule sees none
	waits      bool                      // it is a candidate already
	series     bool                      // they may be members of one
}

// raise makes candidates of the pairs with a difference that nobody has an opinion on.
func (s *scan) raise(ctx context.Context) error {
	var wanted []scanned
	for _, p := range s.pairs {
		if p.Opinion == nil && p.difference != nil && !p.waits {
			wanted = append(wanted, p)
		}
	}
	if len(wanted) > s.in.MaxInsert {
		s.out.Capped, wanted = true, wanted[:s.in.MaxInsert]
	}
	for _, p := range wanted {
		s.out.Pairs = append(s.out.Pairs, p.ScanPair)
	}
	if !s.in.Apply || len(wanted) == 0 {
		return nil
	}
	return s.write(ctx, "scan", func(o *op) error {
		for _, p := range wanted {
			same, err := o.unchanged(ctx, p.Newer, p.Older)
			if err != nil {
				return err
			}
			if !same {
				continue
			}
			_, raised, err := o.raise(ctx, p.Newer, Near{p.Older, p.near}, *p.difference)
			if err != nil {
				return err
			}
			if raised {
				s.out.Inserted++
			}
		}
		return nil
	})
}

// unchanged reports whether memories that were read a while ago are live and say what
// they said.
func (o *op) unchanged(ctx context.Context, ms ...engram.Memory) (bool, error) {
	nums := make([]int64, len(ms))
	for i, m := range ms {
		nums[i] = m.Num
	}
	now, err := o.tx.Memories(ctx, nums)
	if err != nil || len(now) != len(ms) {
		return false, err
	}
	for i, m := range now {
		if m.Forgotten() || embeddedText(m) != embeddedText(ms[i]) || m.Project != ms[i].Project {
			return false, nil
		}
	}
	return true, nil
}
