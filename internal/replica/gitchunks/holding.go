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

	"github.com/alanbuscaglia/engram"
)

// maxHeld is how much of an unpacked chunk is searched; a bomb unpacks to more. It exceeds the
// limit of a chunk, because an erasure must find every copy.
const maxHeld = 256 << 20

// Holding returns the paths of the chunks in the repository at dir that mention one of the sync
// ids, and of those that could not be read completely, both sorted. An erasure is not a mention.
// Links and sealed chunks count as unread. A repository without chunks has neither.
func Holding(ctx context.Context, dir string, syncIDs []string) (holding, unread []string, err error) {
	r, ids := &Repository{o: Options{Dir: dir}}, seek(syncIDs)
	if len(ids.ids) == 0 {
		return nil, nil, nil
	}
	chunks := filepath.Join(r.Name(), chunksName)
	root, err := r.folder(false, folderName, chunksName) // follows no link
	if err == nil && root == nil {
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
		sealed := strings.HasSuffix(entry.Name(), sealedSuffix)
		if !sealed && !strings.HasSuffix(entry.Name(), plainSuffix) {
			continue
		}
		path := filepath.Join(chunks, entry.Name())
		if sealed || !entry.Type().IsRegular() { // opening a pipe would block
			unread = append(unread, path)
			continue
		}
		switch held, err := r.mentions(ctx, root, entry.Name(), ids); {
		case err != nil:
			unread = append(unread, path)
		case held:
			holding = append(holding, path)
		}
	}
	return holding, unread, nil
}

// mentions reports whether a chunk has one of the ids other than as erased.
func (r *Repository) mentions(ctx context.Context, root *os.Root, name string, ids sought) (bool, error) {
	held, err := names(root, name, ids)
	if err != nil || !held {
		return false, err
	}
	c, err := r.load(ctx, root, found{strings.TrimSuffix(name, plainSuffix), name})
	if err != nil {
		return true, nil // it is unusable, but the text is there
	}
	for _, i := range c.items {
		if ids.in(i.raw) && (i.list != listMutations || c.record(i, "").Erased == nil) {
			return true, nil
		}
	}
	return false, nil
}

// errLong reports a chunk longer than the searched part.
var errLong = errors.New("the chunk is too long to search")

// names reports whether a chunk contains one of the ids. They are too long to occur by chance, so
// nothing needs to be parsed.
func names(root *os.Root, name string, ids sought) (bool, error) {
	f, err := openFile(root, name)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return false, err
	}
	return ids.among(z, int(min(maxHeld, max(freePlain, maxRatio*info.Size()))))
}

// among reports whether one of the ids occurs in the first most bytes of z.
func (s sought) among(z io.Reader, most int) (bool, error) {
	const window = 1 << 20
	buf := make([]byte, 0, window+s.longest)
	for read := 0; read < most; {
		tail := buf[max(0, len(buf)-s.longest):]
		buf = append(buf[:0], tail...)
		n, err := io.ReadFull(z, buf[len(buf):len(buf)+window])
		buf = buf[:len(buf)+n]
		read += n
		if s.in(buf) {
			return true, nil
		}
		if err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) { // the end or a cut: the next read tells
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

// sought are ids to search for at once; a whole project may have many.
type sought struct {
	ids     map[string]bool
	lengths []int // their lengths
	longest int
	prefix  []byte // common to all
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

// in reports whether one of the ids occurs in b.
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

// Damaged reports unusable chunks by ID: links, and files that are not a gzipped object. With
// whole, every chunk is read to its end, which also finds cut and replaced ones. Chunks sealed for
// others, of a newer version, or kept by a git filter are not damaged.
func (r *Repository) Damaged(ctx context.Context, whole bool) ([]engram.ImportNote, error) {
	at, err := r.folder(false, folderName, chunksName)
	if err != nil || at == nil {
		return nil, err
	}
	defer func() { _ = at.Close() }()
	return r.damaged(ctx, at, func(string) bool { return whole })
}

// damaged is Damaged for a folder; whole selects the chunks to read to their end.
func (r *Repository) damaged(ctx context.Context, at *os.Root, whole func(id string) bool) (notes []engram.ImportNote, err error) {
	chunks, _, err := chunksIn(at)
	if err != nil {
		return nil, err
	}
	for _, c := range chunks {
		if whole(c.id) {
			_, err = r.load(ctx, at, c)
		} else {
			err = r.beginning(ctx, at, c)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err != nil && !notForUs(err) {
			notes = append(notes, engram.ImportNote{Item: c.id, Reason: why(err)})
		}
	}
	return notes, nil
}

// elsewhere is an error of a chunk that other readers may be able to open.
type elsewhere struct{ error }

// Unwrap returns the error.
func (e *elsewhere) Unwrap() error { return e.error }

// notForUs reports whether other readers may be able to use a chunk.
func notForUs(err error) bool {
	_, shut := errors.AsType[*elsewhere](err)
	return shut || errors.Is(err, fs.ErrNotExist) || engram.CodeOf(err) == engram.CodeConflict
}

func why(err error) string {
	if known, ok := errors.AsType[*engram.Error](err); ok {
		return known.Msg
	}
	return "cannot read it"
}

// beginning checks the beginning of a chunk.
func (r *Repository) beginning(ctx context.Context, at *os.Root, c found) error {
	info, err := at.Lstat(c.name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return engram.Errorf(engram.CodeForbidden, "%s is not a file, and links are not followed", c.name)
	}
	if h, err := r.headOf(ctx, at, c); err != nil || h.Version > 0 { // the head is at the beginning
		return err
	}
	const enough = 64
	start, err := r.start(ctx, at, c, enough)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(start), []byte("{")) {
		return engram.Errorf(engram.CodeInvalid, "it is not an object with the lists of a chunk")
	}
	return nil
}
