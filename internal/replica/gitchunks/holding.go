// Package gitchunks reads what a repository keeps of memories in .engram/chunks: JSON
// under gzip, written by whoever shares them through git.
//
// What lies there came from anybody who may push. It is read with limits, never
// followed through links, and nothing of it is run or believed.
package gitchunks

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxPlain is how much of a chunk is read, unpacked: a bomb unpacks to more.
const maxPlain = 256 << 20

// Holding returns the paths of the chunks of a repository, whose root is dir, that
// mention one of the sync ids, sorted. A chunk that cannot be read is passed over; a
// repository without chunks has none.
func Holding(ctx context.Context, dir string, syncIDs []string) ([]string, error) {
	chunks := filepath.Join(dir, ".engram", "chunks")
	root, err := os.OpenRoot(chunks) // refuses links that lead out of it
	if errors.Is(err, fs.ErrNotExist) || len(syncIDs) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var holding []string
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !entry.Type().IsRegular() || !strings.HasSuffix(entry.Name(), ".jsonl.gz") {
			continue
		}
		if held, err := mentions(root, entry.Name(), syncIDs); err == nil && held {
			holding = append(holding, filepath.Join(chunks, entry.Name()))
		}
	}
	slices.Sort(holding)
	return holding, nil
}

// mentions reports whether a chunk holds one of the ids. They are long enough that no
// other text has them by chance, so nothing needs to be parsed.
func mentions(root *os.Root, name string, ids []string) (bool, error) {
	f, err := root.Open(name)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return false, err
	}
	const window = 1 << 20
	longest := 0
	for _, id := range ids {
		longest = max(longest, len(id))
	}
	buf := make([]byte, 0, window+longest)
	for read := 0; read < maxPlain; {
		tail := buf[max(0, len(buf)-longest):]
		buf = append(buf[:0], tail...)
		n, err := io.ReadFull(z, buf[len(buf):len(buf)+window])
		buf = buf[:len(buf)+n]
		read += n
		for _, id := range ids {
			if bytes.Contains(buf, []byte(id)) {
				return true, nil
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return false, nil
			}
			return false, err
		}
	}
	return false, nil
}
