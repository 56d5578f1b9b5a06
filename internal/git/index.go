package git

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
)

// maxIndex is how large an index is read: about two million files. What is in a larger one is found
// out from the files alone.
const maxIndex = 256 << 20

// maxPath is how long a path of an index may be, in bytes; no system opens a longer one. In version
// 4 a path repeats none of the one before, and a small index could unfold to very much else.
const maxPath = 4096

// entry is one file of an index. Its slices are good until the next one.
type entry struct {
	path, blob []byte
	stat       []byte // what git saw of the file, 40 bytes: few entries are asked for it
	conflict   bool   // it has several versions
	skipped    bool   // by a sparse checkout: it is not in the worktree
}

// seconds and nanos are when the file was changed last.
func (e *entry) seconds() uint32 { return binary.BigEndian.Uint32(e.stat[8:]) }
func (e *entry) nanos() uint32   { return binary.BigEndian.Uint32(e.stat[12:]) }

func (e *entry) mode() uint32 { return binary.BigEndian.Uint32(e.stat[24:]) }

// size has the lowest 32 bits of that of the file.
func (e *entry) size() uint32 { return binary.BigEndian.Uint32(e.stat[36:]) }

// clone is an entry for good.
func (e *entry) clone() entry {
	return entry{bytes.Clone(e.path), bytes.Clone(e.blob), bytes.Clone(e.stat), e.conflict, e.skipped}
}

// Modes of entries, as git writes them.
const (
	modeKind   = 0o170000
	modeFile   = 0o100000
	modeLink   = 0o120000
	modeFolder = 0o040000 // all below it, in a sparse index
)

// errIndex is the error of what is no index, or cannot be read.
var errIndex = errors.New("the index cannot be read")

// errShared is the error of an index that does not have all entries itself.
var errShared = errors.New("the index is split or sparse")

// windowSize is how much of an index is read at a time: one of a hundred thousand files has ten
// megabytes, and to make room for all of them costs more than to look at them.
const windowSize = 256 << 10

// mostEntry is more than one entry takes.
const mostEntry = 128 + maxPath

// scanIndex calls each with the entries of an index in order, once a version for those in conflict. hash
// is the size of a name of an object, 20 or 32 bytes. errIndex for anything but an index of version 2
// to 4 and when ctx ends, errShared for one without all entries; each must forget what it was told
// then. The checksum is not read: git replaces an index atomically.
//
// Source: Documentation/gitformat-index.txt of git.
func scanIndex(ctx context.Context, file io.ReaderAt, size int64, hash int, each func(*entry)) error {
	in := bufio.NewReaderSize(io.NewSectionReader(file, 0, size-int64(hash)), int(min(windowSize, max(size, mostEntry))))
	ahead := func(n int) []byte { // fewer where the file ends
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
	var path []byte // of version 4, which tells how a path differs from the one before
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

// read reads the entry that b begins with, and says how many bytes it takes; 0 for what is none.
// before is the path of the entry before, of version 4.
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
	n := int(flags & 0xfff) // how long the path is, unless it is longer than that can say
	if n == 0xfff {
		n = bytes.IndexByte(b[head:], 0)
	}
	size = (head + n + 8) &^ 7 // one to eight bytes of nothing, so that the next begins at a multiple of eight
	if n < 0 || n > maxPath || size > len(b) || b[head+n] != 0 {
		return 0, nil
	}
	e.path = b[head : head+n]
	return size, nil
}

// varint reads a number as git packs it into version 4: seven bits a byte, the highest first,
// each byte but the last counting one more. n is 0 for what is none.
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
