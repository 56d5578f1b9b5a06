package document

import "github.com/alanbuscaglia/engram"

// Anchor is a place in code that a memory speaks of.
type Anchor struct {
	Path  string             `json:"path"`            // from the root of its repository
	Lines string             `json:"lines,omitempty"` // 12 or 12-20; absent for the whole file
	State engram.AnchorState `json:"state,omitempty"` // verified, moved, changed or gone; absent where nobody could look
	Now   string             `json:"now,omitempty"`   // PATH or PATH:LINES, where it moved to; of what is changed there, PATH
}

// AnchorOf is the document of a.
func AnchorOf(a engram.Anchored) Anchor {
	d := Anchor{Path: a.Path, State: a.State, Lines: a.Place().Lines()}
	if a.Now.Path != "" {
		d.Now = a.Now.String()
	}
	return d
}

// AnchorsOf are the documents of what m is anchored to, with what n says became of it; nil for
// nothing.
func AnchorsOf(m engram.Memory, n engram.Note) []Anchor {
	told := n.Anchors
	if len(told) == 0 {
		for _, a := range m.Anchors {
			told = append(told, engram.Anchored{Anchor: a})
		}
	}
	if len(told) == 0 {
		return nil
	}
	return Each(told, AnchorOf)
}

// memoryIn is the document of m with what is known of it: what became of its code, and why it
// is suspect.
func memoryIn(m engram.Memory, n engram.Note) Memory {
	d := MemoryOf(m, n.State)
	d.Suspect, d.Anchors = n.Suspect, AnchorsOf(m, n)
	return d
}
