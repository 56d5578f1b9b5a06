package storetest

import (
	"encoding/json"
	"slices"

	"github.com/alanbuscaglia/engram"
)

func toldCases() []testCase {
	return []testCase{
		{"a session is told of for what stands in it", func(k *kit) {
			in := func(session string) engram.Memory {
				return k.save(func(m *engram.Memory) { m.SessionID = session })
			}
			in("s-open")
			k.replace(in("s-mine"), func(m *engram.Memory) { m.Scope = engram.ScopePersonal })
			k.forget(in("s-over"), 2)
			shared, hidden, elsewhere := in("s-shared"), in("s-hidden"), in("s-erased")
			for _, m := range []engram.Memory{shared, hidden, elsewhere} {
				k.forget(m, 3)
			}
			k.carried(engram.EntityMemory, key(shared.Num), 1, "b1")
			k.carried(engram.EntityMemory, key(elsewhere.Num), 1, "b1")
			k.ask("app", "s-asked", "why?", 1)
			k.ask("app", "s-mine", "why me?", 1)
			k.update(func(tx engram.Tx) error {
				l := engram.Lineage{Held: map[engram.Part]json.RawMessage{engram.PartDeleted: json.RawMessage(`"0001-01-01T00:00:00Z"`)}}
				if err := tx.PutLineage(k.Context(), engram.EntityMemory, key(hidden.Num), l); err != nil {
					return err
				}
				if err := k.ensure(tx, "app", "s-empty"); err != nil {
					return err
				}
				return tx.PutErased(k.Context(), engram.Erased{Entity: engram.EntityMemory, ID: string(elsewhere.ID), SyncID: elsewhere.SyncID, At: 1})
			})
			k.save(func(m *engram.Memory) { m.Project, m.SessionID = "web", "s-web" })
			ids := []string{"s-open", "s-mine", "s-over", "s-shared", "s-hidden", "s-erased", "s-asked", "s-empty", "s-web", "s-none"}
			k.view(func(r engram.Reader) error {
				owned, err := r.Owned(k.Context(), ids)
				k.same("owned", owned, map[string]bool{"s-mine": true})
				return err
			})
			for project, want := range map[string][]string{
				"":     {"s-asked", "s-hidden", "s-open", "s-shared", "s-web"},
				"app":  {"s-asked", "s-hidden", "s-open", "s-shared"},
				"nope": nil,
			} {
				k.view(func(r engram.Reader) error {
					told, err := r.Told(k.Context(), ids, project)
					var got []string
					for id := range told {
						got = append(got, id)
					}
					slices.Sort(got)
					k.same("told of "+project, got, want)
					return err
				})
			}
		}},
		{"what was erased and what is gone is found by name", func(k *kit) {
			k.update(func(tx engram.Tx) error {
				for _, s := range []string{"s-1", "s-2"} {
					if err := k.ensure(tx, "app", s); err != nil {
						return err
					}
					if err := tx.PutLineage(k.Context(), engram.EntitySession, s, engram.Lineage{Base: engram.Stamp{At: 1, Device: "a"}}); err != nil {
						return err
					}
				}
				if err := tx.PutErased(k.Context(), engram.Erased{Entity: engram.EntityPrompt, ID: "p-1", SyncID: "p-1", Project: "app", At: 7}); err != nil {
					return err
				}
				return tx.DeleteSession(k.Context(), "s-1")
			})
			k.view(func(r engram.Reader) error {
				gone, err := r.GoneOf(k.Context(), []string{"s-0", "s-1", "s-2"})
				if err != nil {
					return err
				}
				k.same("gone", gone, []engram.Session{{ID: "s-1", Project: "app"}})
				for kind, want := range map[engram.Entity]int{engram.EntityPrompt: 1, engram.EntityMemory: 0} {
					xs, err := r.ErasedOf(k.Context(), kind, []string{"p-0", "p-1"})
					if err != nil {
						return err
					}
					if k.same("erased of "+string(kind), len(xs), want); want > 0 {
						k.same("it", xs[0], engram.Erased{Entity: engram.EntityPrompt, ID: "p-1", SyncID: "p-1", Project: "app", At: 7})
					}
				}
				return nil
			})
		}},
	}
}
