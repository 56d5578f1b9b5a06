package engram

import (
	"context"
	"iter"
	"time"
)

// Batch is the content of one push to a remote: complete, immutable, and named by its content.
type Batch struct {
	ID       string    // equal for equal records
	By       string    // who pushed it; "" when unknown
	At       time.Time // when it was pushed; zero when unknown
	Sessions int
	Memories int
	Prompts  int
}

// Remote is where the replicas of a project meet: a folder of chunks in a repository, a server. It keeps a set
// of batches that needs no coordination.
//
// A remote is not trusted: its data may be anything. It is used by one goroutine at a time.
type Remote interface {
	// Name describes its location to a person.
	Name() string
	// Batches returns the batches, oldest first, equal times by ID.
	Batches(ctx context.Context) ([]Batch, error)
	// Read yields the records of a batch after verifying that it is complete and matches its ID: CodeInvalid
	// for a truncated, changed or oversized batch, CodeConflict for a newer version, CodeForbidden for another
	// reader's, CodeNotFound for none. A record with a Flaw is unreadable; the others are fine.
	Read(ctx context.Context, id string) iter.Seq2[Record, error]
	// Write stores records durably as a batch, or not at all. Equal records make the same batch.
	Write(ctx context.Context, head Batch, records []Record) (Batch, error)
	// Settle updates what derives from the batches, such as an index. It changes nothing when that is current.
	Settle(ctx context.Context) error
}

// Deferral says why a record from a remote is pending.
type Deferral string

// The reasons.
const (
	DeferredMissing Deferral = "missing" // it refers to something that is not here yet
	DeferredClock   Deferral = "clock"   // its time is in the future
	DeferredReview  Deferral = "review"  // a person must look at it first
	// DeferredProposal marks text read from transcripts and commits, which only a person can make a memory.
	DeferredProposal Deferral = "proposal"
	// DeferredDecided marks what a person approved or rejected. It is no longer pending, and is kept as long as
	// the journal so that undo can make it pending again.
	DeferredDecided Deferral = "decided"
)

// Deferred is a pending record from a remote. Each pull retries it until it is approved or dropped. With
// DeferredProposal it is a possible memory from a text read on this machine.
type Deferred struct {
	Num     int64 // per database, from 1
	Record  Record
	Project string // destination
	Batch   string // its source batch
	By      string // who pushed the batch
	Why     Deferral
	Reason  string // for a person
	Tries   int
	FirstAt time.Time
	LastAt  time.Time
}

