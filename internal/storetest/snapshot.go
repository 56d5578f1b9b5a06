package storetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
)

func snapshotCases() []testCase {
	return []testCase{
		{"all memories, also forgotten ones, are read by number, page by page", func(k *kit) {
			all := k.saveMany(7, func(int, *engram.Memory) {})
			k.forget(all[3], 20)
			for _, limit := range []int{1, 2, 7, 100} {
				var got []engram.Memory
				page := read2(k, engram.Reader.List, engram.Filter{WithForgotten: true}, engram.Page{Order: engram.OrderNumber, Limit: limit})
				for len(page) > 0 {
					got = append(got, page...)
					page = read2(k, engram.Reader.List, engram.Filter{WithForgotten: true}, engram.Page{Order: engram.OrderNumber, Limit: limit, After: engram.Position{Num: page[len(page)-1].Num}})
				}
				k.same(fmt.Sprintf("pages of %d", limit), titles(got), titles(all))
			}
		}},
		{"things are read by project, and an unknown project has none", func(k *kit) {
			mine := k.save()
			theirs := k.save(in("web"))
			k.ask("app", "s-app", "mine", 1)
			k.ask("web", "s-web", "theirs", 2)
			other := k.save()
			k.relation(1, mine.Num, engram.VerbCausedBy, other.Num)
			k.relation(2, mine.Num, engram.VerbCausedBy, theirs.Num)
			for _, tt := range []struct {
				project                                string
				memories, prompts, sessions, relations int
			}{{"app", 2, 1, 1, 1}, {"web", 1, 1, 1, 0}, {"nope", 0, 0, 0, 0}, {"", 3, 2, 2, 2}} {
				ms := read2(k, engram.Reader.List, engram.Filter{Project: tt.project, WithForgotten: true}, engram.Page{Order: engram.OrderNumber, Limit: 10})
				ps := read2(k, engram.Reader.Prompts, engram.PromptFilter{Project: tt.project, ByNumber: true}, engram.Page{Limit: 10})
				ss := read2(k, engram.Reader.Sessions, engram.SessionFilter{Project: tt.project, ByID: true}, engram.Page{Limit: 10})
				rs := k.relations(engram.RelationFilter{Project: tt.project, Inside: true, WithRemoved: true})
				k.same("memories, prompts, sessions, relations of "+tt.project, []int{len(ms), len(ps), len(ss), len(rs)},
					[]int{tt.memories, tt.prompts, tt.sessions, tt.relations})
			}
		}},
		{"memories are found by id and sync id, each once", func(k *kit) {
			a, b := k.save(), k.save()
			k.forget(b, 9)
			got := read1(k, engram.Reader.Named, []string{string(a.ID), a.SyncID, b.SyncID, "obs-nobody", ""})
			slices.SortFunc(got, func(x, y engram.MemoryName) int { return int(x.Num - y.Num) })
			k.same("names", got, every([]engram.Memory{a, b}, func(m engram.Memory) engram.MemoryName {
				return engram.MemoryName{Num: m.Num, ID: m.ID, SyncID: m.SyncID, Project: m.Project, Scope: m.Scope}
			}))
		}},
		{"a prompt is found by its sync id, deleted or not", func(k *kit) {
			p := k.ask("app", "s-app", "why?", 1)
			p.DeletedAt = at(5)
			each(k, engram.Tx.ReplacePrompt, p)
			for id, want := range map[string]int64{p.SyncID: p.Num, "prompt-nobody": 0} {
				got, found := look(k, func(r engram.Reader) (engram.Prompt, bool, error) { return engram.PromptBySyncID(k.Context(), r, id) })
				k.same("number of "+id, got.Num, want)
				k.same("found "+id, found, want != 0)
			}
		}},
		{"tombstones are kept by name, from here and elsewhere", func(k *kit) {
			m := k.save()
			k.journal(engram.Mutation{Actor: "cli", Operation: "erase", Entity: engram.EntityMemory, Key: fmt.Sprint(m.Num)})
			k.erase(m)
			zz := engram.Erased{Entity: engram.EntityMemory, ID: "mem_zz", SyncID: "obs-zz", At: 7}
			each(k, engram.ReplicaTx.PutErased, zz)
			zz.At = 5 // received again, and for another project
			of := engram.Erased{Entity: engram.EntityMemory, ID: "mem_zz", SyncID: "obs-zz", Project: "nope", At: 9, Bound: true}
			each(k, engram.ReplicaTx.PutErased, engram.Erased{Entity: engram.EntityMemory, ID: "obs-zz", SyncID: "obs-zz", At: 5, Bound: true}, of)
			first := read3(k, engram.ReplicaReader.ErasedAfter, engram.EntityMemory, "", 1)
			k.same("the first", first[0].ID, string(m.ID))
			k.same("its sync id", first[0].SyncID, m.SyncID)
			k.same("the rest", read3(k, engram.ReplicaReader.ErasedAfter, engram.EntityMemory, first[0].Key(), 10), []engram.Erased{zz, of})
			k.same("the last", read3(k, engram.ReplicaReader.ErasedAfter, engram.EntityMemory, zz.Key(), 10), []engram.Erased{of})
			k.same("prompts", len(read3(k, engram.ReplicaReader.ErasedAfter, engram.EntityPrompt, "", 10)), 0)
			k.putProject(engram.Project{Name: "app", Aliases: []string{"nope"}, CreatedAt: at(1)})
			of.Project = "app"
			xs := read2(k, engram.ReplicaReader.ErasedOf, engram.EntityMemory, []string{of.SyncID})
			k.same("of the project that has the name", xs, []engram.Erased{zz, of})
			k.update(func(tx engram.Tx) error {
				x, found, err := tx.ReplicaTx().DropErased(k.Context(), zz.Key())
				k.same("the dropped tombstone", x, zz)
				k.same("it was there", found, true)
				_, again, err2 := tx.ReplicaTx().DropErased(k.Context(), zz.Key())
				k.same("it is there still", again, false)
				prompt := engram.Erased{Entity: engram.EntityPrompt, ID: m.SyncID, Project: m.Project}
				_, other, err3 := tx.ReplicaTx().DropErased(k.Context(), prompt.Key())
				k.same("a prompt of a memory's name is there", other, false)
				return errors.Join(err, err2, err3)
			})
		}},
	}
}
