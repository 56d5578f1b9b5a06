package storetest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// journal appends entries and returns them with their Seq.
func (k *kit) journal(ms ...engram.Mutation) []engram.Mutation {
	k.Helper()
	for i := range ms {
		batch(k, engram.Tx.Append, &ms[i])
	}
	return ms
}

// entries returns the newest 100 entries about one thing, or of the whole journal.
func (k *kit) entries(entity engram.Entity, key string) []engram.Mutation {
	k.Helper()
	return read2(k, engram.Reader.Mutations, engram.JournalSpan{Entity: entity, Key: key}, engram.Page{Limit: 100})
}

func seqs(ms []engram.Mutation) []int64 {
	return every(ms, func(m engram.Mutation) int64 { return m.Seq })
}

func opsOf(ops []engram.Operation) []int64 {
	return every(ops, func(o engram.Operation) int64 { return o.Op })
}

func journalCases() []testCase {
	entry := func(entity engram.Entity, key string) engram.Mutation {
		return engram.Mutation{At: engram.Clock(0).Tick(at(1)), Actor: "cli", Operation: "save", Entity: entity, Key: key}
	}
	return []testCase{
		{"an empty journal has no last entry", func(k *kit) {
			k.same("newest", read0(k, engram.ReplicaReader.Head).Seq, 0)
			k.same("entries", len(k.entries("", "")), 0)
		}},
		{"an entry is read back unchanged, with its device", func(k *kit) {
			k.projects("app")
			want := engram.Mutation{At: engram.Clock(0).Tick(at(1)) + 7, Actor: "mcp:some agent", Operation: "update", Entity: engram.EntityMemory, Key: "12",
				Project: "app", Reason: "topic key", Was: json.RawMessage(`{"tags":["<a>","ü"],"importance":0.5}`)}
			want = k.journal(want)[0]
			k.same("seq and op", []int64{want.Seq, want.Op}, []int64{1, 1})
			got := k.entries("", "")[0]
			k.same("the entry says which store wrote it", got.Device != "", true)
			want.Device = got.Device
			k.same("entry", got, want)
			k.same("newest", read0(k, engram.ReplicaReader.Head).Seq, 1)
		}},
		{"a nil Was is distinguished from an empty one", func(k *kit) {
			empty := entry(engram.EntityMemory, "1")
			empty.Was = json.RawMessage(`{}`)
			k.journal(entry(engram.EntityMemory, "1"), empty)
			ms := k.entries(engram.EntityMemory, "1")
			k.same("was of the second", string(ms[0].Was), "{}")
			k.same("was of the first is nil", ms[1].Was == nil, true)
		}},
		{"entries of one operation share its first number", func(k *kit) {
			first := k.journal(entry(engram.EntityProject, "app"))[0]
			more := k.journal(entry(engram.EntityMemory, "1"))[0]
			k.same("a verb of its own", more.Op, more.Seq)
			third := entry(engram.EntityMemory, "2")
			third.Op = first.Op
			third = k.journal(third)[0]
			k.same("op kept", third.Op, first.Seq)
			ops := every(k.entries("", ""), func(m engram.Mutation) int64 { return m.Op })
			k.same("ops, newest first", ops, []int64{1, 2, 1})
		}},
		{"entries are listed newest first, of one thing or of all, in contiguous pages", func(k *kit) {
			for i := range 12 {
				k.journal(entry([]engram.Entity{engram.EntityMemory, engram.EntitySession, engram.EntityPrompt}[i%3], []string{"1", "12", "x y"}[i/3%3]))
			}
			for _, tt := range []struct {
				entity engram.Entity
				key    string
				want   []int64
			}{
				{"", "", []int64{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}},
				{engram.EntityMemory, "1", []int64{10, 1}},
				{engram.EntitySession, "1", []int64{11, 2}},
				{engram.EntityMemory, "12", []int64{4}},
				{engram.EntitySession, "12", []int64{5}},
				{engram.EntitySession, "x y", []int64{8}},
				{engram.EntityMemory, "99", []int64{}},
			} {
				k.same(fmt.Sprintf("entries of %q %q", tt.entity, tt.key), seqs(k.entries(tt.entity, tt.key)), tt.want)
				if len(tt.want) > 0 {
					k.same("in pages", seqs(pages(k, 5, func(r engram.Reader, p engram.Page) ([]engram.Mutation, error) {
						return r.Mutations(k.Context(), engram.JournalSpan{Entity: tt.entity, Key: tt.key}, p)
					})), tt.want)
				}
			}
		}},
		{"entries of a kind since a time are listed newest first, in contiguous pages", func(k *kit) {
			for i := range 12 {
				e := entry([]engram.Entity{engram.EntityMemory, engram.EntityPrompt}[i%2], "1")
				e.At = engram.Clock(0).Tick(at(i/2)) + engram.Clock(i%2) // two per second
				k.journal(e)
			}
			for _, tt := range []struct {
				name   string
				entity engram.Entity
				since  time.Time
				want   []int64
			}{
				{"the beginning of time", engram.EntityMemory, time.Time{}, []int64{11, 9, 7, 5, 3, 1}},
				{"the first", engram.EntityMemory, at(0), []int64{11, 9, 7, 5, 3, 1}},
				{"the third second", engram.EntityMemory, at(2), []int64{11, 9, 7, 5}},
				{"just after it", engram.EntityMemory, at(2).Add(time.Millisecond), []int64{11, 9, 7}},
				{"another kind", engram.EntityPrompt, at(4), []int64{12, 10}},
				{"a kind without entries", engram.EntitySession, at(0), []int64{}},
				{"the future", engram.EntityMemory, at(100), []int64{}},
			} {
				got := []int64{}
				span := engram.JournalSpan{Entity: tt.entity, After: read1(k, engram.Reader.SeqBefore, tt.since)}
				part := read2(k, engram.Reader.Mutations, span, engram.Page{Limit: 4})
				for len(part) > 0 {
					got, span.Before = append(got, seqs(part)...), part[len(part)-1].Seq
					part = read2(k, engram.Reader.Mutations, span, engram.Page{Limit: 4})
				}
				k.same("since "+tt.name, got, tt.want)
			}
		}},
		{"SeqBefore finds the last own entry before a time", func(k *kit) {
			for i := range 9 {
				e := entry(engram.EntityMemory, "1")
				e.At = engram.Clock(0).Tick(at(i/3*10)) + engram.Clock(i%3) // three at a time
				k.journal(e)
			}
			for since, want := range map[int]int64{-1: 0, 0: 0, 1: 3, 10: 3, 11: 6, 20: 6, 21: 9, 1000: 9} {
				k.same(fmt.Sprintf("before second %d", since), read1(k, engram.Reader.SeqBefore, at(since)), want)
			}
		}},
		{"FirstMade finds the first creation after an entry, and spans can be limited to changes", func(k *kit) {
			for i, key := range []string{"1", "2", "1", "3", "2", "4"} {
				e := entry(engram.EntityMemory, key)
				if e.Was = nil; i == 2 || i == 4 {
					e.Was = json.RawMessage(`{"type":"note"}`)
				}
				k.journal(e)
			}
			for after, want := range []string{"1", "2", "3", "3", "4", "4", ""} {
				got := read2(k, engram.Reader.FirstMade, engram.EntityMemory, int64(after))
				k.same(fmt.Sprintf("first made after entry %d", after), got, want)
			}
			k.same("first prompt", read2(k, engram.Reader.FirstMade, engram.EntityPrompt, 0), "")
			changes := read2(k, engram.Reader.Mutations, engram.JournalSpan{Entity: engram.EntityMemory, After: 1, Changes: true}, engram.Page{Limit: 10})
			k.same("changes after the first entry", seqs(changes), []int64{5, 3})
		}},
		{"operations can be listed after one and oldest first", func(k *kit) {
			k.projects("app")
			for i := range 6 {
				m := entry(engram.EntitySession, "s")
				m.Project = []string{"app", ""}[i%2]
				m = k.journal(m)[0]
				more := entry(engram.EntitySession, "t") // the second entry of the operation
				more.Op, more.Project = m.Op, m.Project
				k.journal(more)
			}
			for _, tt := range []struct {
				name string
				f    engram.JournalFilter
				want []int64
			}{
				{"all", engram.JournalFilter{}, []int64{11, 9, 7, 5, 3, 1}},
				{"after an operation", engram.JournalFilter{After: 5}, []int64{11, 9, 7}},
				{"after its last entry", engram.JournalFilter{After: 6}, []int64{11, 9, 7}},
				{"the oldest first", engram.JournalFilter{OldestFirst: true}, []int64{1, 3, 5, 7, 9, 11}},
				{"both, of a project", engram.JournalFilter{After: 2, OldestFirst: true, Project: "app"}, []int64{5, 9}},
				{"after the newest", engram.JournalFilter{After: 12}, []int64{}},
			} {
				k.same(tt.name, opsOf(read2(k, engram.Reader.Operations, tt.f, engram.Page{Limit: 100})), tt.want)
			}
		}},
		{"an entry outlives its project", func(k *kit) {
			k.projects("app")
			m := entry(engram.EntityProject, "app")
			m.Project = "app"
			k.journal(m)
			each(k, engram.Tx.DeleteProject, "app")
			k.same("entries", seqs(k.entries(engram.EntityProject, "app")), []int64{1})
		}},
		{"operations of a deleted project are found by its name", func(k *kit) {
			k.projects("app", "gone")
			for _, name := range []string{"app", "gone"} {
				m := entry(engram.EntityProject, name)
				m.Project, m.Operation = name, "project_prune"
				k.journal(m)
			}
			each(k, engram.Tx.DeleteProject, "gone")
			for _, tt := range []struct {
				name string
				f    engram.JournalFilter
				want []int64
			}{
				{"a project that is there", engram.JournalFilter{Project: "app"}, []int64{1}},
				{"a deleted one, not requested", engram.JournalFilter{Project: "gone"}, nil},
				{"a deleted one", engram.JournalFilter{Project: "gone", WithDeleted: true}, []int64{2}},
				{"an existing one, with deleted ones", engram.JournalFilter{Project: "app", WithDeleted: true}, []int64{1, 2}},
			} {
				k.view(func(r engram.Reader) error {
					ops, err := r.Operations(k.Context(), tt.f, engram.Page{Limit: 100})
					k.same(tt.name, slices.Sorted(slices.Values(opsOf(ops))), tt.want)
					if engram.CodeOf(err) == engram.CodeNotFound && tt.want == nil {
						return nil // a store may report the missing project
					}
					return err
				})
			}
		}},
		{"state and journal are written together or not at all", func(k *kit) {
			k.save()
			m := k.draft()
			e := entry(engram.EntityMemory, "2")
			k.refused("update", engram.CodeInvalid, func(tx engram.Tx) error {
				err := errors.Join(tx.InsertMemory(k.Context(), &m), tx.Append(k.Context(), &e))
				return cmp.Or[error](err, engram.Errorf(engram.CodeInvalid, "no"))
			})
			k.same("entries", len(k.entries("", "")), 0)
			k.same("memories", len(k.list(engram.Filter{})), 1)
		}},
	}
}

