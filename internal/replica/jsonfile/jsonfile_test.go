package jsonfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/jsonfile"
)

func instant(second int) time.Time { return time.Date(2026, 1, 2, 3, 4, second, 0, time.UTC) }

func stamp(second int, device string) engram.VersionStamp {
	return engram.VersionStamp{At: engram.Clock(0).Tick(instant(second)), Device: device}
}

// everything is one record of each kind, with every field that a file has.
func everything() []engram.Record {
	m := engram.Memory{ID: "mem_00000000000000000000000001", SyncID: "obs-00000000000000aa", Project: "shop", Scope: engram.ScopeGlobal, Type: "decision",
		Title: "Auth <b>", Content: "line\r\nnext\t\"é 日本 \u2028", Summary: "short", Tags: []string{"a", "b"}, Metadata: map[string]any{"k": 1.5, "l": []any{nil, true}},
		TopicKey: "a/b", SessionID: "s1", ToolName: "Edit", Origin: engram.OriginHuman, Importance: 0.8, Strength: 0.25, TouchedAt: instant(1), Permanent: true,
		AccessCount: 3, LastAccessedAt: instant(2), CreatedAt: instant(3), UpdatedAt: instant(4), ReviewAfter: instant(5), ValidFrom: instant(6),
		ValidTo: instant(7), RevisionCount: 2, DuplicateCount: 4, LastSeenAt: instant(8), DeletedAt: instant(9)}
	m.Anchors = []engram.Anchor{{Repository: "example.com/a/shop", Commit: strings.Repeat("c", 40), Path: "a/b.go", Blob: strings.Repeat("b", 40), First: 3, Last: 9,
		Lines: "01234567-0123456789abcdef", Named: true}, {Repository: "local:0123456789abcdef", Path: "c.go", Blob: strings.Repeat("d", 64)}}
	r := engram.Relation{ID: "rel-0000000000000001", Verb: engram.VerbSupersedes, Status: engram.RelationJudged, Strength: 0.5, Reason: "r", Evidence: "e",
		Confidence: 0.75, Actor: "agent", ActorKind: "agent", Model: "m", SessionID: "s1", CreatedAt: instant(1), UpdatedAt: instant(2), RemovedAt: instant(3)}
	lineage := &engram.CausalMetadata{Base: stamp(1, "d1"), Parts: map[engram.Part]engram.VersionStamp{engram.PartText: stamp(2, "d2"), "importance": {}},
		Sets: map[string]engram.Dots{"a": {"d1": {Added: 5}, "d2": {Added: 7, Removed: 7}}}, Counts: map[string]engram.Count{"d1": {Accesses: 3}, "d2": {Repeats: 1}}}
	return []engram.Record{
		{Causal: &engram.CausalMetadata{Base: stamp(1, "d1")}, Project: &engram.Project{Name: "shop", Aliases: []string{"store"}, Remote: "github.com/a/shop", CreatedAt: instant(1),
			Decay: &engram.ProjectDecay{Decay: engram.Decay{Curve: engram.CurveGeometric, Rate: 0.9}, Types: map[engram.Type]engram.Decay{"fact": {Rate: 0.5}}}}},
		{Session: &engram.Session{ID: "s1", Project: "shop", Directory: "/src", StartedAt: instant(1), EndedAt: instant(2), ActiveAt: instant(3), Summary: "done"}},
		{Tombstone: true, Causal: &engram.CausalMetadata{Base: stamp(1, "d1"), Parts: map[engram.Part]engram.VersionStamp{engram.PartDeleted: stamp(3, "d2")}}, Session: &engram.Session{ID: "s0", Project: "shop"}},
		{Causal: lineage, Memory: &engram.MemoryRecord{Memory: m, Revisions: []engram.Revision{{Number: 1, Type: "fact", Title: "old", Content: "was", WrittenAt: instant(1), ReplacedAt: instant(2), Reason: "update", Stamp: stamp(1, "d1")}},
			Vectors: []engram.FingerprintedRow{{Model: "f", Values: []float32{0.5, -1, 0}}}}},
		{Prompt: &engram.Prompt{SyncID: "prompt-1", SessionID: "s1", Project: "shop", Content: "why?", CreatedAt: instant(1), DeletedAt: instant(2)}},
		{Relation: &engram.RelationRecord{Relation: r, Source: engram.ByID(m.ID), Target: engram.Ref{SyncID: "obs-00000000000000bb"}}},
		{Erased: &engram.Erased{Entity: engram.EntityMemory, ID: "mem_x", SyncID: "obs-x", Project: "shop", At: 7}},
	}
}

