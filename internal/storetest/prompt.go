package storetest

import (
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

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
