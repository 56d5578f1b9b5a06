package engram

import (
	"context"
	"time"
)

// Store keeps everything. It is safe for concurrent use, and several processes may open the same one; storetest
// is its contract.
//
// Errors carry codes: not_found for what does not exist, unavailable when the store is busy, full or read-only,
// internal when it is damaged.
type Store interface {
	// View runs fn on one consistent snapshot. It never waits for a writer.
	View(ctx context.Context, fn func(Reader) error) error
	// Update runs fn as the only writer and commits when fn returns nil; an error from fn undoes everything and
	// is returned unchanged. After Update returns nil the change survives a power cut. fn must not keep the Tx
	// and should be fast, because other writers wait. The store limits the wait for them, or WithLockTimeout.
	Update(ctx context.Context, fn func(Tx) error) error
	// UpdateAfter is Update that first runs look on a snapshot, without keeping other writers out: they may have
	// written since when fn runs. It suits a search for what fn needs, because what look reads need not be read
	// again. Without applies to look alone.
	UpdateAfter(ctx context.Context, look func(Reader) error, fn func(Tx) error) error
	// Close waits for calls in progress. The Store cannot be used afterwards.
	Close() error
}

// WithLockTimeout returns a context with which Store.Update gives up when other writers hold the lock for
// longer than wait, for writes that are not worth waiting for. The time of the update itself does not count, so
// that a slow machine does not lose it.
func WithLockTimeout(ctx context.Context, wait time.Duration) context.Context {
	return context.WithValue(ctx, lockTimeout{}, wait)
}

// LockTimeout returns the timeout of WithLockTimeout; said is false for none.
func LockTimeout(ctx context.Context) (wait time.Duration, said bool) {
	wait, said = ctx.Value(lockTimeout{}).(time.Duration)
	return wait, said
}

type lockTimeout struct{}

// WithSharedCommit returns a context with which Store.UpdateAfter may commit the write together with others that wait
// at the same time. They see it before that, and it may see theirs; if the commit fails, all of them fail. For
// writes of a few milliseconds: the first waits for the last.
func WithSharedCommit(ctx context.Context) context.Context {
	return context.WithValue(ctx, sharedCommit{}, true)
}

// SharesCommit reports whether a context is one of WithSharedCommit.
func SharesCommit(ctx context.Context) bool { return ctx.Value(sharedCommit{}) != nil }

type sharedCommit struct{}

// Without returns a context with which Store.View hides projects for which off is true, with their contents and
// relations. A project, a session and the operations of one thing can still be read by name, so that a caller
// can say why it rejects them. A nil off hides nothing.
func Without(ctx context.Context, off func(project string) bool) context.Context {
	return context.WithValue(ctx, excluded{}, off)
}

// Excluded returns the off of Without; nil for none.
func Excluded(ctx context.Context) func(project string) bool {
	off, _ := ctx.Value(excluded{}).(func(project string) bool)
	return off
}

type excluded struct{}

