package engine

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
)

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
func (s *sleep) changedSince(ctx context.Context, groups twinGroups) (func(num int64) bool, error) {
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
			if m.Verb != sleepVerb && m.Verb != "undo" && !m.At.Time().Before(since[m.Project]) {
				changed[num] = true
			}
		})
		if err != nil {
			return err
		}
		// What came from another project was not compared here either.
		return walkBack(ctx, r, engram.JournalSpan{Entity: engram.EntityProject, After: after}, func(m engram.Mutation) {
			var was projectWas
			if m.Was == nil || m.Verb == "undo" || json.Unmarshal(m.Was, &was) != nil || m.At.Time().Before(since[was.To]) {
				return
			}
			for _, num := range was.Memories {
				changed[num] = true
			}
		})
	})
	return func(num int64) bool { return changed[num] }, err
}
