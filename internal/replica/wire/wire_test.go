package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// texts are valid texts of memories.
func texts() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", "line\r\n\tnext", "<b>&</b>", "\u2028é日本", "obs", `"quoted\"`, "\x00\x01"}))
}

// times are times of a store: zero, or in whole milliseconds.
func times() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		ms := rapid.Int64Range(-1, 4_000_000_000_000).Draw(t, "ms")
		if ms < 0 {
			return time.Time{}
		}
		return time.UnixMilli(ms).UTC()
	})
}

func stamps() *rapid.Generator[engram.VersionStamp] {
	return rapid.Custom(func(t *rapid.T) engram.VersionStamp {
		return engram.VersionStamp{At: engram.Clock(rapid.Int64Range(0, math.MaxInt64).Draw(t, "at")), Device: rapid.SampledFrom([]string{"", "d1", "~0a1b2c3d", "a-b"}).Draw(t, "device")}
	})
}

func unit() *rapid.Generator[float64] { return rapid.Float64Range(0, 1) }

func lineages() *rapid.Generator[*engram.CausalMetadata] {
	name := rapid.SampledFrom([]string{"", "text", "d1", "tag with space", "ü"})
	dot := rapid.Custom(func(t *rapid.T) engram.Dot {
		clock := rapid.Int64Range(0, math.MaxInt64)
		return engram.Dot{Added: engram.Clock(clock.Draw(t, "added")), Removed: engram.Clock(clock.Draw(t, "removed"))}
	})
	dots := rapid.Custom(func(t *rapid.T) engram.Dots { return rapid.MapOfN(name, dot, 1, 3).Draw(t, "dots") })
	count := rapid.Custom(func(t *rapid.T) engram.Count {
		return engram.Count{Accesses: rapid.IntRange(0, 1<<40).Draw(t, "a"), Repeats: rapid.IntRange(0, 9).Draw(t, "r")}
	})
	part := rapid.Custom(func(t *rapid.T) engram.Part { return engram.Part(name.Draw(t, "part")) })
	return rapid.Custom(func(t *rapid.T) *engram.CausalMetadata {
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		l := &engram.CausalMetadata{Base: stamps().Draw(t, "base")}
		if m := rapid.MapOf(part, stamps()).Draw(t, "parts"); len(m) > 0 {
			l.Parts = m
		}
		if m := rapid.MapOf(name, dots).Draw(t, "sets"); len(m) > 0 {
			l.Sets = m
		}
		if m := rapid.MapOf(name, count).Draw(t, "counts"); len(m) > 0 {
			l.Counts = m
		}
		return l
	})
}

func list[T any](t *rapid.T, g *rapid.Generator[T], name string) []T {
	all := rapid.SliceOfN(g, 0, 3).Draw(t, name)
	if len(all) == 0 {
		return nil
	}
	return all
}

func memories() *rapid.Generator[engram.Record] {
	revision := rapid.Custom(func(t *rapid.T) engram.Revision {
		return engram.Revision{Number: rapid.Int().Draw(t, "number"), Type: engram.Type(texts().Draw(t, "type")), Title: texts().Draw(t, "title"),
			Content: texts().Draw(t, "content"), WrittenAt: times().Draw(t, "written"), ReplacedAt: times().Draw(t, "replaced"), Reason: texts().Draw(t, "reason"), Stamp: stamps().Draw(t, "stamp")}
	})
	vector := rapid.Custom(func(t *rapid.T) engram.FingerprintedRow {
		return engram.FingerprintedRow{Model: texts().Draw(t, "model"), Values: rapid.SliceOfN(rapid.Float32(), 0, 4).Draw(t, "values")}
	})
	return rapid.Custom(func(t *rapid.T) engram.Record {
		text, at := func(name string) string { return texts().Draw(t, name) }, func(name string) time.Time { return times().Draw(t, name) }
		m := engram.Memory{ID: engram.ID(text("id")), SyncID: text("sync"), Project: text("project"), Scope: engram.Scope(text("scope")), Type: engram.Type(text("type")),
			Title: text("title"), Content: text("content"), Summary: text("summary"), Tags: list(t, texts(), "tags"), TopicKey: text("topic"), SessionID: text("session"),
			ToolName: text("tool"), Origin: engram.Origin(text("origin")), Importance: unit().Draw(t, "importance"), Strength: unit().Draw(t, "strength"), TouchedAt: at("touched"),
			Permanent: rapid.Bool().Draw(t, "permanent"), AccessCount: rapid.Int().Draw(t, "access"), LastAccessedAt: at("accessed"), CreatedAt: at("created"), UpdatedAt: at("updated"),
			ReviewAfter: at("review"), ValidFrom: at("from"), ValidTo: at("to"), RevisionCount: rapid.Int().Draw(t, "revisions"), DuplicateCount: rapid.Int().Draw(t, "duplicates"),
			LastSeenAt: at("seen"), DeletedAt: at("deleted")}
		if rapid.Bool().Draw(t, "metadata") {
			m.Metadata = map[string]any{text("key"): 1.5, "list": []any{nil, true, text("value"), map[string]any{}}}
		}
		m.Anchors = list(t, anchors(), "anchors")
		return engram.Record{Memory: &engram.MemoryRecord{Memory: m, Revisions: list(t, revision, "revisions"), Vectors: list(t, vector, "vectors")}}
	})
}

