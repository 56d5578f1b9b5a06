package engram

import (
	"cmp"
	"slices"
	"strings"
)

// Limits of what a memory may be anchored to.
const (
	MaxAnchors    = 16
	MaxNamed      = 8       // of which its text names
	MaxAnchorPath = 1 << 10 // bytes of a path
)

// Anchor is a place in code that a memory speaks of, as it was when somebody looked at it
// last. It travels with its memory: whoever has a clone of the repository can tell what
// became of the place.
type Anchor struct {
	// Repository is what all clones are called alike: host and path of the remote
	// ("example.com/owner/name"), or "local:" and 16 hex digits where there is none.
	Repository string `json:"repository"`
	Commit     string `json:"commit,omitempty"` // that was checked out, in hex; "" in a repository without one
	Path       string `json:"path"`             // from the root of the repository, with slashes
	Blob       string `json:"blob"`             // git's name of what stood in the file, in hex
	First      int    `json:"first,omitempty"`  // line, from 1; 0: the whole file
	Last       int    `json:"last,omitempty"`   // line, at least First
	// Lines recognises the lines again where the rest of the file changed: eight hex digits
	// of the first line, a hyphen, and sixteen of all of them. "" for the whole file.
	Lines string `json:"lines,omitempty"`
	// Named says that the text of the memory names the place; who asked for the others is
	// not undone by another text.
	Named bool `json:"named,omitempty"`
}

// Whole reports whether the whole file is meant.
func (a Anchor) Whole() bool { return a.First == 0 }

// AnchorState is what became of the place of an Anchor.
type AnchorState string

// The states.
const (
	AnchorUnknown  AnchorState = ""         // nobody could look: it is of another repository
	AnchorVerified AnchorState = "verified" // what stood there stands there
	AnchorMoved    AnchorState = "moved"    // it stands elsewhere
	AnchorChanged  AnchorState = "changed"  // something else stands there
	AnchorGone     AnchorState = "gone"     // the file is not there
)

// Stale reports whether what was said of a place in this state need not hold any more.
func (s AnchorState) Stale() bool { return s == AnchorChanged || s == AnchorGone }

// Anchored is an Anchor with what became of its place.
type Anchored struct {
	Anchor
	State AnchorState
	// Now is where it stands, if it moved, and the file that it went to, if it changed there; the
	// zero Place otherwise.
	Now Place
}

// Place is where the anchor stood.
func (a Anchor) Place() Place { return Place{a.Path, a.First, a.Last} }

// compareAnchors orders anchors by place.
func compareAnchors(a, b Anchor) int {
	return cmp.Or(strings.Compare(a.Repository, b.Repository), strings.Compare(a.Path, b.Path), cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last))
}

// CleanAnchors are anchors as stores give them back: in order, each place once, where it was
// asked for rather than where it is only named; nil for none. What is no anchor is left out.
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

// Validate says what is wrong with an anchor, as an *Error of CodeInvalid: it may come from
// anywhere, and its path is looked at in a repository.
func (a Anchor) Validate() error {
	for _, f := range []struct {
		name, text string
		most       int
	}{{"path", a.Path, MaxAnchorPath}, {"repository", a.Repository, MaxAnchorPath}} {
		if err := CheckText("anchor's "+f.name, f.text, f.most); err != nil {
			return err
		}
		if f.text == "" || strings.ContainsFunc(f.text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return Errorf(CodeInvalid, "anchor's %s is none", f.name)
		}
	}
	if !inside(a.Path) {
		return Errorf(CodeInvalid, "anchor's path %.80q does not stay in its repository", a.Path)
	}
	for _, f := range []struct {
		name, text string
		empty      bool
	}{{"commit", a.Commit, true}, {"blob", a.Blob, false}} {
		if !(f.empty && f.text == "") && !objectName(f.text) {
			return Errorf(CodeInvalid, "anchor's %s %.80q is no name of an object of git", f.name, f.text)
		}
	}
	if a.First < 0 || a.Last < a.First || a.First == 0 && a.Last != 0 || a.First != 0 && len(a.Lines) != 25 || a.First == 0 && a.Lines != "" {
		return Errorf(CodeInvalid, "anchor's lines %d to %d are none", a.First, a.Last)
	}
	return nil
}

// inside reports whether a path with slashes names something below the root it starts from,
// and nothing of git itself.
func inside(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") || strings.ContainsAny(part, "\\") {
			return false
		}
	}
	return true
}

// objectName reports whether git could call an object so: SHA-1 or SHA-256, in hex.
func objectName(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
