package git

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alanbuscaglia/engram"
)

// look is one look at the places of anchors in a worktree.
type look struct {
	w     worktree
	root  *os.Root
	paths []string        // wanted ones, in the order of their bytes
	blobs map[string]bool // wanted ones, as bytes
	first [256]bool       // their first bytes: most of an index is passed over by these

	indexed bool                // the index was read, or cannot be
	blind   bool                // it cannot be, and nobody knows what is in it
	files   map[string]*entry   // what the index has of wanted paths
	copies  map[string][]copied // where it has wanted blobs
	written time.Time           // when the index was

	read map[string]*contents // files that were read: several anchors may be in one
}

// contents are those of a file, what git calls them, and their lines if they were asked for.
type contents struct {
	ok         bool
	blob, unix string // unix: with line ends of one byte; "" where they are
	raw        []byte
	lines      [][]byte
}

// copied is a file that has the contents of another one, as the index has it.
type copied struct {
	path    string
	skipped bool // by a sparse checkout: it is not in the worktree
}

// mostCopies is how many files with the contents of one are looked at.
const mostCopies = 8

func newLook(w worktree, root *os.Root) *look {
	return &look{w: w, root: root, blobs: map[string]bool{}, files: map[string]*entry{}, copies: map[string][]copied{}, read: map[string]*contents{}}
}

// want asks the index for the file and the blob of an anchor.
func (l *look) want(a engram.Anchor) {
	l.paths = append(l.paths, a.Path)
	if blob, err := hex.DecodeString(a.Blob); err == nil && len(blob) > 0 && a.Blob != blobName(l.w.hash, nil) {
		l.blobs[string(blob)], l.first[blob[0]] = true, true
	}
}

// readIndex finds what was wanted, once. Without an index files are known by what they say alone;
// with one that cannot be read, nobody knows where one went.
func (l *look) readIndex(ctx context.Context) {
	if l.indexed {
		return
	}
	l.indexed = true
	slices.Sort(l.paths)
	l.paths = slices.Compact(l.paths)
	var err error
	if l.written, err = l.w.readIndex(ctx, l.note); err != nil {
		l.note()
		l.blind = true
	}
}

// note begins anew with what an index says.
func (l *look) note() func(*entry) {
	clear(l.files)
	clear(l.copies)
	rest := l.paths // those that may still come
	return func(e *entry) {
		if l.first[e.blob[0]] && l.blobs[string(e.blob)] {
			if at := l.copies[string(e.blob)]; len(at) < mostCopies {
				l.copies[string(e.blob)] = append(at, copied{string(e.path), e.skipped})
			}
		}
		if len(rest) == 0 || string(e.path) < rest[0] {
			return
		}
		for len(rest) > 0 && rest[0] < string(e.path) {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0] != string(e.path) {
			return
		}
		own := e.clone()
		if e.conflict {
			own.blob = nil // no version of it is what the worktree should have
		}
		l.files[rest[0]] = &own
	}
}

// clean reports whether git would take a file for unchanged by its size and time, which must be before
// the index was written: a file changed in that very moment may have both.
//
// Source: Documentation/technical/racy-git.txt of git.
func (l *look) clean(e entry, info fs.FileInfo) bool {
	at := info.ModTime()
	kind := uint32(modeFile)
	if info.Mode()&fs.ModeSymlink != 0 {
		kind = modeLink
	}
	return !e.conflict && e.mode()&modeKind == kind && e.size() == uint32(info.Size()) && int64(e.seconds()) == at.Unix() &&
		(e.nanos() == 0 || int(e.nanos()) == at.Nanosecond()) && at.Before(l.written)
}

// sizeToHash is up to which size a file is read rather than looked up: of ten files the names cost
// less than a tenth of what reading the index of ten thousand does.
const sizeToHash = 128 << 10

// state tells what became of the place of an anchor, and where it is now if it moved.
func (l *look) state(ctx context.Context, a engram.Anchor) (engram.AnchorState, engram.Place) {
	nowhere := engram.Place{}
	info, err := l.root.Lstat(a.Path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return engram.AnchorUnknown, nowhere // it may well be there
	case err != nil || info.IsDir():
		return l.missing(ctx, a)
	}
	if info.Size() > sizeToHash {
		switch e := l.entry(ctx, a.Path); {
		case e == nil || !l.clean(*e, info):
		case hex.EncodeToString(e.blob) == a.Blob:
			return engram.AnchorVerified, nowhere
		case a.Whole():
			return engram.AnchorChanged, nowhere
		}
	}
	c := l.contents(a.Path, info)
	switch {
	case !c.ok:
		return engram.AnchorUnknown, nowhere
	case c.blob == a.Blob || c.unix == a.Blob:
		return engram.AnchorVerified, nowhere
	case !a.Whole():
		return c.linesState(a)
	case l.w.filters():
		return l.filtered(ctx, a, info), nowhere
	}
	return engram.AnchorChanged, nowhere
}

