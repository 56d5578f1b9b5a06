package gitchunks

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Write implements engram.Remote: a chunk first, then the manifest. A batch of the same
// records that is there already is returned as it is. CodeForbidden and CodeConflict where
// the repository asks for other recipients than those that were agreed to.
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
	h := headOf(counted(b, records), body)
	if known, ok, err := r.written(ctx, at, h, body); ok || err != nil {
		return known, err
	}
	return r.add(ctx, folder, at, h, body)
}

// bodyThatFits are the lists of a chunk, of which a reader takes no more than so much. The
// long texts are counted first, before they are copied.
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
		return nil, engram.Errorf(engram.CodeInvalid, "%d records have more than %d MiB together", len(records), maxPlain>>20).WithHint("write fewer at once")
	}
	return body, nil
}

// written looks for a chunk with the same lists. What a chunk claims of itself is not
// believed: one that says it has these records and has others would keep them from being
// pushed.
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

// add writes a chunk, and the manifest with it. Where the manifest cannot be written the
// chunk is taken back, so that there is the old state or the new one.
func (r *Repository) add(ctx context.Context, folder, at *os.Root, h head, body []byte) (engram.Batch, error) {
	id, plain, err := r.unused(at, h, body)
	if err != nil {
		return engram.Batch{}, err
	}
	packed, err := pack(plain)
	if err != nil {
		return engram.Batch{}, err
	}
	if _, err := unpack(ctx, packed, id, maxPlain); err != nil { // what nobody would read must not be pushed
		return engram.Batch{}, err
	}
	if len(packed) > maxPacked {
		return engram.Batch{}, engram.Errorf(engram.CodeInvalid, "the records have more than %d MiB, packed", maxPacked>>20).WithHint("write fewer at once")
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

// unused is the JSON of a chunk whose ID no other chunk has. 8 hex digits are few, and a
// chunk that is there is never written over.
func (r *Repository) unused(at *os.Root, h head, body []byte) (string, []byte, error) {
	const tries = 100
	for h.Salt = range tries {
		plain, err := chunkOf(h, body)
		if err != nil {
			return "", nil, err
		}
		id := idOf(plain)
		_, unsealed := at.Lstat(id + plainSuffix)
		_, sealed := at.Lstat(id + sealedSuffix)
		if errors.Is(unsealed, fs.ErrNotExist) && errors.Is(sealed, fs.ErrNotExist) {
			return id, plain, nil
		}
	}
	return "", nil, engram.Errorf(engram.CodeConflict, "every name for a chunk of these records is taken").
		WithHint("something fills %s/%s with chunks; git log says who", folderName, chunksName)
}

// Settle implements engram.Remote: the manifest lists the chunks that are there, git knows
// how to merge the folder, and nothing is left of writes that were killed.
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

// attributes are what git has to know. Both sides of a merge have put lines on top of
// the manifest: union takes those of both, and what is no JSON then is made anew.
const attributes = `# How git merges what Engram keeps here. The manifest is made anew from the chunks when a
# merge has spoilt it; chunks never change.
` + manifestName + ` text eol=lf merge=union
` + recipientsName + ` text eol=lf
` + chunksName + `/** binary
`

// ignored are files that are no part of the memory.
const ignored = leftoverPrefix + "*\n"

// settle makes the files beside the chunks fit them; added is a chunk that was just written.
func (r *Repository) settle(ctx context.Context, folder *os.Root, added engram.Batch) error {
	said, err := readManifest(ctx, folder)
	if err != nil {
		return err
	}
	if said.version > manifestVersion {
		return engram.Errorf(engram.CodeConflict, "%s/%s has version %d, and this program writes %d", folderName, manifestName, said.version, manifestVersion).
			WithHint("a newer version of this program can")
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
			continue // it is somebody's
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

// listed are the batches that the manifest has to list, and those of them that were there before
// added. What nobody can use is none of them: a link, a folder, what is cut off or unpacks
// without end. A chunk that the manifest has already is looked at in its beginning only, as
// long as the manifest needs not be made anew: each write would read all chunks otherwise.
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
			_, told := said.entries[id]
			return id != added.ID && (anew || !told)
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
		if b.ID == added.ID { // a sealed one need not be for who sealed it
			all[i] = added
		}
	}
	return all, others, nil
}

// Anew returns the names of files beside the chunks that were made anew since Open, for they
// were missing or did not fit the chunks: they have to be committed, too.
func (r *Repository) Anew() []string { return slices.Compact(slices.Sorted(slices.Values(r.anew))) }
