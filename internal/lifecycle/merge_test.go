package lifecycle_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// device is a store that writes one memory, with a clock that may be years off.
type device struct {
	name  string
	clock engram.Clock
	skew  time.Duration
	state *engram.Record // nil: it does not know the memory
	own   engram.Count
}

var origin = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func (d *device) stamp(now time.Time) engram.VersionStamp {
	d.clock = d.clock.Tick(now.Add(d.skew))
	return engram.VersionStamp{At: d.clock, Device: d.name}
}

// made is a new memory.
func (d *device) made(text string, now time.Time) engram.Record {
	s := d.stamp(now)
	at := s.At.Time()
	m := engram.Memory{ID: "mem_01", SyncID: "obs-01", Title: text, Content: text, Type: "fact", Tags: []string{"first"}, Project: "shop",
		CreatedAt: at, UpdatedAt: at, TouchedAt: at, RevisionCount: 1, DuplicateCount: 1, Strength: 1}
	return lifecycle.Normal(engram.Record{Memory: &engram.MemoryRecord{Memory: m}, Causal: &engram.CausalMetadata{Base: s}})
}

// edit writes a state as the operations do.
func (d *device) edit(now time.Time, fn func(m *engram.MemoryRecord, l *engram.CausalMetadata, s engram.VersionStamp) []engram.Part) {
	s := d.stamp(now)
	r := copied(*d.state)
	l := r.Causal.Clone()
	parts := fn(r.Memory, &l, s)
	l = lifecycle.Stamped(l, parts, s)
	r.Memory.Memory.UpdatedAt = s.At.Time()
	r.Causal = &l
	r = lifecycle.Normal(r)
	d.state = &r
}

func copied(r engram.Record) engram.Record {
	m := *r.Memory
	m.Revisions = slices.Clone(m.Revisions)
	m.Memory.Tags = slices.Clone(m.Memory.Tags)
	r.Memory = &m
	return r
}

func (d *device) say(text string, now time.Time) {
	d.edit(now, func(m *engram.MemoryRecord, l *engram.CausalMetadata, s engram.VersionStamp) []engram.Part {
		was := m.Memory
		m.Revisions = append(m.Revisions, engram.Revision{Number: was.RevisionCount, Type: was.Type, Title: was.Title, Content: was.Content,
			WrittenAt: was.UpdatedAt, ReplacedAt: s.At.Time(), Reason: "update", Stamp: l.Of(engram.PartText)})
		m.Memory.Title, m.Memory.Content, m.Memory.Summary = text, text, ""
		return []engram.Part{engram.PartText}
	})
}

// sumUp writes a summary alone, and returns the write.
func (d *device) sumUp(summary string, now time.Time) engram.VersionStamp {
	d.edit(now, func(m *engram.MemoryRecord, _ *engram.CausalMetadata, _ engram.VersionStamp) []engram.Part {
		m.Memory.Summary = summary
		return []engram.Part{engram.PartSummary}
	})
	return d.state.Causal.Of(engram.PartSummary)
}

// use writes the tool alone.
func (d *device) use(tool string, now time.Time) {
	d.edit(now, func(m *engram.MemoryRecord, _ *engram.CausalMetadata, _ engram.VersionStamp) []engram.Part {
		m.Memory.ToolName = tool
		return []engram.Part{engram.PartToolName}
	})
}

// anchors returns one anchor, or no anchors for "".
func anchors(path string) []engram.Anchor {
	if path == "" {
		return nil
	}
	return []engram.Anchor{{Repository: "example.com/a/shop", Path: path, Blob: strings.Repeat("b", 40)}}
}

// anchor writes anchors alone.
func (d *device) anchor(path string, now time.Time) {
	d.edit(now, func(m *engram.MemoryRecord, _ *engram.CausalMetadata, _ engram.VersionStamp) []engram.Part {
		m.Memory.Anchors = anchors(path)
		return []engram.Part{"anchors"}
	})
}

func (d *device) tag(tags []string, now time.Time) {
	d.edit(now, func(m *engram.MemoryRecord, l *engram.CausalMetadata, s engram.VersionStamp) []engram.Part {
		*l = lifecycle.Retagged(*l, m.Memory.Tags, tags, s)
		m.Memory.Tags = tags
		return nil
	})
}

