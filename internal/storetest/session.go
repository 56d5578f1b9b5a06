package storetest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
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
				k.journal(engram.Mutation{Actor: "cli", Verb: "session_end", Entity: engram.EntitySession, Key: id, Was: json.RawMessage(`{"summary":"kettle"}`)})
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
