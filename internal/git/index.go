package git

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"time"
)

// maxIndex is how large an index is read: more than half a million files. What is in a larger
// one is found out from the files alone.
const maxIndex = 64 << 20

// maxPath is how long a path of an index may be, in bytes; no system opens a longer one. In version
// 4 a path repeats none of the one before, and a small index could unfold to very much else.
const maxPath = 4096

// entry is one file of an index. Its slices are good until the next one.
type entry struct {
	path, blob []byte
	seconds    uint32 // when the file was changed last, as git saw it
	nanos      uint32
	size       uint32 // its lowest 32 bits
	mode       uint32
	conflict   bool // it has several versions
	skipped    bool // by a sparse checkout: it is not in the worktree
}

// Modes of entries, as git writes them.
const (
	modeKind   = 0o170000
	modeFile   = 0o100000
	modeLink   = 0o120000
	modeFolder = 0o040000 // all below it, in a sparse index
)

// errIndex is the error of what is no index, or one that does not hold all entries.
var errIndex = errors.New("the index cannot be read")

// readIndex returns the index of a repository and when it was written. One that is missing,
// too large, or no file is errIndex.
func readIndex(ctx context.Context, gitDir string) (data []byte, written time.Time, err error) {
	file, info, err := openRegular(filepath.Join(gitDir, "index"))
	if err != nil {
		return nil, written, errIndex
	}
	defer file.Close()
	if info.Size() > maxIndex || ctx.Err() != nil {
		return nil, written, errIndex
	}
	data = make([]byte, info.Size())
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, written, errIndex
	}
	return data, info.ModTime(), nil
}

// scanIndex calls each with the entries of an index in their order, with those that are in
// conflict once a version. hash is the size of a name of an object, 20 or 32 bytes. The data may
// be anything; what is no index of version 2 to 4 is errIndex, and so is a split one, which has
// most of its entries elsewhere: what each was told counts for nothing then. The checksum is not
// looked at: git writes an index beside the old one and renames it. It ends with errIndex when ctx does.
//
// Source: Documentation/gitformat-index.txt of git.
func scanIndex(ctx context.Context, data []byte, hash int, each func(entry)) error {
	if len(data) < 12+hash || string(data[:4]) != "DIRC" {
		return errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return errIndex
	}
	end := len(data) - hash
	fixed := 40 + hash + 2
	var e entry
	var path []byte // of version 4, which tells how a path differs from the one before
	at := 12
	for ; count > 0; count-- {
		if at+fixed > end || count%1024 == 0 && ctx.Err() != nil {
			return errIndex
		}
		b := data[at:end]
		e.seconds, e.nanos = binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[12:])
		e.mode, e.size = binary.BigEndian.Uint32(b[24:]), binary.BigEndian.Uint32(b[36:])
		e.blob = b[40 : 40+hash]
		flags := binary.BigEndian.Uint16(b[40+hash:])
		head := fixed
		e.conflict, e.skipped = flags&0x3000 != 0, false
		if flags&0x4000 != 0 { // extended: two more bytes
			if version < 3 || head+2 > len(b) {
				return errIndex
			}
			e.skipped = binary.BigEndian.Uint16(b[head:])&0x4000 != 0
			head += 2
		}
		var size int
		if version < 4 {
			n := bytes.IndexByte(b[head:], 0)
			if n < 0 || n > maxPath {
				return errIndex
			}
			e.path = b[head : head+n]
			size = (head + n + 8) &^ 7 // one to eight bytes of nothing, so that the next begins at a multiple of eight
		} else {
			cut, n := varint(b[head:])
			rest := bytes.IndexByte(b[head+n:], 0)
			if n == 0 || cut > len(path) || rest < 0 || len(path)-cut+rest > maxPath {
				return errIndex
			}
			path = append(path[:len(path)-cut], b[head+n:head+n+rest]...)
			e.path, size = path, head+n+rest+1
		}
		if size > len(b) {
			return errIndex
		}
		each(e)
		at += size
	}
	if split(data[at:end]) {
		return errIndex
	}
	return nil
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

// split reports whether one of the extensions, which follow the entries, says that the index
// is split.
func split(extensions []byte) bool {
	for len(extensions) >= 8 {
		if string(extensions[:4]) == "link" {
			return true
		}
		size := binary.BigEndian.Uint32(extensions[4:])
		if uint64(size) > uint64(len(extensions)-8) {
			return false
		}
		extensions = extensions[8+size:]
	}
	return false
}
