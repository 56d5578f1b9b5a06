package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/alanbuscaglia/engram"
)

// soon bounds what must not wait at all; generous, because machines are slow.
const soon = 10 * time.Second

func transactionCases() []testCase {
	return []testCase{
		{"an error from fn undoes everything and comes back as it is", func(k *kit) {
			old := k.write("kettle", "boils")
			cause := errors.New("changed my mind")
			m := k.draft(func(m *engram.Memory) { m.Title = "teapot" })
			err := k.store.Update(k.Context(), func(tx engram.Tx) error {
				changed := old
				changed.Title, changed.Tags = "changed", []string{"t"}
				p := engram.Prompt{SyncID: "prompt-1", Project: "app", Content: "teapot?", CreatedAt: at(1)}
				e := engram.Mutation{Actor: "cli", Verb: "save", Entity: engram.EntityMemory, Key: "1"}
				r := engram.Relation{ID: "rel-1", Source: old.Num, Target: old.Num, Verb: engram.VerbRelatesTo, Status: engram.RelationJudged, CreatedAt: at(1), UpdatedAt: at(1)}
				for _, err := range []error{
					tx.InsertMemory(k.Context(), &m), tx.ReplaceMemory(k.Context(), changed), tx.InsertPrompt(k.Context(), &p), tx.InsertRelation(k.Context(), &r),
					tx.InsertRevision(k.Context(), engram.Revision{Memory: old.Num, Number: 1, Title: "kettle", Content: "boils", WrittenAt: at(1), ReplacedAt: at(2)}),
					tx.PutProject(k.Context(), engram.Project{Name: "new", CreatedAt: at(1)}), tx.Append(k.Context(), &e),
					tx.PutSession(k.Context(), engram.Session{ID: "new", StartedAt: at(1), ActiveAt: at(1)}),
				} {
					if err != nil {
						return fmt.Errorf("write: %w", err)
					}
				}
				return cause
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
			k.view(func(r engram.Reader) error {
				st, err := r.Stats(k.Context(), "")
				k.same("counts", []any{st.Prompts, st.Relations, st.Projects}, []any{0, 0, []string{"app"}})
				if err != nil {
					return err
				}
				rs, err := r.Revisions(k.Context(), old.Num)
				k.same("revisions", len(rs), 0)
				return err
			})
		}},
		{"an Update sees what it wrote, nobody else does", func(k *kit) {
			k.save()
			k.update(func(tx engram.Tx) error {
				m := k.draft(func(m *engram.Memory) { m.Title = "teapot" })
				if err := tx.InsertMemory(k.Context(), &m); err != nil {
					return err
				}
				got, err := tx.Memory(k.Context(), engram.ByNum(m.Num))
				if err != nil {
					return err
				}
				k.sameMemory("inside", got, m)
				// In the same goroutine: a View that waited for the Update would never end.
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
				if err != nil {
					return err
				}
				k.replace(m, func(m *engram.Memory) { m.Title, m.Content = "teapot", "pours" })
				k.write("second", "kettle")
				after, err := r.Memory(k.Context(), engram.ByNum(m.Num))
				if err != nil {
					return err
				}
				k.sameMemory("read again", after, before)
				ms, err := r.List(k.Context(), engram.Filter{}, engram.Page{Limit: 9})
				k.same("listed", titles(ms), "kettle")
				if err != nil {
					return err
				}
				found, err := Hits(k.Context(), r, engram.LexicalQuery{Terms: []engram.Term{{Word: "kettl", Written: "kettle"}}, Limit: 9})
				k.same("found", numsOf(found), []int64{m.Num})
				k.same("a View that begins now", titles(k.list(engram.Filter{})), "second, teapot")
				return err
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
		{"a fn that ends its goroutine writes nothing and blocks nobody", func(k *kit) {
			k.save()
			done := make(chan struct{})
			go func() {
				defer close(done)
				_ = k.store.Update(k.Context(), func(tx engram.Tx) error {
					m := k.draft()
					_ = tx.InsertMemory(k.Context(), &m)
					runtime.Goexit() // what FailNow of a test does, and a panic nearly
					return nil
				})
			}()
			<-done
			k.save()
			k.same("memories", len(k.list(engram.Filter{})), 2)
		}},
		{"a caller who gave up gets no answer and changes nothing", func(k *kit) {
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
		{"a closed store says so", func(k *kit) {
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
