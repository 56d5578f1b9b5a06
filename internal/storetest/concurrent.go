package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

func concurrentCases() []testCase {
	return []testCase{
		{"writers and readers at once lose nothing and see whole transactions", (*kit).manyAtOnce},
		{"what an Update reads is still so when it writes", func(k *kit) {
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
		{"closing waits for what is under way", func(k *kit) {
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
				// Two rows a transaction: a reader that sees one of them sees both.
				m := &drafts[w][i]
				if err := tx.InsertMemory(k.Context(), m); err != nil {
					return err
				}
				return tx.Append(k.Context(), &engram.Mutation{Actor: "test", Verb: "save", Entity: engram.EntityMemory, Key: fmt.Sprint(m.Num)})
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

// consistent says what does not fit together in one snapshot.
func consistent(ctx context.Context, r engram.Reader) error {
	st, err := r.Stats(ctx, "")
	if err != nil {
		return err
	}
	ms, err := r.List(ctx, engram.Filter{}, engram.Page{Limit: 10_000})
	if err != nil {
		return err
	}
	entries, err := r.Mutations(ctx, "", "", engram.Page{Limit: 10_000})
	if err != nil {
		return err
	}
	found, err := Hits(ctx, r, engram.LexicalQuery{Terms: text.Query("kettle"), Limit: 10_000})
	if err != nil {
		return err
	}
	// The first memory was saved without an entry and does not speak of a kettle.
	if n := st.Memories; len(ms) != n || len(entries) != n-1 || len(found) != n-1 {
		return fmt.Errorf("one snapshot counts %d memories, lists %d, has %d entries and finds %d", n, len(ms), len(entries), len(found))
	}
	return nil
}
