package gitchunks_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

func at(second int) time.Time { return time.Date(2026, 1, 2, 3, 4, second, 0, time.UTC) }

func stamp(second int, device string) engram.VersionStamp {
	return engram.VersionStamp{At: engram.Clock(0).Tick(at(second)), Device: device}
}

// idOf returns the ID of a chunk by the documented rule.
func idOf(plain []byte) string {
	sum := sha256.Sum256(plain)
	return hex.EncodeToString(sum[:])[:8]
}

func zipped(t testing.TB, plain []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lay writes bytes as the chunk of an ID.
func lay(t testing.TB, dir, id string, b []byte) {
	t.Helper()
	path := filepath.Join(dir, ".engram", "chunks", id+".jsonl.gz")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// layPlain writes a chunk as another program does, and returns its ID.
func layPlain(t testing.TB, dir, plain string) string {
	t.Helper()
	id := idOf([]byte(plain))
	lay(t, dir, id, zipped(t, []byte(plain)))
	return id
}

// plainOf returns the JSON of a chunk in a repository.
func plainOf(t testing.TB, dir, id string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, ".engram", "chunks", id+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// readAll reads a batch to its end.
func readAll(t testing.TB, r *gitchunks.Repository, id string) (all []engram.Record, err error) {
	t.Helper()
	for rec, err := range r.Read(t.Context(), id) {
		if err != nil {
			return all, err
		}
		all = append(all, rec)
	}
	return all, nil
}

func keep(t testing.TB, r *gitchunks.Repository, b engram.Batch, records ...engram.Record) engram.Batch {
	t.Helper()
	kept, err := r.Write(t.Context(), b, records)
	if err != nil {
		t.Fatalf("write %d records: %v", len(records), err)
	}
	return kept
}

func memory(n int, content string) engram.Record {
	return engram.Record{Causal: &engram.CausalMetadata{Base: stamp(n%60, "d1")}, Memory: &engram.MemoryRecord{Memory: engram.Memory{
		ID: engram.ID(fmt.Sprintf("mem_%026d", n)), SyncID: fmt.Sprintf("obs-%016x", n), Project: "shop", Scope: engram.ScopeProject, Type: engram.TypeDecision,
		Title: fmt.Sprintf("Title %d", n), Content: content, SessionID: "s1", Origin: engram.OriginAgent, Importance: 0.5, Strength: 1, TouchedAt: at(1), CreatedAt: at(1), UpdatedAt: at(2),
		RevisionCount: 1, DuplicateCount: 1}}}
}

// TestTheFormat checks the bytes of a chunk and of the manifest against the format.
func TestTheFormat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := memory(1, "JWT <b>, 15 minutes")
	m.Memory.Memory.Tags, m.Memory.Memory.UpdatedAt = []string{"auth"}, at(2).Add(500*time.Millisecond)
	gone := engram.Record{Tombstone: true, Causal: &engram.CausalMetadata{Base: stamp(1, "d1")}, Session: &engram.Session{ID: "s0", Project: "shop"}}
	relation := engram.Record{Relation: &engram.RelationRecord{Relation: engram.Relation{ID: "rel-0000000000000001", Verb: engram.VerbContradicts, Status: engram.RelationJudged,
		Strength: 1, Reason: "r", Confidence: 0.75, Actor: "agent", ActorKind: "agent", CreatedAt: at(1), UpdatedAt: at(2)},
		Source: engram.ByID(m.Memory.Memory.ID), Target: engram.Ref{SyncID: "obs-00000000000000bb"}}}
	erased := engram.Record{Erased: &engram.Erased{Entity: engram.EntityMemory, ID: "mem_x", SyncID: "obs-x", Project: "shop", At: stamp(5, "").At}}
	b := keep(t, open(t, gitchunks.Options{Dir: dir}), engram.Batch{By: "ana", At: at(9)},
		erased, relation, gone, m, engram.Record{Session: &engram.Session{ID: "s1", Project: "shop", Directory: "/src", StartedAt: at(1)}})
	plain := plainOf(t, dir, b.ID)
	want := `"sessions":[{"id":"s1","project":"shop","directory":"/src","started_at":"2026-01-02 03:04:01","engram":{}}],` +
		`"observations":[{"id":0,"sync_id":"obs-0000000000000001","session_id":"s1","type":"decision","title":"Title 1","content":"JWT <b>, 15 minutes","project":"shop","scope":"project",` +
		`"revision_count":1,"duplicate_count":1,"created_at":"2026-01-02 03:04:01","updated_at":"2026-01-02 03:04:02",` +
		`"engram":{"id":"mem_00000000000000000000000001","tags":["auth"],"origin":"agent","importance":0.5,"strength":1,"touched_at":"2026-01-02T03:04:01.000Z","updated_at":"2026-01-02T03:04:02.500Z","lineage":{"base":"` + stamp(1, "d1").String() + `"}}}],` +
		`"prompts":null,"mutations":[` +
		`{"entity":"session","entity_key":"s0","op":"delete","payload":"{\"id\":\"s0\",\"project\":\"shop\",\"deleted\":true}","project":"shop","engram":{"lineage":{"base":"` + stamp(1, "d1").String() + `"},"gone":true}},` +
		`{"entity":"relation","entity_key":"rel-0000000000000001","op":"upsert","payload":"{\"sync_id\":\"rel-0000000000000001\",\"source_id\":\"obs-0000000000000001\",\"target_id\":\"obs-00000000000000bb\",\"relation\":\"conflicts_with\",\"reason\":\"r\",\"confidence\":0.75,\"judgment_status\":\"judged\",\"marked_by_actor\":\"agent\",\"marked_by_kind\":\"agent\",\"created_at\":\"2026-01-02 03:04:01\",\"updated_at\":\"2026-01-02 03:04:02\"}",` +
		`"engram":{"id":"rel-0000000000000001","source":"mem_00000000000000000000000001","relation":"contradicts","target":"obs-00000000000000bb","status":"judged","strength":1,"actor":"agent","actor_kind":"agent"}},` +
		`{"entity":"observation","entity_key":"obs-x","op":"delete","payload":"{\"sync_id\":\"obs-x\",\"project\":\"shop\",\"deleted\":true,\"deleted_at\":\"2026-01-02 03:04:05\",\"hard_delete\":true}","project":"shop",` +
		fmt.Sprintf(`"engram":{"kind":"memory","id":"mem_x","at":%d}}]}`, stamp(5, "").At)
	sum := sha256.Sum256([]byte(want))
	want = `{"engram":{"version":1,"by":"ana","at":"2026-01-02T03:04:09.000Z","sessions":2,"memories":1,"prompts":0,"records":"` + hex.EncodeToString(sum[:]) + `"},` + want
	if string(plain) != want {
		t.Errorf("the chunk\n got %s\nwant %s", plain, want)
	}
	if b.ID != idOf(plain) {
		t.Errorf("the chunk is called %s, want %s", b.ID, idOf(plain))
	}
	manifest, err := os.ReadFile(filepath.Join(dir, ".engram", "manifest.json"))
	wantManifest := `{"version":1,"chunks":[
{"id":"` + b.ID + `","created_by":"ana","created_at":"2026-01-02T03:04:09Z","sessions":2,"memories":1,"prompts":0}
]}
`
	if err != nil || string(manifest) != wantManifest {
		t.Errorf("the manifest\n got %s, %v\nwant %s", manifest, err, wantManifest)
	}
}

// A program that only knows the documented shapes and types can read what is written.
func TestAProgramOfTheFormatReadsIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := memory(1, "c")
	m.Memory.Memory.SessionID = ""
	prompt := engram.Record{Prompt: &engram.Prompt{SyncID: "prompt-1", Project: "shop", Content: "why?", CreatedAt: at(1), DeletedAt: at(2)}}
	b := keep(t, open(t, gitchunks.Options{Dir: dir}), engram.Batch{}, m, prompt)
	var chunk struct {
		Sessions     []struct{ ID string }
		Observations []struct {
			ID        int64   `json:"id"`
			SyncID    string  `json:"sync_id"`
			SessionID string  `json:"session_id"`
			Project   *string `json:"project"`
			CreatedAt string  `json:"created_at"`
		}
		Prompts   []struct{ Content string }
		Mutations []struct {
			Entity, Op string
			EntityKey  string `json:"entity_key"`
			Payload    string
		}
	}
	if err := json.Unmarshal(plainOf(t, dir, b.ID), &chunk); err != nil {
		t.Fatal(err)
	}
	if o := chunk.Observations; len(o) != 1 || o[0].SyncID != m.Memory.Memory.SyncID || o[0].SessionID != "manual-save-shop" || o[0].CreatedAt != "2026-01-02 03:04:01" {
		t.Errorf("observations: got %+v", o)
	}
	if d := chunk.Mutations; len(chunk.Prompts) != 0 || len(d) != 1 || d[0].Entity != "prompt" || d[0].Op != "delete" || d[0].EntityKey != "prompt-1" || !json.Valid([]byte(d[0].Payload)) {
		t.Errorf("a deleted prompt: got prompts %+v, mutations %+v; want that it is not among those that are there", chunk.Prompts, d)
	}
	records, err := readAll(t, open(t, gitchunks.Options{Dir: dir, Project: "other"}), b.ID)
	if err != nil || len(records) != 2 || records[0].Memory.Memory.SessionID != "" || records[1].Prompt.Content != "why?" || !records[1].Prompt.DeletedAt.Equal(at(2)) || records[1].Prompt.Project != "shop" {
		t.Errorf("read again: %+v, %v", records, err)
	}
}

// The same records in another order, from another store, are the same batch.
func TestTheOrderOfRecordsDoesNotMatter(t *testing.T) {
	t.Parallel()
	a, b := memory(1, "a"), memory(2, "b")
	first := open(t, gitchunks.Options{Dir: t.TempDir()})
	one := keep(t, first, engram.Batch{By: "ana", At: at(1)}, a, b)
	renumbered := memory(2, "b")
	renumbered.Memory.Memory.Num, renumbered.Memory.Vectors = 99, []engram.FingerprintedRow{{Model: "m", Values: []float32{1}}}
	other := open(t, gitchunks.Options{Dir: t.TempDir()})
	if two := keep(t, other, engram.Batch{By: "ana", At: at(1)}, renumbered, a); one != two {
		t.Errorf("got %+v, want %+v", two, one)
	}
	if three := keep(t, first, engram.Batch{By: "ben", At: at(5)}, b, a); three != one {
		t.Errorf("written again by somebody else: got %+v, want the batch that is there, %+v", three, one)
	}
}

// A chunk of an old program, built by its format, without any field of Engram's.
func TestAChunkOfAnotherProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	id := layPlain(t, dir, `{"sessions":[{"id":"s1","project":"shop","directory":"/src","started_at":"2026-01-02 03:04:01"}],
		"observations":[{"id":7,"sync_id":"obs-00000000000000aa","session_id":"s1","type":"decision","title":"Auth","content":"JWT","scope":"project","revision_count":2,"duplicate_count":1,
			"created_at":"2026-01-02 03:04:01","updated_at":"2026-01-02 03:04:02"}],
		"prompts":[{"id":3,"sync_id":"prompt-00000000000000aa","session_id":"s1","content":"why?","project":"web","created_at":"2026-01-02 03:04:01"}],
		"mutations":[
			{"seq":1,"target_key":"local","entity":"observation","entity_key":"obs-00000000000000bb","op":"delete","payload":"{\"sync_id\":\"obs-00000000000000bb\",\"deleted\":true,\"deleted_at\":\"2026-01-02 03:04:05\",\"hard_delete\":true}","source":"local","project":"shop","occurred_at":"2026-01-02 03:04:06"},
			{"entity":"relation","entity_key":"rel-0000000000000001","op":"upsert","payload":{"sync_id":"rel-0000000000000001","source_id":"obs-00000000000000aa","target_id":"obs-00000000000000bb","relation":"conflicts_with","judgment_status":"judged","marked_by_actor":"agent","marked_by_kind":"agent","confidence":0.5}},
			{"entity":"relation","entity_key":"rel-0000000000000002","op":"upsert","payload":"{\"sync_id\":\"rel-0000000000000002\",\"source_id\":\"a\",\"target_id\":\"b\",\"relation\":\"pending\",\"judgment_status\":\"pending\"}"},
			{"entity":"relation","entity_key":"rel-0000000000000003","op":"upsert","payload":"{\"sync_id\":\"rel-0000000000000003\",\"source_id\":\"a\",\"target_id\":\"b\",\"relation\":\"related\",\"judgment_status\":\"orphaned\"}"},
			{"entity":"observation","entity_key":"obs-00000000000000cc","op":"delete","payload":"{\"sync_id\":\"obs-00000000000000cc\",\"deleted\":true}"},
			{"entity":"observation","entity_key":"obs-00000000000000dd","op":"delete","payload":"{\"sync_id\":\"obs-00000000000000dd\",\"title\":\"T\",\"content\":\"c\",\"deleted\":true,\"deleted_at\":\"2026-01-02 03:04:05\"}","project":"shop"},
			{"entity":"session","entity_key":"s9","op":"delete","payload":"{\"id\":\"s9\"}","occurred_at":"2026-01-02 03:04:06"},
			{"entity":"session","entity_key":"s2","op":"upsert","payload":"{\"id\":\"s2\",\"project\":\"shop\",\"summary\":\"done\"}"},
			{"entity":"prompt","entity_key":"prompt-00000000000000bb","op":"upsert","payload":"{\"sync_id\":\"prompt-00000000000000bb\",\"content\":\"how?\"}","project":"shop"},
			{"entity":"enrolment","entity_key":"x","op":"upsert","payload":"{}"}]}`)
	r := open(t, gitchunks.Options{Dir: dir, Project: "shop"})
	got, err := readAll(t, r, id)
	if err != nil {
		t.Fatal(err)
	}
	relation := func(place int, x engram.Relation, source, target engram.Ref) engram.Record {
		x.Strength = 1
		return engram.Record{Item: fmt.Sprintf("mutations[%d]", place), Relation: &engram.RelationRecord{Relation: x, Source: source, Target: target}}
	}
	a, b := engram.Ref{SyncID: "obs-00000000000000aa"}, engram.Ref{SyncID: "obs-00000000000000bb"}
	want := []engram.Record{
		{Item: "sessions[0]", Session: &engram.Session{ID: "s1", Project: "shop", Directory: "/src", StartedAt: at(1)}},
		{Item: "mutations[6]", Erased: &engram.Erased{Entity: engram.EntitySession, ID: "s9", Project: "shop", At: engram.Clock(0).Tick(at(6))}},
		{Item: "mutations[7]", Session: &engram.Session{ID: "s2", Project: "shop", Summary: "done"}},
		{Item: "observations[0]", Memory: &engram.MemoryRecord{Memory: engram.Memory{SyncID: "obs-00000000000000aa", Project: "shop", SessionID: "s1", Type: "decision", Title: "Auth", Content: "JWT", Scope: "project",
			RevisionCount: 2, DuplicateCount: 1, CreatedAt: at(1), UpdatedAt: at(2), Importance: engram.DefaultImportance, Strength: 1}}},
		{Item: "mutations[0]", Erased: &engram.Erased{Entity: engram.EntityMemory, ID: "obs-00000000000000bb", SyncID: "obs-00000000000000bb", Project: "shop", At: engram.Clock(0).Tick(at(5))}},
		{Item: "mutations[4]", Flaw: engram.Errorf(engram.CodeInvalid, `it deletes "obs-00000000000000cc" without its content`)},
		{Item: "mutations[5]", Memory: &engram.MemoryRecord{Memory: engram.Memory{SyncID: "obs-00000000000000dd", Project: "shop", Title: "T", Content: "c", DeletedAt: at(5), Importance: engram.DefaultImportance, Strength: 1}}},
		{Item: "prompts[0]", Prompt: &engram.Prompt{SyncID: "prompt-00000000000000aa", SessionID: "s1", Project: "web", Content: "why?", CreatedAt: at(1)}},
		{Item: "mutations[8]", Prompt: &engram.Prompt{SyncID: "prompt-00000000000000bb", Project: "shop", Content: "how?"}},
		relation(1, engram.Relation{ID: "rel-0000000000000001", Verb: engram.VerbContradicts, Status: engram.RelationJudged, Confidence: 0.5, Actor: "agent", ActorKind: "agent"}, a, b),
		relation(2, engram.Relation{ID: "rel-0000000000000002", Verb: engram.VerbContradicts, Status: engram.RelationPending}, engram.Ref{ID: "a"}, engram.Ref{ID: "b"}),
		relation(3, engram.Relation{ID: "rel-0000000000000003", Verb: engram.VerbRelatesTo, Status: engram.RelationIgnored}, engram.Ref{ID: "a"}, engram.Ref{ID: "b"}),
		{Item: "mutations[9]", Flaw: engram.Errorf(engram.CodeInvalid, `unknown entity "enrolment"`)},
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("missing: %s %+v", want[i].Item, want[i])
		case i >= len(want):
			t.Errorf("too much: %s %+v", got[i].Item, got[i])
		case !reflect.DeepEqual(got[i], want[i]):
			t.Errorf("%s\n got %s\nwant %s", want[i].Item, told(got[i]), told(want[i]))
		}
	}
	batches, err := r.Batches(t.Context())
	if err != nil || len(batches) != 1 || batches[0] != (engram.Batch{ID: id, Sessions: 1, Memories: 1, Prompts: 1}) {
		t.Errorf("batches: got %+v, %v", batches, err)
	}
}

