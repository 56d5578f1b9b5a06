package storetest

import (
	"fmt"

	"github.com/alanbuscaglia/engram"
)

// move gives everything of one project to another.
func (k *kit) move(from, to string) (moved engram.Moved) {
	k.Helper()
	k.update(func(tx engram.Tx) (err error) {
		moved, err = tx.MoveProject(k.Context(), from, to)
		return err
	})
	return moved
}

func moveCases() []testCase {
	in := func(project string) func(*engram.Memory) {
		return func(m *engram.Memory) { m.Project, m.SessionID = project, "s-"+project }
	}
	return []testCase{
		{"everything moves, and is found under the new name alone", func(k *kit) {
			a := k.save(in("old"), func(m *engram.Memory) { m.Title, m.Tags = "kettle", []string{"t"} })
			gone := k.forget(k.save(in("old"), func(m *engram.Memory) { m.Title = "kettle forgotten" }), 50)
			stays := k.save(in("new"))
			p := k.ask("old", "s-old", "why the kettle", 60)
			k.putProject(engram.Project{Name: "old", Aliases: []string{"older"}, CreatedAt: at(0)})
			moved := k.move("old", "new")
			k.same("moved", fmt.Sprintf("%+v", moved), fmt.Sprintf("%+v", engram.Moved{Memories: []int64{a.Num, gone.Num}, Sessions: []string{"s-old"},
				Prompts: []int64{p.Num}, Topics: map[int64]string{}}))

			inside := func(project string) func(*engram.LexicalQuery) {
				return func(q *engram.LexicalQuery) { q.Filter.Project = project }
			}
			k.same("found in the new one", numsOf(k.find("kettle", inside("new"))), []int64{a.Num})
			k.same("found in the old one", len(k.find("kettle", inside("old"))), 0)
			k.same("found everywhere", numsOf(k.find("kettle")), []int64{a.Num})
			k.same("prompt in the new one", k.asked("kettle", "new", 9), []int64{p.Num})
			k.same("prompt in the old one", len(k.asked("kettle", "old", 9)), 0)
			k.same("list of the new one", nums(k.list(engram.Filter{Project: "new"})), []int64{stays.Num, a.Num})
			k.same("list of the old one", len(k.list(engram.Filter{Project: "old"})), 0)
			k.same("forgotten ones of the new one", nums(k.list(engram.Filter{Project: "new", Forgotten: true})), []int64{gone.Num})
			k.same("sessions of the new one", k.sessions("new"), "s-old:1 s-new:1")
			k.same("aliases of the old one lead to the new one", k.project("older").Name, "new")
			a.Project = "new"
			k.sameMemory("otherwise the same", k.read(engram.ByNum(a.Num)), a)
			k.update(func(tx engram.Tx) error { return tx.DeleteProject(k.Context(), "old") })
		}},
		{"a topic that both have stays with the target", func(k *kit) {
			topic := func(key string, scope engram.Scope) func(*engram.Memory) {
				return func(m *engram.Memory) { m.TopicKey, m.Scope = key, scope }
			}
			clash := k.save(in("old"), topic("a/both", engram.ScopeProject))
			scoped := k.save(in("old"), topic("a/scope", engram.ScopePersonal))
			single := k.save(in("old"), topic("a/single", engram.ScopeProject))
			forgotten := k.forget(k.save(in("old"), topic("a/was", engram.ScopeProject)), 50)
			keeper := k.save(in("new"), topic("a/both", engram.ScopeProject))
			k.save(in("new"), topic("a/scope", engram.ScopeProject))
			k.save(in("new"), topic("a/was", engram.ScopeProject))
			k.forget(k.save(in("new"), topic("a/single", engram.ScopeProject)), 50)
			k.same("topics", k.move("old", "new").Topics, map[int64]string{clash.Num: "a/both"})
			k.same("of the topic", k.read(engram.Ref{Topic: "a/both"}).Num, keeper.Num)
			for num, want := range map[int64]string{clash.Num: "", scoped.Num: "a/scope", single.Num: "a/single", forgotten.Num: "a/was"} {
				k.same(fmt.Sprintf("topic of #%d", num), k.read(engram.ByNum(num)).TopicKey, want)
			}
			k.same("text of the loser", k.read(engram.ByNum(clash.Num)).Content, clash.Content)
		}},
		{"an empty project moves nothing", func(k *kit) {
			k.putProject(engram.Project{Name: "old", CreatedAt: at(0)})
			k.putProject(engram.Project{Name: "new", CreatedAt: at(0)})
			moved := k.move("old", "new")
			k.same("moved", []int{len(moved.Memories), len(moved.Sessions), len(moved.Prompts), len(moved.Topics)}, []int{0, 0, 0, 0})
		}},
		{"moving a project to itself changes nothing", func(k *kit) {
			m := k.save(func(m *engram.Memory) { m.TopicKey = "a/b" })
			k.putProject(engram.Project{Name: "app", Aliases: []string{"alias"}, CreatedAt: at(0)})
			for _, name := range []string{"app", "alias"} {
				moved := k.move("app", name)
				k.same("moved to "+name, []int{len(moved.Memories), len(moved.Topics)}, []int{0, 0})
				k.sameMemory("after a move to "+name, k.read(engram.ByNum(m.Num)), m)
			}
		}},
		{"a project that does not exist is not found", func(k *kit) {
			k.save()
			k.refused("from", engram.CodeNotFound, func(tx engram.Tx) error {
				_, err := tx.MoveProject(k.Context(), "nowhere", "app")
				return err
			})
			k.refused("to", engram.CodeNotFound, func(tx engram.Tx) error {
				_, err := tx.MoveProject(k.Context(), "app", "nowhere")
				return err
			})
		}},
	}
}
