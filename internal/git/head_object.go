package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// maxPacks is how many packs are looked into.
const maxPacks = 200

// has reports whether the repository has an object, which tells that it is the same repository
// as another one: their commits have the same names. What it fetches only on demand it has not.
func (w worktree) has(name string) bool {
	if !w.isName(name) {
		return false
	}
	id, err := hex.DecodeString(name)
	if err != nil {
		return false
	}
	for _, objects := range w.stores() {
		if _, err := os.Stat(filepath.Join(objects, name[:2], name[2:])); err == nil {
			return true
		}
		packs, _ := filepath.Glob(filepath.Join(quoteGlob(objects), "pack", "*.idx")) // the pattern is none that is wrong
		for _, pack := range packs[:min(len(packs), maxPacks)] {
			if packHas(pack, id) {
				return true
			}
		}
	}
	return false
}

// quoteGlob is a path as a pattern that fits it alone.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// stores are the folders with objects: its own, and those it borrows from.
func (w worktree) stores() []string {
	own := filepath.Join(w.common, "objects")
	all := []string{own}
	for line := range strings.Lines(readLimited(filepath.Join(own, "info", "alternates"), maxGitConfig)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && len(all) < 10 {
			all = append(all, from(own, line))
		}
	}
	return all
}

// packHas looks an object up in the index of a pack: behind 256 running counts by first byte,
// the names in order.
//
// Source: Documentation/gitformat-pack.txt of git, version 2.
func packHas(path string, id []byte) bool {
	file, _, err := openRegular(path)
	if err != nil {
		return false
	}
	defer file.Close()
	const header, counts = 8, 256 * 4
	head := make([]byte, header+counts)
	if _, err := io.ReadFull(file, head); err != nil || string(head[:header]) != "\xfftOc\x00\x00\x00\x02" {
		return false
	}
	upTo := func(b int) int { return int(binary.BigEndian.Uint32(head[header+4*b:])) }
	first, last := 0, upTo(int(id[0]))
	if id[0] > 0 {
		first = upTo(int(id[0]) - 1)
	}
	if last <= first {
		return false
	}
	name := make([]byte, len(id))
	at := func(i int) []byte {
		if _, err := file.ReadAt(name, int64(header+counts+i*len(id))); err != nil {
			return nil
		}
		return name
	}
	i := first + sort.Search(last-first, func(i int) bool { return bytes.Compare(at(first+i), id) >= 0 })
	return i < last && bytes.Equal(at(i), id)
}
