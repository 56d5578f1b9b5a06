package gitchunks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/wire"
)

// Write implements engram.Remote: a chunk first, then the manifest. An existing batch of the same
// records is returned as it is. CodeForbidden and CodeConflict if the repository has other
// recipients than the user agreed to.
func (r *Repository) Write(ctx context.Context, b engram.Batch, records []engram.Record) (engram.Batch, error) {
	if err := ctx.Err(); err != nil {
		return engram.Batch{}, err
	}
	body, err := bodyThatFits(records)
	if err != nil {
		return engram.Batch{}, err
	}
	folder, err := r.folder(true, folderName)
	if err != nil {
		return engram.Batch{}, err
	}
	defer func() { _ = folder.Close() }()
	if err := r.agreed(folder); err != nil {
		return engram.Batch{}, err
	}
	at, err := within(folder, chunksName, true)
	if err != nil {
		return engram.Batch{}, err
	}
	defer func() { _ = at.Close() }()
	h := headOf(wire.Counted(b, records), body)
	if known, ok, err := r.written(ctx, at, h, body); ok || err != nil {
		return known, err
	}
	return r.add(ctx, folder, at, h, body)
}

// bodyThatFits returns the lists of a chunk within a reader's limit. Long texts are counted before
// they are copied.
func bodyThatFits(records []engram.Record) ([]byte, error) {
	const most = maxPlain - 4<<10 // the head is shorter than that
	size := 0
	for _, r := range records {
		if r.Memory == nil {
			continue
		}
		size += len(r.Memory.Memory.Content)
		for _, v := range r.Memory.Revisions {
			size += len(v.Content)
		}
	}
	var body []byte
	var err error
	if size <= most {
		if body, err = bodyOf(records); err != nil {
			return nil, err
		}
		size = len(body)
	}
	if size > most {
		return nil, engram.Errorf(engram.CodeInvalid, "%d records are larger than %d MiB together", len(records), maxPlain>>20).WithHint("write fewer at once")
	}
	return body, nil
}

// written finds a chunk with the same lists. It compares them, because a chunk with a false claim
// would keep the records from being pushed.
func (r *Repository) written(ctx context.Context, at *os.Root, h head, body []byte) (engram.Batch, bool, error) {
	chunks, _, err := chunksIn(at)
	if err != nil {
		return engram.Batch{}, false, err
	}
	for _, c := range chunks {
		k, err := r.headOf(ctx, at, c)
		if err != nil {
			return engram.Batch{}, false, err
		}
		if k.Records != h.Records {
			continue
		}
		plain, err := r.plain(ctx, at, c)
		if err == nil && bytes.HasSuffix(plain, append([]byte("},"), body...)) {
			return batchOf(c.id, k), true, nil
		}
		if err := ctx.Err(); err != nil {
			return engram.Batch{}, false, err
		}
	}
	return engram.Batch{}, false, nil
}

func batchOf(id string, h head) engram.Batch {
	return engram.Batch{ID: id, By: h.By, At: h.At.Time, Sessions: h.Sessions, Memories: h.Memories, Prompts: h.Prompts}
}

