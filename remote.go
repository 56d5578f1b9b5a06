package engram

import (
	"context"
	"iter"
	"time"
)

// Batch is what one push left at a remote: whole, never changed, and called by what is in it.
type Batch struct {
	ID       string    // the same for the same records
	By       string    // who pushed it; "" when nobody said
	At       time.Time // when it was pushed; zero when nobody said
	Sessions int
	Memories int
	Prompts  int
}

// Remote is a place where the replicas of a project meet: a folder of chunks in a
// repository, a server. It keeps a set of batches, and nothing that has to be agreed on.
//
// A remote is somebody else's: what it gives may be anything, and its errors say what is
// wrong with it. It may be used by one goroutine at a time.
type Remote interface {
	// Name says for a person where it is.
	Name() string
	// Batches returns what is there, oldest first, equal times by ID.
	Batches(ctx context.Context) ([]Batch, error)
	// Read gives the records of a batch. It is whole and is what its ID says before the first
	// record is given: CodeInvalid for what was cut off, changed, or is larger than any batch
	// may be, CodeConflict for one that a newer version wrote, CodeForbidden for one that is
	// not for this reader, CodeNotFound for one that is not there. A record with a Flaw is
	// one that cannot be read; the others are fine.
	Read(ctx context.Context, id string) iter.Seq2[Record, error]
	// Write keeps records as a batch of its own, durably, before it returns. What cannot be
	// kept whole is not kept at all. The same records make the same batch.
	Write(ctx context.Context, head Batch, records []Record) (Batch, error)
	// Settle makes what is derived from the batches, such as an index of them, fit what is
	// there. It changes nothing where that fits.
	Settle(ctx context.Context) error
}

// Deferral says why a record that came from a remote waits.
type Deferral string

// The reasons to wait.
const (
	DeferredMissing Deferral = "missing" // what it refers to is not here yet
	DeferredClock   Deferral = "clock"   // it was written in the future
	DeferredReview  Deferral = "review"  // a person has to look at it first
	// DeferredProposal is what was read out of transcripts and commits: nothing but a person
	// taking it makes it a memory.
	DeferredProposal Deferral = "proposal"
	// DeferredDecided is what a person took or refused: it waits for nobody, and is kept, as long
	// as the journal is, so that an undo can let it wait again.
	DeferredDecided Deferral = "decided"
)

// Deferred is a record that came from a remote and waits; it is tried again with each pull,
// and kept until somebody takes or drops it. With DeferredProposal it is what might become a
// memory, and came from nowhere but a text that was read on this machine.
type Deferred struct {
	Num     int64 // per database, from 1
	Record  Record
	Project string // that it is to come into
	Batch   string // that it came with
	By      string // who pushed that
	Why     Deferral
	Reason  string // for a person
	Tries   int
	FirstAt time.Time
	LastAt  time.Time
}

