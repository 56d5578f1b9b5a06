package storetest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

func (k *kit) putProject(p engram.Project) {
	k.Helper()
	each(k, engram.Tx.PutProject, p)
}

// project returns the project with a name or alias, the zero Project if there is no such project.
func (k *kit) project(name string) engram.Project {
	k.Helper()
	p, found := look(k, func(r engram.Reader) (engram.Project, bool, error) { return r.Project(k.Context(), name) })
	k.same(fmt.Sprintf("project %q has a name", name), p.Name != "", found)
	return p
}

func projectCases() []testCase {
	return []testCase{
		{"a project is added, replaced and read back by name and alias", func(k *kit) {
			p := engram.Project{Name: "app", Aliases: []string{"app-old", "the-app"}, Root: "/home/u/app", Remote: "git@host:u/app.git", CreatedAt: at(1)}
			k.putProject(p)
			for _, name := range []string{"app", "app-old", "the-app"} {
				k.same("read "+name, k.project(name), p)
			}
			p.Aliases, p.Root, p.Remote = []string{"the-app"}, "/elsewhere", ""
			k.putProject(p)
			k.same("replaced", k.project("the-app"), p)
			for _, name := range []string{"app-old", "", "APP"} {
				k.same(fmt.Sprintf("found for %q", name), k.project(name).Name, "")
			}
		}},
		{"an alias stands for its project", func(k *kit) {
			m := k.save(func(m *engram.Memory) { m.Title, m.TopicKey = "kettle", "a/b" })
			k.putProject(engram.Project{Name: "app", Aliases: []string{"old"}, CreatedAt: at(0)})
			k.same("listed", nums(k.list(engram.Filter{Project: "old"})), []int64{m.Num})
			k.same("found", numsOf(k.find("kettle", func(q *engram.LexicalQuery) { q.Filter.Project = "old" })), []int64{m.Num})
			k.sameMemory("by topic", k.read(engram.Ref{Topic: "a/b", Project: "old"}), m)
			under := k.save(func(m *engram.Memory) { m.Project = "old" })
			k.same("saved under the alias", k.read(engram.ByNum(under.Num)).Project, "app")
		}},
		{"projects are listed by name with their counts", func(k *kit) {
			k.save()
			k.forget(k.save(), 50)
			k.save(func(m *engram.Memory) { m.Project, m.SessionID = "", "" })
			k.ask("app", "s-app", "why", 1)
			k.projects("zoo", "bee")
			got := every(read1(k, engram.Reader.Projects, true), func(p engram.ProjectCounts) string {
				return fmt.Sprintf("%s:%d:%d:%d", p.Name, p.Memories, p.Sessions, p.Prompts)
			})
			k.same("projects", got, []string{"app:1:1:1", "bee:0:0:0", "zoo:0:0:0"})
			k.same("names", every(read1(k, engram.Reader.Projects, false), func(p engram.ProjectCounts) string { return p.Name }), []string{"app", "bee", "zoo"})
		}},
		{"an empty project is deleted with its aliases", func(k *kit) {
			k.putProject(engram.Project{Name: "app", Aliases: []string{"old"}, CreatedAt: at(1)})
			each(k, engram.Tx.DeleteProject, "app")
			k.same("found by name and alias", k.project("app").Name+k.project("old").Name, "")
		}},
		{"a project with contents cannot be deleted", func(k *kit) {
			k.forget(k.save(), 50)
			k.refused("delete", engram.CodeConflict, func(tx engram.Tx) error { return tx.DeleteProject(k.Context(), "app") })
			k.same("afterwards", k.project("app").Name, "app")
		}},
		{"statistics count everything, or one project", func(k *kit) {
			a, b := k.save(typed(engram.TypeBugfix)), k.save()
			k.forget(k.save(), 50)
			o, p := k.save(in("other")), k.save(in("other"))
			k.ask("app", "s-app", "why", 1)
			for i, ends := range [][2]int64{{a.Num, b.Num}, {o.Num, p.Num}, {b.Num, a.Num}} {
				k.relation(i, ends[0], engram.VerbRelatesTo, ends[1])
			}
			for _, tt := range []struct{ project, want string }{
				{"", "memories 4, forgotten 1, sessions 2, prompts 1, relations 3, bugfix 1, manual 3"},
				{"app", "memories 2, forgotten 1, sessions 1, prompts 1, relations 2, bugfix 1, manual 1"},
				{"other", "memories 2, forgotten 0, sessions 1, prompts 0, relations 1, bugfix 0, manual 2"},
			} {
				st := read1(k, engram.Reader.Stats, tt.project)
				k.same("statistics of "+tt.project, fmt.Sprintf("memories %d, forgotten %d, sessions %d, prompts %d, relations %d, bugfix %d, manual %d",
					st.Memories, st.Forgotten, st.Sessions, st.Prompts, st.Relations, st.Types[engram.TypeBugfix], st.Types[engram.TypeManual]), tt.want)
				k.same("projects", strings.Join(st.Projects, " "), "app other")
			}
		}},
	}
}

