package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

func (k *kit) putSession(s engram.Session) {
	k.Helper()
	k.update(func(tx engram.Tx) error {
		if err := k.ensure(tx, s.Project, ""); err != nil {
			return err
		}
		return tx.PutSession(k.Context(), s)
	})
}

// sessions are the ids of a listing with their counts, in order.
func (k *kit) sessions(project string) string {
	k.Helper()
	var all []string
	k.view(func(r engram.Reader) error {
		ss, err := r.Sessions(k.Context(), project, engram.Page{Limit: 100})
		for _, s := range ss {
			all = append(all, fmt.Sprintf("%s:%d", s.ID, s.Memories))
		}
		return err
	})
	return strings.Join(all, " ")
}

func sessionCases() []testCase {
	session := func(id, project string, active int) engram.Session {
		return engram.Session{ID: id, Project: project, StartedAt: at(0), ActiveAt: at(active)}
	}
	return []testCase{
		{"a session is added, replaced and read back", func(k *kit) {
			s := engram.Session{ID: "weird id/'\"🫖", Project: "app", Directory: "/home/u/app", StartedAt: at(1), ActiveAt: at(1)}
			k.putSession(s)
			get := func() (got engram.Session) {
				k.view(func(r engram.Reader) (err error) {
					got, err = r.Session(k.Context(), s.ID)
					return err
				})
				return got
			}
			k.same("added", fmt.Sprintf("%+v", get()), fmt.Sprintf("%+v", s))
			s.Project, s.Directory, s.EndedAt, s.Summary, s.ActiveAt = "other", "", at(9), "done\nall", at(5)
			k.putSession(s)
			k.same("replaced", fmt.Sprintf("%+v", get()), fmt.Sprintf("%+v", s))
		}},
		{"a session that does not exist is not found", func(k *kit) {
			k.putSession(session("a", "app", 1))
			for _, id := range []string{"b", "A", ""} {
				k.view(func(r engram.Reader) error {
					_, err := r.Session(k.Context(), id)
					k.same("code of "+id, engram.CodeOf(err), engram.CodeNotFound)
					return nil
				})
			}
			k.refused("delete", engram.CodeNotFound, func(tx engram.Tx) error { return tx.DeleteSession(k.Context(), "b") })
		}},
		{"a session of an unknown project is not found", func(k *kit) {
			k.refused("put", engram.CodeNotFound, func(tx engram.Tx) error { return tx.PutSession(k.Context(), session("a", "nowhere", 1)) })
		}},
		{"sessions come with the newest activity first, counting live memories", func(k *kit) {
			for i, id := range []string{"a", "b", "c"} {
				k.putSession(session(id, "app", i))
			}
			k.putSession(session("o", "other", 50))
			k.same("as started", k.sessions(""), "o:0 c:0 b:0 a:0")
			k.save(func(m *engram.Memory) { m.SessionID, m.CreatedAt = "a", at(60) })
			k.same("after a save", k.sessions(""), "a:1 o:0 c:0 b:0")
			k.update(func(tx engram.Tx) error {
				return tx.InsertPrompt(k.Context(), &engram.Prompt{SyncID: "prompt-1", SessionID: "b", Project: "app", Content: "why?", CreatedAt: at(70)})
			})
			k.same("after a prompt", k.sessions("app"), "b:0 a:1 c:0")
			m := k.save(func(m *engram.Memory) { m.SessionID, m.CreatedAt = "b", at(40) })
			k.same("a late arrival does not turn activity back", k.sessions("app"), "b:1 a:1 c:0")
			k.forget(m, 80)
			k.same("forgotten memories do not count", k.sessions("app"), "b:0 a:1 c:0")
			k.same("of a project that does not exist", k.sessions("nowhere"), "")
		}},
		{"pages of sessions join, ties included", func(k *kit) {
			for i := range 11 {
				k.putSession(session(fmt.Sprintf("s%02d", i), "app", i/4))
			}
			for _, project := range []string{"", "app"} {
				var ids []string
				k.pages(3, func(r engram.Reader, p engram.Page) ([]int64, error) {
					ss, err := r.Sessions(k.Context(), project, p)
					for _, s := range ss {
						ids = append(ids, s.ID)
					}
					return make([]int64, len(ss)), err
				})
				k.same("ids of "+project, ids, []string{"s10", "s09", "s08", "s07", "s06", "s05", "s04", "s03", "s02", "s01", "s00"})
			}
		}},
		{"the open session is the last active one that has not ended", func(k *kit) {
			k.putSession(session("old", "app", 1))
			k.putSession(session("new", "app", 5))
			k.putSession(session("manual-save-app", "app", 9))
			ended := session("ended", "app", 7)
			ended.EndedAt = at(8)
			k.putSession(ended)
			k.putSession(session("elsewhere", "other", 20))
			for _, tt := range []struct{ name, project, skip, want string }{
				{"skipping by prefix", "app", "manual-save", "new"},
				{"a prefix that is a pattern elsewhere", "app", "%", "manual-save-app"},
				{"a project without sessions", "", "manual-save", ""},
				{"a project that does not exist", "nowhere", "manual-save", ""},
				{"all skipped", "other", "else", ""},
			} {
				k.view(func(r engram.Reader) error {
					s, found, err := r.OpenSession(k.Context(), tt.project, tt.skip)
					if err != nil {
						k.Errorf("%s: %v", tt.name, err)
					}
					k.same(tt.name, s.ID, tt.want)
					k.same(tt.name+": found", found, tt.want != "")
					return nil
				})
			}
		}},
		{"memories of a session are counted, forgotten ones when asked", func(k *kit) {
			k.save()
			k.forget(k.save(), 50)
			k.save(func(m *engram.Memory) { m.SessionID = "s-second" })
			k.view(func(r engram.Reader) error {
				live, err := r.CountInSession(k.Context(), "s-app", false)
				if err != nil {
					return err
				}
				all, err := r.CountInSession(k.Context(), "s-app", true)
				k.same("live and all", []int{live, all}, []int{1, 2})
				return err
			})
		}},
		{"a session is deleted, its prompts stay without one", func(k *kit) {
			k.putSession(session("a", "app", 1))
			p := engram.Prompt{SyncID: "prompt-1", SessionID: "a", Project: "app", Content: "why?", CreatedAt: at(2)}
			k.update(func(tx engram.Tx) error { return tx.InsertPrompt(k.Context(), &p) })
			k.update(func(tx engram.Tx) error { return tx.DeleteSession(k.Context(), "a") })
			k.same("sessions", k.sessions(""), "")
			k.view(func(r engram.Reader) error {
				got, err := r.Prompt(k.Context(), p.Num)
				k.same("prompt", got.Content+got.SessionID, "why?")
				return err
			})
		}},
		{"an erased session leaves no text in the journal, a deleted one does", func(k *kit) {
			for _, id := range []string{"a", "b"} {
				k.putSession(session(id, "app", 1))
				k.journal(engram.Mutation{Actor: "cli", Operation: "session_end", Entity: engram.EntitySession, Key: id, Was: json.RawMessage(`{"summary":"kettle"}`)})
			}
			k.update(func(tx engram.Tx) error { return tx.DeleteSession(k.Context(), "a") })
			k.update(func(tx engram.Tx) error { return tx.EraseSession(k.Context(), "b") })
			k.same("of the deleted one", string(k.entries(engram.EntitySession, "a")[0].Was), `{"summary":"kettle"}`)
			k.same("of the erased one", string(k.entries(engram.EntitySession, "b")[0].Was), "{}")
			k.refused("an erase of what is gone", engram.CodeNotFound, func(tx engram.Tx) error { return tx.EraseSession(k.Context(), "b") })
		}},
		{"a session that memories were saved in cannot be deleted", func(k *kit) {
			m := k.forget(k.save(), 50)
			k.refused("delete", engram.CodeConflict, func(tx engram.Tx) error { return tx.DeleteSession(k.Context(), m.SessionID) })
			k.same("sessions", k.sessions(""), "s-app:0")
		}},
	}
}

