package storetest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// soon bounds operations that must not block; generous, because machines are slow.
const soon = 10 * time.Second

func transactionCases() []testCase {
	return []testCase{
		{"an error from fn rolls everything back and is returned as it is", func(k *kit) {
			old := k.write("kettle", "boils")
			cause := errors.New("changed my mind")
			m := k.draft(titled("teapot"))
			err := k.store.Update(k.Context(), func(tx engram.Tx) error {
				changed := old
				changed.Title, changed.Tags = "changed", []string{"t"}
				p := engram.Prompt{SyncID: "prompt-1", Project: "app", Content: "teapot?", CreatedAt: at(1)}
				e := engram.Mutation{Actor: "cli", Operation: "save", Entity: engram.EntityMemory, Key: "1"}
				r := engram.Relation{ID: "rel-1", Source: old.Num, Target: old.Num, Verb: engram.VerbRelatesTo, Status: engram.RelationJudged, CreatedAt: at(1), UpdatedAt: at(1)}
				writes := errors.Join(
					tx.InsertMemory(k.Context(), &m), tx.ReplaceMemory(k.Context(), changed), tx.InsertPrompt(k.Context(), &p), tx.InsertRelation(k.Context(), &r),
					tx.InsertRevision(k.Context(), revision(old, 1)), tx.PutProject(k.Context(), engram.Project{Name: "new", CreatedAt: at(1)}),
					tx.Append(k.Context(), &e), tx.PutSession(k.Context(), engram.Session{ID: "new", StartedAt: at(1), ActiveAt: at(1)}),
				)
				return cmp.Or(writes, cause)
			})
			if err != cause {
				k.Errorf("got error %v, want %v itself", err, cause)
			}
			k.sameMemory("the memory", k.read(engram.ByNum(old.Num)), old)
			k.same("memories", len(k.list(engram.Filter{})), 1)
			k.same("found by the new title", len(k.find("teapot changed")), 0)
			k.same("found by the old title", len(k.find("kettle")), 1)
			k.same("prompts found", len(k.asked("teapot", "", 9)), 0)
			k.same("sessions", k.sessions(""), "s-app:1")
			k.same("entries", len(k.entries("", "")), 0)
			st := read1(k, engram.Reader.Stats, "")
			k.same("counts", []any{st.Prompts, st.Relations, st.Projects}, []any{0, 0, []string{"app"}})
			k.same("revisions", len(readAll(k, engram.Reader.Revisions, old.Num)), 0)
		}},
		{"UpdateAfter looks at a snapshot, then writes", func(k *kit) {
			old := k.save()
			var looked engram.Memory
			err := k.store.UpdateAfter(k.Context(), func(r engram.Reader) (err error) {
				looked, err = r.Memory(k.Context(), engram.ByNum(old.Num))
				return err
			}, func(tx engram.Tx) error {
				looked.Title = "changed"
				return tx.ReplaceMemory(k.Context(), looked)
			})
			if err != nil {
				k.Fatalf("update after a look: %v", err)
			}
			k.same("the title", k.read(engram.ByNum(old.Num)).Title, "changed")
		}},
		{"a look that fails writes nothing and keeps no writer out", func(k *kit) {
			broken := errors.New("broken")
			err := k.store.UpdateAfter(k.Context(), func(engram.Reader) error { return broken }, func(engram.Tx) error {
				k.Error("wrote after a look that failed")
				return nil
			})
			if err != broken {
				k.Errorf("got error %v, want %v itself", err, broken)
			}
			k.update(func(tx engram.Tx) error { return tx.PutFact(k.Context(), "k", "v") })
		}},
		{"Without hides projects from a look, not from the write after it", func(k *kit) {
			m := k.save()
			counted := func(r engram.Reader, n *int) error {
				ms, err := r.Memories(k.Context(), []int64{m.Num})
				*n = len(ms)
				return err
			}
			var looked, wrote int
			ctx := engram.Without(k.Context(), func(project string) bool { return project == m.Project })
			err := k.store.UpdateAfter(ctx, func(r engram.Reader) error { return counted(r, &looked) }, func(tx engram.Tx) error { return counted(tx, &wrote) })
			if err != nil {
				k.Fatalf("update after a look: %v", err)
			}
			k.same("memories that the look and the write see", []int{looked, wrote}, []int{0, 1})
		}},
		{"only the Update itself sees its writes before the commit", func(k *kit) {
			k.save()
			k.update(func(tx engram.Tx) error {
				m := k.draft(titled("teapot"))
				if err := tx.InsertMemory(k.Context(), &m); err != nil {
					return err
				}
				got, err := tx.Memory(k.Context(), engram.ByNum(m.Num))
				if err != nil {
					return err
				}
				k.sameMemory("inside", got, m)
				// In the same goroutine, so that a View that waits for the Update would deadlock.
				ctx, cancel := context.WithTimeout(k.Context(), soon)
				defer cancel()
				err = k.store.View(ctx, func(r engram.Reader) error {
					_, err := r.Memory(ctx, engram.ByNum(m.Num))
					k.same("code outside", engram.CodeOf(err), engram.CodeNotFound)
					ms, err := r.List(ctx, engram.Filter{}, engram.Page{Limit: 9})
					k.same("listed outside", len(ms), 1)
					return err
				})
				if err != nil {
					k.Errorf("a View beside a running Update: %v", err)
				}
				return nil
			})
			k.same("found afterwards", len(k.find("teapot")), 1)
		}},
		{"a View stays on its snapshot while others write", func(k *kit) {
			m := k.write("kettle", "boils")
			k.view(func(r engram.Reader) error {
				before, err := r.Memory(k.Context(), engram.ByNum(m.Num))
				k.replace(m, func(m *engram.Memory) { m.Title, m.Content = "teapot", "pours" })
				k.write("second", "kettle")
				after, err2 := r.Memory(k.Context(), engram.ByNum(m.Num))
				k.sameMemory("read again", after, before)
				ms, err3 := r.List(k.Context(), engram.Filter{}, engram.Page{Limit: 9})
				k.same("listed", titles(ms), "kettle")
				found, err4 := Hits(k.Context(), r, engram.LexicalQuery{Terms: text.Query("kettle"), Limit: 9})
				k.same("found", numsOf(found), []int64{m.Num})
				k.same("a View that begins now", titles(k.list(engram.Filter{})), "second, teapot")
				return errors.Join(err, err2, err3, err4)
			})
		}},
		{"a failed statement leaves the transaction usable", func(k *kit) {
			a := k.save()
			k.update(func(tx engram.Tx) error {
				again := k.draft(func(m *engram.Memory) { m.ID = a.ID })
				if err := tx.InsertMemory(k.Context(), &again); engram.CodeOf(err) != engram.CodeConflict {
					k.Errorf("insert twice: %v", err)
				}
				m := k.draft()
				return tx.InsertMemory(k.Context(), &m)
			})
			k.same("memories", len(k.list(engram.Filter{})), 2)
		}},
		{"a fn that ends its goroutine writes nothing and releases its locks", func(k *kit) {
			k.save()
			done := make(chan struct{})
			go func() {
				defer close(done)
				_ = k.store.Update(k.Context(), func(tx engram.Tx) error {
					m := k.draft()
					_ = tx.InsertMemory(k.Context(), &m)
					runtime.Goexit() // like FailNow of a test
					return nil
				})
			}()
			<-done
			k.save()
			k.same("memories", len(k.list(engram.Filter{})), 2)
		}},
		{"a cancelled call returns the cancellation and changes nothing", func(k *kit) {
			k.save()
			ctx, cancel := context.WithCancel(k.Context())
			cancel()
			for name, err := range map[string]error{
				"view":   k.store.View(ctx, func(r engram.Reader) error { _, err := r.List(ctx, engram.Filter{}, engram.Page{Limit: 9}); return err }),
				"update": k.store.Update(ctx, func(tx engram.Tx) error { m := k.draft(); return tx.InsertMemory(ctx, &m) }),
			} {
				if !errors.Is(err, context.Canceled) {
					k.Errorf("%s: got %v, want context.Canceled", name, err)
				}
			}
			ctx, cancel = context.WithCancel(k.Context())
			err := k.store.Update(ctx, func(tx engram.Tx) error {
				m := k.draft()
				if err := tx.InsertMemory(ctx, &m); err != nil {
					return err
				}
				cancel()
				_, err := tx.List(ctx, engram.Filter{}, engram.Page{Limit: 9})
				return err
			})
			if !errors.Is(err, context.Canceled) {
				k.Errorf("given up inside: got %v, want context.Canceled", err)
			}
			k.same("memories", len(k.list(engram.Filter{})), 1)
			k.save()
		}},
		{"a closed store is unavailable", func(k *kit) {
			k.save()
			if err := k.store.Close(); err != nil {
				k.Fatalf("close: %v", err)
			}
			ctx, cancel := context.WithTimeout(k.Context(), soon)
			defer cancel()
			for name, err := range map[string]error{
				"view":   k.store.View(ctx, func(engram.Reader) error { return nil }),
				"update": k.store.Update(ctx, func(engram.Tx) error { return nil }),
			} {
				k.same("code of "+name, engram.CodeOf(err), engram.CodeUnavailable)
			}
			if err := k.store.Close(); err != nil {
				k.Errorf("close again: %v", err)
			}
		}},
	}
}

