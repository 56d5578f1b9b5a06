package engram

import (
	"context"
	"time"
)

// ReplicaReader reads what only merging with other stores needs: causal metadata, what which batch holds, erasures
// and pending records. Things are named as in Mutation: by number, id or name.
type ReplicaReader interface {
	// CausalMetadata returns the metadata of things of a kind, by key. Things saved before it was kept have
	// none.
	CausalMetadata(ctx context.Context, entity Entity, keys []string) (map[string]CausalMetadata, error)
	// Shadowed returns the keys of things of a kind with this part shadowed (CausalMetadata.Shadowed).
	Shadowed(ctx context.Context, entity Entity, part Part) ([]string, error)
	// ShadowedTopic returns the keys of memories with this topic key shadowed.
	ShadowedTopic(ctx context.Context, topic string) ([]string, error)
	// Head returns where writing in this store stands.
	Head(ctx context.Context) (Head, error)

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
	// ErasedAfter returns erasures of a kind with a greater Erased.Key, by key; "" is before every one.
	ErasedAfter(ctx context.Context, entity Entity, after string, limit int) ([]Erased, error)
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

// Head is where writing in a store stands.
type Head struct {
	Device string // id of the store
	Seq    int64  // of the newest journal entry; 0 for none
	Clock  Clock  // at least that of every write seen here
}

// ThingState names a thing and one state of it.
type ThingState struct {
	Entity Entity
	Key    string
	Digest int64 // CausalMetadata.Digest
}

// ReplicaTx is a ReplicaReader that can write. The writers of things do not: the writer of a thing puts its metadata
// in the same transaction. Erasing a thing removes its metadata and its pending records.
type ReplicaTx interface {
	ReplicaReader

	// PutCausalMetadata sets the causal metadata of things of a kind, by key.
	PutCausalMetadata(ctx context.Context, entity Entity, all map[string]CausalMetadata) error
	// PutTombstone records the project of a session with causal metadata and no row.
	PutTombstone(ctx context.Context, session, project string) error
	// SeeClock makes Head.Clock at least c.
	SeeClock(ctx context.Context, c Clock) error
	// StampProject stamps a part of everything in a project, for a move of all of it.
	StampProject(ctx context.Context, project string, part Part, s VersionStamp) error

	// PutReplicated records that these batches together hold states of things.
	PutReplicated(ctx context.Context, batches []string, states ...ThingState) error
	// PutStrayed records that these batches have a memory in a project that it left.
	PutStrayed(ctx context.Context, key, project string, digest int64, batches []string) error
	// PutPulled records that a batch was fully read here for a project; "" is every one, as for a batch written
	// here. A new alias of the project erases the record, because things under that name belonged to another
	// project until then. Proposals are recorded too, for every project, as "proposal:" and a sync id.
	PutPulled(ctx context.Context, project, batch string, at time.Time) error

	// PutErased records an erasure, merged with one of the same Key by lifecycle.MergeErased, and removes
	// pending records of the thing.
	PutErased(ctx context.Context, x Erased) error
	// DropErased removes and returns the erasure with an Erased.Key; found is false for none.
	DropErased(ctx context.Context, key string) (x Erased, found bool, err error)

	// PutDeferred adds d and sets its Num when 0; else it replaces the record with this number. A second record
	// of the same thing, batch and project replaces the first.
	PutDeferred(ctx context.Context, d *Deferred) error
	// DropDeferred removes one; found is false for none.
	DropDeferred(ctx context.Context, num int64) (found bool, err error)
}