// CausalReader reads where the parts of things come from. Things are named as in Mutation:
// by number, by id or by name.
type CausalReader interface {
	// CausalMetadata returns the lineages of things of a kind, by key. What was saved before lineages
	// were kept has none, and is not among them.
	CausalMetadata(ctx context.Context, entity Entity, keys []string) (map[string]CausalMetadata, error)
	// Shadowed returns the keys of things of a kind of which a part is held (Lineage.Held).
	Shadowed(ctx context.Context, entity Entity, part Part) ([]string, error)
	// ShadowedTopic returns the keys of memories of which this topic key is held.
	ShadowedTopic(ctx context.Context, topic string) ([]string, error)
	// Device is the id of this store, and LatestClock at least the clock of every write that
	// was ever seen here.
	Device(ctx context.Context) (string, error)
	LatestClock(ctx context.Context) (Clock, error)

	// Unreplicated returns the keys of things of a kind and a project ("" is every one), in the
	// order of their keys from after on, whose lineage as it is now no batch of these carries.
	// "" is before every key. Keys are ordered as numbers where they are. Of EntityErased they
	// are what Erased.Key is, and Erased.Digest stands for the lineage.
	Unreplicated(ctx context.Context, entity Entity, project string, batches []string, after string, limit int) ([]string, error)
	// CountUnreplicated counts them.
	CountUnreplicated(ctx context.Context, entity Entity, project string, batches []string) (int, error)
	// ReplicatedBy returns the sets of batches in each of which a state of a thing can be found.
	ReplicatedBy(ctx context.Context, entity Entity, key string, digest int64) ([][]string, error)
	// Shared reports whether any batch that was ever known here carries a state of a thing,
	// wherever that batch may be now: others may have it.
	Shared(ctx context.Context, entity Entity, key string) (bool, error)
	// Reported returns those of these sessions in which something stands that may be told of: a
	// memory that is not its author's alone, or a prompt, unless the session is Owned. What was
	// erased elsewhere is not told of, nor what was forgotten before it was Shared. Of a project
	// is what is in it; "" is every one.
	Reported(ctx context.Context, sessions []string, project string) (map[string]bool, error)
	// Owned returns those of these sessions in which a memory stands, forgotten or not, that is
	// its author's alone.
	Owned(ctx context.Context, sessions []string) (map[string]bool, error)
	// Strayed returns the keys of memories, in the order of their keys from after on, that
	// one of these batches carries a state of from when they were in the project, and that
	// are in another one by now, or are their author's alone, by a write of that part.
	Strayed(ctx context.Context, project string, batches []string, after string, limit int) ([]string, error)
	// ErasedOf returns what was erased of the things of a kind that have these names
	// (Erased.Name), in whatever project.
	ErasedOf(ctx context.Context, entity Entity, names []string) ([]Erased, error)
	// SessionTombstones returns the sessions of a project ("" is every one) that left no row but
	// have a lineage, with ID and Project, by id from after on.
	SessionTombstones(ctx context.Context, project, after string, limit int) ([]Session, error)
	// TombstonesOf returns those of these sessions of which that is so.
	TombstonesOf(ctx context.Context, ids []string) ([]Session, error)
	// Pulled returns which of these batches have nothing more to give to a project, "" is every
	// one: PutPulled was told so of it, or of every one.
	Pulled(ctx context.Context, project string, batches []string) (map[string]bool, error)

	// Deferred returns what waits, and what is DeferredDecided, by number from after on, so oldest
	// first; of a project, or with "" of every one.
	Deferred(ctx context.Context, project string, after int64, limit int) ([]Deferred, error)
	// DeferredAt returns what waits under a number; found is false when nothing does.
	DeferredAt(ctx context.Context, num int64) (d Deferred, found bool, err error)
	// CountDeferred counts what waits of a project, or of every one, for one of the reasons, or
	// with "" for any, DeferredDecided among them.
	CountDeferred(ctx context.Context, project string, why Deferral) (int, error)
}

// CausalWriter keeps them. The writers of things do not: whoever writes a thing puts its
// lineage in the same transaction. Erasing a thing removes its lineage, and what waits of it.
type CausalWriter interface {
	// PutCausalMetadata sets the lineage of a thing.
	PutCausalMetadata(ctx context.Context, entity Entity, key string, l CausalMetadata) error
	// PutTombstone says of which project a session was that has a lineage and no row.
	PutTombstone(ctx context.Context, session, project string) error
	// SeeClock makes LatestClock at least c.
	SeeClock(ctx context.Context, c Clock) error
	// StampProject stamps a part of everything in a project, as a move of all of it does.
	StampProject(ctx context.Context, project string, part Part, s VersionStamp) error

	// PutReplicated remembers that a state of a thing, by Lineage.Digest, can be found in these
	// batches together.
	PutReplicated(ctx context.Context, entity Entity, key string, digest int64, batches []string) error
	// PutStrayed remembers that these batches have a memory in a project in which it is not here.
	PutStrayed(ctx context.Context, key, project string, digest int64, batches []string) error
	// PutPulled remembers that a batch was read to its end here for a project; "" is every one,
	// as of a batch that was written here. It is forgotten when the project gets another alias:
	// what is called by that was of another project until then. What was proposed once is
	// remembered beside them, for every one, as "proposal:" and a sync id.
	PutPulled(ctx context.Context, project, batch string, at time.Time) error

	// PutDeferred adds d when its Num is 0, and sets it; else it replaces the one of this
	// number. A second record of the same thing from the same batch, for the same project, replaces the first.
	PutDeferred(ctx context.Context, d *Deferred) error
	// DropDeferred removes one; found is false when there is none.
	DropDeferred(ctx context.Context, num int64) (found bool, err error)
}
