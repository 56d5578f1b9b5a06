package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// relationCases are about lists of relations; historyCases test reading them.
func relationCases() []testCase {
	return []testCase{
		{"relations are listed newest first, by kind and by the state of their memories", func(k *kit) {
			a, b, gone, other := k.save(), k.save(), k.save(), k.save(in("other"))
			k.forget(gone, 90)
			var all []engram.Relation // by number
			for _, ends := range [][2]int64{{a.Num, b.Num}, {gone.Num, a.Num}, {other.Num, b.Num}} {
				for _, verb := range engram.Verbs() {
					for i, status := range []engram.RelationStatus{engram.RelationJudged, engram.RelationPending} {
						n := len(all) + 1
						all = append(all, k.relation(n, ends[i], verb, ends[1-i], func(r *engram.Relation) {
							r.Status, r.Confidence = status, float64(n%2)/2
							if n%7 == 0 {
								r.RemovedAt = at(99)
							}
						}))
					}
				}
			}
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
				got, total := k.listed(tt.f, engram.Page{Limit: 1000})
				k.same(tt.name, idsOf(got), want)
				k.same(tt.name+": total", total, len(want))
				if len(want) >= 3 {
					got, total = k.listed(tt.f, engram.Page{Limit: 2, Offset: 1})
					k.same(tt.name+": a page", idsOf(got), want[1:3])
					k.same(tt.name+": total with a page", total, len(want))
				}
			}
		}},
	}
}

// listed returns a page of the relations that pass f, and how many pass.
func (k *kit) listed(f engram.RelationFilter, p engram.Page) ([]engram.Relation, int) {
	k.Helper()
	return read2(k, engram.Reader.Relations, f, p), read1(k, engram.Reader.CountRelations, f)
}

func idsOf(rs []engram.Relation) []string {
	return every(rs, func(r engram.Relation) string { return r.ID })
}

// relation adds a relation that was judged, made n seconds into the day.
func (k *kit) relation(n int, source int64, verb engram.Verb, target int64, change ...func(*engram.Relation)) engram.Relation {
	k.Helper()
	r := engram.Relation{ID: fmt.Sprintf("%s%016x", engram.RelationIDPrefix, n), Source: source, Target: target, Verb: verb,
		Status: engram.RelationJudged, Strength: 1, CreatedAt: at(n), UpdatedAt: at(n)}
	for _, c := range change {
		c(&r)
	}
	batch(k, engram.Tx.InsertRelation, &r)
	return r
}

// unrelate removes r, n seconds into the day.
func (k *kit) unrelate(n int, r engram.Relation) engram.Relation {
	k.Helper()
	r.RemovedAt, r.UpdatedAt = at(n), at(n)
	each(k, engram.Tx.ReplaceRelation, r)
	return r
}

func (k *kit) relations(f engram.RelationFilter) []engram.Relation {
	k.Helper()
	return read2(k, engram.Reader.Relations, f, engram.Page{Limit: 100})
}

// related returns the relations of memories, oldest first.
func (k *kit) related(memories ...int64) []engram.Relation {
	k.Helper()
	return k.relations(engram.RelationFilter{Of: memories, OldestFirst: true})
}

// words describes relations in a few words each, in order.
func words(rs []engram.Relation) []string {
	return every(rs, func(r engram.Relation) string { return fmt.Sprintf("%d %s %d", r.Source, r.Verb, r.Target) })
}

