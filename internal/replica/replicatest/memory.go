package replicatest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// Place is a meeting place of remotes in memory: all that Open returns share its batches. It is
// safe for concurrent use.
type Place struct {
	name string

	mu      sync.Mutex
	batches map[string]kept
}

// kept is a batch with its records as JSON, which nothing shares.
type kept struct {
	head engram.Batch
	text []byte
}

// NewPlace returns a place without batches.
func NewPlace(name string) *Place { return &Place{name: name, batches: map[string]kept{}} }

// Open returns a remote at this place.
func (p *Place) Open() engram.Remote { return memory{p} }

// Drop removes a batch, as rewriting history does.
func (p *Place) Drop(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.batches, id)
}

// Copy adds all batches of from, as a merge of branches does.
func (p *Place) Copy(from *Place) {
	from.mu.Lock()
	defer from.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.Copy(p.batches, from.batches)
}

type memory struct{ place *Place }

// Name implements engram.Remote.
func (m memory) Name() string { return m.place.name }

// Batches implements engram.Remote.
func (m memory) Batches(ctx context.Context) ([]engram.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.place.mu.Lock()
	defer m.place.mu.Unlock()
	all := make([]engram.Batch, 0, len(m.place.batches))
	for _, b := range m.place.batches {
		all = append(all, b.head)
	}
	slices.SortFunc(all, byAge)
	return all, nil
}

// byAge sorts batches in the order of Batches.
func byAge(a, b engram.Batch) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
}

// Read implements engram.Remote.
func (m memory) Read(ctx context.Context, id string) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		m.place.mu.Lock()
		b, found := m.place.batches[id]
		m.place.mu.Unlock()
		var records []engram.Record
		err := ctx.Err()
		switch {
		case err != nil:
		case !found:
			err = engram.Errorf(engram.CodeNotFound, "batch %q does not exist", id)
		default:
			err = json.Unmarshal(b.text, &records)
		}
		if err != nil {
			yield(engram.Record{}, err)
			return
		}
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Write implements engram.Remote.
func (m memory) Write(ctx context.Context, head engram.Batch, records []engram.Record) (engram.Batch, error) {
	if err := ctx.Err(); err != nil {
		return engram.Batch{}, err
	}
	portable := make([]engram.Record, len(records))
	for i, r := range records {
		portable[i] = portableOf(r)
	}
	text, err := json.Marshal(portable)
	if err != nil {
		return engram.Batch{}, engram.Errorf(engram.CodeInvalid, "a record cannot be written").WithCause(err)
	}
	head = wire.Counted(head, records)
	sum := sha256.Sum256(text)
	head.ID = hex.EncodeToString(sum[:8])
	m.place.mu.Lock()
	defer m.place.mu.Unlock()
	if was, known := m.place.batches[head.ID]; known {
		return was.head, nil
	}
	m.place.batches[head.ID] = kept{head, text}
	return head, nil
}

// Settle implements engram.Remote: nothing is derived from the batches.
func (m memory) Settle(ctx context.Context) error { return ctx.Err() }

// portableOf returns a record without values local to a store or a file.
func portableOf(r engram.Record) engram.Record {
	r = wire.Portable(r)
	r.Item, r.Flaw = "", nil
	switch {
	case r.Memory != nil: // a copy of Portable's
		r.Memory.Revisions = slices.Clone(r.Memory.Revisions)
		for i := range r.Memory.Revisions {
			r.Memory.Revisions[i].Memory = 0
		}
	case r.Relation != nil:
		rel := *r.Relation
		rel.Relation.Num, rel.Relation.Source, rel.Relation.Target = 0, 0, 0
		r.Relation = &rel
	}
	return r
}

// The functions below return different records for different n.

func day(n int) time.Time { return time.Date(2026, 3, n, 10, 20, 30, 0, time.UTC) }

// stampOf returns a write of a device some seconds after day 1.
func stampOf(seconds int, device string) engram.VersionStamp {
	return engram.VersionStamp{At: engram.Clock(0).Tick(day(1).Add(time.Duration(seconds) * time.Second)), Device: device}
}

func lineageOf(n int) *engram.CausalMetadata {
	return &engram.CausalMetadata{Base: stampOf(n, "d1")}
}

func idAt(n int) engram.ID { return engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, n)) }

func memoryRecord(n int) engram.Record {
	return engram.Record{Causal: lineageOf(n), Memory: &engram.MemoryRecord{Memory: engram.Memory{
		ID: idAt(n), Num: int64(n + 7), SyncID: fmt.Sprintf("obs-%016x", n), Project: "shop", Scope: engram.ScopeProject, Type: engram.TypeDecision,
		Title: fmt.Sprintf("Title %d", n), Content: fmt.Sprintf("Content %d", n), Origin: engram.OriginAgent,
		Importance: engram.DefaultImportance, Strength: 1, TouchedAt: day(1), CreatedAt: day(1), UpdatedAt: day(2),
		RevisionCount: 1, DuplicateCount: 1,
	}}}
}

