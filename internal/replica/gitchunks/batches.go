package gitchunks

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// found is a chunk in the folder.
type found struct {
	id   string
	name string // of the file
}

// chunksIn lists the chunks of the folder by ID, and the names of other files. If a chunk is there
// sealed and unsealed, it lists the unsealed one, with equal content.
func chunksIn(at *os.Root) (all []found, others []string, err error) {
	entries, err := fs.ReadDir(at.FS(), ".") // sorted: the unsealed one comes first
	if err != nil {
		return nil, nil, failed("cannot list the chunks", err)
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), sealedSuffix)
		if !ok {
			id, ok = strings.CutSuffix(e.Name(), plainSuffix)
		}
		switch {
		case strings.HasPrefix(e.Name(), leftoverPrefix):
		case !ok || !isID(id):
			others = append(others, e.Name())
		case len(all) == 0 || all[len(all)-1].id != id:
			all = append(all, found{id, e.Name()})
		}
	}
	return all, others, nil
}

// Batches implements engram.Remote. It lists the files; the manifest only provides author and time
// for chunks without them. Claims of a chunk are verified when it is read.
func (r *Repository) Batches(ctx context.Context) ([]engram.Batch, error) {
	return r.list(ctx, every)
}

// every accepts all chunks.
func every(string) bool { return true }

// list returns the batches of the wanted chunks and of the export.
func (r *Repository) list(ctx context.Context, wanted func(id string) bool) ([]engram.Batch, error) {
	folder, err := r.folder(false, folderName)
	if err != nil || folder == nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	all, err := r.batches(ctx, folder, wanted)
	if err != nil {
		return nil, err
	}
	return r.withExport(ctx, folder, all, wanted)
}

func (r *Repository) batches(ctx context.Context, folder *os.Root, wanted func(id string) bool) ([]engram.Batch, error) {
	at, err := within(folder, chunksName, false)
	if err != nil || at == nil {
		return nil, err
	}
	defer func() { _ = at.Close() }()
	chunks, _, err := chunksIn(at)
	if err != nil {
		return nil, err
	}
	chunks = slices.DeleteFunc(chunks, func(c found) bool { return !wanted(c.id) })
	said, err := readManifest(ctx, folder)
	if err != nil {
		return nil, err
	}
	all := make([]engram.Batch, 0, len(chunks))
	for _, c := range chunks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := r.batch(ctx, at, c, said)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	slices.SortFunc(all, older)
	return all, nil
}

func older(a, b engram.Batch) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) }

// batch returns the batch of a chunk, from its head, the manifest, or its items.
func (r *Repository) batch(ctx context.Context, at *os.Root, c found, said manifest) (engram.Batch, error) {
	b, known := said.batch(c.id)
	h, err := r.headOf(ctx, at, c)
	switch {
	case err != nil:
		return b, err
	case h.Version > 0:
		b = batchOf(c.id, h)
	case !known && strings.HasSuffix(c.name, plainSuffix):
		b = r.count(ctx, at, c)
	}
	b.ID = c.id
	b.Sessions, b.Memories, b.Prompts = max(b.Sessions, 0), max(b.Memories, 0), max(b.Prompts, 0)
	return b, ctx.Err()
}

// count counts the items of another program's chunk; 0 if it is unreadable.
func (r *Repository) count(ctx context.Context, at *os.Root, c found) engram.Batch {
	b := engram.Batch{ID: c.id}
	parts, err := r.load(ctx, at, c)
	if err != nil {
		return b
	}
	for _, i := range parts.items {
		switch i.list {
		case listSessions:
			b.Sessions++
		case listObservations:
			b.Memories++
		case listPrompts:
			b.Prompts++
		}
	}
	return b
}

// knownHead is a head that was read, and the file it came from.
type knownHead struct {
	head
	size     int64
	modified time.Time
}

// headOf returns the head of a chunk; zero if it has none or is sealed for others.
func (r *Repository) headOf(ctx context.Context, at *os.Root, c found) (head, error) {
	if err := ctx.Err(); err != nil {
		return head{}, err
	}
	info, err := at.Lstat(c.name)
	if err != nil || !info.Mode().IsRegular() {
		return head{}, nil
	}
	if k, ok := r.heads[c.name]; ok && k.size == info.Size() && k.modified.Equal(info.ModTime()) {
		return k.head, nil
	}
	k := knownHead{r.readHead(ctx, at, c), info.Size(), info.ModTime()}
	r.heads[c.name] = k
	return k.head, nil
}

func (r *Repository) readHead(ctx context.Context, at *os.Root, c found) (h head) {
	const most = 4 << 10 // longer than any head
	b, err := r.start(ctx, at, c, most)
	if err != nil {
		return h
	}
	rest, ok := bytes.CutPrefix(b, []byte(`{"`+wire.Extra+`":`))
	if !ok || json.NewDecoder(bytes.NewReader(rest)).Decode(&h) != nil {
		return head{}
	}
	return h
}

