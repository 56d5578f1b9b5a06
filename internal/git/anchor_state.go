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

// look evaluates anchors in one worktree.
type look struct {
	w     worktree
	root  *os.Root
	paths []string        // wanted paths, in byte order
	blobs map[string]bool // wanted blobs, as bytes
	first [256]bool       // first bytes of wanted blobs: a quick filter for most of an index

	indexed bool                // the index was read, or reading failed
	blind   bool                // reading failed: the contents of the index are unknown
	files   map[string]*entry   // index entries of wanted paths
	copies  map[string][]copied // files with wanted blobs
	written time.Time           // modification time of the index

	read map[string]*contents // files read so far: several anchors may be in one
}

// contents are a file's bytes and blob names; lines is filled on first use.
type contents struct {
	ok         bool
	blob, unix string // unix: with LF line ends; "" if blob has them already
	raw        []byte
	lines      [][]byte
}

// copied is an index entry with the contents of another file.
type copied struct {
	path    string
	skipped bool // left out of the worktree by a sparse checkout
}

// mostCopies limits the copies of one file that are checked.
const mostCopies = 8

func newLook(w worktree, root *os.Root) *look {
	return &look{w: w, root: root, blobs: map[string]bool{}, files: map[string]*entry{}, copies: map[string][]copied{}, read: map[string]*contents{}}
}

// want registers the path and blob of an anchor before the index is read.
func (l *look) want(a engram.Anchor) {
	l.paths = append(l.paths, a.Path)
	if blob, err := hex.DecodeString(a.Blob); err == nil && len(blob) > 0 && a.Blob != blobName(l.w.hash, nil) {
		l.blobs[string(blob)], l.first[blob[0]] = true, true
	}
}

// readIndex reads the index once for all wanted paths and blobs; else moved files are not found.
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

// note returns the function that collects wanted entries, and discards those of an earlier pass.
func (l *look) note() func(*entry) {
	clear(l.files)
	clear(l.copies)
	rest := l.paths // not yet passed
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
			own.blob = nil // no version in the index is the expected one
		}
		l.files[rest[0]] = &own
	}
}

// clean reports whether git would consider a file unchanged by size and time. The time must be
// before the index was written: a file changed in that same moment can match both.
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

// sizeToHash is the size in bytes up to which a file is hashed instead of looked up: hashing ten
// files costs less than a tenth of reading an index of ten thousand.
const sizeToHash = 128 << 10

// state returns the state of an anchor, and its place if it moved.
func (l *look) state(ctx context.Context, a engram.Anchor) (engram.AnchorState, engram.Place) {
	nowhere := engram.Place{}
	info, err := l.root.Lstat(a.Path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return engram.AnchorUnknown, nowhere // it may exist
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

// entry returns the index entry of a wanted path, or nil.
func (l *look) entry(ctx context.Context, path string) *entry {
	l.readIndex(ctx)
	return l.files[path]
}

// filtered returns the state of a whole file whose worktree contents differ from those git stores.
// The index has the stored blob only as long as git considers the file unchanged.
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

// missing returns the state of an anchor whose file does not exist: left out by a sparse checkout,
// moved or deleted.
func (l *look) missing(ctx context.Context, a engram.Anchor) (engram.AnchorState, engram.Place) {
	if e := l.entry(ctx, a.Path); e != nil && e.skipped {
		return skippedState(a, *e), engram.Place{}
	}
	return l.elsewhere(a)
}

// skippedState returns the state of a file that is not checked out.
func skippedState(a engram.Anchor, e entry) engram.AnchorState {
	switch {
	case hex.EncodeToString(e.blob) == a.Blob:
		return engram.AnchorVerified
	case a.Whole():
		return engram.AnchorChanged
	}
	return engram.AnchorUnknown
}

// linesState looks for an anchor's lines in a changed file.
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

// elsewhere looks for a copy of a missing file; AnchorGone only if the index could be read.
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

// holds reports whether a copy still has the contents of an anchor's file; a file that is not
// checked out does.
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

// likelier orders paths by how likely a file moved there.
func likelier(a, b, was string) int {
	other := func(p string) int {
		if path.Base(p) == path.Base(was) {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(other(a), other(b)), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// contents reads a file once.
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
