package document

import "github.com/alanbuscaglia/engram"

// Deleted is the answer of a deletion.
type Deleted struct {
	Hard    bool         `json:"hard"` // erased, not only forgotten
	Deleted []DeletedRow `json:"deleted"`
	HeldBy  []Trace      `json:"held_by"` // who holds what was erased all the same
}

// DeletedRow is a memory that was deleted.
type DeletedRow struct {
	ID    engram.ID `json:"id"`
	Num   int64     `json:"num"`
	Title string    `json:"title"`
}

// Trace is a copy that an erase does not reach.
type Trace struct {
	Kind  engram.TraceKind `json:"kind"`
	Where string           `json:"where"`
}

// DeletedOf is the document of what was deleted.
func DeletedOf(gone []engram.Memory, held []engram.Trace, hard bool) Deleted {
	return Deleted{hard, Each(gone, DeletedRowOf), Each(held, TraceOf)}
}

// DeletedRowOf is the document of a memory that was deleted.
func DeletedRowOf(m engram.Memory) DeletedRow { return DeletedRow{m.ID, m.Num, m.Title} }

// TraceOf is the document of t.
func TraceOf(t engram.Trace) Trace { return Trace(t) }
