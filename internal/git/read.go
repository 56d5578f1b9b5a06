package git

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// errNoFile means that a path is not a regular file.
var errNoFile = errors.New("it is not a regular file")

// openRegular opens a regular file, or a link to one; errNoFile for anything else. A repository may
// come from anywhere, and opening a pipe in place of its index would block forever.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNoFile // opening a device may have side effects
	}
	return regular(os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)) // it may be replaced meanwhile
}

// openRegularIn is openRegular below root. info is the result of Lstat of path.
func openRegularIn(root *os.Root, path string, info fs.FileInfo) (*os.File, fs.FileInfo, error) {
	if !info.Mode().IsRegular() {
		return nil, nil, errNoFile
	}
	return regular(root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0))
}

// regular returns an open file if it is a regular one, else closes it.
func regular(file *os.File, err error) (*os.File, fs.FileInfo, error) {
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNoFile
	}
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// readLimited returns at most so many bytes of a file; "" if it cannot be read.
func readLimited(path string, most int64) string {
	file, _, err := openRegular(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return ""
	}
	return string(b)
}

// firstLine returns the first line of a small file; "" if it cannot be read.
func firstLine(path string) string {
	line, _, _ := strings.Cut(readLimited(path, 4<<10), "\n")
	return strings.TrimSpace(line)
}

// maxFile is the size in bytes of the largest file that is read.
const maxFile = 8 << 20

// blobName returns git's name of a blob; size is the length of the hash, 20 or 32 bytes.
func blobName(size int, content []byte) string {
	var h hash.Hash
	if h = sha1.New(); size == sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

// asCommitted returns contents with LF line ends, as other systems have them; nil if unchanged.
func asCommitted(content []byte) []byte {
	if !bytes.Contains(content, []byte("\r\n")) {
		return nil
	}
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
}

// readContent returns what git stores of a file below root: for a symbolic link, its target. ok is
// false for folders and special files, for files larger than maxFile, and for paths that leave root
// through a link.
func readContent(root *os.Root, path string, info fs.FileInfo) (content []byte, ok bool) {
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := root.Readlink(path)
		return []byte(to), err == nil
	}
	if info.Size() > maxFile {
		return nil, false
	}
	file, _, err := openRegularIn(root, path, info)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	content, err = io.ReadAll(io.LimitReader(file, maxFile+1))
	return content, err == nil && len(content) <= maxFile
}

// linesOf returns the lines of a file without their line ends. A last line without one counts.
func linesOf(content []byte) [][]byte {
	all := make([][]byte, 0, 1+bytes.Count(content, []byte{'\n'}))
	for line := range bytes.Lines(content) {
		all = append(all, bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'}))
	}
	return all
}

// linesMark returns the mark of lines (engram.Anchor.Lines): eight hex digits that identify the first one, and the
// digest of all.
func linesMark(lines [][]byte) string {
	h := sha256.New()
	for _, line := range lines {
		h.Write(line)
		h.Write([]byte{'\n'})
	}
	return fmt.Sprintf("%08x-%x", fnv32(lines[0]), h.Sum(nil)[:8])
}

// Limits of a search for lines: places with the same first line, and lines hashed in all. A file of
// nothing but braces would have a place in every line.
const (
	mostTried  = 256
	mostHashed = 1 << 16
)

// findLines finds count lines with this mark: at first if they are there, else at the nearest
// place. It returns the number of the first line, or 0.
func findLines(lines [][]byte, mark string, first, count int) int {
	fits := func(at int) bool {
		return at >= 1 && at-1+count <= len(lines) && linesMark(lines[at-1:at-1+count]) == mark
	}
	if fits(first) {
		return first
	}
	begin, _, _ := strings.Cut(mark, "-")
	want, err := strconv.ParseUint(begin, 16, 32)
	if err != nil {
		return 0
	}
	var places []int
	for i, line := range lines {
		if fnv32(line) == uint32(want) {
			places = append(places, i+1)
		}
	}
	best, tried, hashed := 0, 0, 0
	for _, at := range nearest(places, first) {
		if tried, hashed = tried+1, hashed+count; tried > mostTried || hashed > mostHashed {
			break
		}
		if fits(at) {
			best = at
			break
		}
	}
	return best
}

func fnv32(line []byte) uint32 {
	h := uint32(2166136261)
	for _, b := range line {
		h = (h ^ uint32(b)) * 16777619
	}
	return h
}

// nearest sorts places by distance from one; of two at equal distance, the earlier comes first.
func nearest(places []int, from int) []int {
	slices.SortFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(max(a-from, from-a), max(b-from, from-b)), cmp.Compare(a, b))
	})
	return places
}
