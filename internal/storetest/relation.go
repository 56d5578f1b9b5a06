package storetest

import (
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// relationCases are about lists of relations; history.go has what they are.
func relationCases() []testCase {
	return []testCase{
		{"relations are listed newest first, by what they are and whether their memories are there", func(k *kit) {
			a, b, gone, other := k.save(), k.save(), k.save(), k.save(func(m *engram.Memory) { m.Project, m.SessionID = "other", "s-other" })
			var all []engram.Relation // by number
			k.update(func(tx engram.Tx) error {
				gone.DeletedAt = at(90)
				if err := tx.ReplaceMemory(k.Context(), gone); err != nil {
					return err
				}
				for _, ends := range [][2]int64{{a.Num, b.Num}, {gone.Num, a.Num}, {other.Num, b.Num}} {
					for _, verb := range engram.Verbs() {
						for i, status := range []engram.RelationStatus{engram.RelationJudged, engram.RelationPending} {
							n := len(all) + 1
							r := engram.Relation{ID: fmt.Sprintf("rel-%d", n), Source: ends[i], Target: ends[1-i], Verb: verb, Status: status,
								Confidence: float64(n%2) / 2, CreatedAt: at(n), UpdatedAt: at(n)}
							if n%7 == 0 {
								r.RemovedAt = at(99)
							}
							if err := tx.InsertRelation(k.Context(), &r); err != nil {
								return err
							}
							all = append(all, r)
						}
					}
				}
				return nil
			})
			source := map[int64]string{a.Num: "app", b.Num: "app", gone.Num: "app", other.Num: "other"}
			orphan := func(r engram.Relation) bool { return r.Source == gone.Num || r.Target == gone.Num }
			for _, tt := range []struct {
				name string
				f    engram.RelationFilter
				pass func(engram.Relation) bool
			}{
				{"all", engram.RelationFilter{}, func(engram.Relation) bool { return true }},
				{"judgments", engram.RelationFilter{Judgments: true}, engram.Relation.Judgment},
				{"pending", engram.RelationFilter{Statuses: []engram.RelationStatus{engram.RelationPending}}, func(r engram.Relation) bool { return r.Status == engram.RelationPending }},
				{"two verbs", engram.RelationFilter{Verbs: []engram.Verb{engram.VerbScoped, engram.VerbRelatesTo}},
					func(r engram.Relation) bool { return r.Verb == engram.VerbScoped || r.Verb == engram.VerbRelatesTo }},
				{"of a project", engram.RelationFilter{Project: "other"}, func(r engram.Relation) bool { return source[r.Source] == "other" }},
				{"of no project there is", engram.RelationFilter{Project: "nowhere"}, func(engram.Relation) bool { return false }},
				{"late ones", engram.RelationFilter{Since: at(30)}, func(r engram.Relation) bool { return !r.CreatedAt.Before(at(30)) }},
				{"live ends", engram.RelationFilter{Ends: engram.EndsLive, Judgments: true}, func(r engram.Relation) bool { return r.Judgment() && !orphan(r) }},
				{"forgotten ends", engram.RelationFilter{Ends: engram.EndsForgotten}, orphan},
			} {
				var want []string
				for _, r := range slices.Backward(all) {
					if !r.Removed() && tt.pass(r) {
						want = append(want, r.ID)
					}
				}
				k.view(func(r engram.Reader) error {
					got, total, err := r.ListRelations(k.Context(), tt.f, engram.Page{Limit: 1000})
					k.same(tt.name, idsOf(got), want)
					k.same(tt.name+": total", total, len(want))
					if err != nil || len(want) < 3 {
						return err
					}
					got, total, err = r.ListRelations(k.Context(), tt.f, engram.Page{Limit: 2, Offset: 1})
					k.same(tt.name+": a page", idsOf(got), want[1:3])
					k.same(tt.name+": total with a page", total, len(want))
					return err
				})
			}
		}},
	}
}

func idsOf(rs []engram.Relation) []string {
	var ids []string
	for _, r := range rs {
		ids = append(ids, r.ID)
	}
	return ids
}
