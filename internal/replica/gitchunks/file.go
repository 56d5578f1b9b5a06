package gitchunks

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/alanbuscaglia/engram"
)

// leftoverPrefix begins the names of files being written. One older than leftoverAge belongs to a
// killed process.
const (
	leftoverPrefix = ".tmp-"
	leftoverAge    = time.Hour
)

// readFile reads a regular file of at most most bytes. Links lead elsewhere, and a pipe would
// block.
func readFile(ctx context.Context, at *os.Root, name string, most int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	info, err := at.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, engram.Errorf(engram.CodeForbidden, "%s is not a file, and links are not followed", name).
			WithHint("see git log for its author; remove it")
	}
	if info.Size() > most {
		return nil, tooLarge(name, most)
	}
	f, err := openFile(at, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(&waiting{ctx, f}, most+1))
	if err == nil && int64(len(b)) > most {
		err = tooLarge(name, most)
	}
	return b, err
}

// openFile opens a regular file without blocking, and checks what it opened: a pipe may have
// replaced it meanwhile.
func openFile(at *os.Root, name string) (*os.File, error) {
	f, err := at.OpenFile(name, os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = engram.Errorf(engram.CodeForbidden, "%s is not a file", name).WithHint("remove it; another program replaced it just now")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func tooLarge(name string, most int64) error {
	return engram.Errorf(engram.CodeInvalid, "%s is larger than %d MiB", name, most>>20).
		WithHint("remove it; no push creates such a file")
}

// writeFile writes a file atomically and durably: readers see the old or the new content, also
// after a power cut.
func writeFile(at *os.Root, name string, b []byte) error {
	var chance [8]byte
	_, _ = rand.Read(chance[:]) // never fails
	beside := leftoverPrefix + hex.EncodeToString(chance[:])
	err := writeNew(at, beside, b)
	if err == nil {
		err = at.Rename(beside, name)
	}
	if err != nil {
		_ = at.Remove(beside)
		return engram.Errorf(engram.CodeUnavailable, "cannot write %s", filepath.Join(at.Name(), name)).
			WithHint("free space on the disk, or check the rights of the folder; nothing has changed").WithCause(err)
	}
	return syncFolder(at)
}

func writeNew(at *os.Root, name string, b []byte) error {
	f, err := at.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFolder makes the names in a folder durable.
func syncFolder(at *os.Root) error {
	if runtime.GOOS == "windows" { // which does so by itself, and offers no call
		return nil
	}
	f, err := at.Open(".") // the open folder: no link or pipe can replace it
	if err != nil {
		return failed("cannot sync the folder", err)
	}
	defer func() { _ = f.Close() }()
	if err := f.Sync(); err != nil && !cannotSync(err) {
		return failed("cannot sync the folder", err)
	}
	return nil
}

// cannotSync reports whether a file system cannot make a folder durable, as some network and FUSE
// ones.
func cannotSync(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}

// sweep removes the leftovers of killed writes.
func (r *Repository) sweep(at *os.Root) {
	if r.o.Now == nil {
		return
	}
	entries, err := fs.ReadDir(at.FS(), ".")
	if err != nil {
		return // the next sweep will do
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), leftoverPrefix) {
			continue
		}
		if info, err := e.Info(); err == nil && r.o.Now().Sub(info.ModTime()) > leftoverAge {
			_ = at.Remove(e.Name())
		}
	}
}