func seq(records []engram.Record) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// read reads a file to its end.
func read(r io.Reader) (engram.Snapshot, []engram.Record, error) {
	head, records, err := jsonfile.Native{}.Read(r)
	if err != nil {
		return head, nil, err
	}
	var all []engram.Record
	for r, err := range records {
		if err != nil {
			return head, all, err
		}
		all = append(all, r)
	}
	return head, all, nil
}

func write(t testing.TB, f engram.Format, head engram.Snapshot, records []engram.Record) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, head, seq(records)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheNativeFormKeepsEverything(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]engram.Format{"json": jsonfile.Native{}, "plain": jsonfile.Plain{}} {
		t.Run(name, func(t *testing.T) { keepsEverything(t, name, f) })
	}
}

func keepsEverything(t *testing.T, name string, f engram.Format) {
	in := everything()
	head := engram.Snapshot{Format: name, At: instant(0), Program: "1.2.3", Project: "shop", Memories: 1}
	file := write(t, f, head, in)
	if whole, _, err := read(strings.NewReader(write(t, f, engram.Snapshot{}, nil))); err != nil || !whole.Whole {
		t.Errorf("an export of every project: got %+v, %v; want that it says so", whole, err)
	}
	for name, r := range map[string]io.Reader{"at once": strings.NewReader(file), "a byte at a time": iotest.OneByteReader(strings.NewReader(file)),
		"with a mark of the byte order": strings.NewReader("\xef\xbb\xbf" + file)} {
		got, out, err := read(r)
		if err != nil || !reflect.DeepEqual(got, head) {
			t.Errorf("%s: the head is %+v, %v; want %+v", name, got, err, head)
		}
		for i := range out {
			out[i].Item = ""
		}
		if !reflect.DeepEqual(out, in) {
			t.Errorf("%s\n got %+v\nwant %+v", name, out, in)
		}
	}
}

func TestAFileOfNothing(t *testing.T) {
	t.Parallel()
	for name, f := range jsonfile.Formats() {
		head, records, err := read(strings.NewReader(write(t, f, engram.Snapshot{At: instant(0)}, nil)))
		if err != nil || len(records) != 0 || head.Format != name {
			t.Errorf("%s: got %+v, %v, %v; want a file of that form without records", name, head, records, err)
		}
	}
}

func TestTheDialectIsWhatPluginsKnow(t *testing.T) {
	t.Parallel()
	got := write(t, jsonfile.Dialect{}, engram.Snapshot{At: instant(0)}, everything()[:5])
	want := `{
"version": "0.1.0",
"exported_at": "2026-01-02 03:04:00",
"sessions": [
{"id":"s1","project":"shop","directory":"/src","started_at":"2026-01-02 03:04:01","ended_at":"2026-01-02 03:04:02","summary":"done"}
],
"observations": [
{"id":0,"sync_id":"obs-00000000000000aa","session_id":"s1","type":"decision","title":"Auth <b>","content":"line\r\nnext\t\"é 日本 \u2028","tool_name":"Edit","project":"shop","scope":"global","topic_key":"a/b","revision_count":2,"duplicate_count":4,"last_seen_at":"2026-01-02 03:04:08","review_after":"2026-01-02 03:04:05","created_at":"2026-01-02 03:04:03","updated_at":"2026-01-02 03:04:04","deleted_at":"2026-01-02 03:04:09"}
],
"prompts": []
}
`
	if got != want {
		t.Errorf("the mem form\n got %s\nwant %s", got, want)
	}
	_, records, err := read(strings.NewReader(got))
	if err != nil || len(records) != 2 || records[1].Memory.Memory.UpdatedAt != instant(4) || records[0].Session.Summary != "done" {
		t.Errorf("read again: %+v, %v", records, err)
	}
}