func told(r engram.Record) string {
	b, err := json.Marshal(r)
	return fmt.Sprintf("%s %v %v", b, r.Flaw, err)
}

// Another program's chunk has neither author nor time; its manifest does.
func TestTheManifestDatesOtherProgramsChunks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	older := layPlain(t, dir, `{"sessions":null,"observations":[{"sync_id":"obs-1","content":"a"}],"prompts":null}`)
	newer := layPlain(t, dir, `{"sessions":null,"observations":[{"sync_id":"obs-2","content":"b"}],"prompts":null}`)
	manifest := `{"version":1,"chunks":[
		{"id":"` + newer + `","created_by":"ben","created_at":"2026-01-02T03:04:09Z","sessions":0,"memories":1,"prompts":0},
		{"id":"` + older + `","created_by":"ana","created_at":"2026-01-02T03:04:05Z","sessions":0,"memories":1,"prompts":0},
		{"id":"00000000","created_by":"eve","created_at":"2026-01-02T03:04:05Z","sessions":0,"memories":1,"prompts":0}]}`
	if err := os.WriteFile(filepath.Join(dir, ".engram", "manifest.json"), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := open(t, gitchunks.Options{Dir: dir}).Batches(t.Context())
	want := []engram.Batch{{ID: older, By: "ana", At: at(5), Memories: 1}, {ID: newer, By: "ben", At: at(9), Memories: 1}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

// Any record comes back from a chunk.
func TestEveryRecordComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "2026-01-02", `"\`, "\u2028", "7"})).
				Filter(func(s string) bool { return !strings.Contains(s, "\x00") }).Draw(t, name)
		}
		when := func(name string) time.Time {
			ms := rapid.Int64Range(-1, 4_000_000_000_000).Draw(t, name)
			if ms < 0 {
				return time.Time{}
			}
			return time.UnixMilli(ms).UTC()
		}
		in := engram.Record{Tombstone: rapid.Bool().Draw(t, "gone")}
		if rapid.Bool().Draw(t, "lineage") {
			in.Causal = &engram.CausalMetadata{Base: stamp(1, text("device")), Counts: map[string]engram.Count{"d": {Accesses: 1}}}
		}
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			in.Project = &engram.Project{Name: text("name"), CreatedAt: when("created")}
		case 1:
			in.Session = &engram.Session{ID: text("id"), Project: text("project"), Directory: text("directory"), StartedAt: when("started"), EndedAt: when("ended"), Summary: text("summary"), ActiveAt: when("active")}
		case 2:
			in.Memory = &engram.MemoryRecord{Memory: engram.Memory{ID: engram.ID(text("id")), SyncID: text("sync"), Project: text("project"), Scope: engram.Scope(text("scope")), Type: engram.Type(text("type")),
				Title: text("title"), Content: text("content"), Summary: text("summary"), TopicKey: text("topic"), SessionID: text("session"), ToolName: text("tool"), Origin: engram.Origin(text("origin")),
				Importance: rapid.Float64Range(0, 1).Draw(t, "importance"), Strength: rapid.Float64Range(0, 1).Draw(t, "strength"), TouchedAt: when("touched"), Permanent: rapid.Bool().Draw(t, "permanent"),
				AccessCount: rapid.Int().Draw(t, "access"), CreatedAt: when("created"), UpdatedAt: when("updated"), ReviewAfter: when("review"), LastSeenAt: when("seen"), DeletedAt: when("deleted"),
				RevisionCount: rapid.Int().Draw(t, "revisions"), DuplicateCount: rapid.Int().Draw(t, "duplicates"), Metadata: map[string]any{text("key"): text("value"), "nul": "\x00"}}}
			if rapid.Bool().Draw(t, "revised") {
				in.Memory.Revisions = []engram.Revision{{Number: 1, Title: text("was"), Content: text("said"), WrittenAt: when("written"), Stamp: stamp(2, "d")}}
			}
		case 3:
			in.Prompt = &engram.Prompt{SyncID: text("sync"), SessionID: text("session"), Project: text("project"), Content: text("content"), CreatedAt: when("created"), DeletedAt: when("deleted")}
		case 4:
			in.Relation = &engram.RelationRecord{Relation: engram.Relation{ID: text("id"), Verb: engram.Verb(text("verb")), Status: engram.RelationStatus(text("status")), Strength: 0.5, Reason: text("reason"), Evidence: text("evidence"),
				Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"), Actor: text("actor"), ActorKind: text("kind"), Model: text("model"), SessionID: text("session"), CreatedAt: when("created"), UpdatedAt: when("updated"), RemovedAt: when("removed")},
				Source: engram.Ref{ID: "mem_a"}, Target: rapid.SampledFrom([]engram.Ref{{}, {SyncID: "obs-1"}, {ID: "mem_b"}}).Draw(t, "target")}
		default:
			in = engram.Record{Erased: &engram.Erased{Entity: rapid.SampledFrom([]engram.Entity{engram.EntityMemory, engram.EntityPrompt, engram.EntitySession}).Draw(t, "entity"),
				ID: text("id"), SyncID: text("sync"), Project: text("project"), At: engram.Clock(rapid.Int64Range(0, 1<<60).Draw(t, "at"))}}
		}
		plain, err := gitchunks.WritePlain(engram.Batch{At: at(1)}, []engram.Record{in})
		if err != nil {
			t.Fatalf("write %s: %v", told(in), err)
		}
		out, err := gitchunks.ReadPlain(bytes.Clone(plain), "other")
		if err != nil || len(out) != 1 {
			t.Fatalf("through %s\n got %d records, %v; want one", plain, len(out), err)
		}
		out[0].Item = ""
		if !reflect.DeepEqual(out[0], in) {
			t.Fatalf("through %s\n got %s\nwant %s", plain, told(out[0]), told(in))
		}
	})
}
