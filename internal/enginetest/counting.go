package enginetest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Counting is a store that records the names of the calls on its Readers and Txs, those for replicas included. A new
// method of the contract does not compile before it is counted too.
type Counting struct {
	engram.Store
	Before func(call string) // runs before each call, unless nil
	mu     sync.Mutex
	calls  []string
}

// Calls returns the calls since the last Calls, in order.
func (c *Counting) Calls() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := slices.Clone(c.calls)
	c.calls = nil
	return calls
}

// View is Store.View with a counted Reader.
func (c *Counting) View(ctx context.Context, fn func(engram.Reader) error) error {
	return c.Store.View(ctx, func(r engram.Reader) error { return fn(readCounter{c, r}) })
}

// Update is Store.Update with a counted Tx.
func (c *Counting) Update(ctx context.Context, fn func(engram.Tx) error) error {
	return c.Store.Update(ctx, func(tx engram.Tx) error { return fn(txCounter{readCounter{c, tx}, tx}) })
}

// UpdateAfter is Store.UpdateAfter with a counted Reader and Tx.
func (c *Counting) UpdateAfter(ctx context.Context, look func(engram.Reader) error, fn func(engram.Tx) error) error {
	return c.Store.UpdateAfter(ctx, func(r engram.Reader) error { return look(readCounter{c, r}) },
		func(tx engram.Tx) error { return fn(txCounter{readCounter{c, tx}, tx}) })
}