func anchors() *rapid.Generator[engram.Anchor] {
	return rapid.Custom(func(t *rapid.T) engram.Anchor {
		text := func(name string) string { return texts().Draw(t, name) }
		return engram.Anchor{Repository: text("repository"), Commit: text("commit"), Path: text("path"), Blob: text("blob"), Lines: text("lines"),
			First: rapid.Int().Draw(t, "first"), Last: rapid.Int().Draw(t, "last"), Named: rapid.Bool().Draw(t, "named")}
	})
}

func relations() *rapid.Generator[engram.Record] {
	ref := rapid.SampledFrom([]engram.Ref{{}, {ID: "mem_a"}, {SyncID: "obs-0123456789abcdef"}, {ID: "obs-"}})
	return rapid.Custom(func(t *rapid.T) engram.Record {
		text := func(name string) string { return texts().Draw(t, name) }
		x := engram.Relation{ID: text("id"), Verb: engram.Verb(text("verb")), Status: engram.RelationStatus(text("status")), Strength: unit().Draw(t, "strength"), Reason: text("reason"),
			Evidence: text("evidence"), Confidence: unit().Draw(t, "confidence"), Actor: text("actor"), ActorKind: text("kind"), Model: text("model"), SessionID: text("session"),
			CreatedAt: times().Draw(t, "created"), UpdatedAt: times().Draw(t, "updated"), RemovedAt: times().Draw(t, "removed")}
		return engram.Record{Relation: &engram.RelationRecord{Relation: x, Source: ref.Draw(t, "source"), Target: ref.Draw(t, "target")}}
	})
}

// records are records of every kind, with or without causal metadata.
func records() *rapid.Generator[engram.Record] {
	return rapid.Custom(func(t *rapid.T) engram.Record {
		text, at := func(name string) string { return texts().Draw(t, name) }, func(name string) time.Time { return times().Draw(t, name) }
		var r engram.Record
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			r.Project = &engram.Project{Name: text("name"), Aliases: list(t, texts(), "aliases"), Remote: text("remote"), CreatedAt: at("created"),
				Decay: rapid.SampledFrom([]*engram.ProjectDecay{nil, {Decay: engram.Decay{Curve: engram.CurveGeometric, Rate: 0.9}}}).Draw(t, "decay")}
		case 1:
			r.Session = &engram.Session{ID: text("id"), Project: text("project"), Directory: text("directory"), StartedAt: at("started"), EndedAt: at("ended"), Summary: text("summary"), ActiveAt: at("active")}
		case 2:
			r = memories().Draw(t, "memory")
		case 3:
			r.Prompt = &engram.Prompt{SyncID: text("sync"), SessionID: text("session"), Project: text("project"), Content: text("content"), CreatedAt: at("created"), DeletedAt: at("deleted")}
		case 4:
			r = relations().Draw(t, "relation")
		default:
			r.Erased = &engram.Erased{Entity: engram.Entity(text("kind")), ID: text("id"), SyncID: text("sync"), Project: text("project"), At: engram.Clock(rapid.Int64().Draw(t, "at"))}
			return r
		}
		r.Causal, r.Tombstone = lineages().Draw(t, "lineage"), rapid.Bool().Draw(t, "gone")
		return r
	})
}

func TestWhatIsEncodedIsDecodedToTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := records().Draw(t, "record")
		section, item := wire.Encode(in)
		b, err := json.Marshal(item)
		if err != nil {
			t.Fatalf("encode %+v: %v", in, err)
		}
		out, err := wire.Decode(section, b)
		if err != nil || !reflect.DeepEqual(out, in) {
			t.Fatalf("through %s\n got %+v, %v\nwant %+v", b, out, err, in)
		}
	})
}

// Items of older programs lack newer fields.
func TestAnItemWithoutLineage(t *testing.T) {
	r, err := wire.Decode(wire.Memories, []byte(`{"content":"a","revisions":[{"number":1,"content":"b"}]}`))
	if err != nil || r.Causal != nil || r.Tombstone || r.Memory.Memory.Content != "a" || r.Memory.Revisions[0].Stamp != (engram.VersionStamp{}) {
		t.Errorf("got %+v, %v; want a memory of which nobody knows where it comes from", r, err)
	}
}

func TestALayerHasWhatTheOnesBeforeItLack(t *testing.T) {
	r, err := wire.Decode(wire.Memories, []byte(`{"content":"a","title":"t","created_at":"2026-01-02 03:04:05"}`), []byte(`{"created_at":"2026-01-02T03:04:05.678Z","tags":["x"]}`))
	m := engram.Memory{}
	if err == nil {
		m = r.Memory.Memory
	}
	if err != nil || m.Content != "a" || m.Title != "t" || m.CreatedAt.UnixMilli()%1000 != 678 || len(m.Tags) != 1 {
		t.Errorf("got %+v, %v; want what both say", r, err)
	}
}

