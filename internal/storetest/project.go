package storetest

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

func (k *kit) putProject(p engram.Project) {
	k.Helper()
	k.update(func(tx engram.Tx) error { return tx.PutProject(k.Context(), p) })
}

// project reads one by name or alias; it must be there.
func (k *kit) project(name string) (p engram.Project) {
	k.Helper()
	k.view(func(r engram.Reader) error {
		var found bool
		var err error
		if p, found, err = r.Project(k.Context(), name); err == nil && !found {
			k.Errorf("project %q is not found", name)
		}
		return err
	})
	return p
}

func projectCases() []testCase {
	return []testCase{
		{"a project is added, replaced and read back by name and alias", func(k *kit) {
			p := engram.Project{Name: "app", Aliases: []string{"app-old", "the-app"}, Root: "/home/u/app", Remote: "git@host:u/app.git", CreatedAt: at(1)}
			k.putProject(p)
			for _, name := range []string{"app", "app-old", "the-app"} {
				k.same("read "+name, fmt.Sprintf("%+v", k.project(name)), fmt.Sprintf("%+v", p))
			}
			p.Aliases, p.Root, p.Remote = []string{"the-app"}, "/elsewhere", ""
			k.putProject(p)
			k.same("replaced", fmt.Sprintf("%+v", k.project("the-app")), fmt.Sprintf("%+v", p))
			k.view(func(r engram.Reader) error {
				for _, name := range []string{"app-old", "", "APP"} {
					_, found, err := r.Project(k.Context(), name)
					if err != nil {
						return err
					}
					k.same(fmt.Sprintf("found %q", name), found, false)
				}
				return nil
			})
		}},
		{"an alias leads to what is kept under the name", func(k *kit) {
			m := k.save(func(m *engram.Memory) { m.Title, m.TopicKey = "kettle", "a/b" })
			k.putProject(engram.Project{Name: "app", Aliases: []string{"old"}, CreatedAt: at(0)})
			k.same("listed", nums(k.list(engram.Filter{Project: "old"})), []int64{m.Num})
			k.same("found", numsOf(k.find("kettle", func(q *engram.LexicalQuery) { q.Filter.Project = "old" })), []int64{m.Num})
			k.sameMemory("by topic", k.read(engram.Ref{Topic: "a/b", Project: "old"}), m)
			under := k.save(func(m *engram.Memory) { m.Project = "old" })
			k.same("saved under the alias", k.read(engram.ByNum(under.Num)).Project, "app")
		}},
		{"projects come by name with what is kept under each", func(k *kit) {
			k.save()
			k.forget(k.save(), 50)
			k.save(func(m *engram.Memory) { m.Project, m.SessionID = "", "" })
			k.ask("app", "s-app", "why", 1)
			k.putProject(engram.Project{Name: "zoo", CreatedAt: at(1)})
			k.putProject(engram.Project{Name: "bee", CreatedAt: at(1)})
			k.view(func(r engram.Reader) error {
				ps, err := r.Projects(k.Context())
				if err != nil {
					return err
				}
				var got []string
				for _, p := range ps {
					got = append(got, fmt.Sprintf("%s:%d:%d:%d", p.Name, p.Memories, p.Sessions, p.Prompts))
				}
				k.same("projects", got, []string{"app:1:1:1", "bee:0:0:0", "zoo:0:0:0"})
				names, err := r.ProjectNames(k.Context())
				k.same("names", names, []string{"app", "bee", "zoo"})
				return err
			})
		}},
		{"an empty project is deleted with its aliases", func(k *kit) {
			k.putProject(engram.Project{Name: "app", Aliases: []string{"old"}, CreatedAt: at(1)})
			k.update(func(tx engram.Tx) error { return tx.DeleteProject(k.Context(), "app") })
			k.view(func(r engram.Reader) error {
				for _, name := range []string{"app", "old"} {
					if _, found, err := r.Project(k.Context(), name); found || err != nil {
						k.Errorf("project %q: found %v, %v", name, found, err)
					}
				}
				return nil
			})
		}},
		{"a project that something is kept under cannot be deleted", func(k *kit) {
			k.forget(k.save(), 50)
			k.refused("delete", engram.CodeConflict, func(tx engram.Tx) error { return tx.DeleteProject(k.Context(), "app") })
			k.project("app")
		}},
		{"statistics count everything, or a project's part", func(k *kit) {
			a := k.save(func(m *engram.Memory) { m.Type = engram.TypeBugfix })
			b := k.save()
			k.forget(k.save(), 50)
			o := k.save(func(m *engram.Memory) { m.Project, m.SessionID = "other", "s-other" })
			p := k.save(func(m *engram.Memory) { m.Project, m.SessionID = "other", "s-other" })
			k.ask("app", "s-app", "why", 1)
			k.update(func(tx engram.Tx) error {
				for i, ends := range [][2]int64{{a.Num, b.Num}, {o.Num, p.Num}, {b.Num, a.Num}} {
					err := tx.InsertRelation(k.Context(), &engram.Relation{ID: fmt.Sprintf("rel-%d", i), Source: ends[0], Target: ends[1],
						Verb: engram.VerbRelatesTo, Status: engram.RelationJudged, CreatedAt: at(1), UpdatedAt: at(1)})
					if err != nil {
						return err
					}
				}
				return nil
			})
			k.view(func(r engram.Reader) error {
				for _, tt := range []struct{ project, want string }{
					{"", "memories 4, forgotten 1, sessions 2, prompts 1, relations 3, bugfix 1, manual 3"},
					{"app", "memories 2, forgotten 1, sessions 1, prompts 1, relations 2, bugfix 1, manual 1"},
					{"other", "memories 2, forgotten 0, sessions 1, prompts 0, relations 1, bugfix 0, manual 2"},
				} {
					st, err := r.Stats(k.Context(), tt.project)
					if err != nil {
						return err
					}
					k.same("statistics of "+tt.project, fmt.Sprintf("memories %d, forgotten %d, sessions %d, prompts %d, relations %d, bugfix %d, manual %d",
						st.Memories, st.Forgotten, st.Sessions, st.Prompts, st.Relations, st.Types[engram.TypeBugfix], st.Types[engram.TypeManual]), tt.want)
					k.same("projects", strings.Join(st.Projects, " "), "app other")
				}
				return nil
			})
		}},
	}
}
