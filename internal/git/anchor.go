package git

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/alanbuscaglia/engram"
)

// Code reads the current state of places in code. It changes nothing. It reads HEAD, the index and
// files, and runs git only for renamed files (look.trace), split or sparse indexes and packed
// commits (index.go). The zero value is ready for concurrent use.
type Code struct{}

// Anchors returns anchors to places. Paths in asked are absolute or below dir; CodeInvalid for one
// that is not a file of a repository, CodeNotFound for a missing file. Paths in named, at most
// engram.MaxNamed, are below dir or the root of its repository; missing files are skipped, and
// lines beyond the end of a file give an anchor to the whole file.
func (Code) Anchors(ctx context.Context, dir string, asked, named []engram.Place) ([]engram.Anchor, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find folder %q: %w", dir, err)
	}
	m := anchoring{opened: map[string]*openedTree{}}
	defer m.close()
	var all []engram.Anchor
	for _, p := range asked {
		a, err := m.anchor(ctx, at, p)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	most := min(engram.MaxAnchors, len(all)+engram.MaxNamed)
	for _, p := range named {
		if len(all) >= most || ctx.Err() != nil {
			break
		}
		if a, found := m.named(ctx, at, p); found {
			a.Named = true
			all = append(all, a)
		}
	}
	return engram.CleanAnchors(all), ctx.Err()
}

// anchoring makes anchors and opens each worktree once.
type anchoring struct{ opened map[string]*openedTree }

type openedTree struct {
	worktree
	files    *os.Root
	identity string
	head     string
}

func (m anchoring) close() {
	for _, w := range m.opened {
		if w != nil {
			_ = w.files.Close()
		}
	}
}

// at returns the worktree that contains dir, or nil.
func (m anchoring) at(dir string) *openedTree {
	if w, known := m.opened[dir]; known {
		return w
	}
	w := m.open(dir)
	m.opened[dir] = w
	return w
}

// open opens the worktree that contains dir, or returns it if it is open already, or nil.
func (m anchoring) open(dir string) *openedTree {
	w, found := openWorktree(dir)
	if !found {
		return nil
	}
	for _, other := range m.opened {
		if other != nil && other.root == w.root {
			return other
		}
	}
	files, err := os.OpenRoot(w.root)
	if err != nil {
		return nil
	}
	return &openedTree{w, files, w.identity(), w.head()}
}

// named resolves a place that a text mentions: relative to the repository root, else to dir.
func (m anchoring) named(ctx context.Context, dir string, p engram.Place) (engram.Anchor, bool) {
	from := []string{dir}
	if w := m.at(dir); w != nil && w.root != dir && !filepath.IsAbs(filepath.FromSlash(p.Path)) {
		from = []string{w.root, dir}
	}
	for _, dir := range from {
		for _, place := range []engram.Place{p, {Path: p.Path}} {
			if a, err := m.anchor(ctx, dir, place); err == nil {
				return a, true
			}
			if p.First == 0 {
				break
			}
		}
	}
	return engram.Anchor{}, false
}

// anchor returns the anchor to the current contents of a place.
func (m anchoring) anchor(ctx context.Context, dir string, p engram.Place) (engram.Anchor, error) {
	file, info, p, err := find(dir, p)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return engram.Anchor{}, engram.Errorf(engram.CodeNotFound, "there is no file %s", p.Path).
			WithHint("use a path that is absolute or relative to the working folder: %s", engram.PlaceForms)
	case err != nil || !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return engram.Anchor{}, engram.Errorf(engram.CodeInvalid, "%s is not a file", p.Path).WithHint("name a file that the memory is about")
	}
	w := m.at(filepath.Dir(file))
	if w == nil {
		return engram.Anchor{}, engram.Errorf(engram.CodeInvalid, "%s is not in a repository", p.Path).
			WithHint("save without it: only git can tell later whether a file changed")
	}
	rel, err := filepath.Rel(w.root, file)
	if err != nil {
		return engram.Anchor{}, engram.Errorf(engram.CodeInvalid, "%s is not in a repository", p.Path).WithCause(err)
	}
	content, ok := readContent(w.files, rel, info)
	if !ok {
		return engram.Anchor{}, engram.Errorf(engram.CodeInvalid, "%s cannot be read, or has more than %d MiB", p.Path, maxFile>>20).
			WithHint("name a smaller file")
	}
	a := engram.Anchor{Repository: w.identity, Commit: w.head, Path: filepath.ToSlash(rel), Blob: w.blobOf(ctx, filepath.ToSlash(rel), info, content),
		First: p.First, Last: max(p.First, p.Last)}
	if p.First > 0 {
		lines := linesOf(content)
		if a.Last > len(lines) {
			return a, engram.Errorf(engram.CodeInvalid, "%s has %d lines, not %d", p.Path, len(lines), a.Last).WithHint("name lines that exist")
		}
		a.Lines = linesMark(lines[p.First-1 : a.Last])
	}
	if err := a.Validate(); err != nil {
		return a, err
	}
	return a, nil
}

