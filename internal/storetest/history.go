package storetest

import (
	"fmt"

	"github.com/alanbuscaglia/engram"
)

func historyCases() []testCase {
	return []testCase{
		{"revisions come back as they were, oldest first", func(k *kit) {
			m, other := k.save(), k.save()
			var want []engram.Revision
			for i := range 3 {
				want = append(want, engram.Revision{Memory: m.Num, Number: i + 1, Type: engram.TypeBugfix, Title: fmt.Sprintf("was %d", i),
					Content: "text\n\"old\"", WrittenAt: at(i), ReplacedAt: at(i + 1), Reason: "topic key"})
			}
			k.update(func(tx engram.Tx) error {
				for _, i := range []int{1, 0, 2} { // replicas may bring them in any order
					if err := tx.InsertRevision(k.Context(), want[i]); err != nil {
						return err
					}
				}
				return tx.InsertRevision(k.Context(), engram.Revision{Memory: other.Num, Number: 1, Title: "x", Content: "x", WrittenAt: at(0), ReplacedAt: at(1)})
			})
			k.view(func(r engram.Reader) error {
				got, err := r.Revisions(k.Context(), m.Num)
				k.same("revisions", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
				return err
			})
		}},
		{"a memory that never changed has no revisions", func(k *kit) {
			m := k.save()
			k.view(func(r engram.Reader) error {
				got, err := r.Revisions(k.Context(), m.Num)
				k.same("revisions", len(got), 0)
				return err
			})
		}},
		{"neighbours are those of the session, live, each side oldest first", func(k *kit) {
			session := map[string][]int64{}
			for i := range 20 {
				m := k.save(func(m *engram.Memory) { m.SessionID = fmt.Sprintf("s-%d", i%2) })
				session[m.SessionID] = append(session[m.SessionID], m.Num)
				if i == 6 { // in s-0, just before the middle
					k.forget(m, 100)
				}
			}
			s := session["s-0"] // 1 3 5 7(forgotten) 9 11 13 15 17 19
			for _, tt := range []struct {
				name           string
				num            int64
				before, after  int
				earlier, later []int64
			}{
				{"both sides", s[4], 2, 3, []int64{s[1], s[2]}, []int64{s[5], s[6], s[7]}},
				{"more than there is", s[4], 50, 50, []int64{s[0], s[1], s[2]}, s[5:]},
				{"at the beginning", s[0], 5, 1, nil, []int64{s[1]}},
				{"at the end", s[9], 1, 5, []int64{s[8]}, nil},
				{"none asked", s[4], 0, 0, nil, nil},
				{"around a forgotten one", s[3], 1, 1, []int64{s[2]}, []int64{s[4]}},
			} {
				k.view(func(r engram.Reader) error {
					earlier, later, err := r.Neighbours(k.Context(), "s-0", tt.num, tt.before, tt.after)
					k.same(tt.name+": earlier", nums(earlier), tt.earlier)
					k.same(tt.name+": later", nums(later), tt.later)
					return err
				})
			}
		}},
		{"relations come back as they were, from either end, oldest first, each once", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			rs := []engram.Relation{
				{ID: "rel-1", Source: a.Num, Target: b.Num, Verb: engram.VerbSupersedes, Status: engram.RelationJudged, Strength: 0.75,
					Reason: "newer", Evidence: "both name it", Confidence: 0.5, Actor: "agent", ActorKind: "agent", Model: "m-1", SessionID: "s-app",
					CreatedAt: at(1), UpdatedAt: at(2)},
				{ID: "rel-2", Source: c.Num, Target: a.Num, Verb: engram.VerbRelatesTo, Status: engram.RelationPending, CreatedAt: at(3), UpdatedAt: at(3)},
				{ID: "rel-3", Source: b.Num, Target: c.Num, Verb: engram.VerbScoped, Status: engram.RelationIgnored, CreatedAt: at(4), UpdatedAt: at(4)},
			}
			k.update(func(tx engram.Tx) error {
				for i := range rs {
					if err := tx.InsertRelation(k.Context(), &rs[i]); err != nil {
						return err
					}
				}
				return nil
			})
			for _, tt := range []struct {
				of   []int64
				want []engram.Relation
			}{
				{[]int64{a.Num}, rs[:2]}, {[]int64{b.Num}, []engram.Relation{rs[0], rs[2]}}, {[]int64{c.Num, b.Num, a.Num}, rs}, {[]int64{99}, nil}, {nil, nil},
			} {
				k.view(func(r engram.Reader) error {
					got, err := r.Relations(k.Context(), tt.of)
					k.same(fmt.Sprintf("relations of %v", tt.of), fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", tt.want))
					return err
				})
			}
		}},
		{"a relation that is known is a conflict, another verb or direction is not", func(k *kit) {
			a, b := k.save(), k.save()
			n := 0
			insert := func(tx engram.Tx, source, target int64, verb engram.Verb) error {
				n++
				return tx.InsertRelation(k.Context(), &engram.Relation{ID: fmt.Sprintf("rel-%d", n), Source: source, Target: target, Verb: verb,
					Status: engram.RelationJudged, CreatedAt: at(n), UpdatedAt: at(n)})
			}
			k.update(func(tx engram.Tx) error { return insert(tx, a.Num, b.Num, engram.VerbRelatesTo) })
			k.update(func(tx engram.Tx) error { return insert(tx, a.Num, b.Num, engram.VerbCausedBy) })
			k.update(func(tx engram.Tx) error { return insert(tx, b.Num, a.Num, engram.VerbRelatesTo) })
			k.refused("again", engram.CodeConflict, func(tx engram.Tx) error { return insert(tx, a.Num, b.Num, engram.VerbRelatesTo) })
			k.update(func(tx engram.Tx) error {
				err := insert(tx, a.Num, b.Num, engram.VerbRelatesTo)
				k.same("code inside a transaction that goes on", engram.CodeOf(err), engram.CodeConflict)
				return insert(tx, a.Num, b.Num, engram.VerbScoped)
			})
			k.view(func(r engram.Reader) error {
				rs, err := r.Relations(k.Context(), []int64{a.Num})
				k.same("relations", len(rs), 4)
				return err
			})
		}},
	}
}