// fullRecord returns a memory with every field set.
func fullRecord(n int) engram.Record {
	r := memoryRecord(n)
	m := &r.Memory.Memory
	m.Scope, m.Type, m.Summary, m.TopicKey = engram.ScopePersonal, "house_rule", "In short", "family/description"
	m.Tags = []string{"auth", "jwt", "with space"}
	m.Metadata = map[string]any{"files": []any{"a.go", "b.go"}, "n": 1.5, "deep": map[string]any{"yes": true, "none": nil}}
	m.Anchors = []engram.Anchor{{Repository: "example.com/a/shop", Commit: strings.Repeat("c", 40), Path: "a/b.go", Blob: strings.Repeat("b", 40), First: 3, Last: 9,
		Lines: "01234567-0123456789abcdef"}, {Repository: "local:0123456789abcdef", Path: "c.go", Blob: strings.Repeat("d", 64), Named: true}}
	m.SessionID, m.ToolName, m.Origin = "session-1", "Bash", engram.OriginTool
	m.Importance, m.Strength, m.TouchedAt, m.Permanent = 0.75, 0.625, day(4), true
	m.AccessCount, m.LastAccessedAt = 5, day(5)
	m.ReviewAfter, m.ValidFrom, m.ValidTo = day(20), day(2), day(21)
	m.RevisionCount, m.DuplicateCount, m.LastSeenAt = 3, 4, day(6).Add(7*time.Millisecond)
	m.UpdatedAt = day(7).Add(8 * time.Millisecond)
	r.Memory.Revisions = []engram.Revision{
		{Memory: m.Num, Number: 1, Type: engram.TypeManual, Title: "First", Content: "First words", WrittenAt: day(1), ReplacedAt: day(2), Reason: "update", Stamp: stampOf(n, "d1")},
		{Memory: m.Num, Number: 2, Type: "house_rule", Title: "Second", Content: "Second words", WrittenAt: day(2), ReplacedAt: day(3), Reason: "topic key", Stamp: stampOf(n+1, "d2")},
	}
	r.Causal.Parts = map[engram.Part]engram.VersionStamp{engram.PartText: stampOf(n+2, "d1"), "importance": stampOf(n+3, "d2"), "topic_key": {}}
	r.Causal.Sets = map[string]engram.Dots{"jwt": {"d2": {Added: stampOf(n, "").At}}, "gone": {"d1": {Added: 5, Removed: 5}, "d3": {Removed: 9}}}
	r.Causal.Counts = map[string]engram.Count{"d1": {Accesses: 3, Repeats: 3}, "d2": {Accesses: 2}}
	return r
}

func forgottenRecord(n int) engram.Record {
	r := memoryRecord(n)
	r.Memory.Memory.DeletedAt = day(8)
	r.Causal.Parts = map[engram.Part]engram.VersionStamp{engram.PartDeleted: stampOf(n+9, "d2")}
	return r
}

func sessionRecord(n int) engram.Record {
	return engram.Record{Causal: lineageOf(n), Session: &engram.Session{ID: fmt.Sprintf("session-%d", n), Project: "shop", Directory: "/src/shop",
		StartedAt: day(1), EndedAt: day(2), Summary: "What was done", ActiveAt: day(1)}}
}

// tombstoneRecord returns a deleted session: only its names.
func tombstoneRecord(n int) engram.Record {
	l := lineageOf(n)
	l.Parts = map[engram.Part]engram.VersionStamp{engram.PartDeleted: stampOf(n+1, "d1")}
	return engram.Record{Causal: l, Tombstone: true, Session: &engram.Session{ID: fmt.Sprintf("session-%d", n), Project: "shop"}}
}

func promptRecord(n int) engram.Record {
	return engram.Record{Causal: lineageOf(n), Prompt: &engram.Prompt{Num: int64(n + 3), SyncID: fmt.Sprintf("prompt-%016x", n), SessionID: "session-1", Project: "shop",
		Content: fmt.Sprintf("Why %d?", n), CreatedAt: day(2)}}
}

func relationRecord(n int) engram.Record {
	return engram.Record{Causal: lineageOf(n), Relation: &engram.RelationRecord{
		Relation: engram.Relation{Num: int64(n), ID: fmt.Sprintf("%s%016x", engram.RelationIDPrefix, n), Source: 8, Target: 9,
			Verb: engram.VerbCausedBy, Status: engram.RelationJudged, Strength: 0.5, Reason: "Because", Evidence: "Seen", Confidence: 0.75,
			Actor: "agent", ActorKind: "agent", Model: "m", SessionID: "session-1", CreatedAt: day(2), UpdatedAt: day(3)},
		Source: engram.ByID(idAt(1)), Target: engram.ByID(idAt(2))}}
}

func removedRecord(n int) engram.Record {
	r := relationRecord(n)
	r.Relation.Relation.RemovedAt = day(4)
	r.Causal.Sets = map[string]engram.Dots{"": {"d1": {Added: r.Causal.Base.At, Removed: r.Causal.Base.At}}}
	return r
}

func erasedRecord(kind engram.Entity, n int) engram.Record {
	x := engram.Erased{Entity: kind, Project: "shop", At: stampOf(n, "").At}
	switch kind {
	case engram.EntityMemory:
		x.ID, x.SyncID = string(idAt(n)), fmt.Sprintf("obs-%016x", n)
	case engram.EntityPrompt:
		x.ID = fmt.Sprintf("prompt-%016x", n)
		x.SyncID = x.ID
	default:
		x.ID = fmt.Sprintf("session-%d", n)
	}
	return engram.Record{Erased: &x}
}

// hardTexts are texts that an encoding could damage.
func hardTexts() []string {
	return []string{"\r\n\tlines\n\n", "\u2028\u2029 separators", `"quotes" \ and \u0041`, "<script>&amp;</script>", "<<<<<<< HEAD\n=======\n>>>>>>> theirs\n",
		"\x01\x1b[31mred\x7f", "é e\u0301 ﬁ 東京 🧭", "\ufeffmark", "{\"sessions\":null}\n", "\ufffd", " spaces at both ends "}
}

// Memory returns the n-th memory of a project as it is exchanged.
func Memory(n int, project, content string) engram.Record {
	r := memoryRecord(n)
	r.Memory.Memory.Project, r.Memory.Memory.Content = project, content
	return r
}