// Together runs functions that only read from r and do not depend on each other. A store behind a network, whose
// Reader has a method Together, reads for all of them at once; otherwise they run one after the other. The error is that
// of the first of them that has one.
func Together(ctx context.Context, r Reader, fns ...func(context.Context) error) error {
	if far, is := r.(interface {
		Together(ctx context.Context, fns ...func(context.Context) error) error
	}); is {
		return far.Together(ctx, fns...)
	}
	for _, fn := range fns {
		if err := fn(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Reader is what can be read within one transaction.
type Reader interface {
	MemoryReader
	VectorReader
	ExposureReader
	SessionReader
	PromptReader
	ProjectReader
	JournalReader
	RelationReader
	CounterReader
	NameReader
	TrustReader
	// Replica returns what this snapshot holds for merging with other stores.
	Replica() ReplicaReader
	// Stats counts everything, or with a project, which must exist, its part. Stats.Projects and Bytes always
	// cover the whole store.
	Stats(ctx context.Context, project string) (Stats, error)
}

// Tx is a Reader that can write.
type Tx interface {
	Reader
	MemoryWriter
	VectorWriter
	UseWriter
	SessionWriter
	PromptWriter
	ProjectWriter
	RelationWriter
	JournalWriter
	TrustWriter
	// ReplicaTx returns the part of this transaction that merging with other stores needs.
	ReplicaTx() ReplicaTx
}

// MemoryReader reads memories.
type MemoryReader interface {
	// Memory returns the memory that ref names, forgotten or not; not_found for none, conflict when a shortened
	// id is ambiguous.
	Memory(ctx context.Context, ref Ref) (Memory, error)
	// Memories returns the memories with these numbers in this order, forgotten ones included; unknown numbers
	// are left out.
	Memories(ctx context.Context, nums []int64) ([]Memory, error)
	// List returns the memories that match f, in the order of p. A project that does not exist is empty.
	List(ctx context.Context, f Filter, p Page) ([]Memory, error)
	// Outlines calls each with the memories that match f, newest first (flagged ones: longest flagged first), until it
	// returns false. With most above 0 they are about most of the project's memories, spread evenly over their creation
	// times. Outlines have the fields that determine strength and reviews: Num, Project, Scope, Type, Importance,
	// Strength, Permanent, AccessCount and the times.
	Outlines(ctx context.Context, f Filter, most int, each func(Memory) (more bool)) error
	// Count counts the memories that match f.
	Count(ctx context.Context, f Filter) (int, error)
	// Topics returns the topic keys of live memories of a project ("" is every one) with this prefix, each
	// once, in byte order, at most most.
	Topics(ctx context.Context, project, prefix string, most int) ([]string, error)
	// SeenAnchors returns the Stale states that NoteAnchors recorded for these memories.
	SeenAnchors(ctx context.Context, nums []int64) (map[int64]AnchorState, error)
	// Neighbours returns up to before live memories saved before memory num in the session, and up to after
	// saved after it, each oldest first.
	Neighbours(ctx context.Context, session string, num int64, before, after int) (earlier, later []Memory, err error)
	// Revisions returns the earlier texts of memories, by number, each memory's oldest first.
	Revisions(ctx context.Context, nums ...int64) ([]Revision, error)
	// Lexical ranks the memories that match q, best first. No terms match nothing; forgotten memories are not
	// found.
	Lexical(ctx context.Context, q LexicalQuery) (Lexical, error)
}

// VectorReader reads vectors.
type VectorReader interface {
	// Nearest ranks live memories by the cosine of their vectors of q.Model to q.Vector, nearest first. A text of several
	// passages is as near as its nearest vector.
	// Memories without a vector of the model, or with a zero one, are left out.
	// A vector of a wrong dimension or with NaN or infinite values is CodeInvalid.
	Nearest(ctx context.Context, q VectorQuery) ([]Ranked, error)
	// Vectors returns the memories' vectors of a model, where they have one, as Vector.Values has them. The caller must
	// not change them.
	Vectors(ctx context.Context, model string, nums []int64) (map[int64][]float32, error)
	// NewestVectors returns the vectors, without those of passages, of a project's newest live memories ("" is every project), at most
	// most, newest first.
	NewestVectors(ctx context.Context, model, project string, most int) (StoredVectors, error)
	// Models returns the models with vectors, the one that covers most first.
	Models(ctx context.Context) ([]ModelCoverage, error)
}

// VectorWriter changes vectors. A memory loses its vectors when its title or content is replaced, or it is
// forgotten or erased.
type VectorWriter interface {
	// PutVectors sets vectors of a model and registers the model. Memories that do not exist are skipped; a
	// vector of a wrong length or with NaN or infinite values is CodeInvalid.
	PutVectors(ctx context.Context, m Model, vs []Vector) error
	// DropModel removes a model and its vectors; an unknown one is fine.
	DropModel(ctx context.Context, fingerprint string) error
}

// ExposureReader reads what was shown to whom.
type ExposureReader interface {
	// Exposures returns the exposures of a session, oldest first; "" is every session.
	Exposures(ctx context.Context, session string, p Page) ([]Exposure, error)
	// Shown returns the memories that a session was shown, by number, each once: of these, nil is all, by these
	// operations, nil is all.
	Shown(ctx context.Context, session string, operations []string, nums []int64) ([]int64, error)
	// LatelyUsed returns a project's recently requested memories, latest first, each once; "" is every project.
	// It need not look far back.
	LatelyUsed(ctx context.Context, project string, limit int) ([]int64, error)
	// ExposureCounts returns how often each of the memories was requested. Exposures by a context or a reminder do
	// not count: they would reinforce themselves.
	ExposureCounts(ctx context.Context, nums []int64) (map[int64]ExposureCount, error)
}

// UseWriter records what reading leaves behind.
type UseWriter interface {
	// RecordUse counts accesses and adds exposures and counters. It is not journaled. Sessions and projects of
	// exposures must exist; those of an erased memory are skipped, and so are accesses of unknown memories. The
	// store may drop the oldest exposures beyond 100,000, and those more than 90 days older than these. Counters
	// are kept forever: a year of ten busy projects is about a megabyte.
	RecordUse(ctx context.Context, u Use) error
}

// MemoryWriter changes memories and updates the full-text index.
type MemoryWriter interface {
	// InsertMemory adds m, which must have ID and SyncID, under m.Num if set, which must be free, and sets
	// m.Num. Its session becomes active at m.CreatedAt. Project and session must exist. A duplicate ID, or a
	// second live memory of a topic, is a conflict.
	InsertMemory(ctx context.Context, m *Memory) error
	// ReplaceMemory writes m over the memory with m.Num, except ID and SyncID; not_found for none, conflict
	// when its topic has another live memory.
	ReplaceMemory(ctx context.Context, m Memory) error
	// InsertRevision adds revisions; a duplicate of memory and number is an error.
	InsertRevision(ctx context.Context, rs ...Revision) error
	// Reindex rebuilds the index of words and the codes of vectors from the memories, to repair damage.
	Reindex(ctx context.Context) error
	// NoteAnchors records the Stale states of memories' anchors, and clears those that are not Stale or whose
	// memory gets other anchors. Unknown memories are skipped. It is not journaled, because it describes one
	// machine's files.
	NoteAnchors(ctx context.Context, seen map[int64]AnchorState) error
	// EraseMemory removes the memory, its revisions, tags, relations, vectors and index entries, and the texts
	// in its journal entries and those of its relations; not_found for none. The bytes are overwritten.
	EraseMemory(ctx context.Context, num int64) error
}

// TrustReader reads trust marks. Erasing a memory removes its marks; forgetting keeps them.
type TrustReader interface {
	// Trust returns the marks of the memories, by number.
	Trust(ctx context.Context, nums []int64) (map[int64][]Trust, error)
}

// TrustWriter writes trust marks. They are not journaled.
type TrustWriter interface {
	// PutTrust adds marks to memories that must exist. A mark that exists with the same Text keeps its time.
	PutTrust(ctx context.Context, marks ...Trust) error
	// DropTrust removes the marks of a kind from a memory; none is fine.
	DropTrust(ctx context.Context, memory int64, mark TrustMark) error
	// Cut removes what should never have been stored; nothing else rewrites history. The bytes are overwritten;
	// unknown things are skipped.
	Cut(ctx context.Context, c Cut) error
}

// RelationReader reads relations, without removed ones unless stated.
type RelationReader interface {
	// Relation returns the relation, removed or not; not_found for none.
	Relation(ctx context.Context, ref RelationRef) (Relation, error)
	// Relations returns the relations that match f, newest first unless f reverses it. A project that does not
	// exist has none.
	Relations(ctx context.Context, f RelationFilter, p Page) ([]Relation, error)
	// CountRelations counts them.
	CountRelations(ctx context.Context, f RelationFilter) (int, error)
}

// RelationWriter changes relations.
type RelationWriter interface {
	// InsertRelation adds relations, all under their Num or all without one, and sets it. A live duplicate of source, target and verb is a conflict,
	// and so are memories that do not exist.
	InsertRelation(ctx context.Context, rs ...*Relation) error
	// ReplaceRelation writes r over the relation with r.Num, except ID, CreatedAt and its memories; not_found
	// for none, conflict as for InsertRelation.
	ReplaceRelation(ctx context.Context, r Relation) error
}

// SessionReader reads sessions.
type SessionReader interface {
	// Session returns the session; not_found for none.
	Session(ctx context.Context, id string) (Session, error)
	// Sessions returns the sessions that match f, with the newest activity first unless f orders by id.
	Sessions(ctx context.Context, f SessionFilter, p Page) ([]SessionActivity, error)
	// CountSessions counts them.
	CountSessions(ctx context.Context, f SessionFilter) (int, error)
}

// SessionWriter changes sessions.
type SessionWriter interface {
	// PutSession adds s, or replaces the session with its ID. Its project must exist.
	PutSession(ctx context.Context, s Session) error
	// DeleteSession removes a session; not_found for none, conflict when it has memories, forgotten or not. Its
	// prompts remain without a session. With erase it also removes the texts from its journal entries; the bytes
	// are overwritten.
	DeleteSession(ctx context.Context, id string, erase bool) error
}

// PromptReader reads prompts.
type PromptReader interface {
	// Prompts returns the prompts that match f, newest first unless f orders by number. A project or a session that
	// does not exist has none.
	Prompts(ctx context.Context, f PromptFilter, p Page) ([]Prompt, error)
	// SearchPrompts ranks prompts with one of the terms, best first.
	SearchPrompts(ctx context.Context, terms []Term, project string, limit int) ([]Prompt, error)
}

// PromptWriter changes prompts.
type PromptWriter interface {
	// InsertPrompt adds p, under p.Num if set, and sets p.Num. Its session becomes active at p.CreatedAt.
	// Project and session must exist.
	InsertPrompt(ctx context.Context, p *Prompt) error
	// ReplacePrompt writes p's session, project and DeletedAt over the prompt with p.Num; not_found for none.
	ReplacePrompt(ctx context.Context, p Prompt) error
	// ErasePrompt removes a prompt for good, as EraseMemory does; not_found for none.
	ErasePrompt(ctx context.Context, num int64) error
}

// ProjectReader reads projects.
type ProjectReader interface {
	// Project returns the project with that name or alias; found is false for none.
	Project(ctx context.Context, name string) (p Project, found bool, err error)
	// Projects returns every project by name, with its counts if counted, which costs more.
	Projects(ctx context.Context, counted bool) ([]ProjectCounts, error)
	// Decays returns the decay settings of projects that have their own, by name.
	Decays(ctx context.Context) (map[string]ProjectDecay, error)
}

// ProjectWriter changes projects.
type ProjectWriter interface {
	// PutProject adds p, or replaces root, remote, decay, date and aliases of the project with its name. That
	// name stops being another project's alias.
	PutProject(ctx context.Context, p Project) error
	// DeleteProject removes a project; conflict while anything is kept under it. One that does not exist is
	// fine.
	DeleteProject(ctx context.Context, name string) error
	// MoveProject moves everything of project from to project to, forgotten memories, aliases and its journal
	// included, and returns what it moved. Both must exist.
	MoveProject(ctx context.Context, from, to string) (Moved, error)
	// MoveBack moves what of moved is still in project from to project to, and restores lost topic keys that
	// are free. The journal of the moved things goes along, and all of it when from is empty then. It returns
	// what it moved.
	MoveBack(ctx context.Context, moved Moved, from, to string) (Moved, error)
}

// Moved is what a move of a project moved.
type Moved struct {
	Memories []int64
	Sessions []string
	Prompts  []int64
	// Topics are the topic keys that moved memories lost, by number, because the target had a memory with the
	// same key.
	Topics map[int64]string
}

// JournalReader reads the journal.
type JournalReader interface {
	// Mutations returns the entries of a span, newest first unless it reverses them.
	Mutations(ctx context.Context, s JournalSpan, p Page) ([]Mutation, error)
	// SeqBefore returns the Seq of the store's last own entry written before a time; 0 for none. Own entries
	// are in the order of their clock; entries from another store count as written on arrival.
	SeqBefore(ctx context.Context, at time.Time) (int64, error)
	// FirstMade returns the key of the first thing of a kind made after the entry with this Seq; "" for none.
	// Memories, relations and prompts are numbered in order: those from this number on were made since.
	FirstMade(ctx context.Context, entity Entity, after int64) (key string, err error)
	// Operations returns the operations that match f, newest first unless f reverses it.
	Operations(ctx context.Context, f JournalFilter, p Page) ([]Operation, error)
	// Fact returns the named fact about the store; "" for none.
	Fact(ctx context.Context, name string) (string, error)
}

// JournalWriter writes the journal.
type JournalWriter interface {
	// Append adds entries to the journal and sets their Seq. The first without Op starts an operation with its own
	// Seq as Op, to which the others without Op belong. Device is always the store's own.
	Append(ctx context.Context, ms ...*Mutation) error
	// CompactJournal removes the operations before a time, moves JournalBegins, and returns the number of
	// removed entries.
	CompactJournal(ctx context.Context, before time.Time) (int, error)
	// PutFact stores a fact about this database alone, such as the time of the last sleep. It is not journaled.
	PutFact(ctx context.Context, name, value string) error
}
