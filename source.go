package engram

import (
	"context"
	"iter"
)

// Source is what another program keeps, opened to be read: it is never written, nor is
// anything left beside it. It is used by one goroutine, and the caller closes it.
type Source interface {
	// Read reads the head, and gives the records as they are read, once: what they hold was
	// not looked at, and may be anything. Each has a name that is the same whenever it is
	// read, so that reading twice brings in nothing twice. The last pair carries the error
	// that ended it: CodeInvalid for what is no such store or is damaged, CodeConflict for
	// one of a newer version, CodeUnavailable for one that is being written meanwhile.
	Read(ctx context.Context) (Snapshot, iter.Seq2[Record, error], error)
	// Notes are about what was left out or comes in otherwise than it stands there; they are
	// complete when the records have ended.
	Notes() []ImportNote
	// Close lets go of it, and removes what was copied in order to read it.
	Close() error
}

// SourceDated is the field of a memory's metadata by which a source says that the times
// of the memory are only those of the file in which it stands. Its value is "file".
const SourceDated = "source_dated"
