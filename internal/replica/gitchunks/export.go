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

// exportName is an export that programs of the format left in the folder before there were chunks.
// It is read like a chunk, but may change: its present content is a batch, named exportPrefix and 8
// digits of its SHA-256. It is never written.
const (
	exportName   = "memories.json"
	exportPrefix = exportName + "@"
)

// most is the largest accepted chunk, in bytes.
func (r *Repository) most() int64 {
	if r.o.Most > 0 {
		return r.o.Most
	}
	return maxPlain
}

func (r *Repository) export(ctx context.Context, folder *os.Root, id string) ([]byte, error) {
	text, err := readFile(ctx, folder, exportName, r.most())
	if err != nil {
		return nil, err
	}
	if exportID(text) != id {
		return nil, engram.Errorf(engram.CodeNotFound, "%s changed meanwhile", exportName)
	}
	return text, nil
}

func exportID(text []byte) string {
	sum := sha256.Sum256(text)
	return exportPrefix + hex.EncodeToString(sum[:4])
}

// exported returns the ID of the export in the folder; "" for a missing or unreadable one.
func (r *Repository) exported(ctx context.Context, folder *os.Root, most int64) (id string, err error) {
	text, err := readFile(ctx, folder, exportName, most)
	switch {
	case errors.Is(err, fs.ErrNotExist), engram.CodeOf(err) == engram.CodeInvalid, engram.CodeOf(err) == engram.CodeForbidden:
		return "", nil
	case err != nil:
		return "", failed("cannot read "+exportName, err)
	}
	return exportID(text), nil
}

// withExport adds the export to the batches. Its age is unknown: a checkout sets the time of the
// file.
func (r *Repository) withExport(ctx context.Context, folder *os.Root, all []engram.Batch, wanted func(id string) bool) ([]engram.Batch, error) {
	id, err := r.exported(ctx, folder, r.most())
	if err != nil || id == "" || !wanted(id) {
		return all, err
	}
	b := r.count(ctx, folder, found{id, exportName})
	return slices.Insert(all, 0, b), ctx.Err() // without a time, so before all others
}

// File is a chunk in the folder, or the export.
type File struct {
	ID   string
	Size int64 // bytes
}

// mostHashed is the largest export that Files lists.
const mostHashed = 8 << 20

// Files lists the chunks by file name, without opening them. The ID of the export depends on its
// content; a very large one is left out.
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

// Some returns the repository limited to these chunks; others are not even opened.
func (r *Repository) Some(ids []string) engram.Remote {
	only := setOf(ids)
	return partly{r, func(id string) bool { return only[id] }}
}

type partly struct {
	*Repository
	wanted func(id string) bool
}

// Batches implements engram.Remote.
func (s partly) Batches(ctx context.Context) ([]engram.Batch, error) { return s.list(ctx, s.wanted) }