// add writes a chunk and the manifest. If the manifest cannot be written, it removes the chunk
// again.
func (r *Repository) add(ctx context.Context, folder, at *os.Root, h head, body []byte) (engram.Batch, error) {
	id, plain, err := r.unused(at, h, body)
	if err != nil {
		return engram.Batch{}, err
	}
	packed, err := pack(plain)
	if err != nil {
		return engram.Batch{}, err
	}
	if _, err := unpack(ctx, packed, id, maxPlain); err != nil { // do not push what no reader accepts
		return engram.Batch{}, err
	}
	if len(packed) > maxPacked {
		return engram.Batch{}, engram.Errorf(engram.CodeInvalid, "the records are larger than %d MiB packed", maxPacked>>20).WithHint("write fewer at once")
	}
	name := id + plainSuffix
	if len(r.o.Recipients) > 0 {
		name = id + sealedSuffix
		if packed, err = r.seal(packed); err != nil {
			return engram.Batch{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return engram.Batch{}, err
	}
	if err := writeFile(at, name, packed); err != nil {
		return engram.Batch{}, err
	}
	b := batchOf(id, h)
	if err := r.settle(context.WithoutCancel(ctx), folder, b); err != nil {
		_ = at.Remove(name)
		return engram.Batch{}, err
	}
	return b, nil
}

// unused returns the JSON of a chunk with an unused ID. 8 hex digits are few, and an existing chunk
// is never overwritten.
func (r *Repository) unused(at *os.Root, h head, body []byte) (string, []byte, error) {
	const tries = 100
	for h.Salt = range tries {
		plain, err := chunkOf(h, body)
		if err != nil {
			return "", nil, err
		}
		sum := sha256.Sum256(plain)
		id := hex.EncodeToString(sum[:4])
		_, unsealed := at.Lstat(id + plainSuffix)
		_, sealed := at.Lstat(id + sealedSuffix)
		if errors.Is(unsealed, fs.ErrNotExist) && errors.Is(sealed, fs.ErrNotExist) {
			return id, plain, nil
		}
	}
	return "", nil, engram.Errorf(engram.CodeConflict, "every name for these records is taken").
		WithHint("see git log for the author of the chunks in %s/%s", folderName, chunksName)
}

// Settle implements engram.Remote: it updates the manifest and git's merge configuration, and
// removes leftovers of killed writes.
func (r *Repository) Settle(ctx context.Context) error {
	folder, err := r.folder(false, folderName)
	if err != nil || folder == nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	r.sweep(folder)
	if at, err := within(folder, chunksName, false); err != nil {
		return err
	} else if at != nil {
		r.sweep(at)
		_ = at.Close()
	}
	return r.settle(ctx, folder, engram.Batch{})
}

// attributes is git's configuration. Both sides of a merge add lines to the top of the manifest:
// union keeps both, and an invalid result is rebuilt.
const attributes = `# How git merges what Engram keeps here. The manifest is rebuilt from the chunks when a
# merge has spoilt it; chunks never change.
` + manifestName + ` text eol=lf merge=union
` + recipientsName + ` text eol=lf
` + chunksName + `/** binary
`

// ignored are files that are not part of the memory.
const ignored = leftoverPrefix + "*\n"

// settle updates the files beside the chunks; added is a chunk just written.
func (r *Repository) settle(ctx context.Context, folder *os.Root, added engram.Batch) error {
	said, err := readManifest(ctx, folder)
	if err != nil {
		return err
	}
	if said.version > manifestVersion {
		return engram.Errorf(engram.CodeConflict, "%s/%s has version %d, and this program writes %d", folderName, manifestName, said.version, manifestVersion).
			WithHint("use a newer version of this program")
	}
	batches, others, err := r.listed(ctx, folder, said, added)
	if err != nil {
		return err
	}
	if !said.fits(batches) {
		b, err := said.of(batches)
		if err != nil {
			return err
		}
		if err := writeFile(folder, manifestName, b); err != nil {
			return err
		}
		if !said.fits(others) {
			r.anew = append(r.anew, manifestName)
		}
	}
	if len(batches) == 0 {
		return nil
	}
	for name, text := range map[string]string{".gitattributes": attributes, ".gitignore": ignored} {
		if _, err := folder.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			continue // do not overwrite
		}
		if err := writeFile(folder, name, []byte(text)); err != nil {
			return err
		}
		if len(others) > 0 {
			r.anew = append(r.anew, name)
		}
	}
	return nil
}

// listed returns the batches that the manifest must list, and those without added. Unusable files
// are not listed: links, folders, cut files, bombs. Of chunks already in the manifest only the
// beginning is checked, unless the manifest must be rebuilt: otherwise each write would read all
// chunks.
func (r *Repository) listed(ctx context.Context, folder *os.Root, said manifest, added engram.Batch) (all, others []engram.Batch, err error) {
	if all, err = r.batches(ctx, folder, every); err != nil || len(all) == 0 {
		return nil, nil, err
	}
	at, err := within(folder, chunksName, false)
	if err != nil || at == nil {
		return nil, nil, err
	}
	defer func() { _ = at.Close() }()
	for _, anew := range []bool{false, true} {
		damaged, err := r.damaged(ctx, at, func(id string) bool {
			_, inList := said.entries[id]
			return id != added.ID && (anew || !inList)
		})
		if err != nil {
			return nil, nil, err
		}
		all = slices.DeleteFunc(all, func(b engram.Batch) bool {
			return slices.ContainsFunc(damaged, func(n engram.ImportNote) bool { return n.Item == b.ID })
		})
		others = slices.DeleteFunc(slices.Clone(all), func(b engram.Batch) bool { return b.ID == added.ID })
		if said.fits(others) {
			break
		}
	}
	for i, b := range all {
		if b.ID == added.ID { // the writer may not be able to open a sealed chunk
			all[i] = added
		}
	}
	return all, others, nil
}

// Anew returns the names of files beside the chunks that were rebuilt since Open, because they were
// missing or wrong. They must be committed, too.
func (r *Repository) Anew() []string { return slices.Compact(slices.Sorted(slices.Values(r.anew))) }
