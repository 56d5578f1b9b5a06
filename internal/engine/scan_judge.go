package engine

import (
	"context"
	"sync"

	"github.com/alanbuscaglia/engram"
)

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
				s.tell("judging", done, len(asked))
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
