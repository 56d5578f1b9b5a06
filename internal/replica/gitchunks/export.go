package gitchunks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// exportName is an export that programs of the format left in the folder before there were chunks. It
// has the lists of a chunk, and is read as one that anybody may change: what is in it now is a batch,
// called exportPrefix and 8 digits of its SHA-256. Nothing is written to it.
const (
	exportName   = "memories.json"
	exportPrefix = exportName + "@"
)

// most is how many bytes a chunk may have.
func (r *Repository) most() int64 {
	if r.o.Most > 0 {
		return r.o.Most
	}
	return maxPlain
}

func tooMuch(most int64) error {
	return engram.Errorf(engram.CodeInvalid, "it has more than %d KiB, and was left for later", most>>10).WithHint("{sync --import} takes it in")
}

// export is the text of the export that has this ID.
func (r *Repository) export(ctx context.Context, folder *os.Root, id string) ([]byte, error) {
	text, err := readFile(ctx, folder, exportName, r.most())
	if err != nil {
		return nil, err
	}
	if exportID(text) != id {
		return nil, engram.Errorf(engram.CodeNotFound, "%s was changed meanwhile", exportName)
	}
	return text, nil
}

func exportID(text []byte) string {
	sum := sha256.Sum256(text)
	return exportPrefix + hex.EncodeToString(sum[:4])
}

// exported is the ID of the export that lies in the folder; "" when there is none, or
// none that may be read.
func (r *Repository) exported(ctx context.Context, folder *os.Root, most int64) (id string, err error) {
	text, err := readFile(ctx, folder, exportName, most)
	switch {
	case errors.Is(err, fs.ErrNotExist), engram.CodeOf(err) == engram.CodeInvalid, engram.CodeOf(err) == engram.CodeForbidden:
		return "", nil
	case err != nil:
		return "", failed(exportName+" cannot be read", err)
	}
	return exportID(text), nil
}

// withExport adds the export to the batches. When it was made nobody knows: a checkout gives a file
// the time of the checkout.
func (r *Repository) withExport(ctx context.Context, folder *os.Root, all []engram.Batch, wanted func(id string) bool) ([]engram.Batch, error) {
	id, err := r.exported(ctx, folder, r.most())
	if err != nil || id == "" || !wanted(id) {
		return all, err
	}
	b := r.count(ctx, folder, found{id, exportName})
	return slices.Insert(all, 0, b), ctx.Err() // of no time, and so before all others
}

// File is a chunk as it lies there, or the export.
type File struct {
	ID   string
	Size int64 // bytes
}

// mostHashed is how large an export may be to be told by Files.
const mostHashed = 8 << 20

// Files returns what there is, by the names of files alone: no chunk is opened. Of the export the name
// is in what it says; one that is very large is left out.
func (r *Repository) Files(ctx context.Context) ([]File, error) {
	folder, err := r.folder(false, folderName)
	if err != nil || folder == nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	var all []File
	if info, err := folder.Lstat(exportName); err == nil && info.Mode().IsRegular() {
		id, err := r.exported(ctx, folder, mostHashed)
		if err != nil {
			return nil, err
		}
		if id != "" {
			all = append(all, File{id, info.Size()})
		}
	}
	at, err := within(folder, chunksName, false)
	if err != nil || at == nil {
		return all, err
	}
	defer func() { _ = at.Close() }()
	chunks, _, err := chunksIn(at)
	if err != nil {
		return nil, err
	}
	for _, c := range chunks {
		size := int64(0)
		if info, err := at.Lstat(c.name); err == nil {
			size = info.Size()
		}
		all = append(all, File{c.id, size})
	}
	return all, ctx.Err()
}

// Some is the repository with these chunks alone; of the others not even the beginning is read.
func (r *Repository) Some(ids []string) engram.Remote {
	only := setOf(ids)
	return partly{r, func(id string) bool { return only[id] }}
}

// partly is a repository with some of its chunks.
type partly struct {
	*Repository
	wanted func(id string) bool
}

// Batches implements engram.Remote.
func (s partly) Batches(ctx context.Context) ([]engram.Batch, error) { return s.list(ctx, s.wanted) }