func (d *device) forget(now time.Time) {
	d.edit(now, func(m *engram.MemoryRecord, _ *engram.CausalMetadata, s engram.VersionStamp) []engram.Part {
		m.Memory.DeletedAt = s.At.Time()
		return []engram.Part{engram.PartDeleted}
	})
}

func (d *device) restore(now time.Time) {
	d.edit(now, func(m *engram.MemoryRecord, _ *engram.CausalMetadata, _ engram.VersionStamp) []engram.Part {
		m.Memory.DeletedAt = time.Time{}
		return []engram.Part{engram.PartRestored}
	})
}

func (d *device) move(project string, now time.Time) engram.VersionStamp {
	d.edit(now, func(m *engram.MemoryRecord, _ *engram.CausalMetadata, _ engram.VersionStamp) []engram.Part {
		m.Memory.Project = project
		return []engram.Part{"project"}
	})
	return d.state.Causal.Of("project")
}

// left is the state for those who know the memory at its old place.
func left(m engram.Record, s engram.VersionStamp) engram.Record {
	gone := engram.Memory{ID: m.Memory.Memory.ID, DeletedAt: s.At.Time(), RevisionCount: 1, DuplicateCount: 1}
	l := lifecycle.Stamped(engram.CausalMetadata{}, []engram.Part{engram.PartLeft}, s)
	return engram.Record{Memory: &engram.MemoryRecord{Memory: gone}, Causal: &l}
}

func (d *device) count() {
	r := copied(*d.state)
	l := r.Causal.Clone()
	if l.Counts == nil {
		l.Counts = map[string]engram.Count{}
	}
	d.own.Accesses++
	l.Counts[d.name] = d.own
	r.Memory.Memory.AccessCount++
	r.Causal = &l
	d.state = &r
}

func (d *device) hear(r engram.Record) {
	if d.clock < r.Causal.Newest().At {
		d.clock = r.Causal.Newest().At
	}
	if d.state != nil {
		r = lifecycle.Merge(*d.state, r)
	}
	d.state = &r
}

// untold clears fields of a record.
var untold = regexp.MustCompile(`"\w+":(""|null|0|false|"0001-01-01T00:00:00Z"),?`)

// bytesOf returns a record for comparison to the byte.
func bytesOf(r engram.Record) string {
	b, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	out := untold.ReplaceAllString(string(b), "")
	if r.Causal != nil {
		out += fmt.Sprintf(" past %x", r.Causal.Past)
	}
	return out
}

// history lets devices write and exchange at random. It returns every state, every text written,
// and the summary that the latest write of a text or a summary left.
func history(t *rapid.T, steps int) (states []engram.Record, written []string, summary string, devices []*device) {
	now := origin
	var latest engram.VersionStamp
	summed := func(s engram.VersionStamp, says string) {
		if s.Compare(latest) > 0 {
			latest, summary = s, says
		}
	}
	for i, skew := range []time.Duration{0, -3 * time.Hour, 70 * 365 * 24 * time.Hour, time.Second} {
		devices = append(devices, &device{name: fmt.Sprintf("d%d", i), skew: skew})
	}
	first := devices[0].made("text 0", now)
	devices[0].state = &first
	states, written = append(states, first), append(written, "text 0")
	for i := range steps {
		now = now.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "ms")) * time.Millisecond)
		d := rapid.SampledFrom(devices).Draw(t, "device")
		if d.state == nil {
			d.hear(rapid.SampledFrom(states).Draw(t, "state"))
		}
		switch rapid.IntRange(0, 10).Draw(t, "step") {
		case 0, 1:
			text := fmt.Sprintf("text %d", i+1)
			d.say(text, now)
			written = append(written, text)
			summed(d.state.Causal.Of(engram.PartText), "")
		case 2:
			d.tag(slices.Sorted(slices.Values(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "first"}), 0, 3, rapid.ID[string]).Draw(t, "tags"))), now)
		case 3:
			if d.state.Memory.Memory.Forgotten() {
				d.restore(now)
			} else {
				d.forget(now)
			}
		case 4:
			d.count()
		case 5, 6:
			d.hear(rapid.SampledFrom(states).Draw(t, "heard"))
		case 7:
			s := d.move(fmt.Sprintf("project %d", i), now)
			states = append(states, left(*d.state, s))
		case 8:
			says := fmt.Sprintf("in short %d", i)
			summed(d.sumUp(says, now), says)
		case 9:
			d.use(fmt.Sprintf("tool %d", i), now)
		case 10:
			d.anchor(rapid.SampledFrom([]string{"", "a.go", "b.go"}).Draw(t, "anchored to"), now)
		}
		states = append(states, *d.state)
	}
	return states, written, summary, devices
}

