package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// causalOf returns the causal metadata of a thing; nil if it has none.
func (k *kit) causalOf(entity engram.Entity, key string) (l *engram.CausalMetadata) {
	k.Helper()
	if found, known := read2(k, engram.ReplicaReader.CausalMetadata, entity, []string{key, "999"})[key]; known {
		l = &found
	}
	return l
}

// pulled checks which of the batches b1 to b3 are recorded as pulled for a project.
func (k *kit) pulled(project string, batches ...string) {
	k.Helper()
	want := map[string]bool{}
	for _, b := range batches {
		want[b] = true
	}
	got := read2(k, engram.ReplicaReader.Pulled, project, []string{"b1", "b2", "b3"})
	k.same(fmt.Sprintf("pulled for %q", project), got, want)
}

// stamped sets causal metadata with a clock of this device.
func (k *kit) stamped(entity engram.Entity, key string, at engram.Clock) engram.CausalMetadata {
	k.Helper()
	return k.putCausal(entity, key, engram.CausalMetadata{Base: engram.VersionStamp{At: at, Device: k.device()}})
}

// putCausal sets the causal metadata of a thing.
func (k *kit) putCausal(entity engram.Entity, key string, l engram.CausalMetadata) engram.CausalMetadata {
	k.Helper()
	k.update(func(tx engram.Tx) error {
		return tx.ReplicaTx().PutCausalMetadata(k.Context(), entity, map[string]engram.CausalMetadata{key: l})
	})
	return l
}

// foreign is causal metadata of another device.
func foreign() engram.CausalMetadata {
	return engram.CausalMetadata{Base: engram.VersionStamp{At: 1, Device: "a"}}
}

func (k *kit) device() string {
	k.Helper()
	return read0(k, engram.ReplicaReader.Head).Device
}

func (k *kit) replicated(entity engram.Entity, key string, digest int64, batches ...string) {
	k.Helper()
	k.update(func(tx engram.Tx) error {
		return tx.ReplicaTx().PutReplicated(k.Context(), batches, engram.ThingState{Entity: entity, Key: key, Digest: digest})
	})
}

// unreplicated returns the keys of Unreplicated, and checks their count.
func (k *kit) unreplicated(entity engram.Entity, project string, batches ...string) (keys []string) {
	k.Helper()
	for after, page := "", []string{""}; len(page) > 0; { // page by page
		page = read0(k, func(r engram.Reader, ctx context.Context) ([]string, error) {
			return r.Replica().Unreplicated(ctx, entity, project, batches, after, 2)
		})
		if len(page) > 0 {
			keys, after = append(keys, page...), page[len(page)-1]
		}
	}
	k.same("count", read3(k, engram.ReplicaReader.CountUnreplicated, entity, project, batches), len(keys))
	return keys
}

func key(num int64) string { return fmt.Sprint(num) }

