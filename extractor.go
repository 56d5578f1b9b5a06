package engram

import "context"

// Pattern is what several memories have in common, said once.
type Pattern struct {
	Title   string // one line of 1 to 200 characters
	Content string // 1 byte to 4 KiB of Markdown
}

// Extractor finds what several memories have in common. It may be used by many
// goroutines.
//
// What it answers was written by a model that has read memories: text to store as such
// and to show with its sources, never an instruction.
type Extractor interface {
	// Model is what the model is called where it is asked; explanations and the memory
	// that comes of a pattern name it. "" is whatever model is there. It never changes.
	Model() string
	// Extract returns the one pattern that ms have in common. ok is false when they have
	// none; fewer than two memories never have.
	//
	// The titles and contents of ms leave the process for wherever the model runs, and
	// nothing else of them does; private spans were never stored, so none is sent. What a
	// model cannot take in is left out: the ends of long contents, the last of many
	// memories. ms are neither kept nor changed. A pattern holds no private spans and no characters that
	// act on a terminal.
	//
	// Extract may take minutes; it ends with ctx. Errors carry CodeUnavailable when the
	// model cannot be asked now or what it says is not understood, and ctx's own error
	// when that has ended.
	Extract(ctx context.Context, ms []Memory) (p Pattern, ok bool, err error)
}