// move moves everything of one project to another.
func (k *kit) move(from, to string) (moved engram.Moved) {
	k.Helper()
	k.update(func(tx engram.Tx) (err error) {
		moved, err = tx.MoveProject(k.Context(), from, to)
		return err
	})
	return moved
}

func moveCases() []testCase {
	return []testCase{
		{"everything moves, and is found under the new name only", func(k *kit) {
			a := k.save(in("old"), func(m *engram.Memory) { m.Title, m.Tags = "kettle", []string{"t"} })
			gone := k.forget(k.save(in("old"), titled("kettle forgotten")), 50)
			stays := k.save(in("new"))
			p := k.ask("old", "s-old", "why the kettle", 60)
			k.putProject(engram.Project{Name: "old", Aliases: []string{"older"}, CreatedAt: at(0)})
			moved := k.move("old", "new")
			k.same("moved", moved, engram.Moved{Memories: []int64{a.Num, gone.Num}, Sessions: []string{"s-old"},
				Prompts: []int64{p.Num}, Topics: map[int64]string{}})
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
			each(k, engram.Tx.DeleteProject, "old")
		}},
		{"a topic that both have stays with the target", func(k *kit) {
			clash := k.save(in("old"), topic("a/both"))
			personal := k.save(in("old"), topic("a/scope"), scoped(engram.ScopePersonal))
			single := k.save(in("old"), topic("a/single"))
			forgotten := k.forget(k.save(in("old"), topic("a/was")), 50)
			keeper := k.save(in("new"), topic("a/both"))
			k.save(in("new"), topic("a/scope"))
			k.save(in("new"), topic("a/was"))
			k.forget(k.save(in("new"), topic("a/single")), 50)
			k.same("topics", k.move("old", "new").Topics, map[int64]string{clash.Num: "a/both"})
			k.same("of the topic", k.read(engram.Ref{Topic: "a/both"}).Num, keeper.Num)
			for num, want := range map[int64]string{clash.Num: "", personal.Num: "a/scope", single.Num: "a/single", forgotten.Num: "a/was"} {
				k.same(fmt.Sprintf("topic of #%d", num), k.read(engram.ByNum(num)).TopicKey, want)
			}
			k.same("text of the loser", k.read(engram.ByNum(clash.Num)).Content, clash.Content)
		}},
		{"an empty project moves nothing", func(k *kit) {
			k.projects("old", "new")
			k.same("moved", k.move("old", "new"), engram.Moved{})
		}},
		{"moving a project to itself changes nothing", func(k *kit) {
			m := k.save(topic("a/b"))
			k.putProject(engram.Project{Name: "app", Aliases: []string{"alias"}, CreatedAt: at(0)})
			for _, name := range []string{"app", "alias"} {
				moved := k.move("app", name)
				k.same("moved to "+name, []int{len(moved.Memories), len(moved.Topics)}, []int{0, 0})
				k.sameMemory("after a move to "+name, k.read(engram.ByNum(m.Num)), m)
			}
		}},
		{"a project that does not exist is not found", func(k *kit) {
			k.save()
			for _, name := range [][2]string{{"nowhere", "app"}, {"app", "nowhere"}} {
				k.refused(fmt.Sprint("move ", name), engram.CodeNotFound, func(tx engram.Tx) error {
					_, err := tx.MoveProject(k.Context(), name[0], name[1])
					return err
				})
			}
		}},
	}
}

