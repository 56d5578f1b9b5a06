package engram

import (
	"cmp"
	"slices"
	"strings"
)

// Limits of a memory's anchors.
const (
	MaxAnchors    = 16
	MaxNamed      = 8       // by the memory's text
	MaxAnchorPath = 1 << 10 // bytes of a path
)

// Anchor is a place in code that a memory refers to, as it was when last checked. It is replicated with its
// memory: anyone with a clone of the repository can check the place.
type Anchor struct {
	// Repository is the same for all clones: host and path of the remote ("example.com/owner/name"), or
	// "local:" and 16 hex digits without a remote.
	Repository string `json:"repository"`
	Commit     string `json:"commit,omitempty"` // checked out, in hex; "" in a repository without one
	Path       string `json:"path"`             // from the root of the repository, with slashes
	Blob       string `json:"blob"`             // git's name of the file's content, in hex
	First      int    `json:"first,omitempty"`  // line, from 1; 0: the whole file
	Last       int    `json:"last,omitempty"`   // line, at least First
	// Lines recognises the lines after other changes to the file: eight hex digits of the first line, a hyphen,
	// and sixteen of all lines. "" for the whole file.
	Lines string `json:"lines,omitempty"`
	// Named says that the memory's text names the place. A new text replaces such anchors, but not requested
	// ones.
	Named bool `json:"named,omitempty"`
}

// Whole reports whether the anchor is the whole file.
func (a Anchor) Whole() bool { return a.First == 0 }

// AnchorState is the present state of an Anchor's place.
type AnchorState string

// The states.
const (
	AnchorUnknown  AnchorState = ""         // not checked: it is in another repository
	AnchorVerified AnchorState = "verified" // unchanged
	AnchorMoved    AnchorState = "moved"    // the same text is elsewhere
	AnchorChanged  AnchorState = "changed"  // the text is another one
	AnchorGone     AnchorState = "gone"     // the file does not exist
)

// Stale reports whether a statement about a place in this state may no longer hold.
func (s AnchorState) Stale() bool { return s == AnchorChanged || s == AnchorGone }

// Anchored is an Anchor with the present state of its place.
type Anchored struct {
	Anchor
	State AnchorState
	// Now is the new place if it moved, or the new file if it changed there; else the zero Place.
	Now Place
}

// Place returns the place of the anchor.
func (a Anchor) Place() Place { return Place{a.Path, a.First, a.Last} }

// compareAnchors orders anchors by place.
func compareAnchors(a, b Anchor) int {
	return cmp.Or(strings.Compare(a.Repository, b.Repository), strings.Compare(a.Path, b.Path), cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last))
}

// CleanAnchors returns the valid anchors of all as stores return them: sorted, each place once, requested ones
// preferred to named ones, at most MaxAnchors; nil for none.
func CleanAnchors(all []Anchor) []Anchor {
	kept := slices.DeleteFunc(slices.Clone(all), func(a Anchor) bool { return a.Validate() != nil })
	slices.SortStableFunc(kept, func(a, b Anchor) int {
		named := 0
		if a.Named != b.Named {
			if named = -1; a.Named {
				named = 1
			}
		}
		return cmp.Or(compareAnchors(a, b), named)
	})
	kept = slices.CompactFunc(kept, func(a, b Anchor) bool { return compareAnchors(a, b) == 0 })
	if len(kept) == 0 {
		return nil
	}
	return slices.Clip(kept[:min(len(kept), MaxAnchors)])
}

// Validate reports an invalid anchor as CodeInvalid: it may come from anywhere, and its path is opened in a
// repository.
func (a Anchor) Validate() error {
	for _, f := range []struct {
		name, text string
		most       int
	}{{"path", a.Path, MaxAnchorPath}, {"repository", a.Repository, MaxAnchorPath}} {
		if err := CheckText("anchor's "+f.name, f.text, f.most); err != nil {
			return err
		}
		if f.text == "" || strings.ContainsFunc(f.text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return Errorf(CodeInvalid, "anchor's %s is empty or has control characters", f.name)
		}
	}
	if !inside(a.Path) {
		return Errorf(CodeInvalid, "anchor's path %.80q is outside its repository", a.Path)
	}
	for _, f := range []struct {
		name, text string
		empty      bool
	}{{"commit", a.Commit, true}, {"blob", a.Blob, false}} {
		if !(f.empty && f.text == "") && !objectName(f.text) {
			return Errorf(CodeInvalid, "anchor's %s %.80q is not the name of a git object", f.name, f.text)
		}
	}
	if a.First < 0 || a.Last < a.First || a.First == 0 && a.Last != 0 || a.First != 0 && len(a.Lines) != 25 || a.First == 0 && a.Lines != "" {
		return Errorf(CodeInvalid, "anchor's lines %d to %d are invalid", a.First, a.Last)
	}
	return nil
}

// inside reports whether a path with slashes stays below its root and outside .git.
func inside(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") || strings.ContainsAny(part, "\\") {
			return false
		}
	}
	return true
}

// objectName reports whether s is a SHA-1 or SHA-256 in hex, the names of git objects.
func objectName(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
