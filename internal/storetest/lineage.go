package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// lineageOf reads the lineage of a thing; nil when it has none.
func (k *kit) lineageOf(entity engram.Entity, key string) (l *engram.CausalMetadata) {
	k.Helper()
	k.view(func(r engram.Reader) error {
		all, err := r.CausalMetadata(k.Context(), entity, []string{key, "999"})
		if found, known := all[key]; known {
			l = &found
		}
		return err
	})
	return l
}

// pulled expects that of batches b1 to b3 these have nothing more to give to a project.
func (k *kit) pulled(project string, batches ...string) {
	k.Helper()
	want := map[string]bool{}
	for _, b := range batches {
		want[b] = true
	}
	k.view(func(r engram.Reader) error {
		got, err := r.Pulled(k.Context(), project, []string{"b1", "b2", "b3"})
		k.same(fmt.Sprintf("pulled for %q", project), got, want)
		return err
	})
}

// stamped puts a lineage that was made at a clock here.
func (k *kit) stamped(entity engram.Entity, key string, at engram.Clock) engram.CausalMetadata {
	k.Helper()
	l := engram.CausalMetadata{Base: engram.VersionStamp{At: at, Device: k.device()}}
	k.update(func(tx engram.Tx) error { return tx.PutCausalMetadata(k.Context(), entity, key, l) })
	return l
}

func (k *kit) device() (id string) {
	k.Helper()
	k.view(func(r engram.Reader) (err error) {
		id, err = r.Device(k.Context())
		return err
	})
	return id
}

func (k *kit) replicated(entity engram.Entity, key string, digest int64, batches ...string) {
	k.Helper()
	k.update(func(tx engram.Tx) error { return tx.PutReplicated(k.Context(), entity, key, digest, batches) })
}

// unreplicated returns the keys, which are counted too.
func (k *kit) unreplicated(entity engram.Entity, project string, batches ...string) (keys []string) {
	k.Helper()
	k.view(func(r engram.Reader) (err error) {
		after := ""
		for { // page by page
			page, err := r.Unreplicated(k.Context(), entity, project, batches, after, 2)
			if err != nil || len(page) == 0 {
				if err != nil {
					return err
				}
				break
			}
			keys, after = append(keys, page...), page[len(page)-1]
		}
		n, err := r.CountUnreplicated(k.Context(), entity, project, batches)
		k.same("counted as uncarried", n, len(keys))
		return err
	})
	return keys
}

func key(num int64) string { return fmt.Sprint(num) }

