package storetest

import (
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// titlesOf are memories by title, in order.
func titlesOf(ms []engram.Memory) (titles []string) {
	for _, m := range ms {
		titles = append(titles, m.Title)
	}
	return titles
}

func snapshotCases() []testCase {
	return []testCase{
		{"all memories are read by number, page by page, forgotten ones too", func(k *kit) {
			var all []engram.Memory
			for range 7 {
				all = append(all, k.save())
			}
			k.forget(all[3], 20)
			for _, limit := range []int{1, 2, 7, 100} {
				var got []engram.Memory
				for after := int64(0); ; {
					var page []engram.Memory
					k.view(func(r engram.Reader) (err error) {
						page, err = r.MemoriesAfter(k.Context(), "", after, limit)
						return err
					})
					if len(page) == 0 {
						break
					}
					got, after = append(got, page...), page[len(page)-1].Num
				}
				k.same(fmt.Sprintf("pages of %d", limit), titlesOf(got), titlesOf(all))
			}
		}},
		{"a project's things are its own, and a project that does not exist has none", func(k *kit) {
			mine := k.save()
			theirs := k.save(func(m *engram.Memory) { m.Project, m.SessionID = "web", "s-web" })
			k.ask("app", "s-app", "mine", 1)
			k.ask("web", "s-web", "theirs", 2)
			other := k.save()
			k.relation(1, mine.Num, engram.VerbCausedBy, other.Num)
			k.relation(2, mine.Num, engram.VerbCausedBy, theirs.Num)
			k.view(func(r engram.Reader) error {
				for _, tt := range []struct {
					project                                string
					memories, prompts, sessions, relations int
				}{{"app", 2, 1, 1, 1}, {"web", 1, 1, 1, 0}, {"nope", 0, 0, 0, 0}, {"", 3, 2, 2, 2}} {
					ms, err := r.MemoriesAfter(k.Context(), tt.project, 0, 10)
					if err != nil {
						return err
					}
					ps, err := r.PromptsAfter(k.Context(), tt.project, 0, 10)
					if err != nil {
						return err
					}
					ss, err := r.SessionsAfter(k.Context(), tt.project, "", 10)
					if err != nil {
						return err
					}
					rs, err := r.RelationsAfter(k.Context(), tt.project, 0, 10)
					if err != nil {
						return err
					}
					k.same("memories, prompts, sessions, relations of "+tt.project, []int{len(ms), len(ps), len(ss), len(rs)},
						[]int{tt.memories, tt.prompts, tt.sessions, tt.relations})
				}
				return nil
			})
		}},
		{"memories are named by id and by sync id, each once", func(k *kit) {
			a, b := k.save(), k.save()
			k.forget(b, 9)
			k.view(func(r engram.Reader) error {
				got, err := r.Named(k.Context(), []string{string(a.ID), a.SyncID, b.SyncID, "obs-nobody", ""})
				slices.SortFunc(got, func(x, y engram.MemoryName) int { return int(x.Num - y.Num) })
				k.same("names", got, []engram.MemoryName{{Num: a.Num, ID: a.ID, SyncID: a.SyncID, Project: a.Project, Scope: a.Scope},
					{Num: b.Num, ID: b.ID, SyncID: b.SyncID, Project: b.Project, Scope: b.Scope}})
				return err
			})
		}},
		{"a prompt is found by its sync id, deleted or not", func(k *kit) {
			p := k.ask("app", "s-app", "why?", 1)
			k.update(func(tx engram.Tx) error {
				gone := p
				gone.DeletedAt = at(5)
				return tx.ReplacePrompt(k.Context(), gone)
			})
			k.view(func(r engram.Reader) error {
				got, found, err := r.PromptBySyncID(k.Context(), p.SyncID)
				k.same("found", found, true)
				k.same("number", got.Num, p.Num)
				_, found, _ = r.PromptBySyncID(k.Context(), "prompt-nobody")
				k.same("another is found", found, false)
				return err
			})
		}},
		{"what was erased is remembered by name, here or elsewhere", func(k *kit) {
			m := k.save()
			k.journal(engram.Mutation{Actor: "cli", Operation: "erase", Entity: engram.EntityMemory, Key: fmt.Sprint(m.Num)})
			k.update(func(tx engram.Tx) error {
				if err := tx.EraseMemory(k.Context(), m.Num); err != nil {
					return err
				}
				return tx.PutErased(k.Context(), engram.Erased{Entity: engram.EntityMemory, ID: "mem_zz", SyncID: "obs-zz", At: 7})
			})
			k.update(func(tx engram.Tx) error { // heard of again, and of another project
				for _, x := range []engram.Erased{{Entity: engram.EntityMemory, ID: "obs-zz", SyncID: "obs-zz", At: 5, Bound: true},
					{Entity: engram.EntityMemory, ID: "mem_zz", SyncID: "obs-zz", Project: "nope", At: 9, Bound: true}} {
					if err := tx.PutErased(k.Context(), x); err != nil {
						return err
					}
				}
				return nil
			})
			zz := engram.Erased{Entity: engram.EntityMemory, ID: "mem_zz", SyncID: "obs-zz", At: 5}
			of := engram.Erased{Entity: engram.EntityMemory, ID: "mem_zz", SyncID: "obs-zz", Project: "nope", At: 9, Bound: true}
			k.view(func(r engram.Reader) error {
				first, err := r.ErasedAfter(k.Context(), engram.EntityMemory, "", 1)
				if err != nil {
					return err
				}
				k.same("the first", first[0].ID, string(m.ID))
				k.same("its sync id", first[0].SyncID, m.SyncID)
				rest, err := r.ErasedAfter(k.Context(), engram.EntityMemory, first[0].Key(), 10)
				k.same("the rest", rest, []engram.Erased{zz, of})
				last, _ := r.ErasedAfter(k.Context(), engram.EntityMemory, zz.Key(), 10)
				k.same("the last", last, []engram.Erased{of})
				prompts, _ := r.ErasedAfter(k.Context(), engram.EntityPrompt, "", 10)
				k.same("prompts", len(prompts), 0)
				return err
			})
			k.update(func(tx engram.Tx) error { // what is called so is another project by now
				return tx.PutProject(k.Context(), engram.Project{Name: "app", Aliases: []string{"nope"}, CreatedAt: at(1)})
			})
			of.Project = "app"
			k.view(func(r engram.Reader) error {
				xs, err := r.ErasedOf(k.Context(), engram.EntityMemory, []string{of.SyncID})
				k.same("of the project that has the name", xs, []engram.Erased{zz, of})
				return err
			})
			k.update(func(tx engram.Tx) error {
				x, found, err := tx.DropErased(k.Context(), zz.Key())
				k.same("what was taken back", x, zz)
				k.same("it was there", found, true)
				_, again, _ := tx.DropErased(k.Context(), zz.Key())
				k.same("it is there still", again, false)
				_, other, _ := tx.DropErased(k.Context(), engram.Erased{Entity: engram.EntityPrompt, ID: m.SyncID, Project: m.Project}.Key())
				k.same("a prompt of a memory's name is there", other, false)
				return err
			})
		}},
	}
}