func concurrentCases() []testCase {
	return []testCase{
		{"writers and readers at once lose nothing and see whole transactions", (*kit).manyAtOnce},
		{"what an Update reads stays true until it writes", func(k *kit) {
			const goroutines, each = 8, 10
			m := k.save(func(m *engram.Memory) { m.AccessCount = 0 })
			k.together(goroutines, func(int) error {
				for range each {
					err := k.store.Update(k.Context(), func(tx engram.Tx) error {
						now, err := tx.Memory(k.Context(), engram.ByNum(m.Num))
						if err != nil {
							return err
						}
						now.AccessCount++
						return tx.ReplaceMemory(k.Context(), now)
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
			k.same("count", k.read(engram.ByNum(m.Num)).AccessCount, goroutines*each)
		}},
		{"closing waits for running transactions", func(k *kit) {
			k.save()
			inside, leave, closed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			result := make(chan error, 1)
			go func() {
				result <- k.store.View(k.Context(), func(r engram.Reader) error {
					close(inside)
					<-leave
					_, err := r.List(k.Context(), engram.Filter{}, engram.Page{Limit: 1})
					return err
				})
			}()
			<-inside
			go func() { closed <- k.store.Close() }()
			select {
			case <-closed:
				k.Error("Close did not wait for a View")
			default:
			}
			close(leave)
			if err := errors.Join(<-result, <-closed); err != nil {
				k.Errorf("view and close: %v", err)
			}
		}},
	}
}

// together runs fn in n goroutines and fails the test with what they return.
func (k *kit) together(n int, fn func(i int) error) {
	k.Helper()
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { errs[i] = fn(i) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		k.Fatal(err)
	}
}

func (k *kit) manyAtOnce() {
	const writers, readers, each = 6, 4, 25
	k.save()
	drafts := make([][]engram.Memory, writers)
	for w := range drafts {
		for range each {
			drafts[w] = append(drafts[w], k.draft(func(m *engram.Memory) { m.Content = "the kettle boils" }))
		}
	}
	ctx, stop := context.WithCancel(k.Context())
	defer stop()
	var reading sync.WaitGroup
	readErrs := make([]error, readers)
	for i := range readers {
		reading.Go(func() {
			for ctx.Err() == nil && readErrs[i] == nil {
				readErrs[i] = k.store.View(k.Context(), func(r engram.Reader) error { return consistent(k.Context(), r) })
			}
		})
	}
	k.together(writers, func(w int) error {
		for i := range drafts[w] {
			err := k.store.Update(k.Context(), func(tx engram.Tx) error {
				// Two rows per transaction: readers must see both or none.
				m := &drafts[w][i]
				if err := tx.InsertMemory(k.Context(), m); err != nil {
					return err
				}
				return tx.Append(k.Context(), &engram.Mutation{Actor: "test", Operation: "save", Entity: engram.EntityMemory, Key: fmt.Sprint(m.Num)})
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	stop()
	reading.Wait()
	if err := errors.Join(readErrs...); err != nil {
		k.Error(err)
	}
	seen := map[int64]bool{}
	for _, of := range drafts {
		for _, m := range of {
			k.sameMemory("read back", k.read(engram.ByNum(m.Num)), m)
			seen[m.Num] = true
		}
	}
	k.same("numbers", len(seen), writers*each)
	k.same("found", len(k.find("kettle", func(q *engram.LexicalQuery) { q.Limit = 1000 })), writers*each)
}

// consistent reports what does not fit together in one snapshot.
func consistent(ctx context.Context, r engram.Reader) error {
	st, err := r.Stats(ctx, "")
	ms, err2 := r.List(ctx, engram.Filter{}, engram.Page{Limit: 10_000})
	entries, err3 := r.Mutations(ctx, engram.JournalSpan{}, engram.Page{Limit: 10_000})
	found, err4 := Hits(ctx, r, engram.LexicalQuery{Terms: text.Query("kettle"), Limit: 10_000})
	if err := errors.Join(err, err2, err3, err4); err != nil {
		return err
	}
	// The first memory was saved without an entry and without the word kettle.
	if n := st.Memories; len(ms) != n || len(entries) != n-1 || len(found) != n-1 {
		return fmt.Errorf("one snapshot counts %d memories, lists %d, has %d entries and finds %d", n, len(ms), len(entries), len(found))
	}
	return nil
}

func eraseCases() []testCase {
	const secret = "xyzzysecret"
	return []testCase{
		{"nothing of an erased memory can be read", func(k *kit) {
			m := k.save(func(m *engram.Memory) {
				m.Title, m.Content, m.Summary, m.Tags = secret, "the "+secret, secret, []string{secret}
				m.Metadata, m.TopicKey = map[string]any{secret: secret}, "a/"+secret
			})
			other := k.save()
			reason := func(r *engram.Relation) { r.Reason = secret }
			k.relation(1, m.Num, engram.VerbRelatesTo, other.Num, reason)
			k.relation(2, other.Num, engram.VerbRelatesTo, m.Num, reason)
			batch(k, engram.Tx.InsertRevision, revision(m, 1))
			k.journal(engram.Mutation{Actor: "cli", Operation: "save", Entity: engram.EntityMemory, Key: fmt.Sprint(m.Num)},
				engram.Mutation{Actor: "cli", Operation: "update", Entity: engram.EntityMemory, Key: fmt.Sprint(m.Num), Reason: secret, Was: json.RawMessage(`{"topic_key":"` + secret + `"}`)},
				engram.Mutation{Actor: "cli", Operation: "update", Entity: engram.EntityMemory, Key: fmt.Sprint(other.Num), Reason: "kept", Was: json.RawMessage(`{"kept":1}`)})
			k.erase(m)
			for _, ref := range []engram.Ref{engram.ByNum(m.Num), engram.ByID(m.ID), {SyncID: m.SyncID}, {Topic: m.TopicKey}} {
				failing(k, engram.CodeNotFound, engram.Reader.Memory, ref)
			}
			k.same("revisions", len(readAll(k, engram.Reader.Revisions, m.Num)), 0)
			k.same("relations", len(k.related(m.Num, other.Num)), 0)
			k.same("listed", nums(k.list(engram.Filter{})), []int64{other.Num})
			k.same("found", len(k.find(secret)), 0)
			k.same("found by the beginning", len(k.find(secret[:5])), 0)
			k.same("found by the tag", len(k.find("title", func(q *engram.LexicalQuery) { q.Filter.Tags = []string{secret} })), 0)
			if all := fmt.Sprintf("%+v", k.entries("", "")); strings.Contains(all, secret) {
				k.Errorf("the journal still holds it: %s", all)
			}
			k.same("entries stay", len(k.entries(engram.EntityMemory, fmt.Sprint(m.Num))), 2)
			k.same("entries of others keep Was", string(k.entries(engram.EntityMemory, fmt.Sprint(other.Num))[0].Was), `{"kept":1}`)
		}},
		{"an erase does not affect how others are found", func(k *kit) {
			var all []engram.Memory
			words := strings.Fields("ash beech birch cedar elm fir hazel juniper larch lime maple oak pear pine plane plum poplar rowan spruce walnut willow yew")
			for _, word := range words {
				all = append(all, k.write("kettle", word))
			}
			for _, i := range []int{3, 17, 21} {
				k.erase(all[i])
			}
			k.same("found", len(k.find("kettle")), len(words)-3)
			k.same("one of them", numsOf(k.find(words[12])), []int64{all[12].Num})
			k.same("an erased one", len(k.find(words[17])), 0)
			m := k.write("kettle again", words[17])
			k.same("a new one with the same word", numsOf(k.find(words[17])), []int64{m.Num})
		}},
		{"a forgotten memory can be erased", func(k *kit) {
			m := k.forget(k.save(), 50)
			k.erase(m)
			k.same("forgotten", len(k.list(engram.Filter{Forgotten: true})), 0)
		}},
		{"erasing what does not exist is not found", func(k *kit) {
			m := k.save()
			k.refused("another number", engram.CodeNotFound, func(tx engram.Tx) error { return tx.EraseMemory(k.Context(), 99) })
			k.erase(m)
			k.refused("twice", engram.CodeNotFound, func(tx engram.Tx) error { return tx.EraseMemory(k.Context(), m.Num) })
		}},
		{"a rolled back erase changes nothing", func(k *kit) {
			m := k.write("kettle", "boils")
			k.refused("erase", engram.CodeInvalid, func(tx engram.Tx) error {
				return cmp.Or[error](tx.EraseMemory(k.Context(), m.Num), engram.Errorf(engram.CodeInvalid, "no"))
			})
			k.sameMemory("after all", k.read(engram.ByNum(m.Num)), m)
			k.same("found", numsOf(k.find("kettle")), []int64{m.Num})
		}},
	}
}