func lineageCases() []testCase {
	return []testCase{
		{"a lineage is read as it was put, whosever its stamps are", func(k *kit) {
			m, own := k.save(), k.device()
			for _, l := range []engram.CausalMetadata{
				{Base: engram.VersionStamp{At: 7, Device: own}},
				{Base: engram.VersionStamp{At: 7, Device: "other"}},
				{},
				{Base: engram.VersionStamp{Device: "~0123abcd"}},
				{Base: engram.VersionStamp{At: 7, Device: own}, Past: math.MinInt64 + 1},
				{Base: engram.VersionStamp{At: 1 << 60, Device: own}, Parts: map[engram.Part]engram.VersionStamp{
					engram.PartText: {At: 9, Device: own}, "type": {At: 8, Device: "other"}, "scope": {}},
					Sets:     map[string]engram.Dots{"a tag": {own: {Added: 3, Removed: 4}, "other": {Added: 5}}, "": {"other": {Removed: 2}}},
					Counts:   map[string]engram.Count{"other": {Accesses: 3, Repeats: 1}},
					Shadowed: map[engram.Part]json.RawMessage{"topic_key": json.RawMessage(`"a/b"`)}},
			} {
				want := l.Clone()
				k.update(func(tx engram.Tx) error { return tx.PutCausalMetadata(k.Context(), engram.EntityMemory, key(m.Num), l) })
				if got := k.lineageOf(engram.EntityMemory, key(m.Num)); got == nil || !reflect.DeepEqual(*got, want) || got.Digest() != want.Digest() {
					k.Errorf("lineage\n got %+v\nwant %+v", got, want)
				}
				if !reflect.DeepEqual(l, want) {
					k.Errorf("what was put became %+v, want %+v", l, want)
				}
			}
		}},
		{"lineages of several kinds and names do not meet", func(k *kit) {
			k.stamped(engram.EntityMemory, "1", 1)
			k.stamped(engram.EntityPrompt, "1", 2)
			k.stamped(engram.EntitySession, "1", 3)
			k.stamped(engram.EntitySession, "s-app", 4)
			k.stamped(engram.EntityProject, "app", 5)
			for _, tt := range []struct {
				entity engram.Entity
				key    string
				want   engram.Clock
			}{{engram.EntityMemory, "1", 1}, {engram.EntityPrompt, "1", 2}, {engram.EntitySession, "1", 3}, {engram.EntitySession, "s-app", 4}, {engram.EntityProject, "app", 5}} {
				if got := k.lineageOf(tt.entity, tt.key); got == nil || got.Base.At != tt.want {
					k.Errorf("%s %s: got %+v, want one of clock %d", tt.entity, tt.key, got, tt.want)
				}
			}
			if got := k.lineageOf(engram.EntityRelation, "1"); got != nil {
				k.Errorf("a relation that has none: got %+v", got)
			}
		}},
		{"what is held is found by its part, and no longer when it is not", func(k *kit) {
			k.stamped(engram.EntityMemory, "1", 1)
			held := engram.CausalMetadata{Shadowed: map[engram.Part]json.RawMessage{"topic_key": json.RawMessage(`"a"`)}}
			k.update(func(tx engram.Tx) error {
				for _, num := range []string{"2", "10"} {
					if err := tx.PutCausalMetadata(k.Context(), engram.EntityMemory, num, held); err != nil {
						return err
					}
				}
				return nil
			})
			back := func(part engram.Part) (keys []string) {
				k.view(func(r engram.Reader) (err error) {
					keys, err = r.Shadowed(k.Context(), engram.EntityMemory, part)
					return err
				})
				return keys
			}
			k.same("held topics", back("topic_key"), []string{"2", "10"})
			k.same("held deletions", back(engram.PartDeleted), []string{})
			for topic, want := range map[string][]string{"a": {"2", "10"}, "b": nil} {
				k.view(func(r engram.Reader) error {
					keys, err := r.ShadowedTopic(k.Context(), topic)
					k.same("who holds topic "+topic, keys, want)
					return err
				})
			}
			k.stamped(engram.EntityMemory, "2", 1)
			k.same("held topics afterwards", back("topic_key"), []string{"10"})
		}},
		{"the clock is that of the journal and of all that was seen", func(k *kit) {
			latest := func() (c engram.Clock) {
				k.view(func(r engram.Reader) (err error) {
					c, err = r.LatestClock(k.Context())
					return err
				})
				return c
			}
			see := func(c engram.Clock) {
				k.update(func(tx engram.Tx) error { return tx.SeeClock(k.Context(), c) })
			}
			k.same("at first", latest(), 0)
			see(50)
			see(20)
			k.same("what was seen", latest(), 50)
			k.save()
			k.journal(engram.Mutation{At: 70, Actor: "cli", Operation: "save", Entity: engram.EntityMemory, Key: "1", Project: "app"})
			k.same("what was written", latest(), 70)
			see(60)
			k.same("what was seen late", latest(), 70)
		}},
		{"a move stamps all that is in a project and nothing else", func(k *kit) {
			mine, theirs := k.save(), k.save(func(m *engram.Memory) { m.Project, m.SessionID = "web", "s-web" })
			p := k.ask("app", "s-app", "why?", 1)
			for _, name := range []struct {
				entity engram.Entity
				key    string
			}{{engram.EntityMemory, key(mine.Num)}, {engram.EntityMemory, key(theirs.Num)}, {engram.EntityPrompt, key(p.Num)}, {engram.EntitySession, "s-app"}} {
				k.stamped(name.entity, name.key, 1)
			}
			s := engram.VersionStamp{At: 9, Device: k.device()}
			k.update(func(tx engram.Tx) error { return tx.StampProject(k.Context(), "app", "project", s) })
			k.same("the memory", k.lineageOf(engram.EntityMemory, key(mine.Num)).Of("project"), s)
			k.same("its text", k.lineageOf(engram.EntityMemory, key(mine.Num)).Of(engram.PartText).At, 1)
			k.same("the prompt", k.lineageOf(engram.EntityPrompt, key(p.Num)).Of("project"), s)
			k.same("the session", k.lineageOf(engram.EntitySession, "s-app").Of("project"), s)
			k.same("another's memory", k.lineageOf(engram.EntityMemory, key(theirs.Num)).Of("project").At, 1)
		}},
		{"the write that a revision comes from is kept", func(k *kit) {
			m, own := k.save(), k.device()
			stamps := []engram.VersionStamp{{At: 5, Device: own}, {At: 6, Device: "other"}, {}}
			k.update(func(tx engram.Tx) error {
				for i, s := range stamps {
					if err := tx.InsertRevision(k.Context(), engram.Revision{Memory: m.Num, Number: i + 1, Type: m.Type, Title: "t", Content: "c",
						WrittenAt: at(1), ReplacedAt: at(2), Stamp: s}); err != nil {
						return err
					}
				}
				return nil
			})
			k.view(func(r engram.Reader) error {
				rs, err := r.Revisions(k.Context(), m.Num)
				for i, s := range stamps {
					k.same(fmt.Sprintf("revision %d", i+1), rs[i].Stamp, s)
				}
				return err
			})
		}},
		{"what is erased leaves no lineage", func(k *kit) {
			const secret = "xyzzysecret"
			m, other := k.save(), k.save()
			relation := k.relation(1, m.Num, engram.VerbCausedBy, other.Num)
			p := k.ask("app", "s-app", "why?", 1)
			marked := engram.CausalMetadata{Sets: map[string]engram.Dots{secret: {"a": {Added: 1}}}}
			k.update(func(tx engram.Tx) error {
				for _, name := range []struct {
					entity engram.Entity
					key    string
				}{{engram.EntityMemory, key(m.Num)}, {engram.EntityMemory, key(other.Num)}, {engram.EntityRelation, key(relation.Num)}, {engram.EntityPrompt, key(p.Num)}} {
					if err := tx.PutCausalMetadata(k.Context(), name.entity, name.key, marked); err != nil {
						return err
					}
				}
				return tx.PutDeferred(k.Context(), &engram.Deferred{Record: engram.Record{Memory: &engram.MemoryRecord{Memory: m}}, Project: "app", Batch: "b", Why: engram.DeferredReview, FirstAt: at(1), LastAt: at(1)})
			})
			k.replicated(engram.EntityMemory, key(m.Num), marked.Digest(), "b1")
			k.update(func(tx engram.Tx) error {
				if err := tx.EraseMemory(k.Context(), m.Num); err != nil {
					return err
				}
				return tx.ErasePrompt(k.Context(), p.Num)
			})
			k.same("the memory has one", k.lineageOf(engram.EntityMemory, key(m.Num)) != nil, false)
			k.same("its relation has one", k.lineageOf(engram.EntityRelation, key(relation.Num)) != nil, false)
			k.same("the prompt has one", k.lineageOf(engram.EntityPrompt, key(p.Num)) != nil, false)
			k.same("another memory has one", k.lineageOf(engram.EntityMemory, key(other.Num)) != nil, true)
			k.view(func(r engram.Reader) error {
				carriers, err := r.ReplicatedBy(k.Context(), engram.EntityMemory, key(m.Num), marked.Digest())
				if err != nil {
					return err
				}
				k.same("batches that are known to carry it", len(carriers), 0)
				waits, err := r.Deferred(k.Context(), "", 0, 10)
				k.same("what waits of it", len(waits), 0)
				return err
			})
		}},
		{"a session that was deleted is known by its lineage, an erased one is not", func(k *kit) {
			k.update(func(tx engram.Tx) error {
				for _, s := range []string{"s-1", "s-2", "s-3"} {
					if err := k.ensure(tx, "app", s); err != nil {
						return err
					}
					if err := tx.PutCausalMetadata(k.Context(), engram.EntitySession, s, engram.CausalMetadata{Base: engram.VersionStamp{At: 1, Device: "a"}}); err != nil {
						return err
					}
				}
				if err := tx.PutCausalMetadata(k.Context(), engram.EntitySession, "s-never", engram.CausalMetadata{}); err != nil {
					return err
				}
				if err := tx.PutTombstone(k.Context(), "s-never", "app"); err != nil {
					return err
				}
				if err := tx.DeleteSession(k.Context(), "s-1"); err != nil {
					return err
				}
				return tx.EraseSession(k.Context(), "s-2")
			})
			k.view(func(r engram.Reader) error {
				for project, want := range map[string]string{"app": "[s-1 of app s-never of app]", "": "[s-1 of app s-never of app]", "web": "[]"} {
					gone, err := r.SessionTombstones(k.Context(), project, "", 10)
					if err != nil {
						return err
					}
					names := []string{}
					for _, s := range gone {
						names = append(names, s.ID+" of "+s.Project)
					}
					k.same("gone of "+project, names, want)
				}
				erased, err := r.ErasedAfter(k.Context(), engram.EntitySession, "", 10)
				k.same("erased", len(erased), 1)
				k.same("its name and project", erased[0].ID+" "+erased[0].Project, "s-2 app")
				return err
			})
			k.same("not carried", k.unreplicated(engram.EntitySession, "app"), []string{"s-1", "s-3", "s-never"})
		}},
	}
}