func TestStatesOfAMemoryFormASemilattice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		states, written, summary, devices := history(rt, rapid.IntRange(1, 25).Draw(rt, "steps"))
		state := rapid.SampledFrom(states)
		a, b, c := state.Draw(rt, "a"), state.Draw(rt, "b"), state.Draw(rt, "c")
		same := func(law string, x, y engram.Record) {
			rt.Helper()
			if got, want := bytesOf(x), bytesOf(y); got != want {
				rt.Fatalf("%s:\n%s\n%s", law, got, want)
			}
		}
		same("idempotent", lifecycle.Merge(a, a), lifecycle.Normal(a))
		same("normal is normal", lifecycle.Normal(lifecycle.Normal(a)), lifecycle.Normal(a))
		same("commutative", lifecycle.Merge(a, b), lifecycle.Merge(b, a))
		same("associative", lifecycle.Merge(lifecycle.Merge(a, b), c), lifecycle.Merge(a, lifecycle.Merge(b, c)))
		same("absorbing", lifecycle.Merge(lifecycle.Merge(a, b), b), lifecycle.Merge(a, b))

		all := lifecycle.Merge(states[0], states[0])
		for _, s := range states {
			all = lifecycle.Merge(all, s)
		}
		other := rapid.SampledFrom(states).Draw(rt, "first")
		for _, s := range append(rapid.Permutation(states).Draw(rt, "order"), rapid.SliceOfN(state, 0, 5).Draw(rt, "again")...) {
			other = lifecycle.Merge(other, s)
		}
		same("any order and any number of times", other, all)

		texts := []string{all.Memory.Memory.Content}
		for _, r := range all.Memory.Revisions {
			texts = append(texts, r.Content)
		}
		slices.Sort(texts)
		slices.Sort(written)
		if !slices.Equal(texts, written) {
			rt.Fatalf("texts are %q, want each that was written once: %q", texts, written)
		}
		if got := all.Memory.Memory.Summary; got != summary {
			rt.Fatalf("the summary is %q, want %q, by the latest write of it or of the text", got, summary)
		}
		counted := 0
		for _, d := range devices {
			counted += d.own.Accesses
		}
		if all.Memory.Memory.AccessCount != counted {
			rt.Fatalf("%d accesses, want %d", all.Memory.Memory.AccessCount, counted)
		}
	})
}