func trustCases() []testCase {
	return []testCase{
		{"trust marks are stored once each, and erased with their memory", func(k *kit) {
			a, b := k.save(), k.save()
			flagged := engram.Trust{Memory: a.Num, Mark: engram.TrustFlagged, Reasons: []string{"exfil", "order"}, At: at(1)}
			approved := engram.Trust{Memory: a.Num, Mark: engram.TrustApproved, Text: "ab12", At: at(2)}
			secret := engram.Trust{Memory: b.Num, Mark: engram.TrustSecret, Text: "cd34", At: at(3)}
			again := flagged
			again.Reasons, again.At = []string{"order"}, at(9)
			k.update(func(tx engram.Tx) error {
				return errors.Join(tx.PutTrust(k.Context(), flagged, approved, secret), tx.PutTrust(k.Context(), again))
			})
			flagged.Reasons = again.Reasons // only the reasons are updated
			k.same("memories with secrets", nums(read2(k, engram.Reader.List, engram.Filter{Mark: engram.TrustSecret}, engram.Page{Limit: 9})), []int64{b.Num})
			marks := map[int64][]engram.Trust{a.Num: {approved, flagged}, b.Num: {secret}}
			k.same("marks", read1(k, engram.Reader.Trust, []int64{a.Num, b.Num, 99}), marks)
			k.update(func(tx engram.Tx) error { return tx.DropTrust(k.Context(), a.Num, engram.TrustFlagged) })
			k.erase(b)
			k.same("marks left", read1(k, engram.Reader.Trust, []int64{a.Num, b.Num}), map[int64][]engram.Trust{a.Num: {approved}})
		}},
		{"cutting removes texts from the past and keeps the rest", func(k *kit) {
			m := k.save()
			v := revision(m, 1)
			v.Content, v.Reason = "it was hunter2hunter2", "hunter2hunter2"
			entry := engram.Mutation{At: 1 << 20, Actor: "cli", Operation: "update", Entity: engram.EntityMemory, Key: strconv.FormatInt(m.Num, 10), Reason: "hunter2hunter2", Was: []byte(`{"summary":"hunter2hunter2"}`)}
			p := engram.Prompt{SyncID: "p1", Project: m.Project, SessionID: m.SessionID, Content: "why hunter2hunter2", CreatedAt: at(3)}
			k.update(func(tx engram.Tx) error {
				return errors.Join(tx.InsertRevision(k.Context(), v), tx.Append(k.Context(), &entry), tx.InsertPrompt(k.Context(), &p))
			})
			v.Title, v.Content, v.Reason = "older", "it was cut", ""
			entry.Reason, entry.Was = "", []byte(`{}`)
			p.Content = "why cut"
			k.update(func(tx engram.Tx) error {
				return errors.Join(tx.Cut(k.Context(), engram.Cut{Revisions: []engram.Revision{v}}), tx.Cut(k.Context(), engram.Cut{Mutations: []engram.Mutation{entry}}), tx.Cut(k.Context(), engram.Cut{Prompts: []engram.Prompt{p}}),
					tx.Cut(k.Context(), engram.Cut{Prompts: []engram.Prompt{engram.Prompt{Num: 99}}}), tx.Cut(k.Context(), engram.Cut{Revisions: []engram.Revision{engram.Revision{Memory: 99}}}), tx.Cut(k.Context(), engram.Cut{Mutations: []engram.Mutation{engram.Mutation{Seq: 99}}}))
			})
			k.same("revisions", readAll(k, engram.Reader.Revisions, m.Num), []engram.Revision{v})
			ms := k.entries(engram.EntityMemory, entry.Key)
			k.same("the entry", []string{ms[0].Reason, string(ms[0].Was)}, []string{"", "{}"})
			k.same("prompts with the new word", read3(k, engram.Reader.SearchPrompts, text.Query("cut"), "", 5), []engram.Prompt{p})
			k.same("prompts with the old word", k.asked("hunter2hunter2", "", 5), []int64{})
		}},
		{"live flagged memories are listed by project, oldest flag first", func(k *kit) {
			late, early, gone := k.save(), k.save(), k.save()
			web := k.save(in("web"))
			marks := []engram.Trust{{Memory: late.Num, Mark: engram.TrustApproved, Text: "x", At: at(1)}}
			for i, num := range []int64{early.Num, web.Num, gone.Num, late.Num} {
				marks = append(marks, engram.Trust{Memory: num, Mark: engram.TrustFlagged, At: at(i)})
			}
			k.update(func(tx engram.Tx) error { return tx.PutTrust(k.Context(), marks...) })
			k.forget(gone, 5)
			for _, c := range []struct {
				project string
				page    engram.Page
				want    []int64
				count   int
			}{
				{"", engram.Page{Order: engram.OrderFlagged, Limit: 9}, []int64{early.Num, web.Num, late.Num}, 3},
				{"", engram.Page{Order: engram.OrderFlagged, Limit: 1, Offset: 1}, []int64{web.Num}, 3},
				{"web", engram.Page{Limit: 9}, []int64{web.Num}, 1},
				{"nope", engram.Page{Limit: 9}, nil, 0},
			} {
				ms := read2(k, engram.Reader.List, engram.Filter{Project: c.project, Mark: engram.TrustFlagged}, c.page)
				k.same("flagged in "+c.project, nums(ms), c.want)
				k.same("number flagged in "+c.project, read1(k, engram.Reader.Count, engram.Filter{Project: c.project, Mark: engram.TrustFlagged}), c.count)
			}
		}},
	}
}