func causalCases() []testCase {
	return []testCase{
		{"causal metadata is read back unchanged, whatever the devices of its stamps", func(k *kit) {
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
				k.putCausal(engram.EntityMemory, key(m.Num), l)
				if got := k.causalOf(engram.EntityMemory, key(m.Num)); got == nil || !reflect.DeepEqual(*got, want) || got.Digest() != want.Digest() {
					k.Errorf("causal metadata\n got %+v\nwant %+v", got, want)
				}
				if !reflect.DeepEqual(l, want) {
					k.Errorf("the argument became %+v, want %+v", l, want)
				}
			}
		}},
		{"causal metadata of different kinds and keys does not mix", func(k *kit) {
			things := []struct {
				entity engram.Entity
				key    string
				want   engram.Clock
			}{{engram.EntityMemory, "1", 1}, {engram.EntityPrompt, "1", 2}, {engram.EntitySession, "1", 3},
				{engram.EntitySession, "s-app", 4}, {engram.EntityProject, "app", 5}}
			for _, tt := range things {
				k.stamped(tt.entity, tt.key, tt.want)
			}
			for _, tt := range things {
				if got := k.causalOf(tt.entity, tt.key); got == nil || got.Base.At != tt.want {
					k.Errorf("%s %s: got %+v, want one of clock %d", tt.entity, tt.key, got, tt.want)
				}
			}
			if got := k.causalOf(engram.EntityRelation, "1"); got != nil {
				k.Errorf("a relation without metadata: got %+v", got)
			}
		}},
		{"shadowed values are found by part until they are replaced", func(k *kit) {
			k.stamped(engram.EntityMemory, "1", 1)
			shadowed := engram.CausalMetadata{Shadowed: map[engram.Part]json.RawMessage{"topic_key": json.RawMessage(`"a"`)}}
			k.putCausal(engram.EntityMemory, "2", shadowed)
			k.putCausal(engram.EntityMemory, "10", shadowed)
			back := func(part engram.Part) []string {
				return read2(k, engram.ReplicaReader.Shadowed, engram.EntityMemory, part)
			}
			k.same("shadowed topics", back("topic_key"), []string{"2", "10"})
			k.same("shadowed deletions", back(engram.PartDeleted), []string{})
			for topic, want := range map[string][]string{"a": {"2", "10"}, "b": nil} {
				k.same("shadowed topic "+topic, read1(k, engram.ReplicaReader.ShadowedTopic, topic), want)
			}
			k.stamped(engram.EntityMemory, "2", 1)
			k.same("shadowed topics afterwards", back("topic_key"), []string{"10"})
		}},
		{"the latest clock covers the journal and received clocks", func(k *kit) {
			latest := func() engram.Clock { return read0(k, engram.ReplicaReader.Head).Clock }
			k.same("at first", latest(), 0)
			each(k, engram.ReplicaTx.SeeClock, 50, 20)
			k.same("after received clocks", latest(), 50)
			k.save()
			k.journal(engram.Mutation{At: 70, Actor: "cli", Operation: "save", Entity: engram.EntityMemory, Key: "1", Project: "app"})
			k.same("after an entry", latest(), 70)
			each(k, engram.ReplicaTx.SeeClock, 60)
			k.same("after an older received clock", latest(), 70)
		}},
		{"StampProject stamps everything in a project and nothing else", func(k *kit) {
			mine, theirs := k.save(), k.save(in("web"))
			p := k.ask("app", "s-app", "why?", 1)
			k.stamped(engram.EntityMemory, key(mine.Num), 1)
			k.stamped(engram.EntityMemory, key(theirs.Num), 1)
			k.stamped(engram.EntityPrompt, key(p.Num), 1)
			k.stamped(engram.EntitySession, "s-app", 1)
			s := engram.VersionStamp{At: 9, Device: k.device()}
			k.update(func(tx engram.Tx) error { return tx.ReplicaTx().StampProject(k.Context(), "app", "project", s) })
			k.same("the memory", k.causalOf(engram.EntityMemory, key(mine.Num)).Of("project"), s)
			k.same("its text", k.causalOf(engram.EntityMemory, key(mine.Num)).Of(engram.PartText).At, 1)
			k.same("the prompt", k.causalOf(engram.EntityPrompt, key(p.Num)).Of("project"), s)
			k.same("the session", k.causalOf(engram.EntitySession, "s-app").Of("project"), s)
			k.same("another's memory", k.causalOf(engram.EntityMemory, key(theirs.Num)).Of("project").At, 1)
		}},
		{"a revision keeps its version stamp", func(k *kit) {
			m, own := k.save(), k.device()
			rs := []engram.Revision{revision(m, 1), revision(m, 2), revision(m, 3)}
			rs[0].Stamp, rs[1].Stamp = engram.VersionStamp{At: 5, Device: own}, engram.VersionStamp{At: 6, Device: "other"}
			batch(k, engram.Tx.InsertRevision, rs...)
			k.same("revisions", readAll(k, engram.Reader.Revisions, m.Num), rs)
		}},
		{"an erase removes the causal metadata", func(k *kit) {
			const secret = "xyzzysecret"
			m, other := k.save(), k.save()
			relation := k.relation(1, m.Num, engram.VerbCausedBy, other.Num)
			p := k.ask("app", "s-app", "why?", 1)
			marked := engram.CausalMetadata{Sets: map[string]engram.Dots{secret: {"a": {Added: 1}}}}
			k.putCausal(engram.EntityMemory, key(m.Num), marked)
			k.putCausal(engram.EntityMemory, key(other.Num), marked)
			k.putCausal(engram.EntityRelation, key(relation.Num), marked)
			k.putCausal(engram.EntityPrompt, key(p.Num), marked)
			each(k, engram.ReplicaTx.PutDeferred, &engram.Deferred{Record: engram.Record{Memory: &engram.MemoryRecord{Memory: m}},
				Project: "app", Batch: "b", Why: engram.DeferredReview, FirstAt: at(1), LastAt: at(1)})
			k.replicated(engram.EntityMemory, key(m.Num), marked.Digest(), "b1")
			k.erase(m)
			each(k, engram.Tx.ErasePrompt, p.Num)
			k.same("the memory has metadata", k.causalOf(engram.EntityMemory, key(m.Num)) != nil, false)
			k.same("its relation has metadata", k.causalOf(engram.EntityRelation, key(relation.Num)) != nil, false)
			k.same("the prompt has metadata", k.causalOf(engram.EntityPrompt, key(p.Num)) != nil, false)
			k.same("another memory has metadata", k.causalOf(engram.EntityMemory, key(other.Num)) != nil, true)
			carriers := read3(k, engram.ReplicaReader.ReplicatedBy, engram.EntityMemory, key(m.Num), marked.Digest())
			k.same("batches that hold it", len(carriers), 0)
			k.same("deferred records", len(read3(k, engram.ReplicaReader.Deferred, "", 0, 10)), 0)
		}},
		{"a deleted session keeps its causal metadata as a tombstone, an erased one does not", func(k *kit) {
			for _, s := range []string{"s-1", "s-2", "s-3"} {
				k.session("app", s)
				k.putCausal(engram.EntitySession, s, foreign())
			}
			k.putCausal(engram.EntitySession, "s-never", engram.CausalMetadata{})
			k.update(func(tx engram.Tx) error { return tx.ReplicaTx().PutTombstone(k.Context(), "s-never", "app") })
			k.deleteSession("s-1", false)
			k.deleteSession("s-2", true)
			for project, want := range map[string]string{"app": "[s-1 of app s-never of app]", "": "[s-1 of app s-never of app]", "web": "[]"} {
				gone := read3(k, engram.ReplicaReader.SessionTombstones, project, "", 10)
				names := every(gone, func(s engram.Session) string { return s.ID + " of " + s.Project })
				k.same("tombstones of "+project, names, want)
			}
			erased := read3(k, engram.ReplicaReader.ErasedAfter, engram.EntitySession, "", 10)
			k.same("erased", len(erased), 1)
			k.same("its name and project", erased[0].ID+" "+erased[0].Project, "s-2 app")
			k.same("unreplicated", k.unreplicated(engram.EntitySession, "app"), []string{"s-1", "s-3", "s-never"})
		}},
	}
}

