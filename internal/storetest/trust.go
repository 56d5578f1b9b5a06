package storetest

import (
	"errors"
	"strconv"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

func trustCases() []testCase {
	return []testCase{
		{"marks of trust are kept, each once, and go with their memory", func(k *kit) {
			a, b := k.save(), k.save()
			suspect := engram.Trust{Memory: a.Num, Mark: engram.TrustSuspect, Reasons: []string{"exfil", "order"}, At: at(1)}
			approved := engram.Trust{Memory: a.Num, Mark: engram.TrustApproved, Text: "ab12", At: at(2)}
			secret := engram.Trust{Memory: b.Num, Mark: engram.TrustSecret, Text: "cd34", At: at(3)}
			again := suspect
			again.Reasons, again.At = []string{"order"}, at(9)
			k.update(func(tx engram.Tx) error {
				if err := tx.PutTrust(k.Context(), suspect, approved, secret); err != nil {
					return err
				}
				return tx.PutTrust(k.Context(), again)
			})
			suspect.Reasons = again.Reasons // it waits as long as it did
			k.view(func(r engram.Reader) error {
				nums, err := r.SecretKept(k.Context())
				k.same("memories that keep secrets", nums, []int64{b.Num})
				return err
			})
			k.trusted([]int64{a.Num, b.Num, 99}, map[int64][]engram.Trust{a.Num: {approved, suspect}, b.Num: {secret}})
			k.update(func(tx engram.Tx) error {
				if err := tx.DropTrust(k.Context(), a.Num, engram.TrustSuspect); err != nil {
					return err
				}
				return tx.EraseMemory(k.Context(), b.Num)
			})
			k.trusted([]int64{a.Num, b.Num}, map[int64][]engram.Trust{a.Num: {approved}})
		}},
		{"what is cut out of the past is gone, and the rest stays", func(k *kit) {
			m := k.save()
			v := engram.Revision{Memory: m.Num, Number: 1, Type: m.Type, Title: "old", Content: "it was hunter2hunter2", WrittenAt: at(1), ReplacedAt: at(2), Reason: "hunter2hunter2"}
			entry := engram.Mutation{At: 1 << 20, Actor: "cli", Verb: "update", Entity: engram.EntityMemory, Key: strconv.FormatInt(m.Num, 10), Reason: "hunter2hunter2", Was: []byte(`{"summary":"hunter2hunter2"}`)}
			p := engram.Prompt{SyncID: "p1", Project: m.Project, SessionID: m.SessionID, Content: "why hunter2hunter2", CreatedAt: at(3)}
			k.update(func(tx engram.Tx) error {
				return errors.Join(tx.InsertRevision(k.Context(), v), tx.Append(k.Context(), &entry), tx.InsertPrompt(k.Context(), &p))
			})
			v.Title, v.Content, v.Reason = "older", "it was cut", ""
			entry.Reason, entry.Was = "", []byte(`{}`)
			p.Content = "why cut"
			k.update(func(tx engram.Tx) error {
				return errors.Join(tx.CutRevision(k.Context(), v), tx.CutMutation(k.Context(), entry), tx.CutPrompt(k.Context(), p),
					tx.CutPrompt(k.Context(), engram.Prompt{Num: 99}), tx.CutRevision(k.Context(), engram.Revision{Memory: 99}), tx.CutMutation(k.Context(), engram.Mutation{Seq: 99}))
			})
			k.view(func(r engram.Reader) error {
				rs, err := r.Revisions(k.Context(), m.Num)
				k.same("revisions", rs, []engram.Revision{v})
				ms, err2 := r.Mutations(k.Context(), engram.EntityMemory, entry.Key, engram.Page{Limit: 1})
				k.same("the entry", []string{ms[0].Reason, string(ms[0].Was)}, []string{"", "{}"})
				ps, err3 := r.SearchPrompts(k.Context(), text.Query("cut"), "", 5)
				k.same("prompts with the new word", ps, []engram.Prompt{p})
				gone, err4 := r.SearchPrompts(k.Context(), text.Query("hunter2hunter2"), "", 5)
				k.same("prompts with the old word", len(gone), 0)
				return errors.Join(err, err2, err3, err4)
			})
		}},
		{"suspects are listed live, the longest waiting first, by project", func(k *kit) {
			late, early, gone := k.save(), k.save(), k.save()
			web := k.save(func(m *engram.Memory) { m.Project, m.SessionID = "web", "s-web" })
			k.update(func(tx engram.Tx) error {
				for i, num := range []int64{early.Num, web.Num, gone.Num, late.Num} {
					if err := tx.PutTrust(k.Context(), engram.Trust{Memory: num, Mark: engram.TrustSuspect, At: at(i)}); err != nil {
						return err
					}
				}
				return tx.PutTrust(k.Context(), engram.Trust{Memory: late.Num, Mark: engram.TrustApproved, Text: "x", At: at(1)})
			})
			k.forget(gone, 5)
			for _, c := range []struct {
				project string
				page    engram.Page
				want    []int64
				count   int
			}{
				{"", engram.Page{Limit: 9}, []int64{early.Num, web.Num, late.Num}, 3},
				{"", engram.Page{Limit: 1, Offset: 1}, []int64{web.Num}, 3},
				{"web", engram.Page{Limit: 9}, []int64{web.Num}, 1},
				{"nope", engram.Page{Limit: 9}, nil, 0},
			} {
				k.view(func(r engram.Reader) error {
					ms, err := r.Suspects(k.Context(), c.project, c.page)
					if err != nil {
						return err
					}
					var got []int64
					for _, m := range ms {
						got = append(got, m.Num)
					}
					k.same("suspects of "+c.project, got, c.want)
					n, err := r.CountSuspects(k.Context(), c.project)
					k.same("how many of "+c.project, n, c.count)
					return err
				})
			}
		}},
	}
}

// trusted expects marks.
func (k *kit) trusted(nums []int64, want map[int64][]engram.Trust) {
	k.Helper()
	k.view(func(r engram.Reader) error {
		got, err := r.Trust(k.Context(), nums)
		k.same("marks", got, want)
		return err
	})
}