// A program of the dialect reads its own export in the complete file: deleted things stay deleted.
func TestReadersOfTheDialectFindTheirLists(t *testing.T) {
	t.Parallel()
	in := everything()
	live := engram.Record{Prompt: &engram.Prompt{Num: 3, SyncID: "prompt-2", SessionID: "s1", Project: "shop", Content: "how?", CreatedAt: instant(1)}}
	in = slices.Insert(in, 4, live)
	var object struct {
		Version, ExportedAt string
		Sessions            []map[string]any
		Observations        []map[string]any
		Prompts             []map[string]any
	}
	if err := json.Unmarshal([]byte(write(t, jsonfile.Native{}, engram.Snapshot{At: instant(0)}, in)), &object); err != nil {
		t.Fatal(err)
	}
	if object.Version != "0.1.0" || len(object.Sessions) != 1 || len(object.Observations) != 1 || len(object.Prompts) != 1 {
		t.Fatalf("got %+v, want version 0.1.0 and one of each", object)
	}
	var dialect struct{ Sessions, Observations, Prompts []map[string]any }
	if err := json.Unmarshal([]byte(write(t, jsonfile.Dialect{}, engram.Snapshot{At: instant(0)}, in)), &dialect); err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2][]map[string]any{{object.Sessions, dialect.Sessions}, {object.Observations, dialect.Observations}, {object.Prompts, dialect.Prompts}} {
		delete(pair[0][0], "engram")
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("beside engram\n got %v\nwant %v", pair[0], pair[1])
		}
	}
}

// Another program adds an item to a file, or repeats a field of ours.
func TestItemsOfOthersInANativeFile(t *testing.T) {
	t.Parallel()
	const head = `{"version":"0.1.0","format":"engram","format_version":2,"observations":[`
	_, records, err := read(strings.NewReader(head + `{"id":7,"sync_id":"obs-1","title":"A","content":"a"}]}`))
	if err != nil || len(records) != 1 || records[0].Memory == nil || records[0].Memory.Memory.Content != "a" || records[0].Memory.Memory.Strength != 1 {
		t.Errorf("an item without engram: got %+v, %v", records, err)
	}
	for _, item := range []string{`{"id":7,"content":"a","engram":{"id":"mem_1","ID":"mem_2"}}`, `{"id":7,"content":"a","engram":[1]}`, `{"id":7,"content":"a","engram":"x"}`, `[]`} {
		_, records, err := read(strings.NewReader(head + item + `]}`))
		if err != nil || len(records) != 1 || records[0].Flaw == nil {
			t.Errorf("%s: got %+v, %v; want one item that is wrong", item, records, err)
		}
	}
}