// ask saves a prompt.
func (k *kit) ask(project, session, content string, n int) engram.Prompt {
	k.Helper()
	k.made++
	p := engram.Prompt{SyncID: fmt.Sprintf("prompt-%016x", k.made), Project: project, SessionID: session, Content: content, CreatedAt: at(n)}
	k.update(func(tx engram.Tx) error {
		if err := k.ensure(tx, project, session); err != nil {
			return err
		}
		return tx.InsertPrompt(k.Context(), &p)
	})
	return p
}

// asked searches prompts and returns their numbers.
func (k *kit) asked(question, project string, limit int) []int64 {
	k.Helper()
	var found []engram.Prompt
	k.view(func(r engram.Reader) (err error) {
		found, err = r.SearchPrompts(k.Context(), text.Query(question), project, limit)
		return err
	})
	return promptNums(found)
}

func promptNums(ps []engram.Prompt) []int64 {
	all := make([]int64, len(ps))
	for i, p := range ps {
		all[i] = p.Num
	}
	return all
}

func promptCases() []testCase {
	return []testCase{
		{"a prompt is read back as it was", func(k *kit) {
			p := k.ask("app", "s-app", "why \"this\"\r\n水🫖?", 3)
			loose := k.ask("", "", "of no project", 4)
			k.view(func(r engram.Reader) error {
				for _, want := range []engram.Prompt{p, loose} {
					got, err := r.Prompt(k.Context(), want.Num)
					if err != nil {
						return err
					}
					k.same("prompt", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
				}
				return nil
			})
		}},
		{"a prompt that does not exist is not found", func(k *kit) {
			k.view(func(r engram.Reader) error {
				_, err := r.Prompt(k.Context(), 5)
				k.same("code", engram.CodeOf(err), engram.CodeNotFound)
				return nil
			})
			k.refused("erase", engram.CodeNotFound, func(tx engram.Tx) error { return tx.ErasePrompt(k.Context(), 5) })
			k.refused("of an unknown project", engram.CodeNotFound, func(tx engram.Tx) error {
				return tx.InsertPrompt(k.Context(), &engram.Prompt{SyncID: "prompt-1", Project: "nowhere", Content: "x", CreatedAt: at(1)})
			})
		}},
		{"prompts come newest first, by project and by session, in pages that join", func(k *kit) {
			want := map[string][]int64{}
			for i := range 14 {
				project, session := []string{"app", "other"}[i%2], fmt.Sprintf("s%d", i%4)
				p := k.ask(project, session, fmt.Sprintf("prompt %d", i), i/5)
				for _, list := range []string{"", project, session} {
					want[list] = append(want[list], p.Num)
				}
			}
			for _, tt := range []struct{ project, session, list string }{
				{"", "", ""}, {"app", "", "app"}, {"other", "", "other"}, {"", "s2", "s2"}, {"app", "s2", "s2"},
			} {
				slices.Reverse(want[tt.list])
				k.same("prompts of "+tt.project+tt.session, k.pages(3, func(r engram.Reader, p engram.Page) ([]int64, error) {
					ps, err := r.Prompts(k.Context(), tt.project, tt.session, p)
					return promptNums(ps), err
				}), want[tt.list])
				slices.Reverse(want[tt.list])
			}
			k.view(func(r engram.Reader) error {
				for _, of := range [][2]string{{"nowhere", ""}, {"", "never"}, {"other", "s2"}} {
					ps, err := r.Prompts(k.Context(), of[0], of[1], engram.Page{Limit: 9})
					if err != nil {
						return err
					}
					k.same(fmt.Sprintf("prompts of %v", of), len(ps), 0)
				}
				return nil
			})
		}},
		{"prompts are found by their words, best first", func(k *kit) {
			a := k.ask("app", "s-app", "fix the login timeout", 1)
			b := k.ask("app", "s-app", "why does the login of the mobile client need so much longer than that of the others", 2)
			c := k.ask("other", "s-other", "数据库连接", 3)
			d := k.ask("other", "s-other", "what is this", 4)
			for _, tt := range []struct {
				question, project string
				limit             int
				want              []int64
			}{
				{"login", "", 10, []int64{a.Num, b.Num}},
				{"LOGIN timeouts", "app", 10, []int64{a.Num, b.Num}},
				{"login", "", 1, []int64{a.Num}},
				{"login", "other", 10, []int64{}},
				{"login", "nowhere", 10, []int64{}},
				{"连接", "", 10, []int64{c.Num}},
				{"what is this", "other", 10, []int64{d.Num}},
				{"zeppelin", "", 10, []int64{}},
				{"", "", 10, []int64{}},
			} {
				k.same(fmt.Sprintf("%q in %q", tt.question, tt.project), k.asked(tt.question, tt.project, tt.limit), tt.want)
			}
		}},
		{"a deleted prompt is hidden until it comes back, where it is put", func(k *kit) {
			p := k.ask("app", "s-app", "the kettle", 1)
			k.ask("other", "s-other", "the teapot", 2)
			hidden := p
			hidden.DeletedAt = at(3)
			k.update(func(tx engram.Tx) error { return tx.ReplacePrompt(k.Context(), hidden) })
			k.same("found", len(k.asked("kettle", "", 9)), 0)
			k.view(func(r engram.Reader) error {
				got, err := r.Prompt(k.Context(), p.Num)
				k.same("by its number", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", hidden))
				if err != nil {
					return err
				}
				for _, of := range [][2]string{{"", ""}, {"app", ""}, {"", "s-app"}, {"app", "s-app"}} {
					ps, err := r.Prompts(k.Context(), of[0], of[1], engram.Page{Limit: 9})
					if err != nil {
						return err
					}
					if slices.Contains(promptNums(ps), p.Num) {
						k.Errorf("prompts of %v: got %v, want none of #%d", of, promptNums(ps), p.Num)
					}
				}
				gone, err := r.DeletedPrompts(k.Context(), "app")
				k.same("deleted prompts", promptNums(gone), []int64{p.Num})
				if err != nil {
					return err
				}
				for session, want := range map[string][]int64{"s-app": {p.Num}, "s-other": nil, "nothing": nil, "": nil} {
					gone, err := r.DeletedPromptsIn(k.Context(), session)
					if err != nil {
						return err
					}
					k.same(fmt.Sprintf("deleted prompts of session %q", session), promptNums(gone), want)
				}
				return nil
			})
			back := p
			back.Project, back.SessionID = "other", "s-other"
			k.update(func(tx engram.Tx) error { return tx.ReplacePrompt(k.Context(), back) })
			k.same("found in the other project", k.asked("kettle", "other", 9), []int64{p.Num})
			k.same("found in its first project", len(k.asked("kettle", "app", 9)), 0)
			k.refused("one that does not exist", engram.CodeNotFound, func(tx engram.Tx) error {
				return tx.ReplacePrompt(k.Context(), engram.Prompt{Num: 99})
			})
		}},
		{"an erased prompt is gone, and its number with it", func(k *kit) {
			p := k.ask("app", "s-app", "the kettle", 1)
			k.update(func(tx engram.Tx) error { return tx.ErasePrompt(k.Context(), p.Num) })
			k.same("found", len(k.asked("kettle", "", 9)), 0)
			k.same("next number", k.ask("app", "s-app", "x", 2).Num, p.Num+1)
		}},
	}
}
