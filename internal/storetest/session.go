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
	k.session(s.Project, "")
	each(k, engram.Tx.PutSession, s)
}

// sessions returns the ids of a listing with their counts, in order.
func (k *kit) sessions(project string) string {
	k.Helper()
	ss := read2(k, engram.Reader.Sessions, engram.SessionFilter{Project: project}, engram.Page{Limit: 100})
	return strings.Join(every(ss, func(s engram.SessionActivity) string { return fmt.Sprintf("%s:%d", s.ID, s.Memories) }), " ")
}

func (k *kit) deleteSession(id string, erase bool) {
	k.Helper()
	k.update(func(tx engram.Tx) error { return tx.DeleteSession(k.Context(), id, erase) })
}

// promptAt returns a prompt, deleted or not; the zero Prompt for none.
func (k *kit) promptAt(num int64) engram.Prompt {
	k.Helper()
	return append(read2(k, engram.Reader.Prompts, engram.PromptFilter{Nums: []int64{num}, WithDeleted: true}, engram.Page{Limit: 9}), engram.Prompt{})[0]
}

func sessionCases() []testCase {
	session := func(id, project string, active int) engram.Session {
		return engram.Session{ID: id, Project: project, StartedAt: at(0), ActiveAt: at(active)}
	}
	return []testCase{
		{"a session is added, replaced and read back", func(k *kit) {
			s := engram.Session{ID: "weird id/'\"🫖", Project: "app", Directory: "/home/u/app", StartedAt: at(1), ActiveAt: at(1)}
			k.putSession(s)
			k.same("added", read1(k, engram.Reader.Session, s.ID), s)
			s.Project, s.Directory, s.EndedAt, s.Summary, s.ActiveAt = "other", "", at(9), "done\nall", at(5)
			k.putSession(s)
			k.same("replaced", read1(k, engram.Reader.Session, s.ID), s)
		}},
		{"a session that does not exist is not found", func(k *kit) {
			k.putSession(session("a", "app", 1))
			for _, id := range []string{"b", "A", ""} {
				failing(k, engram.CodeNotFound, engram.Reader.Session, id)
			}
			k.refused("delete", engram.CodeNotFound, func(tx engram.Tx) error { return tx.DeleteSession(k.Context(), "b", false) })
		}},
		{"a session of an unknown project is not found", func(k *kit) {
			k.refused("put", engram.CodeNotFound, func(tx engram.Tx) error { return tx.PutSession(k.Context(), session("a", "nowhere", 1)) })
		}},
		{"sessions are listed by activity, newest first, with their live memories", func(k *kit) {
			for i, id := range []string{"a", "b", "c"} {
				k.putSession(session(id, "app", i))
			}
			k.putSession(session("o", "other", 50))
			k.same("as started", k.sessions(""), "o:0 c:0 b:0 a:0")
			k.save(func(m *engram.Memory) { m.SessionID, m.CreatedAt = "a", at(60) })
			k.same("after a save", k.sessions(""), "a:1 o:0 c:0 b:0")
			k.ask("app", "b", "why?", 70)
			k.same("after a prompt", k.sessions("app"), "b:0 a:1 c:0")
			m := k.save(func(m *engram.Memory) { m.SessionID, m.CreatedAt = "b", at(40) })
			k.same("a late arrival does not turn activity back", k.sessions("app"), "b:1 a:1 c:0")
			k.forget(m, 80)
			k.same("forgotten memories do not count", k.sessions("app"), "b:0 a:1 c:0")
			k.same("of a project that does not exist", k.sessions("nowhere"), "")
		}},
		{"pages of sessions are contiguous, ties included", func(k *kit) {
			for i := range 11 {
				k.putSession(session(fmt.Sprintf("s%02d", i), "app", i/4))
			}
			for _, project := range []string{"", "app"} {
				ss := pages(k, 3, func(r engram.Reader, p engram.Page) ([]engram.SessionActivity, error) {
					return r.Sessions(k.Context(), engram.SessionFilter{Project: project}, p)
				})
				ids := every(ss, func(s engram.SessionActivity) string { return s.ID })
				k.same("ids of "+project, ids, []string{"s10", "s09", "s08", "s07", "s06", "s05", "s04", "s03", "s02", "s01", "s00"})
			}
		}},
		{"the open session is the last active one that has not ended", func(k *kit) {
			ended := session("ended", "app", 7)
			ended.EndedAt = at(8)
			for _, s := range []engram.Session{session("old", "app", 1), session("new", "app", 5),
				session("manual-save-app", "app", 9), ended, session("elsewhere", "other", 20)} {
				k.putSession(s)
			}
			for _, tt := range []struct{ name, project, skip, want string }{
				{"skipping by prefix", "app", "manual-save", "new"},
				{"a prefix that is a pattern elsewhere", "app", "%", "manual-save-app"},
				{"a project without sessions", "", "manual-save", ""},
				{"a project that does not exist", "nowhere", "manual-save", ""},
				{"all skipped", "other", "else", ""},
			} {
				f := engram.SessionFilter{Project: tt.project, Projectless: tt.project == "", Open: true, SkipPrefix: tt.skip}
				ss := read2(k, engram.Reader.Sessions, f, engram.Page{Limit: 1})
				k.same(tt.name, append(ss, engram.SessionActivity{})[0].ID, tt.want)
			}
		}},
		{"memories of a session are counted, forgotten ones if requested", func(k *kit) {
			k.save()
			k.forget(k.save(), 50)
			k.save(func(m *engram.Memory) { m.SessionID = "s-second" })
			k.same("live", read1(k, engram.Reader.Count, engram.Filter{SessionID: "s-app", WithForgotten: false}), 1)
			k.same("all", read1(k, engram.Reader.Count, engram.Filter{SessionID: "s-app", WithForgotten: true}), 2)
		}},
		{"deleting a session keeps its prompts", func(k *kit) {
			k.putSession(session("a", "app", 1))
			p := k.ask("app", "a", "why?", 2)
			k.deleteSession("a", false)
			k.same("sessions", k.sessions(""), "")
			got := k.promptAt(p.Num)
			k.same("prompt", got.Content+got.SessionID, "why?")
		}},
		{"an erased session leaves no text in the journal, a deleted one does", func(k *kit) {
			for _, id := range []string{"a", "b"} {
				k.putSession(session(id, "app", 1))
				k.journal(engram.Mutation{Actor: "cli", Operation: "session_end", Entity: engram.EntitySession, Key: id, Was: json.RawMessage(`{"summary":"kettle"}`)})
			}
			k.deleteSession("a", false)
			k.deleteSession("b", true)
			k.same("of the deleted one", string(k.entries(engram.EntitySession, "a")[0].Was), `{"summary":"kettle"}`)
			k.same("of the erased one", string(k.entries(engram.EntitySession, "b")[0].Was), "{}")
			k.refused("an erase of what is gone", engram.CodeNotFound, func(tx engram.Tx) error { return tx.DeleteSession(k.Context(), "b", true) })
		}},
		{"a session with memories cannot be deleted", func(k *kit) {
			m := k.forget(k.save(), 50)
			k.refused("delete", engram.CodeConflict, func(tx engram.Tx) error { return tx.DeleteSession(k.Context(), m.SessionID, false) })
			k.same("sessions", k.sessions(""), "s-app:0")
		}},
	}
}

