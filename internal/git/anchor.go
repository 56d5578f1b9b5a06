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

// Code reads what became of places in code. It changes nothing, and reads HEAD, the index and the
// files; it asks git for a file that is in neither (look.trace), for a split or sparse index and for
// packed commits (index_ask.go). The zero value is ready, for many goroutines at once.
type Code struct{}

// Anchors returns anchors to places. The paths of asked are absolute or below dir; one that is no file
// of a repository is CodeInvalid, a missing one CodeNotFound. The paths of named, at most
// engram.MaxNamed, are below dir or the root of its repository; missing files are left out, and lines
// that a file does not have become an anchor to the whole file.
func (Code) Anchors(ctx context.Context, dir string, asked, named []engram.Place) ([]engram.Anchor, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find folder %q: %w", dir, err)
	}
	m := mooring{opened: map[string]*moored{}}
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

// mooring makes anchors; worktrees are opened once.
type mooring struct{ opened map[string]*moored }

// moored is an open worktree.
type moored struct {
	worktree
	files    *os.Root
	identity string
	head     string
}

func (m mooring) close() {
	for _, w := range m.opened {
		if w != nil {
			_ = w.files.Close()
		}
	}
}

// at is the worktree that a folder lies in; nil when there is none.
func (m mooring) at(dir string) *moored {
	if w, known := m.opened[dir]; known {
		return w
	}
	w := m.open(dir)
	m.opened[dir] = w
	return w
}

// open opens the worktree that a folder lies in, unless it is open; nil when there is none.
func (m mooring) open(dir string) *moored {
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
	return &moored{w, files, w.identity(), w.head()}
}

// named finds a place that a text names: seen from the root of the repository, else from dir.
func (m mooring) named(ctx context.Context, dir string, p engram.Place) (engram.Anchor, bool) {
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

// anchor is the anchor to a place as it looks now.
func (m mooring) anchor(ctx context.Context, dir string, p engram.Place) (engram.Anchor, error) {
	file, info, p, err := find(dir, p)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return engram.Anchor{}, engram.Errorf(engram.CodeNotFound, "there is no file %s", p.Path).
			WithHint("a path is absolute, or as seen from the folder one works in: %s", engram.PlaceForms)
	case err != nil || !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return engram.Anchor{}, engram.Errorf(engram.CodeInvalid, "%s is not a file", p.Path).WithHint("name a file that the memory speaks of")
	}
	w := m.at(filepath.Dir(file))
	if w == nil {
		return engram.Anchor{}, engram.Errorf(engram.CodeInvalid, "%s is in no repository", p.Path).
			WithHint("git is what can tell later whether it changed; save without it")
	}
	rel, err := filepath.Rel(w.root, file)
	if err != nil {
		return engram.Anchor{}, engram.Errorf(engram.CodeInvalid, "%s is in no repository", p.Path).WithCause(err)
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
			return a, engram.Errorf(engram.CodeInvalid, "%s has %d lines, and not %d", p.Path, len(lines), a.Last).WithHint("name lines that it has")
		}
		a.Lines = linesMark(lines[p.First-1 : a.Last])
	}
	if err := a.Validate(); err != nil {
		return a, err
	}
	return a, nil
}

// find looks for the file of a place. Where there is none, its lines may be the end of a name
// ("notes:3"), and its path may be written as another system does ("internal\a.go"); the place is
// what was meant then.
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

// blobOf is what git calls the contents of a file: as they are, unless it keeps others than those
// that stand in the worktree.
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

// filters reports whether the repository may keep other contents than stand in the worktree. Only
// the places are looked at where that is said of most repositories.
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

// States tells what became of anchors, in their order, as the worktree has it that dir lies in. What
// nobody can tell is AnchorUnknown: what is of another repository, and all that there is no time for
// by the deadline of ctx.
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
				break // it may have been told of half an index
			}
			states[i].State, states[i].Now = state, now
		}
	}
	l.trace(ctx, states)
	return states
}

// ours are the anchors of this repository, by their places in the list: it is called as they say,
// or it knows their commit.
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