func TestOfTwoReplicas(t *testing.T) {
	at := func(minutes int) time.Time { return origin.Add(time.Duration(minutes) * time.Minute) }
	for _, tt := range []struct {
		name string
		do   func(a, b *device)
		want string
	}{
		{"the later text holds and the other is kept", func(a, b *device) { a.say("earlier", at(1)); b.say("later", at(2)) }, "later; was first, earlier; tags first"},
		{"an edit later than the forgetting brings it back", func(a, b *device) { a.forget(at(1)); b.say("later", at(2)) }, "later; was first; tags first"},
		{"an older edit does not bring it back, and its text is kept", func(a, b *device) { b.say("older", at(1)); a.forget(at(2)) }, "forgotten older; was first; tags first"},
		{"what was restored stays when the forgetting comes late", func(a, b *device) { a.forget(at(1)); b.hear(*a.state); b.restore(at(2)) }, "first; was ; tags first"},
		{"a tag that one adds and the other removes stays", func(a, b *device) {
			a.tag([]string{"first", "x"}, at(1))
			b.hear(*a.state)
			a.tag([]string{"first"}, at(2))
			b.tag(nil, at(2))
			b.tag([]string{"x"}, at(3))
		}, "first; was ; tags x"},
		{"a tag that is removed unseen by others is gone", func(a, b *device) { a.tag(nil, at(1)); b.say("later", at(2)) }, "later; was first; tags "},
		{"a new tag brings it back, too", func(a, b *device) { a.forget(at(1)); b.tag([]string{"first", "y"}, at(2)) }, "first; was ; tags first y"},
		{"what moved is gone for who does not know where to", func(a, b *device) { b.hear(left(*a.state, a.move("web", at(1)))); *a.state = *b.state }, "forgotten first; was ; tags first"},
		{"what moved is where it went, whatever it had left", func(a, b *device) { b.hear(left(*a.state, a.move("web", at(1)))) }, "first; was ; tags first"},
		{"and where it moved to after that", func(a, b *device) {
			b.hear(left(*a.state, a.move("web", at(1))))
			a.move("shop", at(2))
		}, "first; was ; tags first"},
		{"what was forgotten stays forgotten when it is moved", func(a, b *device) { b.forget(at(1)); a.hear(*b.state); a.move("web", at(2)) }, "forgotten first; was ; tags first"},
		{"what left where it had been forgotten stays forgotten", func(a, b *device) {
			b.forget(at(1))
			s := a.move("web", at(2))
			b.hear(left(*a.state, s))
		}, "forgotten first; was ; tags first"},
		{"a summary is of the text that it was written for", func(a, b *device) { a.sumUp("in short", at(1)); b.say("later", at(2)) }, "later; was first; tags first"},
		{"and one that is written after it holds, whoever wrote the text", func(a, b *device) { b.say("later", at(1)); a.sumUp("in short", at(2)) }, "later, in short; was first; tags first"},
		{"a tool that is named later doubles no text", func(a, b *device) { a.use("Bash", at(1)); b.use("Edit", at(2)) }, "first by Edit; was ; tags first"},
		{"a summary brings it back, too", func(a, b *device) { a.forget(at(1)); b.sumUp("in short", at(2)) }, "first, in short; was ; tags first"},
		{"a clock of the next century wins no more than once", func(a, b *device) {
			a.skew = 73 * 365 * 24 * time.Hour
			a.say("of 2099", at(1))
			b.hear(*a.state)
			b.say("after it", at(2))
		}, "after it; was first, of 2099; tags first"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := &device{name: "a"}, &device{name: "b"}
			first := a.made("first", origin)
			a.hear(first)
			b.hear(first)
			tt.do(a, b)
			m := lifecycle.Merge(*a.state, *b.state).Memory
			var was []string
			for _, r := range m.Revisions {
				was = append(was, r.Content)
			}
			says := m.Memory.Content
			if m.Memory.Summary != "" {
				says += ", " + m.Memory.Summary
			}
			if m.Memory.ToolName != "" {
				says += " by " + m.Memory.ToolName
			}
			got := fmt.Sprintf("%s; was %s; tags %s", says, strings.Join(was, ", "), strings.Join(m.Memory.Tags, " "))
			if m.Memory.Forgotten() {
				got = "forgotten " + got
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// anything is a record that no honest store makes, with unrelated stamps and values.
func anything(t *rapid.T, kind engram.Entity) engram.Record {
	stamp := rapid.Custom(func(t *rapid.T) engram.VersionStamp {
		return engram.VersionStamp{At: engram.Clock(rapid.IntRange(0, 4).Draw(t, "at")), Device: rapid.SampledFrom([]string{"", "a", "b", "~0a1b2c3d"}).Draw(t, "device")}
	})
	word := rapid.SampledFrom([]string{"", "x", "y"})
	when := rapid.Custom(func(t *rapid.T) time.Time {
		if n := rapid.IntRange(0, 4).Draw(t, "when"); n > 0 {
			return origin.Add(time.Duration(n) * time.Hour)
		}
		return time.Time{}
	})
	dot := rapid.Custom(func(t *rapid.T) engram.Dot {
		return engram.Dot{Added: engram.Clock(rapid.IntRange(0, 3).Draw(t, "added")), Removed: engram.Clock(rapid.IntRange(0, 3).Draw(t, "removed"))}
	})
	dots := rapid.Custom(func(t *rapid.T) engram.Dots {
		return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b"}), dot, 0, 2).Draw(t, "dots")
	})
	r := engram.Record{}
	var parts []engram.Part
	members := word
	switch kind {
	case engram.EntityMemory:
		parts = []engram.Part{"text", "summary", "tool_name", "type", "scope", "topic_key", "metadata", "anchors", "project", "session_id", "deleted", "restored", "of a later version"}
		m := engram.Memory{ID: "mem_01", SyncID: "obs-01", Title: "t", Content: word.Draw(t, "content"), Summary: word.Draw(t, "summary"), ToolName: word.Draw(t, "tool"), Type: engram.Type(word.Draw(t, "type")), TopicKey: word.Draw(t, "topic"),
			Tags: rapid.SliceOfNDistinct(word, 0, 2, rapid.ID[string]).Draw(t, "tags"), Metadata: map[string]any{"k": word.Draw(t, "metadata")}, Anchors: anchors(word.Draw(t, "anchor")),
			CreatedAt: when.Draw(t, "created"), UpdatedAt: when.Draw(t, "updated"), TouchedAt: when.Draw(t, "touched"), DeletedAt: when.Draw(t, "deleted"),
			Strength: rapid.Float64Range(0, 1).Draw(t, "strength"), AccessCount: rapid.IntRange(0, 3).Draw(t, "accesses"), DuplicateCount: rapid.IntRange(0, 3).Draw(t, "repeats")}
		r.Memory = &engram.MemoryRecord{Memory: m}
		for n := range rapid.IntRange(0, 3).Draw(t, "revisions") {
			rev := engram.Revision{Number: n + 1, Title: "t", Content: word.Draw(t, "said"), Reason: word.Draw(t, "reason"), WrittenAt: when.Draw(t, "written"), ReplacedAt: when.Draw(t, "replaced")}
			if rapid.Bool().Draw(t, "stamped") {
				rev.Stamp = stamp.Draw(t, "stamp")
			}
			r.Memory.Revisions = append(r.Memory.Revisions, rev)
		}
	case engram.EntityRelation:
		parts, members = []engram.Part{"verdict"}, rapid.Just("")
		r.Relation = &engram.RelationRecord{Source: engram.ByID("mem_01"), Target: engram.Ref{SyncID: "obs-02"},
			Relation: engram.Relation{ID: "rel-1", Verb: engram.Verb(word.Draw(t, "verb")), Reason: word.Draw(t, "reason"), CreatedAt: when.Draw(t, "created"),
				UpdatedAt: when.Draw(t, "updated"), RemovedAt: when.Draw(t, "removed")}}
	case engram.EntitySession:
		parts = []engram.Part{"directory", "started_at", "ended_at", "summary", "project", "deleted", "restored", "text"}
		r.Session = &engram.Session{ID: "s", Project: word.Draw(t, "project"), Summary: word.Draw(t, "summary"), StartedAt: when.Draw(t, "started"), ActiveAt: when.Draw(t, "active")}
	case engram.EntityPrompt:
		parts = []engram.Part{"text", "project", "session_id", "deleted", "restored"}
		r.Prompt = &engram.Prompt{SyncID: "prompt-1", Content: word.Draw(t, "content"), Project: word.Draw(t, "project"), CreatedAt: when.Draw(t, "created"), DeletedAt: when.Draw(t, "deleted")}
	case engram.EntityProject:
		parts = []engram.Part{"remote", "decay"}
		r.Project = &engram.Project{Name: "shop", Remote: word.Draw(t, "remote"), Aliases: rapid.SliceOfNDistinct(word, 0, 2, rapid.ID[string]).Draw(t, "aliases"), CreatedAt: when.Draw(t, "created")}
	}
	if rapid.IntRange(0, 3).Draw(t, "lineage") > 0 {
		r.Causal = &engram.CausalMetadata{Base: stamp.Draw(t, "base"), Parts: rapid.MapOfN(rapid.SampledFrom(parts), stamp, 0, 4).Draw(t, "parts"),
			Sets: rapid.MapOfN(members, dots, 0, 2).Draw(t, "sets")}
		if s, own := r.Causal.Parts[engram.PartText]; own && s.Compare(r.Causal.Base) < 0 {
			delete(r.Causal.Parts, engram.PartText) // as received: nothing has a text before it is created
		}
		if kind == engram.EntityMemory {
			r.Causal.Counts = rapid.MapOfN(rapid.SampledFrom([]string{"a", "~"}), rapid.Custom(func(t *rapid.T) engram.Count {
				return engram.Count{Accesses: rapid.IntRange(0, 2).Draw(t, "accesses"), Repeats: rapid.IntRange(0, 2).Draw(t, "repeats")}
			}), 0, 2).Draw(t, "counts")
		}
	}
	return r
}

// alike returns what replicas with the same states have in common: Normal without local notes,
// which are the trust in the words, why and when an older text was replaced, and its type.
func alike(r engram.Record) engram.Record {
	m := lifecycle.Normal(r)
	m.Item = ""
	if m.Memory == nil {
		return m
	}
	m.Memory.Memory.Origin = ""
	for i, rev := range m.Memory.Revisions {
		m.Memory.Revisions[i] = engram.Revision{Number: rev.Number, Title: rev.Title, Content: rev.Content, Stamp: rev.Stamp}
	}
	return m
}

func TestStatesThatNoStoreMakesFormASemilattice(t *testing.T) {
	for _, kind := range []engram.Entity{engram.EntityMemory, engram.EntityRelation, engram.EntitySession, engram.EntityPrompt, engram.EntityProject} {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				a, b, c := anything(rt, kind), anything(rt, kind), anything(rt, kind)
				before := bytesOf(a) + bytesOf(b)
				ab := lifecycle.Merge(a, b)
				for _, law := range []struct {
					name string
					x, y engram.Record
				}{
					{"idempotent", lifecycle.Merge(a, a), lifecycle.Normal(a)},
					{"normal is normal", lifecycle.Normal(lifecycle.Normal(a)), lifecycle.Normal(a)},
					{"commutative", ab, lifecycle.Merge(b, a)},
					{"associative", lifecycle.Merge(ab, c), lifecycle.Merge(a, lifecycle.Merge(b, c))},
					{"absorbing", lifecycle.Merge(ab, b), ab},
				} {
					if x, y := bytesOf(alike(law.x)), bytesOf(alike(law.y)); x != y {
						rt.Fatalf("%s: of\n%s\n%s\n%s\nthere is\n%s\nand\n%s", law.name, bytesOf(a), bytesOf(b), bytesOf(c), x, y)
					}
				}
				if after := bytesOf(a) + bytesOf(b); after != before {
					rt.Fatalf("what was merged was changed\n%s\n%s", before, after)
				}
			})
		})
	}
}

