package relate

import (
	"context"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

// ScanInput starts a scan for contradictions among a project's memories.
type ScanInput struct {
	Project string    // required
	Since   time.Time // examine only memories created since, each against all
	// Apply stores the candidates and verdicts; without it nothing is written.
	Apply     bool
	MaxInsert int // most candidates to flag; 0 is 100, at most 10,000
	// Semantic asks the engine's judge about candidates, pending ones included, and about similar memories in
	// which the rule finds no difference.
	Semantic       bool
	MaxSemantic    int           // most pairs to ask about, likeliest first; 0 is 100, at most 10,000
	Concurrency    int           // questions at a time, 1 to 20; 0 is 5
	TimeoutPerCall time.Duration // of one question, 1 s to 600 s; 0 is 60 s
	// Confirm, if not nil, is called with the number of pairs before the judge is asked; false skips asking.
	Confirm func(judge string, pairs int) (bool, error)
	// Progress, if not nil, reports the progress of "scanning" memories, then "judging" pairs. Calls do not
	// overlap.
	Progress func(what string, done, total int)
}

// Bounds and defaults of a scan.
const (
	scanPairs      = 100   // default of MaxInsert and MaxSemantic
	MostScanPairs  = 10000 // maximum of both
	scanCalls      = 5     // default of Concurrency
	MostScanCalls  = 20
	scanTimeout    = 60 * time.Second
	MostScanWait   = 600 * time.Second
	scanNeighbours = 10  // neighbours compared per memory
	scanPage       = 200 // memories per transaction
)

// Scanned is the result of a scan.
type Scanned struct {
	Project        string
	Inspected      int    // memories
	Found          int    // pairs with a difference
	AlreadyRelated int    // of these, pending or judged ones
	Inserted       int    // new candidates
	Capped         bool   // there were more than MaxInsert
	DryRun         bool   // nothing was written
	Judged         int    // pairs with an opinion of the judge
	Skipped        int    // pairs not asked about: too many, or not confirmed
	Errors         int    // questions without answer
	Trouble        string // message of the last error; "" without one
	// Pairs are the new candidates and those with an opinion, likeliest first.
	Pairs []ScanPair
}

// ScanPair is a pair found by a scan.
type ScanPair struct {
	Newer, Older engram.Memory
	Difference   string          // for a person; "" if the rule finds none
	Score        float64         // 0 to 1, higher is likelier
	Opinion      *engram.Opinion // of the judge; nil without one
}

// Scan finds memories of a project that may contradict each other: similar ones that differ in a negation,
// number, name or verdict. It flags them as candidates, or with Semantic has them judged.
//
// CodeInvalid for input out of range; CodeUnavailable without an embedding model, and with Semantic without a
// judge.
func (k *Linker) Scan(ctx context.Context, in ScanInput) (Scanned, error) {
	in, err := k.scanInput(in)
	if err != nil {
		return Scanned{}, err
	}
	s := &scan{linker: k, in: in, seen: map[[2]int64]bool{}, out: Scanned{Project: in.Project, DryRun: !in.Apply}}
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

// CanJudge reports whether a judge is configured.
func (k *Linker) CanJudge() bool { return k.judge != nil }

func (k *Linker) scanInput(in ScanInput) (ScanInput, error) {
	if in.Project = screen.NormalProject(in.Project); in.Project == "" {
		return in, engram.Errorf(engram.CodeInvalid, "project is required")
	}
	if k.ledger.Embedder == nil {
		return in, engram.Errorf(engram.CodeUnavailable, "no embedding model is configured: similar memories are unknown").
			WithHint("set embedding_model, or leave it out for the built-in one")
	}
	var err error
	if in.MaxInsert, err = screen.Limited("max_insert", in.MaxInsert, scanPairs, MostScanPairs); err != nil {
		return in, err
	}
	if !in.Semantic {
		return in, nil
	}
	if in.MaxSemantic, err = screen.Limited("max_semantic", in.MaxSemantic, scanPairs, MostScanPairs); err != nil {
		return in, err
	}
	if in.Concurrency, err = screen.Limited("concurrency", in.Concurrency, scanCalls, MostScanCalls); err != nil {
		return in, err
	}
	seconds, err := screen.Limited("timeout_per_call_seconds", int(in.TimeoutPerCall/time.Second), int(scanTimeout/time.Second), int(MostScanWait/time.Second))
	if err != nil {
		return in, err
	}
	in.TimeoutPerCall = time.Duration(seconds) * time.Second
	if k.judge == nil {
		return in, engram.Errorf(engram.CodeUnavailable, "no judge is configured").WithHint("set agent_cli to claude or opencode")
	}
	return in, nil
}

type scan struct {
	linker *Linker
	in     ScanInput
	out    Scanned
	asked  map[int64]bool    // memories to examine
	seen   map[[2]int64]bool // examined pairs
	texts  comparedTexts
	pairs  []scanned
	kin    map[int64]map[string]bool // by memory: hashes of texts that differ only in the counted part of a series

	dropped int // pairs beyond the limit
}

type scanned struct {
	ScanPair
	near       float64
	difference *contradiction.Difference // nil: none found by the rule
	waits      bool                      // already a pending candidate
	series     bool                      // possibly members of a series
}

// flag turns pairs with a difference and without an opinion into candidates.
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
	return s.linker.ledger.Write(ctx, "scan", func(o *ledger.Tx) error {
		for _, p := range wanted {
			same, err := Unchanged(ctx, o, p.Newer, p.Older)
			if err != nil {
				return err
			}
			if !same {
				continue
			}
			_, raised, err := Flag(ctx, o, p.Newer, search.Near{Memory: p.Older, Cosine: p.near}, *p.difference)
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

// Unchanged reports whether memories read earlier are live and have the same text.
func Unchanged(ctx context.Context, o *ledger.Tx, ms ...engram.Memory) (bool, error) {
	now, err := o.Store.Memories(ctx, screen.MemoryNums(ms))
	if err != nil || len(now) != len(ms) {
		return false, err
	}
	for i, m := range now {
		if m.Forgotten() || ledger.EmbeddedText(m) != ledger.EmbeddedText(ms[i]) || m.Project != ms[i].Project {
			return false, nil
		}
	}
	return true, nil
}

type compared struct {
	memory  engram.Memory
	reading contradiction.Reading
}

// comparedTexts caches parsed memories, since parsing dominates a comparison. It drops those not used recently.
type comparedTexts struct {
	now, before map[int64]*compared // before is the previous generation
}

// keptTexts is the size of a generation; at most two are kept. A parsed memory of 600 bytes takes about 15 KB,
// the longest 45 KB.
const keptTexts = 2000

// of returns memories by number, cached or read; missing ones are left out.
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
		all[m.Num] = &compared{m, contradiction.Read(ComparisonText(m))}
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

// judge asks about the pairs concurrently and records each answer at once, so a stopped scan keeps what it paid
// for. Failed questions are counted and do not stop it.
func (s *scan) judge(ctx context.Context) error {
	asked := s.pairs[:min(len(s.pairs), s.in.MaxSemantic)]
	s.out.Skipped = s.dropped + len(s.pairs) - len(asked)
	if len(asked) > 0 && s.in.Confirm != nil {
		yes, err := s.in.Confirm(s.linker.judge.Name(), len(asked))
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
					s.out.Trouble = SayingOf(asking)
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

// opinion asks about one pair and records the answer. asking is the judge's error, err that of recording.
func (s *scan) opinion(ctx context.Context, p *scanned) (o engram.Opinion, asking, err error) {
	limited, cancel := context.WithTimeout(ctx, s.in.TimeoutPerCall)
	defer cancel()
	o, asking = s.linker.judge.Judge(limited, p.Newer, p.Older)
	if asking != nil {
		return o, asking, nil
	}
	in := CompareInput{A: engram.ByNum(p.Newer.Num), B: engram.ByNum(p.Older.Num), Verb: o.Verb, Confidence: o.Confidence,
		Reasoning: o.Reason, Model: s.linker.judge.Name(), ActorKind: KindSystem}
	if !s.in.Apply {
		_, asking = s.linker.Verdict(in.verdict())
		return o, asking, nil
	}
	_, err = s.linker.compare(ctx, in, func(op *ledger.Tx) error {
		same, err := Unchanged(ctx, op, p.Newer, p.Older)
		if err == nil && !same {
			err = engram.Errorf(engram.CodeConflict, "#%d or #%d was changed meanwhile", p.Newer.Num, p.Older.Num)
		}
		return err
	})
	switch engram.CodeOf(err) {
	case engram.CodeInvalid, engram.CodeConflict, engram.CodeNotFound:
		return o, err, nil // only this answer is unusable
	}
	return o, nil, err
}

// SayingOf returns the message of an error without its cause.
func SayingOf(err error) string {
	if e, ok := err.(*engram.Error); ok {
		return e.Msg
	}
	return err.Error()
}
