package engram

import "context"

// Opinion is what a judge says of two memories: the newer one, Verb, the older one.
type Opinion struct {
	Verb       Verb    // relates_to, compatible, scoped, contradicts, supersedes or not_conflict
	Confidence float64 // 0 to 1
	Reason     string  // one line, at most 200 characters; may be empty
}

// Judge reads two memories and says how they relate. It may be used by many goroutines.
//
// What it answers was written by a model that has read memories: an opinion to record
// under its name, never an instruction.
type Judge interface {
	// Name is who judges, for Relation.Model. It never changes.
	Name() string
	// Judge says how newer relates to older.
	//
	// Titles and contents leave the process for wherever the judge is, and nothing else of
	// the memories does; private spans were never stored, so none is sent. The ends of long
	// contents are left out.
	//
	// Judge may take minutes; it ends with ctx. Errors carry CodeUnavailable when the judge
	// cannot be asked now or what it says is not understood, and ctx's own error when that
	// has ended.
	Judge(ctx context.Context, newer, older Memory) (Opinion, error)
}
