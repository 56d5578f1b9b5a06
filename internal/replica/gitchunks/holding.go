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

// maxHeld is how much of a chunk is looked through, unpacked: a bomb unpacks to more. It is
// more than a chunk may have, for whoever erases wants to know of every copy.
const maxHeld = 256 << 20

// Holding returns the paths of the chunks of a repository, whose root is dir, that
// mention one of the sync ids, and of those that could not be read to their end and may
// mention one, both sorted. A link is not followed, and counts as unread. A repository
// without chunks has none.
func Holding(ctx context.Context, dir string, syncIDs []string) (holding, unread []string, err error) {
	ids := seek(syncIDs)
	if len(ids.ids) == 0 {
		return nil, nil, nil
	}
	chunks := filepath.Join(dir, ".engram", "chunks")
	root, err := os.OpenRoot(chunks) // refuses links that lead out of it
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, []string{chunks}, nil
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".") // sorted
	if err != nil {
		return nil, []string{chunks}, nil
	}
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return holding, unread, err
		}
		if !strings.HasSuffix(entry.Name(), ".jsonl.gz") {
			continue
		}
		path := filepath.Join(chunks, entry.Name())
		if !entry.Type().IsRegular() { // a pipe would wait for somebody to write
			unread = append(unread, path)
			continue
		}
		switch held, err := mentions(root, entry.Name(), ids); {
		case err != nil:
			unread = append(unread, path)
		case held:
			holding = append(holding, path)
		}
	}
	return holding, unread, nil
}

// errLong is said of a chunk that goes on behind maxHeld.
var errLong = errors.New("the chunk is longer than is read")

// mentions reports whether a chunk holds one of the ids. They are long enough that no
// other text has them by chance, so nothing needs to be parsed.
func mentions(root *os.Root, name string, ids sought) (bool, error) {
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
	buf := make([]byte, 0, window+ids.longest)
	for read := 0; read < maxHeld; {
		tail := buf[max(0, len(buf)-ids.longest):]
		buf = append(buf[:0], tail...)
		n, err := io.ReadFull(z, buf[len(buf):len(buf)+window])
		buf = buf[:len(buf)+n]
		read += n
		if ids.in(buf) {
			return true, nil
		}
		if err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) { // it ends in the midst of buf, or was cut off: the next read tells
				_, err = z.Read(buf[:1])
			}
			if errors.Is(err, io.EOF) {
				return false, nil
			}
			return false, err
		}
	}
	return false, errLong
}

// sought are ids that are looked for all at once: of a whole project there may be very
// many.
type sought struct {
	ids     map[string]bool
	lengths []int // that they have
	longest int
	prefix  []byte // with which all of them begin
}

func seek(ids []string) sought {
	s := sought{ids: map[string]bool{}}
	for _, id := range ids {
		if id == "" {
			continue
		}
		if len(s.ids) == 0 {
			s.prefix = []byte(id)
		}
		for !strings.HasPrefix(id, string(s.prefix)) {
			s.prefix = s.prefix[:len(s.prefix)-1]
		}
		s.ids[id], s.longest = true, max(s.longest, len(id))
		if !slices.Contains(s.lengths, len(id)) {
			s.lengths = append(s.lengths, len(id))
		}
	}
	return s
}

// in reports whether one of the ids stands in b.
func (s sought) in(b []byte) bool {
	for {
		i := bytes.Index(b, s.prefix)
		if i < 0 || i == len(b) {
			return false
		}
		b = b[i:]
		for _, n := range s.lengths {
			if n <= len(b) && s.ids[string(b[:n])] {
				return true
			}
		}
		b = b[1:]
	}
}