// start returns the first bytes of a chunk's JSON, or fewer if it is cut off.
func (r *Repository) start(ctx context.Context, at *os.Root, c found, most int64) ([]byte, error) {
	var in io.Reader
	if strings.HasSuffix(c.name, sealedSuffix) {
		b, err := readFile(ctx, at, c.name, maxPacked+sealing)
		if err != nil {
			return nil, err
		}
		if in, err = r.unsealing(b); err != nil {
			return nil, err
		}
	} else {
		f, err := openFile(at, c.name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	buffered := bufio.NewReader(in)
	first, _ := buffered.Peek(64) // shorter files tell less
	if err := stored(first); err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, unzipped(err)
	}
	b, err := io.ReadAll(io.LimitReader(z, most))
	if len(b) == 0 && err != nil {
		return nil, unzipped(err)
	}
	return b, nil
}

func (r *Repository) load(ctx context.Context, at *os.Root, c found) (chunk, error) {
	plain, err := r.plain(ctx, at, c)
	if err != nil {
		return chunk{}, err
	}
	return open(plain)
}

// plain returns the JSON of a chunk, verified against its name.
func (r *Repository) plain(ctx context.Context, at *os.Root, c found) ([]byte, error) {
	if c.name == exportName {
		return r.export(ctx, at, c.id)
	}
	sealed, most := strings.HasSuffix(c.name, sealedSuffix), min(maxPacked, r.most())
	if sealed {
		most += sealing
	}
	packed, err := readFile(ctx, at, c.name, most)
	if err != nil {
		return nil, err
	}
	if sealed {
		in, err := r.unsealing(packed)
		if err != nil {
			return nil, err
		}
		if packed, err = io.ReadAll(in); err != nil {
			return nil, engram.Errorf(engram.CodeInvalid, "it was cut off or changed after it was sealed").WithCause(err)
		}
	}
	return unpack(ctx, packed, c.id, r.most())
}

// Read implements engram.Remote.
func (r *Repository) Read(ctx context.Context, id string) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		c, err := r.find(ctx, id)
		if err != nil {
			yield(engram.Record{}, err)
			return
		}
		for _, i := range c.inOrder() {
			if err := ctx.Err(); err != nil {
				yield(engram.Record{}, err)
				return
			}
			if !yield(c.record(i, r.o.Project), nil) {
				return
			}
		}
	}
}

// find loads the chunk of an ID.
func (r *Repository) find(ctx context.Context, id string) (chunk, error) {
	missing := engram.Errorf(engram.CodeNotFound, "chunk %.80q does not exist", id)
	if strings.HasPrefix(id, exportPrefix) {
		folder, err := r.folder(false, folderName)
		if err != nil || folder == nil {
			return chunk{}, cmp.Or(err, error(missing))
		}
		defer func() { _ = folder.Close() }()
		c, err := r.load(ctx, folder, found{id, exportName})
		return c, named(err, id)
	}
	if !isID(id) {
		return chunk{}, missing
	}
	at, err := r.folder(false, folderName, chunksName)
	if err != nil {
		return chunk{}, err
	}
	if at == nil {
		return chunk{}, missing
	}
	defer func() { _ = at.Close() }()
	for _, suffix := range []string{plainSuffix, sealedSuffix} {
		c, err := r.load(ctx, at, found{id, id + suffix})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return c, named(err, id)
	}
	return chunk{}, missing
}

func named(err error, id string) error {
	known, ok := errors.AsType[*engram.Error](err)
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case !ok:
		return engram.Errorf(engram.CodeUnavailable, "cannot read chunk %s", id).WithCause(err)
	case strings.Contains(known.Msg, id):
		return err
	}
	return prefixed("chunk "+id+": ", err)
}

// prefixed prepends text to the message of an *engram.Error.
func prefixed(before string, err error) error {
	known, ok := errors.AsType[*engram.Error](err)
	if !ok {
		return err
	}
	whole := *known
	whole.Msg = before + known.Msg
	return &whole
}

// Notes lists files among the chunks that are not chunks.
func (r *Repository) Notes(ctx context.Context) ([]engram.ImportNote, error) {
	at, err := r.folder(false, folderName, chunksName)
	if err != nil || at == nil {
		return nil, err
	}
	defer func() { _ = at.Close() }()
	_, others, err := chunksIn(at)
	if err != nil {
		return nil, err
	}
	var notes []engram.ImportNote
	for _, name := range others[:min(len(others), engram.MostImportNotes)] {
		notes = append(notes, engram.ImportNote{Item: name, Reason: "its name is not that of a chunk, so it was not read"})
	}
	return notes, ctx.Err()
}