// relationWriteCases are about removing, counting and finding relations by their ends.
func relationWriteCases() []testCase {
	return []testCase{
		{"a removed relation is found only by its number or id", func(k *kit) {
			a, b := k.save(), k.save()
			kept, gone := k.relation(1, a.Num, engram.VerbRelatesTo, b.Num), k.relation(2, a.Num, engram.VerbSupersedes, b.Num)
			gone = k.unrelate(3, gone)
			want := []string{"1 relates_to 2"}
			k.same("relations", words(k.related(a.Num)), want)
			k.same("of each verb", words(k.relations(engram.RelationFilter{Of: []int64{b.Num}, Most: 9})), want)
			k.same("between the two", words(k.relations(engram.RelationFilter{Of: []int64{b.Num}, With: []int64{a.Num}, OldestFirst: true})), want)
			rs, total := k.listed(engram.RelationFilter{}, engram.Page{Limit: 9})
			k.same("listed", fmt.Sprint(len(rs), total), "1 1")
			k.same("by its number", read1(k, engram.Reader.Relation, engram.RelationRef{Num: gone.Num}), gone)
			k.same("by its id", read1(k, engram.Reader.Relation, engram.RelationRef{ID: gone.ID}), gone)
			k.same("one that is there", read1(k, engram.Reader.Relation, engram.RelationRef{ID: kept.ID}), kept)
			for _, ref := range []engram.RelationRef{{Num: 99}, {ID: "rel-none"}} {
				failing(k, engram.CodeNotFound, engram.Reader.Relation, ref)
			}
		}},
		{"removed relations are listed since a time, from either end", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			k.unrelate(10, k.relation(1, a.Num, engram.VerbRelatesTo, b.Num))
			k.unrelate(20, k.relation(2, c.Num, engram.VerbRelatesTo, a.Num))
			k.unrelate(30, k.relation(3, b.Num, engram.VerbRelatesTo, c.Num))
			k.relation(4, a.Num, engram.VerbCausedBy, b.Num)
			for _, tt := range []struct {
				of    []int64
				since time.Time
				want  []string
			}{
				{[]int64{a.Num}, time.Time{}, []string{"1 relates_to 2", "3 relates_to 1"}},
				{[]int64{a.Num}, at(10), []string{"1 relates_to 2", "3 relates_to 1"}},
				{[]int64{a.Num}, at(11), []string{"3 relates_to 1"}},
				{[]int64{a.Num, b.Num, c.Num}, at(20), []string{"3 relates_to 1", "2 relates_to 3"}},
				{[]int64{a.Num}, at(21), nil},
				{[]int64{}, at(0), nil},
			} {
				got := words(k.relations(engram.RelationFilter{Of: tt.of, Removed: true, RemovedSince: tt.since, OldestFirst: true}))
				k.same(fmt.Sprintf("removed of %v since %v", tt.of, tt.since), got, tt.want)
			}
		}},
		{"a removed relation can be created again, and restored only if it was not", func(k *kit) {
			a, b := k.save(), k.save()
			first := k.unrelate(2, k.relation(1, a.Num, engram.VerbRelatesTo, b.Num))
			second := k.relation(3, a.Num, engram.VerbRelatesTo, b.Num)
			back := first
			back.RemovedAt = time.Time{}
			k.refused("both at once", engram.CodeConflict, func(tx engram.Tx) error { return tx.ReplaceRelation(k.Context(), back) })
			k.unrelate(4, second)
			each(k, engram.Tx.ReplaceRelation, back)
			k.same("relations", k.related(b.Num), []engram.Relation{back})
		}},
		{"replacing a relation keeps its id, its ends and its creation time", func(k *kit) {
			a, b := k.save(), k.save()
			was := k.relation(1, a.Num, engram.VerbContradicts, b.Num, func(r *engram.Relation) { r.Status = engram.RelationPending })
			now := engram.Relation{Num: was.Num, ID: "rel-other", Source: b.Num, Target: a.Num, Verb: engram.VerbScoped, Status: engram.RelationJudged,
				Strength: 0.5, Reason: "r", Evidence: "e", Confidence: 0.25, Actor: "agent", ActorKind: "human", Model: "m", SessionID: "s",
				CreatedAt: at(7), UpdatedAt: at(8)}
			each(k, engram.Tx.ReplaceRelation, now)
			want := now
			want.ID, want.Source, want.Target, want.CreatedAt = was.ID, was.Source, was.Target, was.CreatedAt
			k.same("relation", read1(k, engram.Reader.Relation, engram.RelationRef{Num: was.Num}), want)
			k.relation(9, a.Num, engram.VerbRelatesTo, b.Num)
			want.Verb = engram.VerbRelatesTo
			k.refused("a verb that the pair has", engram.CodeConflict, func(tx engram.Tx) error { return tx.ReplaceRelation(k.Context(), want) })
			want.Num = 99
			k.refused("one that does not exist", engram.CodeNotFound, func(tx engram.Tx) error { return tx.ReplaceRelation(k.Context(), want) })
		}},
		{"a relation keeps the number that it comes with, and the next one is greater", func(k *kit) {
			ms := k.saveMany(4, func(int, *engram.Memory) {})
			for _, num := range []int64{7, 9} {
				if r := k.relation(int(num), ms[0].Num, engram.VerbRelatesTo, ms[num/4].Num, func(r *engram.Relation) { r.Num = num }); r.Num != num {
					k.Errorf("relation %d has the number %d", num, r.Num)
				}
			}
			if r := k.relation(20, ms[2].Num, engram.VerbRelatesTo, ms[3].Num); r.Num != 10 {
				k.Errorf("the next one has the number %d, want 10", r.Num)
			}
			k.refused("a number that is taken", engram.CodeConflict, func(tx engram.Tx) error {
				return tx.InsertRelation(k.Context(), &engram.Relation{Num: 9, ID: "rel-9", Source: ms[0].Num, Target: ms[3].Num,
					Verb: engram.VerbRelatesTo, Status: engram.RelationJudged, CreatedAt: at(1), UpdatedAt: at(1)})
			})
		}},
		{"relations need memories that exist", func(k *kit) {
			a := k.save()
			for i, ends := range [][2]int64{{a.Num, 99}, {99, a.Num}} {
				k.refused("a missing end", engram.CodeConflict, func(tx engram.Tx) error {
					return tx.InsertRelation(k.Context(), &engram.Relation{ID: fmt.Sprint("rel-", i), Source: ends[0], Target: ends[1],
						Verb: engram.VerbRelatesTo, Status: engram.RelationJudged, CreatedAt: at(1), UpdatedAt: at(1)})
				})
			}
		}},
		{"RelationsOf returns the newest per memory, verb and direction, oldest first", func(k *kit) {
			hub := k.save()
			others := k.saveMany(6, func(int, *engram.Memory) {})
			for i, m := range others {
				k.relation(10+i, hub.Num, engram.VerbRelatesTo, m.Num)
				k.relation(20+i, m.Num, engram.VerbRelatesTo, hub.Num)
				k.relation(30+i, m.Num, engram.VerbCausedBy, hub.Num)
			}
			k.relation(40, others[0].Num, engram.VerbSupersedes, hub.Num)
			k.relation(41, others[0].Num, engram.VerbScoped, others[1].Num)
			for _, tt := range []struct {
				name  string
				of    []int64
				verbs []engram.Verb
				most  int
				want  []string
			}{
				{"of one verb", []int64{hub.Num}, []engram.Verb{engram.VerbRelatesTo}, 2, []string{"1 relates_to 6", "6 relates_to 1", "1 relates_to 7", "7 relates_to 1"}},
				{"of a verb that is said once", []int64{hub.Num}, []engram.Verb{engram.VerbSupersedes}, 2, []string{"2 supersedes 1"}},
				{"of every verb", []int64{hub.Num}, nil, 1, []string{"1 relates_to 7", "7 relates_to 1", "7 caused_by 1", "2 supersedes 1"}},
				{"of several memories, each relation once", []int64{others[1].Num, others[0].Num}, []engram.Verb{engram.VerbScoped, engram.VerbSupersedes}, 5,
					[]string{"2 supersedes 1", "2 scoped 3"}},
				{"of none", nil, nil, 5, nil},
				{"of no verb", []int64{hub.Num}, []engram.Verb{}, 5, nil},
				{"of a memory that does not exist", []int64{99}, nil, 5, nil},
			} {
				k.same(tt.name, words(k.relations(engram.RelationFilter{Of: tt.of, Verbs: tt.verbs, Most: tt.most})), tt.want)
			}
			to := func(of []int64, verbs []engram.Verb, most int) []string {
				return words(k.relations(engram.RelationFilter{Of: of, Verbs: verbs, Most: most, Incoming: true}))
			}
			k.same("only to the memory", to([]int64{hub.Num}, nil, 1), []string{"7 relates_to 1", "7 caused_by 1", "2 supersedes 1"})
			k.same("only to several memories", to([]int64{hub.Num, others[0].Num}, []engram.Verb{engram.VerbSupersedes, engram.VerbRelatesTo}, 1),
				[]string{"1 relates_to 2", "7 relates_to 1", "2 supersedes 1"})
		}},
		{"RelationsBetween returns both directions and nothing else", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			k.relation(1, a.Num, engram.VerbRelatesTo, b.Num)
			k.relation(2, b.Num, engram.VerbCausedBy, a.Num)
			k.relation(3, a.Num, engram.VerbRelatesTo, c.Num)
			for _, pair := range [][2]int64{{a.Num, b.Num}, {b.Num, a.Num}} {
				got := words(k.relations(engram.RelationFilter{Of: []int64{pair[0]}, With: []int64{pair[1], 99}, OldestFirst: true}))
				k.same(fmt.Sprint("between ", pair), got, []string{"1 relates_to 2", "2 caused_by 1"})
			}
			k.same("between two that are not related", len(k.relations(engram.RelationFilter{Of: []int64{b.Num}, With: []int64{c.Num}})), 0)
		}},
		{"a list of current memories leaves out those superseded by live ones", func(k *kit) {
			old, young, pending, tied, ignored := k.save(), k.save(), k.save(), k.save(), k.save()
			r := k.relation(1, young.Num, engram.VerbSupersedes, old.Num)
			k.relation(2, young.Num, engram.VerbSupersedes, pending.Num, func(r *engram.Relation) { r.Status = engram.RelationPending })
			k.relation(3, young.Num, engram.VerbEvolvedFrom, tied.Num)
			k.relation(4, young.Num, engram.VerbSupersedes, ignored.Num, func(r *engram.Relation) { r.Status = engram.RelationIgnored })
			all := []int64{ignored.Num, tied.Num, pending.Num, young.Num, old.Num}
			k.same("all", nums(k.list(engram.Filter{})), all)
			k.same("current", nums(k.list(engram.Filter{Current: true})), all[:4])
			young = k.forget(young, 60)
			k.same("when the newer one is forgotten", nums(k.list(engram.Filter{Current: true})), []int64{ignored.Num, tied.Num, pending.Num, old.Num})
			k.replace(young, func(m *engram.Memory) { m.DeletedAt = time.Time{} })
			k.unrelate(70, r)
			k.same("when the relation is removed", nums(k.list(engram.Filter{Current: true})), all)
		}},
		{"a memory outside the filter supersedes nothing within it", func(k *kit) {
			fact, decision, rule := k.save(typed("fact")), k.save(typed("decision")), k.save(typed("fact"))
			k.relation(1, decision.Num, engram.VerbSupersedes, fact.Num)
			for _, tt := range []struct {
				name string
				f    engram.Filter
				want []int64
			}{
				{"all", engram.Filter{}, []int64{rule.Num, decision.Num}},
				{"facts", engram.Filter{Types: []engram.Type{"fact"}}, []int64{rule.Num, fact.Num}},
				{"both", engram.Filter{Types: []engram.Type{"fact", "decision"}}, []int64{rule.Num, decision.Num}},
				{"before the newer one", engram.Filter{Until: decision.CreatedAt}, []int64{fact.Num}},
			} {
				tt.f.Current = true
				k.same(tt.name, nums(k.list(tt.f)), tt.want)
			}
		}},
		{"an erase removes the memory's relations, also removed ones, and their texts in the journal", func(k *kit) {
			const secret = "xyzzysecret"
			a, b, c := k.save(), k.save(), k.save()
			gone := k.unrelate(2, k.relation(1, a.Num, engram.VerbRelatesTo, b.Num, func(r *engram.Relation) { r.Reason = secret }))
			there := k.relation(3, b.Num, engram.VerbContradicts, a.Num, func(r *engram.Relation) { r.Evidence = secret })
			kept := k.relation(4, b.Num, engram.VerbRelatesTo, c.Num, func(r *engram.Relation) { r.Reason = "kept" })
			for _, r := range []engram.Relation{gone, there, kept} {
				k.journal(engram.Mutation{Actor: "cli", Operation: "link", Entity: engram.EntityRelation, Key: fmt.Sprint(r.Num), Reason: r.Reason,
					Was: json.RawMessage(`{"reason":"` + r.Reason + r.Evidence + `"}`)})
			}
			k.erase(a)
			for _, r := range []engram.Relation{gone, there} {
				failing(k, engram.CodeNotFound, engram.Reader.Relation, engram.RelationRef{ID: r.ID})
				if all := fmt.Sprintf("%+v", texts(k.entries(engram.EntityRelation, fmt.Sprint(r.Num)))); strings.Contains(all, secret) {
					k.Errorf("the journal still holds what relation %d said: %s", r.Num, all)
				}
			}
			k.same("the other relation keeps its text", string(k.entries(engram.EntityRelation, fmt.Sprint(kept.Num))[0].Was), `{"reason":"kept"}`)
			k.same("relations", words(k.related(b.Num)), []string{"2 relates_to 3"})
		}},
	}
}

// texts returns the texts of journal entries.
func texts(ms []engram.Mutation) []string {
	return every(ms, func(m engram.Mutation) string { return m.Reason + " " + string(m.Was) })
}