// Rows of the memory_* program's tables, by its schema.
func TestTheGraphForm(t *testing.T) {
	t.Parallel()
	head, records, err := read(strings.NewReader(`{"version":"1.0","project_id":"shop","exported_at":1767323045,
		"memories":[{"id":"mem_abc123","project_id":"shop","memory_type":"fact","content":"bcrypt","summary":null,"tags":"[\"auth\"]","importance":0.8,
			"relevance_score":0.5,"access_count":2,"created_at":1767323045,"updated_at":1767323045000,"last_accessed_at":1767323045}],
		"relationships":[{"id":"rel_1","source_id":"mem_abc123","target_id":"mem_def456","relation_type":"supersedes","strength":0.9,"created_at":1767323045}],
		"embeddings":[{"memory_id":"mem_abc123","vector":"AAAA","model_version":"x"}]}`))
	if err != nil || head.Format != "graph" || head.Project != "shop" || head.At != instant(5) || len(records) != 2 {
		t.Fatalf("got %+v, %+v, %v", head, records, err)
	}
	m := records[0].Memory.Memory
	if m.ID != "mem_abc123" || m.Type != "fact" || m.Strength != 0.5 || !slices.Equal(m.Tags, []string{"auth"}) || m.CreatedAt != instant(5) || m.UpdatedAt != instant(5) {
		t.Errorf("the memory is %+v", m)
	}
	if r := records[1].Relation; r.Relation.Verb != "supersedes" || r.Source.ID != "mem_abc123" || r.Target.ID != "mem_def456" {
		t.Errorf("the relation is %+v", r)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 2000)
	for _, tt := range []struct {
		name, file string
		code       engram.Code
		want       string
	}{
		{"nothing", "", engram.CodeInvalid, "the file is empty"},
		{"a text", "hello", engram.CodeInvalid, "the file is not JSON at byte 0"},
		{"a list", "[{}]", engram.CodeInvalid, "the file is a list"},
		{"an object of something else", `{"name":"x"}`, engram.CodeInvalid, "not a known export"},
		{"another format", `{"format":"csv","memories":[]}`, engram.CodeInvalid, `the unknown format "csv"`},
		{"no version", `{"format":"engram","memories":[]}`, engram.CodeInvalid, "lacks the version"},
		{"a newer version", `{"format":"engram","version":2,"memories":[]}`, engram.CodeConflict, "version 2 of the format, and this program reads up to 1"},
		{"a newer format version", `{"version":"0.1.0","format":"engram","format_version":3,"observations":[]}`, engram.CodeConflict, "version 3 of the format, and this program reads up to 2"},
		{"a format version in quotes", `{"version":"0.1.0","format":"engram","format_version":"2","observations":[]}`, engram.CodeInvalid, `invalid format version "2"`},
		{"the dialect's version alone", `{"version":"0.1.0","format":"engram","observations":[]}`, engram.CodeInvalid, `invalid format version "0.1.0"`},
		{"sorted keys of the new one", `{"count":1,"deleted_prompts":[],"format":"engram","format_version":2}`, engram.CodeInvalid, "a list before its format and version"},
		{"sorted keys", `{"erased":[],"format":"engram","memories":[],"version":1}`, engram.CodeInvalid, "a list before its format and version"},
		{"the format behind a list that others have too", `{"memories":[],"format":"engram","version":1}`, engram.CodeInvalid, "a list before its format and version"},
		{"the version behind a list", `{"format":"engram","memories":[],"version":1}`, engram.CodeInvalid, "lacks the version"},
		{"cut in an item", `{"format":"engram","version":1,"memories":[{"content":"a"},{"con`, engram.CodeInvalid, "ends at byte 64 (memories[1])"},
		{"cut between items", `{"format":"engram","version":1,"memories":[{"content":"a"},`, engram.CodeInvalid, "ends at byte 59 (memories[1])"},
		{"cut at the end", `{"format":"engram","version":1,"memories":[]`, engram.CodeInvalid, "ends at byte 44"},
		{"two files in one", `{"format":"engram","version":1,"memories":[]}{}`, engram.CodeInvalid, "something follows the export at byte 46"},
		{"broken in an item", `{"format":"engram","version":1,"memories":[{"content":}]}`, engram.CodeInvalid, "not JSON at byte 43 (memories[0])"},
		{"broken between items", `{"format":"engram","version":1,"memories":[{"content":"a"} 7]}`, engram.CodeInvalid, "(memories[1])"},
		{"not UTF-8", "{\"format\":\"engram\",\"version\":1,\"memories\":[{\"content\":\"\xe9\"}]}", engram.CodeInvalid, "not valid UTF-8 at byte 55"},
		{"half a letter at the end", "{\"version\":\"\xc3", engram.CodeInvalid, "not valid UTF-8"},
		{"nested too deep", `{"x":` + deep, engram.CodeInvalid, "nested more than 1000 deep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.file), iotest.OneByteReader(strings.NewReader(tt.file))} {
				_, _, err := read(r)
				if engram.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("read %.80s\n got %s %v\nwant %s %s", tt.file, engram.CodeOf(err), err, tt.code, tt.want)
				}
			}
		})
	}
}

