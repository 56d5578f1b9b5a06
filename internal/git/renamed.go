package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Limits of the search for renames, and git's similarity threshold: half of the lines.
const (
	alike      = "-M50%"
	mostAlike  = "-l200" // in a commit that removes and adds more files, git matches only unchanged ones
	mostTraced = 64      // files per look
	mostHops   = 8       // renames of one file
)

// departure is the latest commit that removed or renamed a file, and the new path; "" if removed.
type departure struct{ commit, to string }

// trace looks for missing files among git's renames, which also finds files that changed as they
// moved: one process for all files, and one more for each further rename. Files not reached before
// the deadline are unknown.
func (l *look) trace(ctx context.Context, states []engram.Anchored) {
	var lost []string
	for _, s := range states {
		if s.State == engram.AnchorGone && !slices.Contains(lost, s.Path) && len(lost) < mostTraced {
			lost = append(lost, s.Path)
		}
	}
	if len(lost) == 0 {
		return
	}
	went, err := l.w.departures(ctx, "HEAD", lost)
	var staged map[string]departure
	for i, s := range states {
		if s.State != engram.AnchorGone || !slices.Contains(lost, s.Path) {
			continue
		}
		if ctx.Err() == nil && err == nil {
			if _, left := went[s.Path]; !left && staged == nil {
				staged, _ = l.w.staged(ctx) // none if git fails
			}
			if to := l.destination(ctx, s.Path, went, staged); to != "" {
				states[i].State, states[i].Now = l.arrived(s.Anchor, to)
			}
		}
		if ctx.Err() != nil {
			states[i].State, states[i].Now = engram.AnchorUnknown, engram.Place{}
		}
	}
}

// destination follows a file from rename to rename to its current path; "" if it no longer exists.
func (l *look) destination(ctx context.Context, path string, went, staged map[string]departure) string {
	seen := map[string]bool{}
	for range mostHops {
		seen[path] = true
		d, left := went[path]
		if !left {
			if staged == nil {
				staged, _ = l.w.staged(ctx)
			}
			d = staged[path]
		}
		if d.to == "" || seen[d.to] {
			return ""
		}
		if info, err := l.root.Lstat(d.to); err == nil && info.Mode().IsRegular() {
			return d.to
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		path = d.to
		var err error
		if went = nil; d.commit != "" {
			if went, err = l.w.departures(ctx, d.commit+"..HEAD", []string{path}); err != nil {
				return ""
			}
		}
	}
	return ""
}

// arrived returns the state of an anchor whose file was renamed.
func (l *look) arrived(a engram.Anchor, to string) (engram.AnchorState, engram.Place) {
	info, err := l.root.Lstat(to)
	if err != nil {
		return engram.AnchorUnknown, engram.Place{}
	}
	there := engram.Place{Path: to}
	c := l.contents(to, info)
	switch {
	case !c.ok:
		return engram.AnchorUnknown, engram.Place{}
	case c.blob == a.Blob || c.unix == a.Blob:
		return engram.AnchorMoved, engram.Place{Path: to, First: a.First, Last: a.Last}
	case a.Whole() && l.w.filters(): // the stored contents are unknown, so assume no change
		return engram.AnchorMoved, there
	case a.Whole():
		return engram.AnchorChanged, there
	}
	if state, now := c.linesState(a); state != engram.AnchorChanged {
		if now = (engram.Place{Path: to, First: a.First, Last: a.Last}); state == engram.AnchorMoved {
			_, now = c.linesState(a)
			now.Path = to
		}
		return engram.AnchorMoved, now
	}
	return engram.AnchorChanged, there
}

// departures returns the latest commits of a range that removed or renamed files that are missing
// at its end. If both sides of a merge touched a file, the side that lost it counts.
func (w worktree) departures(ctx context.Context, commits string, paths []string) (map[string]departure, error) {
	args := []string{"log", "-m", "--full-diff", alike, mostAlike, "--name-status", "--diff-filter=RD", "-z", "--format=%H",
		"--no-show-signature", "--no-notes", "--no-ext-diff", "--no-color", commits, "--"}
	went := map[string]departure{}
	rest := len(paths)
	err := w.changes(ctx, append(args, paths...), func(path string, d departure) (more bool) {
		if !slices.Contains(paths, path) {
			return true
		}
		was, known := went[path]
		if !known || was.to == "" && was.commit == d.commit { // one parent saw a removal, the other a rename
			if went[path] = d; !known {
				rest--
			}
		}
		return rest > 0
	})
	return went, err
}

// staged returns the files that the index has removed or renamed since HEAD.
func (w worktree) staged(ctx context.Context) (map[string]departure, error) {
	went := map[string]departure{}
	err := w.changes(ctx, []string{"diff", "--cached", alike, mostAlike, "--name-status", "--diff-filter=RD", "-z", "--no-ext-diff", "HEAD", "--"},
		func(path string, d departure) bool {
			went[path] = d
			return true
		})
	return went, err
}

// changes runs git and passes removed and renamed files to each until it returns false.
func (w worktree) changes(ctx context.Context, args []string, each func(path string, d departure) (more bool)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := command(ctx, w.root, append([]string{"--literal-pathspecs", "-c", "log.follow=false", "-c", "diff.relative=false"}, args...)...)
	cmd.WaitDelay = 10 * time.Millisecond
	return stream(cmd, cancel, func(out io.Reader) (bool, error) { return eachChange(out, each) })
}

// eachChange parses `--name-status -z` with commit names in between, until each returns false.
//
// Source: git-diff(1), "RAW OUTPUT FORMAT", and git-log(1), -z.
func eachChange(r io.Reader, each func(path string, d departure) (more bool)) (stopped bool, err error) {
	in := bufio.NewReader(r)
	commit := ""
	for {
		word, err := readField(in)
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		word = strings.TrimPrefix(word, "\n")
		var names [2]string
		count := 0
		switch {
		case objectName(word):
			commit = word
		case strings.HasPrefix(word, "R"):
			count = 2
		case word != "":
			count = 1
		}
		for i := range count {
			if names[i], err = readField(in); err != nil {
				return false, nil // cut off
			}
		}
		if count > 0 && !each(names[0], departure{commit, names[1]}) {
			return true, nil
		}
	}
}

func objectName(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