// find locates the file of a place. If it is missing, it tries the lines as part of the name
// ("notes:3") and the path as another system writes it ("internal\a.go"), and returns the place
// that exists.
func find(dir string, p engram.Place) (string, fs.FileInfo, engram.Place, error) {
	file := from(dir, filepath.FromSlash(p.Path))
	info, err := os.Lstat(file)
	if err == nil {
		return file, info, p, nil
	}
	for _, q := range []engram.Place{{Path: p.String()}, {Path: strings.ReplaceAll(p.Path, `\`, "/"), First: p.First, Last: p.Last}} {
		if q.Path == p.Path {
			continue
		}
		other := from(dir, filepath.FromSlash(q.Path))
		if info, err := os.Lstat(other); err == nil {
			return other, info, q, nil
		}
	}
	return file, nil, p, err
}

// blobOf returns the blob name of a file: the hash of its contents, or the index entry's if git
// stores other contents than the worktree has (line ends, filters).
func (w worktree) blobOf(ctx context.Context, path string, info fs.FileInfo, content []byte) string {
	unix := asCommitted(content)
	if unix == nil && !w.filters() {
		return blobName(w.hash, content)
	}
	l := newLook(w, nil)
	l.want(engram.Anchor{Path: path})
	if e := l.entry(ctx, path); e != nil && l.clean(*e, info) {
		return hex.EncodeToString(e.blob)
	}
	return blobName(w.hash, content)
}

// filters reports whether the repository may store other contents than the worktree has. It reads
// only the two most common attributes files.
func (w worktree) filters() bool {
	for _, file := range []string{filepath.Join(w.root, ".gitattributes"), filepath.Join(w.common, "info", "attributes")} {
		text := readLimited(file, maxGitConfig)
		for _, word := range []string{"filter=", "working-tree-encoding", "ident"} {
			if strings.Contains(text, word) {
				return true
			}
		}
	}
	return false
}

// States returns the state of each anchor, in order, in the worktree that contains dir.
// AnchorUnknown for anchors of other repositories, and for those not reached before the deadline of
// ctx.
func (Code) States(ctx context.Context, dir string, all []engram.Anchor) []engram.Anchored {
	states := make([]engram.Anchored, len(all))
	for i, a := range all {
		states[i].Anchor = a
	}
	if len(all) == 0 {
		return states
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return states
	}
	w, found := openWorktree(dir)
	if !found {
		return states
	}
	ours := w.ours(ctx, all)
	if len(ours) == 0 {
		return states
	}
	files, err := os.OpenRoot(w.root)
	if err != nil {
		return states
	}
	defer files.Close()
	l := newLook(w, files)
	for i, a := range all {
		if ours[i] {
			l.want(a)
		}
	}
	for i := range states {
		if ours[i] && ctx.Err() == nil {
			state, now := l.state(ctx, all[i])
			if ctx.Err() != nil {
				break // the index may be half read
			}
			states[i].State, states[i].Now = state, now
		}
	}
	l.trace(ctx, states)
	return states
}

// ours returns the indexes of anchors of this repository: same identity, or it has their commit.
func (w worktree) ours(ctx context.Context, all []engram.Anchor) map[int]bool {
	ours, identity := map[int]bool{}, w.identity()
	var others []string
	for i, a := range all {
		if a.Validate() != nil || len(a.Blob) != 2*w.hash {
			continue
		}
		if ours[i] = a.Repository == identity; !ours[i] {
			others = append(others, a.Commit)
		}
	}
	known := w.known(ctx, others)
	for i, same := range ours {
		if !same && !known[all[i].Commit] {
			delete(ours, i)
		} else {
			ours[i] = true
		}
	}
	return ours
}