func TestWhatIsKnownOfAnErasureFormsASemilattice(t *testing.T) {
	// The zero time, the name alone and bound: as known from less information.
	some := rapid.Custom(func(t *rapid.T) engram.Erased {
		return engram.Erased{Entity: engram.EntityMemory, ID: rapid.SampledFrom([]string{"obs-01", "mem_01", "mem_02"}).Draw(t, "id"), SyncID: "obs-01",
			Project: "shop", At: engram.Clock(rapid.IntRange(0, 3).Draw(t, "at")), Bound: rapid.Bool().Draw(t, "bound")}
	})
	rapid.Check(t, func(rt *rapid.T) {
		a, b, c := some.Draw(rt, "a"), some.Draw(rt, "b"), some.Draw(rt, "c")
		merge := lifecycle.MergeErased
		for law, xs := range map[string][2]engram.Erased{
			"idempotent":  {merge(a, a), a},
			"commutative": {merge(a, b), merge(b, a)},
			"associative": {merge(merge(a, b), c), merge(a, merge(b, c))},
			"earlier":     {{At: merge(a, b).At}, {At: min(a.At, b.At)}},
			"everywhere":  {{Bound: merge(a, b).Bound}, {Bound: a.Bound && b.Bound}},
		} {
			if xs[0] != xs[1] {
				rt.Fatalf("%s: of %+v, %+v, %+v there is\n%+v\n%+v", law, a, b, c, xs[0], xs[1])
			}
		}
	})
}