// CausalReader reads causal metadata. Things are named as in Mutation: by number, id or name.
type CausalReader interface {
	// CausalMetadata returns the metadata of things of a kind, by key. Things saved before it was kept have
	// none.
	CausalMetadata(ctx context.Context, entity Entity, keys []string) (map[string]CausalMetadata, error)
	// Shadowed returns the keys of things of a kind with this part shadowed (CausalMetadata.Shadowed).
	Shadowed(ctx context.Context, entity Entity, part Part) ([]string, error)
	// ShadowedTopic returns the keys of memories with this topic key shadowed.
	ShadowedTopic(ctx context.Context, topic string) ([]string, error)
	// Device returns the id of this store, LatestClock at least the clock of every write seen here.
	Device(ctx context.Context) (string, error)
	LatestClock(ctx context.Context) (Clock, error)

	// Unreplicated returns, in order from after on, the keys of things of a kind and a project ("" is every
	// one) whose present causal metadata is in none of these batches. "" is before every key; numeric keys sort
	// as numbers. For EntityErased keys are Erased.Key, and Erased.Digest replaces the metadata.
	Unreplicated(ctx context.Context, entity Entity, project string, batches []string, after string, limit int) ([]string, error)
	// CountUnreplicated counts them.
	CountUnreplicated(ctx context.Context, entity Entity, project string, batches []string) (int, error)
	// ReplicatedBy returns the sets of batches that together hold a state of a thing.
	ReplicatedBy(ctx context.Context, entity Entity, key string, digest int64) ([][]string, error)
	// Shared reports whether any batch ever known here held a state of a thing, wherever it is now: others may
	// have it.
	Shared(ctx context.Context, entity Entity, key string) (bool, error)
	// Reported returns those sessions that contain something replicable: a memory that is not personal, or a
	// prompt, unless the session is Owned. Excluded are things erased elsewhere, and things forgotten before
	// they were Shared. Only things of project count; "" is every one.
	Reported(ctx context.Context, sessions []string, project string) (map[string]bool, error)
	// Owned returns those sessions that contain a personal memory, forgotten or not.
	Owned(ctx context.Context, sessions []string) (map[string]bool, error)
	// Strayed returns, in order from after on, the keys of memories of which one of these batches holds a state
	// in the project, and which have since been moved to another one, or made personal, by a write of that
	// part.
	Strayed(ctx context.Context, project string, batches []string, after string, limit int) ([]string, error)
	// ErasedOf returns the erasures of things of a kind with these names (Erased.Name), in any project.
	ErasedOf(ctx context.Context, entity Entity, names []string) ([]Erased, error)
	// SessionTombstones returns the sessions of a project ("" is every one) without a row but with causal
	// metadata, with ID and Project, by id from after on.
	SessionTombstones(ctx context.Context, project, after string, limit int) ([]Session, error)
	// TombstonesOf returns those of these sessions that are tombstones.
	TombstonesOf(ctx context.Context, ids []string) ([]Session, error)
	// Pulled returns which of these batches are fully imported into a project ("" is every one), by PutPulled
	// for it or for every one.
	Pulled(ctx context.Context, project string, batches []string) (map[string]bool, error)

	// Deferred returns pending records and DeferredDecided ones by number from after on, oldest first, of a
	// project, or with "" of every one.
	Deferred(ctx context.Context, project string, after int64, limit int) ([]Deferred, error)
	// DeferredAt returns the record with a number; found is false for none.
	DeferredAt(ctx context.Context, num int64) (d Deferred, found bool, err error)
	// CountDeferred counts the records of a project, or with "" of every one, deferred for a reason, or with ""
	// for any, DeferredDecided included.
	CountDeferred(ctx context.Context, project string, why Deferral) (int, error)
}

// CausalWriter writes causal metadata. The writers of things do not: the writer of a thing puts its metadata
// in the same transaction. Erasing a thing removes its metadata and its pending records.
type CausalWriter interface {
	// PutCausalMetadata sets the causal metadata of a thing.
	PutCausalMetadata(ctx context.Context, entity Entity, key string, l CausalMetadata) error
	// PutTombstone records the project of a session with causal metadata and no row.
	PutTombstone(ctx context.Context, session, project string) error
	// SeeClock makes LatestClock at least c.
	SeeClock(ctx context.Context, c Clock) error
	// StampProject stamps a part of everything in a project, for a move of all of it.
	StampProject(ctx context.Context, project string, part Part, s VersionStamp) error

	// PutReplicated records that these batches together hold a state of a thing, given by
	// CausalMetadata.Digest.
	PutReplicated(ctx context.Context, entity Entity, key string, digest int64, batches []string) error
	// PutStrayed records that these batches have a memory in a project that it left.
	PutStrayed(ctx context.Context, key, project string, digest int64, batches []string) error
	// PutPulled records that a batch was fully read here for a project; "" is every one, as for a batch written
	// here. A new alias of the project erases the record, because things under that name belonged to another
	// project until then. Proposals are recorded too, for every project, as "proposal:" and a sync id.
	PutPulled(ctx context.Context, project, batch string, at time.Time) error

	// PutDeferred adds d and sets its Num when 0; else it replaces the record with this number. A second record
	// of the same thing, batch and project replaces the first.
	PutDeferred(ctx context.Context, d *Deferred) error
	// DropDeferred removes one; found is false for none.
	DropDeferred(ctx context.Context, num int64) (found bool, err error)
}
