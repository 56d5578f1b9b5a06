package git

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// readIndex passes the entries of the worktree's index, in order, to the function that begin
// returns, and returns when the index was written. It may call begin again and start over, since
// only the end of an index shows that git must be asked. A missing index has no entries; errIndex
// if it cannot be read.
func (w worktree) readIndex(ctx context.Context, begin func() func(*entry)) (written time.Time, err error) {
	file, info, err := openRegular(filepath.Join(w.git, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return written, nil
	}
	if err != nil {
		return written, errors.Join(errIndex, err)
	}
	defer file.Close()
	if info.Size() > maxIndex || ctx.Err() != nil {
		return written, errIndex
	}
	err = scanIndex(ctx, file, info.Size(), w.hash, begin())
	if errors.Is(err, errShared) {
		err = w.askIndex(ctx, begin())
	}
	return info.ModTime(), err
}

// asked matches one record of `git ls-files -z -s -t --debug`: the stat data of the file before,
// then an entry.
//
// Source: git-ls-files(1), and show_ce and print_debug in builtin/ls-files.c of git.
var asked = regexp.MustCompile(`(?s)^(?:  ctime: \d+:\d+\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: \d+\n  uid: \d+\tgid: \d+\n  size: (\d+)\tflags: [0-9a-f]+\n)` +
	`?(?:(\w) ([0-7]+) ([0-9a-f]+) ([0-3])\t(.+))?$`)

// maxAsked limits how long git may take to list an index or commits.
const maxAsked = 2 * time.Second

// askIndex does the work of scanIndex with git, for an index that lacks entries: a split one keeps
// others in a second file, a sparse one has folders in their place.
func (w worktree) askIndex(ctx context.Context, each func(*entry)) error {
	ctx, cancel := context.WithTimeout(ctx, maxAsked)
	defer cancel()
	out, err := output(ctx, w.root, "ls-files", "-z", "-s", "-t", "--debug")
	if err != nil {
		return errors.Join(errIndex, err)
	}
	var e entry
	for record := range strings.SplitSeq(string(out), "\x00") {
		f := asked.FindStringSubmatch(record)
		if f == nil {
			return errIndex
		}
		number := func(n, base int) uint32 {
			v, _ := strconv.ParseUint(f[n], base, 64) // the expression matches only digits
			return uint32(v)
		}
		if e.path != nil {
			binary.BigEndian.PutUint32(e.stat[8:], number(1, 10))
			binary.BigEndian.PutUint32(e.stat[12:], number(2, 10))
			binary.BigEndian.PutUint32(e.stat[36:], number(3, 10))
			each(&e)
		}
		if f[8] == "" { // after the last one
			return nil
		}
		e = entry{path: []byte(f[8]), stat: make([]byte, 40), conflict: f[7] != "0", skipped: f[4] == "S"}
		binary.BigEndian.PutUint32(e.stat[24:], number(5, 8))
		if e.blob, err = hex.DecodeString(f[6]); err != nil || len(e.blob) != w.hash {
			return errIndex
		}
	}
	return nil
}

// mostCommits limits the commits in one request to git.
const mostCommits = 200

// known returns which commits the repository has: a shared commit identifies it. It asks git about
// those that are not loose, and never fetches.
func (w worktree) known(ctx context.Context, commits []string) map[string]bool {
	known := map[string]bool{}
	ask := []string{"rev-list", "--no-walk", "--ignore-missing", "--missing=allow-any"} // the last keeps it from fetching
	options := len(ask)
	for _, name := range commits {
		if _, seen := known[name]; seen || !w.isName(name) {
			continue
		}
		_, err := os.Stat(filepath.Join(w.common, "objects", name[:2], name[2:]))
		if known[name] = err == nil; !known[name] && len(ask) < options+mostCommits {
			ask = append(ask, name)
		}
	}
	if len(ask) > options {
		ctx, cancel := context.WithTimeout(ctx, maxAsked)
		defer cancel()
		out, _ := output(ctx, w.root, append(ask, "--")...) // without git, none are known
		for name := range strings.FieldsSeq(string(out)) {
			known[name] = true
		}
	}
	return known
}
