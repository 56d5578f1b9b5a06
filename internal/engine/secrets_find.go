package engine

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// secretFilter removes secrets from texts, except kept ones, and counts them.
type secretFilter struct {
	scanner func() *secret.Scanner
	kept    map[string]bool // digests of kept secrets
	kinds   map[string]int
	cuts    int
}

func (v *secretFilter) text(s string) string { return v.named("", s) }

// named filters a text with a field name.
func (v *secretFilter) named(name, s string) string {
	if len(s) < shortestSecret && name == "" {
		return s
	}
	return v.scanner().CleanBut(name, s, func(found string, f secret.Span) bool {
		if v.kept[textDigest(found)] {
			return false
		}
		v.kinds[f.Rule]++
		v.cuts++
		return true
	})
}

// cutsIn returns how many secrets run removes.
func (v *secretFilter) cutsIn(run func()) int {
	before := v.cuts
	run()
	return v.cuts - before
}

// journaled filters the JSON of a journal entry. Other data stays.
func (v *secretFilter) journaled(was json.RawMessage) json.RawMessage {
	if len(was) < shortestSecret {
		return was
	}
	d := json.NewDecoder(strings.NewReader(string(was)))
	d.UseNumber() // undo compares numbers as written
	var value any
	if err := d.Decode(&value); err != nil {
		return was
	}
	var out json.RawMessage
	if v.cutsIn(func() { value = v.value("", value) }) > 0 {
		if b, err := json.Marshal(value); err == nil {
			out = b
		}
	}
	if out == nil {
		return was
	}
	return out
}

// value filters a JSON value with a field name.
func (v *secretFilter) value(name string, x any) any {
	switch x := x.(type) {
	case string:
		return v.named(name, x)
	case []any:
		for i := range x {
			x[i] = v.value(name, x[i])
		}
	case map[string]any:
		for name := range x {
			x[name] = v.value(name, x[name])
		}
	}
	return x
}

// leak is a record whose current or earlier text contains secrets not kept on purpose.
type leak struct {
	entity    engram.Entity
	num       int64  // of a memory, a prompt or a relation
	key       string // of the journal
	now, past int    // how many
}

// secretsPage is how many rows are read at once.
const secretsPage = 500

type leakSearch struct {
	*Engine
	r     engram.Reader
	keeps map[int64]bool // memories with kept secrets
	kinds map[string]int
	each  func(leak)
}

// leaks calls each for every record with secrets, on one snapshot, and returns the number of secrets by kind.
func (e *Engine) leaks(ctx context.Context, r engram.Reader, each func(leak)) (map[string]int, error) {
	kept, err := engram.SecretKept(ctx, r)
	if err != nil {
		return nil, err
	}
	s := leakSearch{e, r, kept, map[string]int{}, each}
	return s.kinds, errors.Join(
		eachAfter(func(after int64) ([]engram.Memory, error) {
			return engram.MemoriesAfter(ctx, r, "", after, secretsPage)
		},
			func(m engram.Memory) (int64, error) {
				rs, err := r.Revisions(ctx, m.Num)
				if err != nil {
					return m.Num, err
				}
				return m.Num, s.look(ctx, engram.EntityMemory, m.Num, engram.Record{Memory: &engram.MemoryRecord{Memory: m}}, rs)
			}),
		eachAfter(func(after int64) ([]engram.Prompt, error) { return engram.PromptsAfter(ctx, r, "", after, secretsPage) },
			func(p engram.Prompt) (int64, error) {
				return p.Num, s.look(ctx, engram.EntityPrompt, p.Num, engram.Record{Prompt: &p}, nil)
			}),
		eachAfter(func(after string) ([]engram.Session, error) {
			return engram.SessionsAfter(ctx, r, "", after, secretsPage)
		},
			func(one engram.Session) (string, error) {
				return one.ID, s.look(ctx, engram.EntitySession, 0, engram.Record{Session: &one}, nil)
			}),
		eachAfter(func(after int64) ([]engram.Relation, error) {
			return engram.RelationsAfter(ctx, r, "", after, secretsPage)
		},
			func(rel engram.Relation) (int64, error) {
				return rel.Num, s.look(ctx, engram.EntityRelation, rel.Num, engram.Record{Relation: &engram.RelationRecord{Relation: rel}}, nil)
			}))
}

// look counts the secrets in a record's current and earlier texts and its journal, and calls each if there are
// any.
func (s leakSearch) look(ctx context.Context, entity engram.Entity, num int64, now engram.Record, past []engram.Revision) error {
	v := &secretFilter{scanner: s.secrets, kinds: s.kinds}
	found := leak{entity: entity, num: num, key: key(num)}
	if now.Session != nil {
		found.key = now.Session.ID
	}
	if now.Memory != nil && s.keeps[num] {
		marks, err := s.r.Trust(ctx, []int64{num})
		if err != nil {
			return err
		}
		v.kept = textsMarked(marks[num], engram.TrustSecret)
	}
	found.now = v.cutsIn(func() { recordBy(now, v.named) })
	found.past = v.cutsIn(func() { shownRevisions(past, v.text) })
	n, err := eachEntry(ctx, s.r, v, found, func(engram.Mutation) error { return nil })
	if found.past += n; err == nil && found.now+found.past > 0 {
		s.each(found)
	}
	return err
}

// eachEntry calls each with the filtered journal entries of a record that contain secrets, and returns the
// number of secrets.
func eachEntry(ctx context.Context, r engram.Reader, v *secretFilter, of leak, each func(engram.Mutation) error) (n int, err error) {
	for offset := 0; ; offset += secretsPage {
		all, err := r.Mutations(ctx, engram.JournalSpan{Entity: of.entity, Key: of.key}, engram.Page{Limit: secretsPage, Offset: offset})
		if err != nil {
			return n, err
		}
		for _, m := range all {
			cuts := v.cutsIn(func() { m.Was, m.Reason = v.journaled(m.Was), v.text(m.Reason) })
			if n += cuts; cuts == 0 {
				continue
			}
			if err := each(m); err != nil {
				return n, err
			}
		}
		if len(all) < secretsPage {
			return n, nil
		}
	}
}

// keptSecrets collects the facts for the doctor. Texts checked under the current rules are searched again only
// if full is set.
func (e *Engine) keptSecrets(ctx context.Context, full bool, most int) (f health.KeptSecrets) {
	f.Known, f.Current = true, secret.Version
	f.Err = e.store.View(ctx, func(r engram.Reader) (err error) {
		if f.Rules, err = r.Fact(ctx, secretRules); err != nil || f.Rules == f.Current && !full {
			return err
		}
		f.Looked = true
		f.Kinds, err = e.leaks(ctx, r, func(s leak) {
			switch {
			case s.entity == engram.EntitySession:
				f.Sessions++
			case s.entity == engram.EntityPrompt:
				f.Prompts.Add(s.num, most)
			case s.entity == engram.EntityRelation:
				f.Relations.Add(s.num, most)
			case s.now > 0:
				f.Memories.Add(s.num, most)
			default:
				f.Past.Add(s.num, most)
			}
		})
		return err
	})
	return f
}