func TestItemsThatDoNotFit(t *testing.T) {
	many := "{" + strings.TrimSuffix(strings.Repeat(`"p%d":"",`, 10_001), ",") + "}"
	numbers := make([]any, 10_001)
	for i := range numbers {
		numbers[i] = i
	}
	for _, tt := range []struct {
		name, item, want string
	}{
		{"a list", `[]`, "it is an array"},
		{"a number for a text", `{"title":7}`, "title cannot be a number"},
		{"a text for a list", `{"tags":"a"}`, "tags cannot be a string"},
		{"no time", `{"created_at":"soon"}`, `"soon" is not a time`},
		{"a lineage that is a text", `{"lineage":"x"}`, "lineage cannot be a string"},
		{"an invalid stamp", `{"lineage":{"base":"yesterday"}}`, `"yesterday" is not a version stamp`},
		{"a clock before 1970", `{"lineage":{"sets":{"t":{"d":{"a":-1}}}}}`, "before 1970"},
		{"a count below nothing", `{"lineage":{"counts":{"d":{"a":-1}}}}`, "an impossible count"},
		{"a count that would overflow", `{"lineage":{"counts":{"d":{"r":9007199254740992}}}}`, "an impossible count"},
		{"a device with a NUL", `{"lineage":{"counts":{"d\u0000":{}}}}`, "NUL"},
		{"a part with a NUL", `{"lineage":{"parts":{"d\u0000":""}}}`, "NUL"},
		{"a member with a NUL", `{"lineage":{"sets":{"d\u0000":{}}}}`, "NUL"},
		{"more parts than there are devices", `{"lineage":{"parts":` + fmt.Sprintf(many, numbers...) + `}}`, "10001 entries"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := wire.Decode(wire.Memories, []byte(tt.item))
			if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("decode %.80s\n got %v\nwant %s", tt.item, err, tt.want)
			}
		})
	}
}

func TestNothingHasNoList(t *testing.T) {
	if section, item := wire.Encode(engram.Record{}); section != -1 || item != nil {
		t.Errorf("got %d, %v; want -1 and nothing", section, item)
	}
}

// The dialect has whole seconds and few fields, which come back.
func TestWhatTheDialectSaysIsRead(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m := engram.Memory{Num: 7, SyncID: "obs-1", SessionID: "s", Type: "fact", Title: "T", Content: "c", Project: "shop", Scope: engram.ScopeProject, TopicKey: "a/b", ToolName: "Bash",
		RevisionCount: 2, DuplicateCount: 3, LastSeenAt: at, ReviewAfter: at, CreatedAt: at, UpdatedAt: at, DeletedAt: at}
	s := engram.Session{ID: "s", Project: "shop", Directory: "/src", StartedAt: at, EndedAt: at, Summary: "done"}
	p := engram.Prompt{SyncID: "prompt-1", SessionID: "s", Project: "shop", Content: "why?", CreatedAt: at}
	without := m
	without.Num, without.Importance, without.Strength = 0, engram.DefaultImportance, 1
	for _, tt := range []struct {
		section int
		item    any
		want    engram.Record
	}{
		{wire.MemSessions, wire.MemSessionOf(s), engram.Record{Session: &s}},
		{wire.Observations, wire.ObservationOf(m), engram.Record{Memory: &engram.MemoryRecord{Memory: without}}},
		{wire.MemPrompts, wire.MemPromptOf(p), engram.Record{Prompt: &p}},
	} {
		b, err := json.Marshal(tt.item)
		if err != nil {
			t.Fatal(err)
		}
		got, err := wire.DecodeDialect(tt.section, b)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("through %s\n got %+v, %v\nwant %+v", b, got, err, tt.want)
		}
	}
}

// FuzzDecode: any item is rejected, or can be written and read again.
func FuzzDecode(f *testing.F) {
	f.Add(2, []byte(`{"content":"a","lineage":{"base":"0000000000000001-d","sets":{"t":{"d":{"a":1}}}},"created_at":7}`))
	f.Add(0, []byte(`{"name":"a","decay":{"rate":0.5}}`))
	f.Add(5, []byte(`{"kind":"memory","at":7}`))
	f.Fuzz(func(t *testing.T, section int, item []byte) {
		section = ((section % 6) + 6) % 6
		r, err := wire.Decode(section, item)
		if err != nil {
			if engram.CodeOf(err) != engram.CodeInvalid {
				t.Fatalf("decode %q: %v, want invalid", item, err)
			}
			return
		}
		_, again := wire.Encode(r)
		once, err := json.Marshal(again)
		if err != nil {
			t.Fatalf("encode what %q was read to: %v", item, err)
		}
		r, err = wire.Decode(section, once)
		if err != nil {
			t.Fatalf("decode %s: %v", once, err)
		}
		_, again = wire.Encode(r)
		if twice, err := json.Marshal(again); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q\n got %s, %v\nwant %s", item, twice, err, once)
		}
	})
}
