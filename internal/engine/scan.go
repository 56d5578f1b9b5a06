package engine

import (
	"context"
	"sync"
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
	return s.out, s.flag(ctx)
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

// flag makes candidates of the pairs with a difference that nobody has an opinion on.
func (s *scan) flag(ctx context.Context) error {
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
			_, raised, err := o.flag(ctx, p.Newer, Near{p.Older, p.near}, *p.difference)
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
	nums := memoryNums(ms)
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

// compared is a memory as it is compared.
type compared struct {
	memory  engram.Memory
	reading contradiction.Reading
}

// comparedTexts keeps memories that were read and taken apart, which is most of what a
// comparison costs. It lets go of those that nobody asked for lately.
type comparedTexts struct {
	now, before map[int64]*compared // before is from when now was begun
}

// keptTexts is how many are kept at least; twice as many are at most. Taken apart, a
// memory of 600 bytes takes some 15 KB, the longest 45 KB.
const keptTexts = 2000

// of returns memories by their numbers, read now or before; none of one that there is not.
func (c *comparedTexts) of(ctx context.Context, r engram.Reader, nums []int64) (map[int64]*compared, error) {
	all := make(map[int64]*compared, len(nums))
	var unread []int64
	for _, num := range nums {
		if m := c.kept(num); m != nil {
			all[num] = m
		} else {
			unread = append(unread, num)
		}
	}
	ms, err := r.Memories(ctx, unread)
	for _, m := range ms {
		all[m.Num] = &compared{m, contradiction.Read(comparedOf(m))}
		c.keep(m.Num, all[m.Num])
	}
	return all, err
}

func (c *comparedTexts) kept(num int64) *compared {
	if m := c.now[num]; m != nil {
		return m
	}
	m := c.before[num]
	if m != nil {
		c.keep(num, m)
	}
	return m
}

func (c *comparedTexts) keep(num int64, m *compared) {
	if c.now == nil || len(c.now) >= keptTexts {
		c.now, c.before = map[int64]*compared{}, c.now
	}
	c.now[num] = m
}

// judge asks about the pairs, several at a time, and records the answers as they come: a
// scan that is stopped keeps what it has paid for. One question without an answer is
// counted, and the others are asked.
func (s *scan) judge(ctx context.Context) error {
	asked := s.pairs[:min(len(s.pairs), s.in.MaxSemantic)]
	s.out.Skipped = s.dropped + len(s.pairs) - len(asked)
	if len(asked) > 0 && s.in.Confirm != nil {
		yes, err := s.in.Confirm(s.judgeOf.Name(), len(asked))
		if err != nil {
			return err
		}
		if !yes {
			s.out.Skipped, asked = s.out.Skipped+len(asked), nil
		}
	}
	var wait sync.WaitGroup
	var mu sync.Mutex // guards out, pairs' opinions and the calls of Progress
	var failed error
	done := 0
	next := make(chan *scanned)
	for range min(s.in.Concurrency, len(asked)) {
		wait.Go(func() {
			for p := range next {
				opinion, asking, err := s.opinion(ctx, p)
				mu.Lock()
				switch {
				case err != nil && failed == nil:
					failed = err
				case asking != nil:
					s.out.Errors++
					s.out.Trouble = sayingOf(asking)
				case err == nil:
					s.out.Judged++
					p.Opinion = &opinion
				}
				done++
				s.report("judging", done, len(asked))
				mu.Unlock()
			}
		})
	}
	for i := range asked {
		if ctx.Err() != nil {
			break
		}
		next <- &asked[i]
	}
	close(next)
	wait.Wait()
	for _, p := range asked {
		if p.Opinion != nil {
			s.out.Pairs = append(s.out.Pairs, p.ScanPair)
		}
	}
	if failed == nil {
		failed = ctx.Err()
	}
	return failed
}

// opinion asks about one pair and records the answer. asking is what kept the judge from
// answering, err what kept the answer from being recorded.
func (s *scan) opinion(ctx context.Context, p *scanned) (o engram.Opinion, asking, err error) {
	limited, cancel := context.WithTimeout(ctx, s.in.TimeoutPerCall)
	defer cancel()
	o, asking = s.judgeOf.Judge(limited, p.Newer, p.Older)
	if asking != nil {
		return o, asking, nil
	}
	in := CompareInput{A: engram.ByNum(p.Newer.Num), B: engram.ByNum(p.Older.Num), Verb: o.Verb, Confidence: o.Confidence,
		Reasoning: o.Reason, Model: s.judgeOf.Name(), ActorKind: KindSystem}
	if !s.in.Apply {
		_, asking = s.verdict(in.verdict())
		return o, asking, nil
	}
	_, err = s.compare(ctx, in, func(op *op) error {
		same, err := op.unchanged(ctx, p.Newer, p.Older)
		if err == nil && !same {
			err = engram.Errorf(engram.CodeConflict, "#%d or #%d was changed meanwhile", p.Newer.Num, p.Older.Num)
		}
		return err
	})
	switch engram.CodeOf(err) {
	case engram.CodeInvalid, engram.CodeConflict, engram.CodeNotFound:
		return o, err, nil // this answer is of no use; the next may be
	}
	return o, nil, err
}

// sayingOf is the message of an error without its causes.
func sayingOf(err error) string {
	if e, ok := err.(*engram.Error); ok {
		return e.Msg
	}
	return err.Error()
}
