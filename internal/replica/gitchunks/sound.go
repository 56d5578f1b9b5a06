package gitchunks

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/alanbuscaglia/engram"
)

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