func replicatedCases() []testCase {
	return []testCase{
		{"unreplicated things are listed by number, page by page", func(k *kit) {
			var want []string
			for range 12 {
				m := k.save()
				k.stamped(engram.EntityMemory, key(m.Num), engram.Clock(m.Num))
				want = append(want, key(m.Num))
			}
			k.save() // without causal metadata
			k.same("at first", k.unreplicated(engram.EntityMemory, "app"), want)
			l := *k.causalOf(engram.EntityMemory, "3")
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
		{"a state that two batches hold together needs both of them", func(k *kit) {
			m := k.save()
			l := k.stamped(engram.EntityMemory, key(m.Num), 1)
			k.replicated(engram.EntityMemory, key(m.Num), l.Digest(), "b2", "b1")
			k.replicated(engram.EntityMemory, key(m.Num), l.Digest(), "b1", "b2")
			k.same("with one", k.unreplicated(engram.EntityMemory, "app", "b1"), []string{key(m.Num)})
			k.same("with both", k.unreplicated(engram.EntityMemory, "app", "b1", "b2", "b3"), []string{})
			k.replicated(engram.EntityMemory, key(m.Num), l.Digest(), "b4")
			k.same("with another that has it whole", k.unreplicated(engram.EntityMemory, "app", "b4"), []string{})
			sets := read3(k, engram.ReplicaReader.ReplicatedBy, engram.EntityMemory, key(m.Num), l.Digest())
			k.same("sets of batches", sets, "[[b1 b2] [b4]]")
		}},
		{"a thing is shared once any state of it was replicated", func(k *kit) {
			m, other := k.save(), k.save()
			l := k.stamped(engram.EntityMemory, key(m.Num), 1)
			k.same("before", read2(k, engram.ReplicaReader.Shared, engram.EntityMemory, key(m.Num)), false)
			k.replicated(engram.EntityMemory, key(m.Num), l.Digest(), "b1")
			k.stamped(engram.EntityMemory, key(m.Num), 2)
			k.same("after", read2(k, engram.ReplicaReader.Shared, engram.EntityMemory, key(m.Num)), true)
			k.same("another memory", read2(k, engram.ReplicaReader.Shared, engram.EntityMemory, key(other.Num)), false)
			k.same("another kind, the same number", read2(k, engram.ReplicaReader.Shared, engram.EntityPrompt, key(m.Num)), false)
		}},
		{"a relation is in a project if both ends are", func(k *kit) {
			a, b := k.save(), k.save()
			c := k.save(in("web"))
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
		{"tombstones are replicated per clock", func(k *kit) {
			k.save()
			xs := []engram.Erased{{Entity: engram.EntityMemory, ID: "mem_b", SyncID: "b", Project: "app", At: 7},
				{Entity: engram.EntityMemory, ID: "mem_a", SyncID: "a", Project: "nope", At: 8}, {Entity: engram.EntityPrompt, ID: "p", SyncID: "p", Project: "app", At: 9}}
			each(k, engram.ReplicaTx.PutErased, xs...)
			k.same("of all", k.unreplicated(engram.EntityErased, ""), []string{"memory a\tnope", "memory b\tapp", "prompt p\tapp"})
			k.same("of the project", k.unreplicated(engram.EntityErased, "app"), []string{"memory b\tapp", "prompt p\tapp"})
			k.replicated(engram.EntityErased, xs[0].Key(), xs[0].Digest(), "b1")
			k.same("with the batch", k.unreplicated(engram.EntityErased, "app", "b1"), []string{"prompt p\tapp"})
			k.same("without it", k.unreplicated(engram.EntityErased, "app", "b2"), []string{"memory b\tapp", "prompt p\tapp"})
			xs[0].At = 3
			each(k, engram.ReplicaTx.PutErased, xs[0])
			k.same("erased earlier elsewhere", k.unreplicated(engram.EntityErased, "app", "b1"), []string{"memory b\tapp", "prompt p\tapp"})
		}},
		{"memories that left a project after replication are listed", func(k *kit) {
			stays, goes, hides, never := k.save(), k.save(), k.save(), k.save()
			for _, m := range []engram.Memory{stays, goes, hides} {
				k.replicated(engram.EntityMemory, key(m.Num), 1, "b1")
			}
			for part, ms := range map[engram.Part][]engram.Memory{"project": {goes, never}, "scope": {hides}, "type": {stays}} {
				for _, m := range ms {
					k.putCausal(engram.EntityMemory, key(m.Num),
						engram.CausalMetadata{Parts: map[engram.Part]engram.VersionStamp{part: {At: 1, Device: "a"}}})
				}
			}
			k.projects("web")
			for _, m := range []engram.Memory{goes, never} {
				k.replace(m, func(m *engram.Memory) { m.Project = "web" })
			}
			k.replace(hides, scoped(engram.ScopePersonal))
			for _, tt := range []struct {
				project, batch string
				want           []string
			}{{"app", "b1", []string{key(goes.Num), key(hides.Num)}}, {"app", "b2", nil}, {"web", "b1", nil}, {"nope", "b1", nil}} {
				got := read4(k, engram.ReplicaReader.Strayed, tt.project, []string{tt.batch}, "", 10)
				k.same("strayed from "+tt.project+" with "+tt.batch, got, tt.want)
			}
			got := read4(k, engram.ReplicaReader.Strayed, "app", []string{"b1"}, key(goes.Num), 10)
			k.same("the next page", got, []string{key(hides.Num)})
		}},
		{"pulled batches are recorded", func(k *kit) {
			for n, p := range []struct{ project, batch string }{{"", "b1"}, {"app", "b2"}, {"web", "b3"}, {"", "b1"}} {
				k.update(func(tx engram.Tx) error { return tx.ReplicaTx().PutPulled(k.Context(), p.project, p.batch, at(n+1)) })
			}
			k.pulled("", "b1")
			k.pulled("app", "b1", "b2")
			k.pulled("web", "b1", "b3")
		}},
		{"a new alias makes the project's batches unread, no others", func(k *kit) {
			app := engram.Project{Name: "app", Aliases: []string{"app-old"}, CreatedAt: at(0)}
			k.putProject(app)
			k.update(func(tx engram.Tx) error {
				return errors.Join(tx.ReplicaTx().PutPulled(k.Context(), "app", "b1", at(1)), tx.ReplicaTx().PutPulled(k.Context(), "web", "b2", at(1)))
			})
			app.Remote = "example.com/app"
			k.putProject(app)
			k.pulled("app", "b1")
			app.Aliases = append(app.Aliases, "shop")
			k.putProject(app)
			k.pulled("app")
			k.pulled("web", "b2")
		}},
		{"a deferred record is stored whole, once per batch, and found by its number", func(k *kit) {
			m := k.draft()
			m.Metadata, m.Tags = map[string]any{"a": "b"}, []string{"x"}
			m.Anchors = []engram.Anchor{anchorAt("a.go", 1, 2)}
			stamp := engram.VersionStamp{At: 9, Device: "other"}
			d := engram.Deferred{Project: "later", Batch: "b1", By: "ann", Why: engram.DeferredClock, Reason: "from 2099", Tries: 1, FirstAt: at(1), LastAt: at(1),
				Record: engram.Record{Item: "memories[3]", Causal: &engram.CausalMetadata{Base: stamp, Parts: map[engram.Part]engram.VersionStamp{"type": stamp}},
					Memory: &engram.MemoryRecord{Memory: m, Revisions: []engram.Revision{{Number: 1, Title: "t", Content: "c", WrittenAt: at(1), ReplacedAt: at(2), Stamp: stamp}}}}}
			again, other := d, d
			again.Tries, again.FirstAt, again.LastAt = 2, at(5), at(5)
			other.Batch, other.Project = "b2", "app"
			each(k, engram.ReplicaTx.PutDeferred, &d, &again, &other)
			k.same("the second of one thing and batch is the first", again.Num, d.Num)
			read := func(project string) []engram.Deferred { return read3(k, engram.ReplicaReader.Deferred, project, 0, 10) }
			again.FirstAt = at(1)
			if all := read(""); len(all) != 2 || !reflect.DeepEqual(all[0], again) || !reflect.DeepEqual(all[1], other) {
				k.Errorf("deferred\n got %+v\nwant %+v", all, []engram.Deferred{again, other})
			}
			k.same("of a project", len(read("later")), 1)
			k.same("after the first", len(read3(k, engram.ReplicaReader.Deferred, "", d.Num, 10)), 1)
			for num, want := range map[int64]string{other.Num: "true b2", other.Num + 1: "false "} {
				one, found := look(k, func(r engram.Reader) (engram.Deferred, bool, error) { return r.Replica().DeferredAt(k.Context(), num) })
				k.same(fmt.Sprintf("by number %d", num), fmt.Sprint(found, " ", one.Batch), want)
			}
			for _, tt := range []struct {
				project string
				why     engram.Deferral
				want    int
			}{{"", "", 2}, {"app", "", 1}, {"", engram.DeferredClock, 2}, {"later", engram.DeferredReview, 0}} {
				n := read2(k, engram.ReplicaReader.CountDeferred, tt.project, tt.why)
				k.same(fmt.Sprintf("deferred of %q for %q", tt.project, tt.why), n, tt.want)
			}
			again.Reason = "still"
			each(k, engram.ReplicaTx.PutDeferred, &again)
			for _, there := range []bool{true, false} { // before and after it is dropped
				k.update(func(tx engram.Tx) error {
					found, err := tx.ReplicaTx().DropDeferred(k.Context(), other.Num)
					k.same("the other is there", found, there)
					return err
				})
			}
			if all := read(""); len(all) != 1 || !strings.Contains(all[0].Reason, "still") {
				k.Errorf("deferred at the end: got %+v", all)
			}
		}},
	}
}