func (c *Counting) called(name string) {
	if c.Before != nil {
		c.Before(name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, name)
}

type readCounter struct {
	store *Counting
	r     engram.Reader
}

type txCounter struct {
	readCounter
	tx engram.Tx
}

type replicaCounter struct {
	store *Counting
	r     engram.ReplicaReader
}

type replicaTxCounter struct {
	replicaCounter
	tx engram.ReplicaTx
}

func (n readCounter) calls(name string) engram.Reader {
	n.store.called(name)
	return n.r
}

func (n txCounter) calls(name string) engram.Tx {
	n.store.called(name)
	return n.tx
}

func (n replicaCounter) calls(name string) engram.ReplicaReader {
	n.store.called(name)
	return n.r
}

func (n replicaTxCounter) calls(name string) engram.ReplicaTx {
	n.store.called(name)
	return n.tx
}

func (n readCounter) Replica() engram.ReplicaReader { return replicaCounter{n.store, n.r.Replica()} }
func (n txCounter) ReplicaTx() engram.ReplicaTx {
	return replicaTxCounter{replicaCounter{n.store, n.r.Replica()}, n.tx.ReplicaTx()}
}

func (n readCounter) Memory(ctx context.Context, ref engram.Ref) (engram.Memory, error) {
	return n.calls("Memory").Memory(ctx, ref)
}
func (n readCounter) Memories(ctx context.Context, nums []int64) ([]engram.Memory, error) {
	return n.calls("Memories").Memories(ctx, nums)
}
func (n readCounter) List(ctx context.Context, f engram.Filter, p engram.Page) ([]engram.Memory, error) {
	return n.calls("List").List(ctx, f, p)
}
func (n readCounter) Outlines(ctx context.Context, f engram.Filter, most int, each func(engram.Memory) (more bool)) error {
	return n.calls("Outlines").Outlines(ctx, f, most, each)
}
func (n readCounter) Count(ctx context.Context, f engram.Filter) (int, error) {
	return n.calls("Count").Count(ctx, f)
}
func (n readCounter) Topics(ctx context.Context, project, prefix string, most int) ([]string, error) {
	return n.calls("Topics").Topics(ctx, project, prefix, most)
}
func (n readCounter) SeenAnchors(ctx context.Context, nums []int64) (map[int64]engram.AnchorState, error) {
	return n.calls("SeenAnchors").SeenAnchors(ctx, nums)
}
func (n readCounter) Neighbours(ctx context.Context, session string, num int64, before, after int) (earlier, later []engram.Memory, err error) {
	return n.calls("Neighbours").Neighbours(ctx, session, num, before, after)
}
func (n readCounter) Revisions(ctx context.Context, nums ...int64) ([]engram.Revision, error) {
	return n.calls("Revisions").Revisions(ctx, nums...)
}
func (n readCounter) Lexical(ctx context.Context, q engram.LexicalQuery) (engram.Lexical, error) {
	return n.calls("Lexical").Lexical(ctx, q)
}
func (n readCounter) Nearest(ctx context.Context, q engram.VectorQuery) ([]engram.Ranked, error) {
	return n.calls("Nearest").Nearest(ctx, q)
}
func (n readCounter) Vectors(ctx context.Context, model string, nums []int64) (map[int64][]float32, error) {
	return n.calls("Vectors").Vectors(ctx, model, nums)
}
func (n readCounter) NewestVectors(ctx context.Context, model, project string, most int) (engram.StoredVectors, error) {
	return n.calls("NewestVectors").NewestVectors(ctx, model, project, most)
}
func (n readCounter) Models(ctx context.Context) ([]engram.ModelCoverage, error) {
	return n.calls("Models").Models(ctx)
}
func (n readCounter) Exposures(ctx context.Context, session string, p engram.Page) ([]engram.Exposure, error) {
	return n.calls("Exposures").Exposures(ctx, session, p)
}
func (n readCounter) Shown(ctx context.Context, session string, operations []string, nums []int64) ([]int64, error) {
	return n.calls("Shown").Shown(ctx, session, operations, nums)
}
func (n readCounter) LatelyUsed(ctx context.Context, project string, limit int) ([]int64, error) {
	return n.calls("LatelyUsed").LatelyUsed(ctx, project, limit)
}
func (n readCounter) ExposureCounts(ctx context.Context, nums []int64) (map[int64]engram.ExposureCount, error) {
	return n.calls("ExposureCounts").ExposureCounts(ctx, nums)
}
func (n readCounter) Session(ctx context.Context, id string) (engram.Session, error) {
	return n.calls("Session").Session(ctx, id)
}
func (n readCounter) Sessions(ctx context.Context, f engram.SessionFilter, p engram.Page) ([]engram.SessionActivity, error) {
	return n.calls("Sessions").Sessions(ctx, f, p)
}
func (n readCounter) CountSessions(ctx context.Context, f engram.SessionFilter) (int, error) {
	return n.calls("CountSessions").CountSessions(ctx, f)
}
func (n readCounter) Prompts(ctx context.Context, f engram.PromptFilter, p engram.Page) ([]engram.Prompt, error) {
	return n.calls("Prompts").Prompts(ctx, f, p)
}
func (n readCounter) SearchPrompts(ctx context.Context, terms []engram.Term, project string, limit int) ([]engram.Prompt, error) {
	return n.calls("SearchPrompts").SearchPrompts(ctx, terms, project, limit)
}
func (n readCounter) Project(ctx context.Context, name string) (p engram.Project, found bool, err error) {
	return n.calls("Project").Project(ctx, name)
}
func (n readCounter) Projects(ctx context.Context, counted bool) ([]engram.ProjectCounts, error) {
	return n.calls("Projects").Projects(ctx, counted)
}
func (n readCounter) Decays(ctx context.Context) (map[string]engram.ProjectDecay, error) {
	return n.calls("Decays").Decays(ctx)
}
func (n readCounter) Mutations(ctx context.Context, s engram.JournalSpan, p engram.Page) ([]engram.Mutation, error) {
	return n.calls("Mutations").Mutations(ctx, s, p)
}
func (n readCounter) SeqBefore(ctx context.Context, at time.Time) (int64, error) {
	return n.calls("SeqBefore").SeqBefore(ctx, at)
}
func (n readCounter) FirstMade(ctx context.Context, entity engram.Entity, after int64) (key string, err error) {
	return n.calls("FirstMade").FirstMade(ctx, entity, after)
}
func (n readCounter) Operations(ctx context.Context, f engram.JournalFilter, p engram.Page) ([]engram.Operation, error) {
	return n.calls("Operations").Operations(ctx, f, p)
}
func (n readCounter) Fact(ctx context.Context, name string) (string, error) {
	return n.calls("Fact").Fact(ctx, name)
}
func (n readCounter) Relation(ctx context.Context, ref engram.RelationRef) (engram.Relation, error) {
	return n.calls("Relation").Relation(ctx, ref)
}
func (n readCounter) Relations(ctx context.Context, f engram.RelationFilter, p engram.Page) ([]engram.Relation, error) {
	return n.calls("Relations").Relations(ctx, f, p)
}
func (n readCounter) CountRelations(ctx context.Context, f engram.RelationFilter) (int, error) {
	return n.calls("CountRelations").CountRelations(ctx, f)
}
func (n readCounter) Counters(ctx context.Context, q engram.CounterQuery) ([]engram.Counter, error) {
	return n.calls("Counters").Counters(ctx, q)
}
func (n readCounter) MadeBetween(ctx context.Context, project string, edges []time.Time) ([]int, error) {
	return n.calls("MadeBetween").MadeBetween(ctx, project, edges)
}
func (n readCounter) MemoriesBy(ctx context.Context, by engram.Grouping, project string, since time.Time) ([]engram.GroupCount, error) {
	return n.calls("MemoriesBy").MemoriesBy(ctx, by, project, since)
}
func (n readCounter) CountRevisions(ctx context.Context, project string) (int, error) {
	return n.calls("CountRevisions").CountRevisions(ctx, project)
}
func (n readCounter) Named(ctx context.Context, names []string) ([]engram.MemoryName, error) {
	return n.calls("Named").Named(ctx, names)
}
func (n readCounter) Trust(ctx context.Context, nums []int64) (map[int64][]engram.Trust, error) {
	return n.calls("Trust").Trust(ctx, nums)
}
func (n readCounter) Stats(ctx context.Context, project string) (engram.Stats, error) {
	return n.calls("Stats").Stats(ctx, project)
}

func (n txCounter) InsertMemory(ctx context.Context, m *engram.Memory) error {
	return n.calls("InsertMemory").InsertMemory(ctx, m)
}
func (n txCounter) ReplaceMemory(ctx context.Context, m engram.Memory) error {
	return n.calls("ReplaceMemory").ReplaceMemory(ctx, m)
}
func (n txCounter) InsertRevision(ctx context.Context, rs ...engram.Revision) error {
	return n.calls("InsertRevision").InsertRevision(ctx, rs...)
}
func (n txCounter) Reindex(ctx context.Context) error { return n.calls("Reindex").Reindex(ctx) }
func (n txCounter) NoteAnchors(ctx context.Context, seen map[int64]engram.AnchorState) error {
	return n.calls("NoteAnchors").NoteAnchors(ctx, seen)
}
func (n txCounter) EraseMemory(ctx context.Context, num int64) error {
	return n.calls("EraseMemory").EraseMemory(ctx, num)
}
func (n txCounter) PutVectors(ctx context.Context, m engram.Model, vs []engram.Vector) error {
	return n.calls("PutVectors").PutVectors(ctx, m, vs)
}
func (n txCounter) DropModel(ctx context.Context, fingerprint string) error {
	return n.calls("DropModel").DropModel(ctx, fingerprint)
}
func (n txCounter) RecordUse(ctx context.Context, u engram.Use) error {
	return n.calls("RecordUse").RecordUse(ctx, u)
}
func (n txCounter) PutSession(ctx context.Context, s engram.Session) error {
	return n.calls("PutSession").PutSession(ctx, s)
}
func (n txCounter) DeleteSession(ctx context.Context, id string, erase bool) error {
	return n.calls("DeleteSession").DeleteSession(ctx, id, erase)
}
func (n txCounter) InsertPrompt(ctx context.Context, p *engram.Prompt) error {
	return n.calls("InsertPrompt").InsertPrompt(ctx, p)
}
func (n txCounter) ReplacePrompt(ctx context.Context, p engram.Prompt) error {
	return n.calls("ReplacePrompt").ReplacePrompt(ctx, p)
}
func (n txCounter) ErasePrompt(ctx context.Context, num int64) error {
	return n.calls("ErasePrompt").ErasePrompt(ctx, num)
}
func (n txCounter) PutProject(ctx context.Context, p engram.Project) error {
	return n.calls("PutProject").PutProject(ctx, p)
}
func (n txCounter) DeleteProject(ctx context.Context, name string) error {
	return n.calls("DeleteProject").DeleteProject(ctx, name)
}
func (n txCounter) MoveProject(ctx context.Context, from, to string) (engram.Moved, error) {
	return n.calls("MoveProject").MoveProject(ctx, from, to)
}
func (n txCounter) MoveBack(ctx context.Context, moved engram.Moved, from, to string) (engram.Moved, error) {
	return n.calls("MoveBack").MoveBack(ctx, moved, from, to)
}
func (n txCounter) InsertRelation(ctx context.Context, rs ...*engram.Relation) error {
	return n.calls("InsertRelation").InsertRelation(ctx, rs...)
}
func (n txCounter) ReplaceRelation(ctx context.Context, r engram.Relation) error {
	return n.calls("ReplaceRelation").ReplaceRelation(ctx, r)
}
func (n txCounter) Append(ctx context.Context, ms ...*engram.Mutation) error {
	return n.calls("Append").Append(ctx, ms...)
}
func (n txCounter) CompactJournal(ctx context.Context, before time.Time) (int, error) {
	return n.calls("CompactJournal").CompactJournal(ctx, before)
}
func (n txCounter) PutFact(ctx context.Context, name, value string) error {
	return n.calls("PutFact").PutFact(ctx, name, value)
}
func (n txCounter) PutTrust(ctx context.Context, marks ...engram.Trust) error {
	return n.calls("PutTrust").PutTrust(ctx, marks...)
}
func (n txCounter) DropTrust(ctx context.Context, memory int64, mark engram.TrustMark) error {
	return n.calls("DropTrust").DropTrust(ctx, memory, mark)
}
func (n txCounter) Cut(ctx context.Context, c engram.Cut) error { return n.calls("Cut").Cut(ctx, c) }

func (n replicaCounter) CausalMetadata(ctx context.Context, entity engram.Entity, keys []string) (map[string]engram.CausalMetadata, error) {
	return n.calls("CausalMetadata").CausalMetadata(ctx, entity, keys)
}
func (n replicaCounter) Shadowed(ctx context.Context, entity engram.Entity, part engram.Part) ([]string, error) {
	return n.calls("Shadowed").Shadowed(ctx, entity, part)
}
func (n replicaCounter) ShadowedTopic(ctx context.Context, topic string) ([]string, error) {
	return n.calls("ShadowedTopic").ShadowedTopic(ctx, topic)
}
func (n replicaCounter) Head(ctx context.Context) (engram.Head, error) {
	return n.calls("Head").Head(ctx)
}
func (n replicaCounter) Unreplicated(ctx context.Context, entity engram.Entity, project string, batches []string, after string, limit int) ([]string, error) {
	return n.calls("Unreplicated").Unreplicated(ctx, entity, project, batches, after, limit)
}
func (n replicaCounter) CountUnreplicated(ctx context.Context, entity engram.Entity, project string, batches []string) (int, error) {
	return n.calls("CountUnreplicated").CountUnreplicated(ctx, entity, project, batches)
}
func (n replicaCounter) ReplicatedBy(ctx context.Context, entity engram.Entity, key string, digest int64) ([][]string, error) {
	return n.calls("ReplicatedBy").ReplicatedBy(ctx, entity, key, digest)
}
func (n replicaCounter) Shared(ctx context.Context, entity engram.Entity, key string) (bool, error) {
	return n.calls("Shared").Shared(ctx, entity, key)
}
func (n replicaCounter) Reported(ctx context.Context, sessions []string, project string) (map[string]bool, error) {
	return n.calls("Reported").Reported(ctx, sessions, project)
}
func (n replicaCounter) Owned(ctx context.Context, sessions []string) (map[string]bool, error) {
	return n.calls("Owned").Owned(ctx, sessions)
}
func (n replicaCounter) Strayed(ctx context.Context, project string, batches []string, after string, limit int) ([]string, error) {
	return n.calls("Strayed").Strayed(ctx, project, batches, after, limit)
}
func (n replicaCounter) ErasedOf(ctx context.Context, entity engram.Entity, names []string) ([]engram.Erased, error) {
	return n.calls("ErasedOf").ErasedOf(ctx, entity, names)
}
func (n replicaCounter) ErasedAfter(ctx context.Context, entity engram.Entity, after string, limit int) ([]engram.Erased, error) {
	return n.calls("ErasedAfter").ErasedAfter(ctx, entity, after, limit)
}
func (n replicaCounter) SessionTombstones(ctx context.Context, project, after string, limit int) ([]engram.Session, error) {
	return n.calls("SessionTombstones").SessionTombstones(ctx, project, after, limit)
}
func (n replicaCounter) TombstonesOf(ctx context.Context, ids []string) ([]engram.Session, error) {
	return n.calls("TombstonesOf").TombstonesOf(ctx, ids)
}
func (n replicaCounter) Pulled(ctx context.Context, project string, batches []string) (map[string]bool, error) {
	return n.calls("Pulled").Pulled(ctx, project, batches)
}
func (n replicaCounter) Deferred(ctx context.Context, project string, after int64, limit int) ([]engram.Deferred, error) {
	return n.calls("Deferred").Deferred(ctx, project, after, limit)
}
func (n replicaCounter) DeferredAt(ctx context.Context, num int64) (d engram.Deferred, found bool, err error) {
	return n.calls("DeferredAt").DeferredAt(ctx, num)
}
func (n replicaCounter) CountDeferred(ctx context.Context, project string, why engram.Deferral) (int, error) {
	return n.calls("CountDeferred").CountDeferred(ctx, project, why)
}

func (n replicaTxCounter) PutCausalMetadata(ctx context.Context, entity engram.Entity, all map[string]engram.CausalMetadata) error {
	return n.calls("PutCausalMetadata").PutCausalMetadata(ctx, entity, all)
}
func (n replicaTxCounter) PutTombstone(ctx context.Context, session, project string) error {
	return n.calls("PutTombstone").PutTombstone(ctx, session, project)
}
func (n replicaTxCounter) SeeClock(ctx context.Context, c engram.Clock) error {
	return n.calls("SeeClock").SeeClock(ctx, c)
}
func (n replicaTxCounter) StampProject(ctx context.Context, project string, part engram.Part, s engram.VersionStamp) error {
	return n.calls("StampProject").StampProject(ctx, project, part, s)
}
func (n replicaTxCounter) PutReplicated(ctx context.Context, batches []string, states ...engram.ThingState) error {
	return n.calls("PutReplicated").PutReplicated(ctx, batches, states...)
}
func (n replicaTxCounter) PutStrayed(ctx context.Context, key, project string, digest int64, batches []string) error {
	return n.calls("PutStrayed").PutStrayed(ctx, key, project, digest, batches)
}
func (n replicaTxCounter) PutPulled(ctx context.Context, project, batch string, at time.Time) error {
	return n.calls("PutPulled").PutPulled(ctx, project, batch, at)
}
func (n replicaTxCounter) PutErased(ctx context.Context, x engram.Erased) error {
	return n.calls("PutErased").PutErased(ctx, x)
}
func (n replicaTxCounter) DropErased(ctx context.Context, key string) (x engram.Erased, found bool, err error) {
	return n.calls("DropErased").DropErased(ctx, key)
}
func (n replicaTxCounter) PutDeferred(ctx context.Context, d *engram.Deferred) error {
	return n.calls("PutDeferred").PutDeferred(ctx, d)
}
func (n replicaTxCounter) DropDeferred(ctx context.Context, num int64) (found bool, err error) {
	return n.calls("DropDeferred").DropDeferred(ctx, num)
}
