package storetest

import (
	"github.com/alanbuscaglia/engram"
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