func historyCases() []testCase {
	return []testCase{
		{"revisions are read back unchanged, oldest first", func(k *kit) {
			m, other := k.save(), k.save()
			var want []engram.Revision
			for i := range 3 {
				want = append(want, engram.Revision{Memory: m.Num, Number: i + 1, Type: engram.TypeBugfix, Title: fmt.Sprintf("was %d", i),
					Content: "text\n\"old\"", WrittenAt: at(i), ReplacedAt: at(i + 1), Reason: "topic key"})
			}
			// Replicas may insert them in any order.
			batch(k, engram.Tx.InsertRevision, want[1], want[0], want[2], revision(other, 1))
			k.same("revisions", readAll(k, engram.Reader.Revisions, m.Num), want)
		}},
		{"a memory that never changed has no revisions", func(k *kit) {
			m := k.save()
			k.same("revisions", len(readAll(k, engram.Reader.Revisions, m.Num)), 0)
		}},
		{"Neighbours returns live memories of the session, each side oldest first", func(k *kit) {
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
				earlier, later := look(k, func(r engram.Reader) ([]engram.Memory, []engram.Memory, error) {
					return r.Neighbours(k.Context(), "s-0", tt.num, tt.before, tt.after)
				})
				k.same(tt.name+": earlier", nums(earlier), tt.earlier)
				k.same(tt.name+": later", nums(later), tt.later)
			}
		}},
		{"relations are read back unchanged from either end, oldest first, each once", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			rs := []engram.Relation{
				{ID: "rel-1", Source: a.Num, Target: b.Num, Verb: engram.VerbSupersedes, Status: engram.RelationJudged, Strength: 0.75,
					Reason: "newer", Evidence: "both name it", Confidence: 0.5, Actor: "agent", ActorKind: "agent", Model: "m-1", SessionID: "s-app",
					CreatedAt: at(1), UpdatedAt: at(2)},
				{ID: "rel-2", Source: c.Num, Target: a.Num, Verb: engram.VerbRelatesTo, Status: engram.RelationPending, CreatedAt: at(3), UpdatedAt: at(3)},
				{ID: "rel-3", Source: b.Num, Target: c.Num, Verb: engram.VerbScoped, Status: engram.RelationIgnored, CreatedAt: at(4), UpdatedAt: at(4)},
			}
			batch(k, engram.Tx.InsertRelation, &rs[0], &rs[1], &rs[2])
			for _, tt := range []struct {
				of   []int64
				want []engram.Relation
			}{
				{[]int64{a.Num}, rs[:2]}, {[]int64{b.Num}, []engram.Relation{rs[0], rs[2]}}, {[]int64{c.Num, b.Num, a.Num}, rs}, {[]int64{99}, nil}, {[]int64{}, nil},
			} {
				k.same(fmt.Sprintf("relations of %v", tt.of), k.related(tt.of...), tt.want)
			}
		}},
		{"a duplicate relation is a conflict, another verb or direction is not", func(k *kit) {
			a, b := k.save(), k.save()
			first := k.relation(1, a.Num, engram.VerbRelatesTo, b.Num)
			k.relation(2, a.Num, engram.VerbCausedBy, b.Num)
			k.relation(3, b.Num, engram.VerbRelatesTo, a.Num)
			first.Num = 0 // those that follow get their own
			again, scoped := first, first
			again.ID, scoped.ID, scoped.Verb = "rel-again", "rel-scoped", engram.VerbScoped
			k.refused("again", engram.CodeConflict, func(tx engram.Tx) error { return tx.InsertRelation(k.Context(), &again) })
			k.update(func(tx engram.Tx) error {
				err := tx.InsertRelation(k.Context(), &again)
				k.same("code inside a transaction that goes on", engram.CodeOf(err), engram.CodeConflict)
				return tx.InsertRelation(k.Context(), &scoped)
			})
			k.same("relations", len(k.related(a.Num)), 4)
		}},
	}
}
