package git

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// maxFile is how large a file is read to be looked at.
const maxFile = 8 << 20

// blobName is what git calls these contents; size is that of its names, 20 or 32 bytes.
func blobName(size int, content []byte) string {
	var h hash.Hash
	if h = sha1.New(); size == sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

// asCommitted is contents as a clone on another system has them: line ends of one byte. It is
// nil for contents that have no others.
func asCommitted(content []byte) []byte {
	if !bytes.Contains(content, []byte("\r\n")) {
		return nil
	}
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
}

// readContent returns what git keeps of a file below root: of a symbolic link, where it leads. ok
// is false for folders and all that is no file, for what is larger than maxFile, and for what a
// link in the path would lead out of root.
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

// linesOf are the lines of a file, without what ends them. A last one without an end is a line.
func linesOf(content []byte) [][]byte {
	all := make([][]byte, 0, 1+bytes.Count(content, []byte{'\n'}))
	for line := range bytes.Lines(content) {
		all = append(all, bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'}))
	}
	return all
}

// lineMark is eight hex digits of a line, by which it is looked for.
func lineMark(line []byte) string {
	return fmt.Sprintf("%08x", fnv32(line))
}

// linesMark is engram.Anchor.Lines of these lines.
func linesMark(lines [][]byte) string {
	h := sha256.New()
	for _, line := range lines {
		h.Write(line)
		h.Write([]byte{'\n'})
	}
	return lineMark(lines[0]) + "-" + hex.EncodeToString(h.Sum(nil)[:8])
}

// mostTried is how many places with the same first line are looked at, and mostHashed how many
// lines in all: of a file of nothing but braces each would be one.
const (
	mostTried  = 256
	mostHashed = 1 << 16
)

// findLines looks for a stretch of so many lines with this mark, first where it was, then as near
// to it as there is one. first is the number of its first line, 0 when it is nowhere.
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

// fnv32 is the FNV-1a of a line.
func fnv32(line []byte) uint32 {
	h := uint32(2166136261)
	for _, b := range line {
		h = (h ^ uint32(b)) * 16777619
	}
	return h
}

// nearest are places in the order of their distance from one; of two as far the earlier first.
func nearest(places []int, from int) []int {
	slices.SortFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(max(a-from, from-a), max(b-from, from-b)), cmp.Compare(a, b))
	})
	return places
}