// ask saves a prompt.
func (k *kit) ask(project, session, content string, n int) engram.Prompt {
	k.Helper()
	k.made++
	p := engram.Prompt{SyncID: fmt.Sprintf("prompt-%016x", k.made), Project: project, SessionID: session, Content: content, CreatedAt: at(n)}
	k.session(project, session)
	each(k, engram.Tx.InsertPrompt, &p)
	return p
}

// asked searches prompts and returns their numbers.
func (k *kit) asked(question, project string, limit int) []int64 {
	k.Helper()
	return promptNums(read3(k, engram.Reader.SearchPrompts, text.Query(question), project, limit))
}

func promptNums(ps []engram.Prompt) []int64 {
	return every(ps, func(p engram.Prompt) int64 { return p.Num })
}

// revision is the number-th earlier version of m.
func revision(m engram.Memory, number int) engram.Revision {
	return engram.Revision{Memory: m.Num, Number: number, Type: m.Type, Title: "t", Content: "c", WrittenAt: at(1), ReplacedAt: at(2)}
}

func promptCases() []testCase {
	return []testCase{
		{"a prompt is read back unchanged", func(k *kit) {
			p := k.ask("app", "s-app", "why \"this\"\r\n水🫖?", 3)
			loose := k.ask("", "", "of no project", 4)
			k.same("prompt", k.promptAt(p.Num), p)
			k.same("prompt of no project", k.promptAt(loose.Num), loose)
		}},
		{"a prompt that does not exist is not found", func(k *kit) {
			k.same("prompts that do not exist", len(read2(k, engram.Reader.Prompts, engram.PromptFilter{Nums: []int64{5}}, engram.Page{Limit: 9})), 0)
			k.refused("erase", engram.CodeNotFound, func(tx engram.Tx) error { return tx.ErasePrompt(k.Context(), 5) })
			k.refused("of an unknown project", engram.CodeNotFound, func(tx engram.Tx) error {
				return tx.InsertPrompt(k.Context(), &engram.Prompt{SyncID: "prompt-1", Project: "nowhere", Content: "x", CreatedAt: at(1)})
			})
		}},
		{"prompts are listed newest first, by project and session, in contiguous pages", func(k *kit) {
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
				ps := pages(k, 3, func(r engram.Reader, p engram.Page) ([]engram.Prompt, error) {
					return r.Prompts(k.Context(), engram.PromptFilter{Project: tt.project, SessionID: tt.session}, p)
				})
				k.same("prompts of "+tt.project+tt.session, promptNums(ps), want[tt.list])
				slices.Reverse(want[tt.list])
			}
			for _, of := range [][2]string{{"nowhere", ""}, {"", "never"}, {"other", "s2"}} {
				ps := read2(k, engram.Reader.Prompts, engram.PromptFilter{Project: of[0], SessionID: of[1]}, engram.Page{Limit: 9})
				k.same(fmt.Sprintf("prompts of %v", of), len(ps), 0)
			}
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
		{"a deleted prompt is hidden until it is restored, possibly elsewhere", func(k *kit) {
			p := k.ask("app", "s-app", "the kettle", 1)
			k.ask("other", "s-other", "the teapot", 2)
			hidden := p
			hidden.DeletedAt = at(3)
			each(k, engram.Tx.ReplacePrompt, hidden)
			k.same("found", len(k.asked("kettle", "", 9)), 0)
			k.same("by its number", k.promptAt(p.Num), hidden)
			for _, of := range [][2]string{{"", ""}, {"app", ""}, {"", "s-app"}, {"app", "s-app"}} {
				ps := read2(k, engram.Reader.Prompts, engram.PromptFilter{Project: of[0], SessionID: of[1]}, engram.Page{Limit: 9})
				if slices.Contains(promptNums(ps), p.Num) {
					k.Errorf("prompts of %v: got %v, want none of #%d", of, promptNums(ps), p.Num)
				}
			}
			k.same("deleted prompts", promptNums(read2(k, engram.Reader.Prompts, engram.PromptFilter{Project: "app", Deleted: true, ByNumber: true}, engram.Page{Limit: 9})), []int64{p.Num})
			for session, want := range map[string][]int64{"s-app": {p.Num}, "s-other": nil, "nothing": nil} {
				gone := read2(k, engram.Reader.Prompts, engram.PromptFilter{SessionID: session, Deleted: true, ByNumber: true}, engram.Page{Limit: 9})
				k.same(fmt.Sprintf("deleted prompts of session %q", session), promptNums(gone), want)
			}
			back := p
			back.Project, back.SessionID = "other", "s-other"
			each(k, engram.Tx.ReplacePrompt, back)
			k.same("found in the other project", k.asked("kettle", "other", 9), []int64{p.Num})
			k.same("found in its first project", len(k.asked("kettle", "app", 9)), 0)
			k.refused("one that does not exist", engram.CodeNotFound, func(tx engram.Tx) error {
				return tx.ReplacePrompt(k.Context(), engram.Prompt{Num: 99})
			})
		}},
		{"an erased prompt is gone, and its number is not reused", func(k *kit) {
			p := k.ask("app", "s-app", "the kettle", 1)
			each(k, engram.Tx.ErasePrompt, p.Num)
			k.same("found", len(k.asked("kettle", "", 9)), 0)
			k.same("next number", k.ask("app", "s-app", "x", 2).Num, p.Num+1)
		}},
	}
}