// entry is what the index has of a wanted file; nil for nothing.
func (l *look) entry(ctx context.Context, path string) *entry {
	l.readIndex(ctx)
	return l.files[path]
}

// filtered is the state of a whole file that says something else than git would keep of it: only
// git knows what that is, and it says so as long as it takes the file for unchanged.
func (l *look) filtered(ctx context.Context, a engram.Anchor, info fs.FileInfo) engram.AnchorState {
	e := l.entry(ctx, a.Path)
	switch {
	case l.blind:
		return engram.AnchorUnknown
	case e == nil || hex.EncodeToString(e.blob) != a.Blob:
		return engram.AnchorChanged
	case l.clean(*e, info):
		return engram.AnchorVerified
	}
	return engram.AnchorUnknown
}

// missing is the state of a file that is not there: a sparse checkout may have left it out, or it
// went elsewhere.
func (l *look) missing(ctx context.Context, a engram.Anchor) (engram.AnchorState, engram.Place) {
	if e := l.entry(ctx, a.Path); e != nil && e.skipped {
		return skippedState(a, *e), engram.Place{}
	}
	return l.elsewhere(a)
}

// skippedState is what can be told of a file that is not checked out.
func skippedState(a engram.Anchor, e entry) engram.AnchorState {
	switch {
	case hex.EncodeToString(e.blob) == a.Blob:
		return engram.AnchorVerified
	case a.Whole():
		return engram.AnchorChanged
	}
	return engram.AnchorUnknown
}

// linesState looks for lines in a file that says something else by now.
func (c *contents) linesState(a engram.Anchor) (engram.AnchorState, engram.Place) {
	if c.lines == nil {
		c.lines = linesOf(c.raw)
	}
	count := a.Last - a.First + 1
	switch at := findLines(c.lines, a.Lines, a.First, count); at {
	case 0:
		return engram.AnchorChanged, engram.Place{}
	case a.First:
		return engram.AnchorVerified, engram.Place{}
	default:
		return engram.AnchorMoved, engram.Place{Path: a.Path, First: at, Last: at + count - 1}
	}
}

// elsewhere looks for a file with the same contents, in the place of one that is not there. That
// there is none is only said of an index that could be read.
func (l *look) elsewhere(a engram.Anchor) (engram.AnchorState, engram.Place) {
	blob, err := hex.DecodeString(a.Blob)
	if err != nil {
		return engram.AnchorUnknown, engram.Place{}
	}
	copies := l.copies[string(blob)]
	slices.SortFunc(copies, func(x, y copied) int { return likelier(x.path, y.path, a.Path) })
	for _, c := range copies {
		if c.path != a.Path && l.holds(c, a) {
			return engram.AnchorMoved, engram.Place{Path: c.path, First: a.First, Last: a.Last}
		}
	}
	if l.blind || len(copies) == mostCopies {
		return engram.AnchorUnknown, engram.Place{}
	}
	return engram.AnchorGone, engram.Place{}
}

// holds reports whether a copy has the contents of an anchor's file still. One that is not checked
// out has.
func (l *look) holds(c copied, a engram.Anchor) bool {
	info, err := l.root.Lstat(c.path)
	if err != nil {
		return c.skipped && errors.Is(err, fs.ErrNotExist)
	}
	if !info.Mode().IsRegular() {
		return false
	}
	there := l.contents(c.path, info)
	return there.ok && (there.blob == a.Blob || there.unix == a.Blob)
}

// likelier orders paths by how likely a file went there.
func likelier(a, b, was string) int {
	other := func(p string) int {
		if path.Base(p) == path.Base(was) {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(other(a), other(b)), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// contents reads a file, once.
func (l *look) contents(path string, info fs.FileInfo) *contents {
	if c, known := l.read[path]; known {
		return c
	}
	c := &contents{}
	l.read[path] = c
	if c.raw, c.ok = readContent(l.root, path, info); !c.ok {
		return c
	}
	c.blob = blobName(l.w.hash, c.raw)
	if unix := asCommitted(c.raw); unix != nil {
		c.unix = blobName(l.w.hash, unix)
	}
	return c
}