func replicatedCases() []testCase {
	return []testCase{
		{"what no batch of a remote carries is told, by number, page by page", func(k *kit) {
			var want []string
			for range 12 {
				m := k.save()
				k.stamped(engram.EntityMemory, key(m.Num), engram.Clock(m.Num))
				want = append(want, key(m.Num))
			}
			k.save() // without a lineage
			k.same("at first", k.unreplicated(engram.EntityMemory, "app"), want)
			l := *k.lineageOf(engram.EntityMemory, "3")
			k.replicated(engram.EntityMemory, "3", l.Digest(), "b1")
			k.replicated(engram.EntityMemory, "5", l.Digest(), "b1") // another state of it
			without := append(append([]string{}, want[:2]...), want[3:]...)
			k.same("with the batch", k.unreplicated(engram.EntityMemory, "app", "b0", "b1"), without)
			k.same("when the batch is gone", k.unreplicated(engram.EntityMemory, "app", "b0"), want)
			k.same("of every project", k.unreplicated(engram.EntityMemory, "", "b1"), without)
			k.same("of a project that does not exist", k.unreplicated(engram.EntityMemory, "nope", "b1"), []string{})
			k.stamped(engram.EntityMemory, "3", 100)
			k.same("after a change", k.unreplicated(engram.EntityMemory, "app", "b1"), want)
		}},
		{"a state that two batches make together is there with both of them", func(k *kit) {
			m := k.save()
			l := k.stamped(engram.EntityMemory, key(m.Num), 1)
			k.replicated(engram.EntityMemory, key(m.Num), l.Digest(), "b2", "b1")
			k.replicated(engram.EntityMemory, key(m.Num), l.Digest(), "b1", "b2")
			k.same("with one", k.unreplicated(engram.EntityMemory, "app", "b1"), []string{key(m.Num)})
			k.same("with both", k.unreplicated(engram.EntityMemory, "app", "b1", "b2", "b3"), []string{})
			k.replicated(engram.EntityMemory, key(m.Num), l.Digest(), "b4")
			k.same("with another that has it whole", k.unreplicated(engram.EntityMemory, "app", "b4"), []string{})
			k.view(func(r engram.Reader) error {
				sets, err := r.ReplicatedBy(k.Context(), engram.EntityMemory, key(m.Num), l.Digest())
				k.same("who carries it", sets, "[[b1 b2] [b4]]")
				return err
			})
		}},
		{"what any batch ever carried is shared, whichever state it was", func(k *kit) {
			m, other := k.save(), k.save()
			l := k.stamped(engram.EntityMemory, key(m.Num), 1)
			shared := func(when string, kind engram.Entity, m engram.Memory, want bool) {
				k.view(func(r engram.Reader) error {
					got, err := r.Shared(k.Context(), kind, key(m.Num))
					k.same(when, got, want)
					return err
				})
			}
			shared("before", engram.EntityMemory, m, false)
			k.replicated(engram.EntityMemory, key(m.Num), l.Digest(), "b1")
			k.stamped(engram.EntityMemory, key(m.Num), 2)
			shared("after", engram.EntityMemory, m, true)
			shared("another memory", engram.EntityMemory, other, false)
			shared("a thing of another kind and the same number", engram.EntityPrompt, m, false)
		}},
		{"relations belong to a project with both ends, prompts and sessions by themselves", func(k *kit) {
			a, b := k.save(), k.save()
			c := k.save(func(m *engram.Memory) { m.Project, m.SessionID = "web", "s-web" })
			inside, across := k.relation(1, a.Num, engram.VerbCausedBy, b.Num), k.relation(2, a.Num, engram.VerbCausedBy, c.Num)
			p := k.ask("app", "s-app", "why?", 1)
			k.stamped(engram.EntityRelation, key(inside.Num), 1)
			k.stamped(engram.EntityRelation, key(across.Num), 2)
			k.stamped(engram.EntityPrompt, key(p.Num), 3)
			k.stamped(engram.EntitySession, "s-app", 4)
			k.stamped(engram.EntitySession, "s-web", 5)
			k.stamped(engram.EntityProject, "app", 6)
			k.same("relations", k.unreplicated(engram.EntityRelation, "app"), []string{key(inside.Num)})
			k.same("relations of all", k.unreplicated(engram.EntityRelation, ""), []string{key(inside.Num), key(across.Num)})
			k.same("prompts", k.unreplicated(engram.EntityPrompt, "app"), []string{key(p.Num)})
			k.same("prompts of another", k.unreplicated(engram.EntityPrompt, "web"), []string{})
			k.same("sessions", k.unreplicated(engram.EntitySession, "app"), []string{"s-app"})
			k.same("projects", k.unreplicated(engram.EntityProject, "app"), []string{"app"})
		}},
		{"what was erased is carried by when it was", func(k *kit) {
			k.save()
			xs := []engram.Erased{{Entity: engram.EntityMemory, ID: "mem_b", SyncID: "b", Project: "app", At: 7},
				{Entity: engram.EntityMemory, ID: "mem_a", SyncID: "a", Project: "nope", At: 8}, {Entity: engram.EntityPrompt, ID: "p", SyncID: "p", Project: "app", At: 9}}
			k.update(func(tx engram.Tx) error {
				for _, x := range xs {
					if err := tx.PutErased(k.Context(), x); err != nil {
						return err
					}
				}
				return nil
			})
			k.same("of all", k.unreplicated(engram.EntityErased, ""), []string{"memory a\tnope", "memory b\tapp", "prompt p\tapp"})
			k.same("of the project", k.unreplicated(engram.EntityErased, "app"), []string{"memory b\tapp", "prompt p\tapp"})
			k.replicated(engram.EntityErased, xs[0].Key(), xs[0].Digest(), "b1")
			k.same("with the batch", k.unreplicated(engram.EntityErased, "app", "b1"), []string{"prompt p\tapp"})
			k.same("without it", k.unreplicated(engram.EntityErased, "app", "b2"), []string{"memory b\tapp", "prompt p\tapp"})
			k.update(func(tx engram.Tx) error { // an earlier one
				return tx.PutErased(k.Context(), engram.Erased{Entity: engram.EntityMemory, ID: "mem_b", SyncID: "b", Project: "app", At: 3})
			})
			k.same("erased earlier elsewhere", k.unreplicated(engram.EntityErased, "app", "b1"), []string{"memory b\tapp", "prompt p\tapp"})
		}},
		{"what left a project after it was carried is told", func(k *kit) {
			stays, goes, hides, never := k.save(), k.save(), k.save(), k.save()
			for _, m := range []engram.Memory{stays, goes, hides} {
				k.replicated(engram.EntityMemory, key(m.Num), 1, "b1")
			}
			k.update(func(tx engram.Tx) error {
				for part, ms := range map[engram.Part][]engram.Memory{"project": {goes, never}, "scope": {hides}, "type": {stays}} {
					for _, m := range ms {
						l := engram.CausalMetadata{Parts: map[engram.Part]engram.VersionStamp{part: {At: 1, Device: "a"}}}
						if err := tx.PutCausalMetadata(k.Context(), engram.EntityMemory, key(m.Num), l); err != nil {
							return err
						}
					}
				}
				return nil
			})
			k.update(func(tx engram.Tx) error { return k.ensure(tx, "web", "s-web") })
			for _, m := range []engram.Memory{goes, never} {
				k.replace(m, func(m *engram.Memory) { m.Project = "web" })
			}
			k.replace(hides, func(m *engram.Memory) { m.Scope = engram.ScopePersonal })
			k.view(func(r engram.Reader) error {
				for _, tt := range []struct {
					project, batch string
					want           []string
				}{{"app", "b1", []string{key(goes.Num), key(hides.Num)}}, {"app", "b2", nil}, {"web", "b1", nil}, {"nope", "b1", nil}} {
					got, err := r.Strayed(k.Context(), tt.project, []string{tt.batch}, "", 10)
					if err != nil {
						return err
					}
					k.same("strayed from "+tt.project+" with "+tt.batch, got, tt.want)
				}
				got, err := r.Strayed(k.Context(), "app", []string{"b1"}, key(goes.Num), 10)
				k.same("the next page", got, []string{key(hides.Num)})
				return err
			})
		}},
		{"batches that were read are remembered", func(k *kit) {
			k.update(func(tx engram.Tx) error {
				for n, p := range []struct{ project, batch string }{{"", "b1"}, {"app", "b2"}, {"web", "b3"}, {"", "b1"}} {
					if err := tx.PutPulled(k.Context(), p.project, p.batch, at(n+1)); err != nil {
						return err
					}
				}
				return nil
			})
			k.pulled("", "b1")
			k.pulled("app", "b1", "b2")
			k.pulled("web", "b1", "b3")
		}},
		{"a project that gets an alias has batches to be read again, others have not", func(k *kit) {
			app := engram.Project{Name: "app", Aliases: []string{"app-old"}, CreatedAt: at(0)}
			k.update(func(tx engram.Tx) error {
				if err := tx.PutProject(k.Context(), app); err != nil {
					return err
				}
				return errors.Join(tx.PutPulled(k.Context(), "app", "b1", at(1)), tx.PutPulled(k.Context(), "web", "b2", at(1)))
			})
			app.Remote = "example.com/app"
			k.update(func(tx engram.Tx) error { return tx.PutProject(k.Context(), app) })
			k.pulled("app", "b1")
			app.Aliases = append(app.Aliases, "shop")
			k.update(func(tx engram.Tx) error { return tx.PutProject(k.Context(), app) })
			k.pulled("app")
			k.pulled("web", "b2")
		}},
		{"what waits is kept whole, once for each batch, and named by its number", func(k *kit) {
			m := k.draft()
			m.Metadata, m.Tags = map[string]any{"a": "b"}, []string{"x"}
			m.Anchors = []engram.Anchor{anchorAt("a.go", 1, 2)}
			stamp := engram.VersionStamp{At: 9, Device: "other"}
			d := engram.Deferred{Project: "later", Batch: "b1", By: "ann", Why: engram.DeferredClock, Reason: "from 2099", Tries: 1, FirstAt: at(1), LastAt: at(1),
				Record: engram.Record{Item: "memories[3]", Causal: &engram.CausalMetadata{Base: stamp, Parts: map[engram.Part]engram.VersionStamp{"type": stamp}},
					Memory: &engram.MemoryRecord{Memory: m, Revisions: []engram.Revision{{Number: 1, Title: "t", Content: "c", WrittenAt: at(1), ReplacedAt: at(2), Stamp: stamp}}}}}
			again, other := d, d
			k.update(func(tx engram.Tx) error {
				if err := tx.PutDeferred(k.Context(), &d); err != nil {
					return err
				}
				again.Tries, again.FirstAt, again.LastAt = 2, at(5), at(5)
				if err := tx.PutDeferred(k.Context(), &again); err != nil {
					return err
				}
				other.Batch, other.Project = "b2", "app"
				return tx.PutDeferred(k.Context(), &other)
			})
			k.same("the second of one thing and batch is the first", again.Num, d.Num)
			read := func(project string) (all []engram.Deferred) {
				k.view(func(r engram.Reader) (err error) {
					all, err = r.Deferred(k.Context(), project, 0, 10)
					return err
				})
				return all
			}
			again.FirstAt = at(1)
			if all := read(""); len(all) != 2 || !reflect.DeepEqual(all[0], again) || !reflect.DeepEqual(all[1], other) {
				k.Errorf("what waits\n got %+v\nwant %+v", all, []engram.Deferred{again, other})
			}
			k.same("of a project", len(read("later")), 1)
			k.view(func(r engram.Reader) error {
				next, err := r.Deferred(k.Context(), "", d.Num, 10)
				if err != nil {
					return err
				}
				k.same("after the first", len(next), 1)
				one, found, err := r.DeferredAt(k.Context(), other.Num)
				if err != nil {
					return err
				}
				k.same("by its number", []any{found, one.Batch, one.Num}, []any{true, "b2", other.Num})
				if _, found, err = r.DeferredAt(k.Context(), other.Num+1); err != nil {
					return err
				}
				k.same("by a number of nothing", found, false)
				for _, tt := range []struct {
					project string
					why     engram.Deferral
					want    int
				}{{"", "", 2}, {"app", "", 1}, {"", engram.DeferredClock, 2}, {"later", engram.DeferredReview, 0}} {
					n, err := r.CountDeferred(k.Context(), tt.project, tt.why)
					if err != nil {
						return err
					}
					k.same(fmt.Sprintf("how many wait of %q for %q", tt.project, tt.why), n, tt.want)
				}
				return nil
			})
			again.Reason = "still"
			k.update(func(tx engram.Tx) error {
				if err := tx.PutDeferred(k.Context(), &again); err != nil {
					return err
				}
				found, err := tx.DropDeferred(k.Context(), other.Num)
				k.same("the other is there", found, true)
				if err != nil {
					return err
				}
				found, err = tx.DropDeferred(k.Context(), other.Num)
				k.same("it is there still", found, false)
				return err
			})
			if all := read(""); len(all) != 1 || !strings.Contains(all[0].Reason, "still") {
				k.Errorf("what waits at last: got %+v", all)
			}
		}},
	}
}
