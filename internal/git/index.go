package git

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxIndex is the largest index that is read, in bytes: about two million files.
const maxIndex = 256 << 20

// maxPath is the longest path accepted in an index, in bytes; no system opens a longer one. In
// version 4, paths without a common prefix could make a small index unfold to a very large one.
const maxPath = 4096

// entry is one file of an index. Its slices are valid until the next entry is read.
type entry struct {
	path, blob []byte
	stat       []byte // git's stat data, 40 bytes: decoded only for the few entries that need it
	conflict   bool   // it has several versions
	skipped    bool   // left out of the worktree by a sparse checkout
}

// seconds and nanos are the time of the file's last change.
func (e *entry) seconds() uint32 { return binary.BigEndian.Uint32(e.stat[8:]) }
func (e *entry) nanos() uint32   { return binary.BigEndian.Uint32(e.stat[12:]) }

func (e *entry) mode() uint32 { return binary.BigEndian.Uint32(e.stat[24:]) }

// size returns the lowest 32 bits of the file's size.
func (e *entry) size() uint32 { return binary.BigEndian.Uint32(e.stat[36:]) }

// clone returns a copy that stays valid.
func (e *entry) clone() entry {
	return entry{bytes.Clone(e.path), bytes.Clone(e.blob), bytes.Clone(e.stat), e.conflict, e.skipped}
}

// Modes of index entries.
const (
	modeKind   = 0o170000
	modeFile   = 0o100000
	modeLink   = 0o120000
	modeFolder = 0o040000 // a whole folder, in a sparse index
)

// errIndex means that the index is invalid or cannot be read.
var errIndex = errors.New("the index cannot be read")

// errShared means that the index file does not contain all entries.
var errShared = errors.New("the index is split or sparse")

// windowSize is the read buffer for an index: one of a hundred thousand files has ten megabytes,
// and allocating that costs more than scanning it.
const windowSize = 256 << 10

// mostEntry is an upper bound of one entry's size.
const mostEntry = 128 + maxPath

// scanIndex calls each with the entries of an index in order, once per version for conflicts. hash
// is the length of object names, 20 or 32 bytes. It returns errIndex for anything but an index of
// version 2 to 4 and when ctx ends, errShared if entries are elsewhere; each must then discard what
// it got. The checksum is not verified: git replaces an index atomically.
//
// Source: Documentation/gitformat-index.txt of git.
func scanIndex(ctx context.Context, file io.ReaderAt, size int64, hash int, each func(*entry)) error {
	in := bufio.NewReaderSize(io.NewSectionReader(file, 0, size-int64(hash)), int(min(windowSize, max(size, mostEntry))))
	ahead := func(n int) []byte { // fewer at the end of the file
		b, _ := in.Peek(n)
		return b
	}
	head := ahead(mostEntry)
	if len(head) < 12 || string(head[:4]) != "DIRC" {
		return errIndex
	}
	version, count := binary.BigEndian.Uint32(head[4:]), binary.BigEndian.Uint32(head[8:])
	if version < 2 || version > 4 {
		return errIndex
	}
	_, _ = in.Discard(12)
	var e entry
	var path []byte // version 4 stores how a path differs from the one before
	for ; count > 0; count-- {
		if count%1024 == 0 && ctx.Err() != nil {
			return errIndex
		}
		read := 0
		if read, path = e.read(ahead(mostEntry), version, hash, path); read == 0 {
			return errIndex
		}
		if e.mode()&modeKind == modeFolder {
			return errShared
		}
		each(&e)
		_, _ = in.Discard(read)
	}
	for b := ahead(8); len(b) == 8; b = ahead(8) { // the extensions
		if string(b[:4]) == "link" {
			return errShared
		}
		if _, err := in.Discard(8 + int(binary.BigEndian.Uint32(b[4:]))); err != nil {
			break
		}
	}
	return nil
}

// read decodes the entry at the beginning of b and returns its size in bytes; 0 if it is invalid.
// before is the path of the previous entry, for version 4.
func (e *entry) read(b []byte, version uint32, hash int, before []byte) (size int, path []byte) {
	head := 40 + hash + 2
	if len(b) < head {
		return 0, nil
	}
	e.stat, e.blob = b[:40], b[40:40+hash]
	flags := binary.BigEndian.Uint16(b[40+hash:])
	e.conflict, e.skipped = flags&0x3000 != 0, false
	if flags&0x4000 != 0 { // extended: two more bytes
		if version < 3 || head+2 > len(b) {
			return 0, nil
		}
		e.skipped = binary.BigEndian.Uint16(b[head:])&0x4000 != 0
		head += 2
	}
	if version == 4 {
		cut, n := varint(b[head:])
		rest := bytes.IndexByte(b[head+n:], 0)
		if n == 0 || cut > len(before) || rest < 0 || len(before)-cut+rest > maxPath {
			return 0, nil
		}
		path = append(before[:len(before)-cut], b[head+n:head+n+rest]...)
		e.path = path
		return head + n + rest + 1, path
	}
	n := int(flags & 0xfff) // length of the path, or 0xfff if it is longer than fits here
	if n == 0xfff {
		n = bytes.IndexByte(b[head:], 0)
	}
	size = (head + n + 8) &^ 7 // padded with one to eight zero bytes to a multiple of eight
	if n < 0 || n > maxPath || size > len(b) || b[head+n] != 0 {
		return 0, nil
	}
	e.path = b[head : head+n]
	return size, nil
}

// varint decodes a number of version 4: seven bits per byte, the highest first, and each byte but
// the last adds one. n is 0 if it is invalid.
func varint(b []byte) (value, n int) {
	for i, c := range b[:min(len(b), 4)] {
		value |= int(c & 0x7f)
		if c < 0x80 {
			return value, i + 1
		}
		value = (value + 1) << 7
	}
	return 0, 0
}

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
var asked = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^(?:  ctime: \d+:\d+\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: \d+\n  uid: \d+\tgid: \d+\n  size: (\d+)\tflags: [0-9a-f]+\n)` +
		`?(?:(\w) ([0-7]+) ([0-9a-f]+) ([0-3])\t(.+))?$`)
})

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
		f := asked().FindStringSubmatch(record)
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