func TestAFileThatCannotBeHad(t *testing.T) {
	t.Parallel()
	gone := errors.New("the cable was pulled")
	_, _, err := read(io.MultiReader(strings.NewReader(`{"format":"engram","version":1,"memories":[{"content":"a"},`), iotest.ErrReader(gone)))
	if engram.CodeOf(err) != engram.CodeUnavailable || !errors.Is(err, gone) || !strings.Contains(err.Error(), "memories[1]") {
		t.Errorf("got %v, want what went wrong, and where", err)
	}
}

// endless is an endless stream of the letter x.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestAnItemThatNeverEndsIsGivenUp(t *testing.T) {
	t.Parallel()
	_, _, err := read(io.MultiReader(strings.NewReader(`{"format":"engram","version":1,"memories":[{"content":"`), endless{}))
	if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "longer than 64 MiB") {
		t.Errorf("got %v, want that an item is too long", err)
	}
}

func TestAnErrorOfTheRecordsEndsTheFile(t *testing.T) {
	t.Parallel()
	gone := errors.New("the store is gone")
	for name, f := range jsonfile.Formats() {
		err := f.Write(io.Discard, engram.Snapshot{}, func(yield func(engram.Record, error) bool) { yield(engram.Record{}, gone) })
		if !errors.Is(err, gone) {
			t.Errorf("%s: got %v, want %v", name, err, gone)
		}
	}
}

// FuzzRead: for any input, reading ends, and what was read can be written and read again with the
// same result.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"version":"0.1.0","observations":[{"content":"a"}]}`))
	f.Add([]byte(`{"memories":[{"id":"a","tags":"[]"}],"relationships":[{}],"embeddings":[1]}`))
	f.Add([]byte("\xef\xbb\xbf{\"format\":\"engram\",\"version\":1,\"x\":{\"y\":[1]},\"erased\":[{}]}"))
	var b bytes.Buffer
	if err := (jsonfile.Native{}).Write(&b, engram.Snapshot{At: instant(0)}, seq(everything())); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		_, records, err := read(bytes.NewReader(file))
		if err != nil {
			if code := engram.CodeOf(err); code != engram.CodeInvalid && code != engram.CodeConflict {
				t.Errorf("read %q: %s %v, want invalid or conflict", file, code, err)
			}
			return
		}
		records = slices.DeleteFunc(records, func(r engram.Record) bool { return r.Flaw != nil })
		slices.SortStableFunc(records, func(a, b engram.Record) int { return rank(a) - rank(b) })
		once := write(t, jsonfile.Native{}, engram.Snapshot{}, records)
		_, again, err := read(strings.NewReader(once))
		if err != nil {
			t.Fatalf("what was read from %q cannot be read again: %v\n%s", file, err, once)
		}
		if twice := write(t, jsonfile.Native{}, engram.Snapshot{}, again); twice != once {
			t.Errorf("what was read from %q\n got %s\nwant %s", file, twice, once)
		}
	})
}

// rank is the position of a record's section.
func rank(r engram.Record) int {
	switch {
	case r.Project != nil:
		return 0
	case r.Session != nil:
		return 1
	case r.Memory != nil:
		return 2
	case r.Prompt != nil:
		return 3
	case r.Relation != nil:
		return 4
	}
	return 5
}
