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
