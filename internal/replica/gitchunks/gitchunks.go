// Package gitchunks shares memory through a git repository: a folder .engram to which everyone with
// push access adds chunks (Repository, an engram.Remote). The mem_* programs use the same format
// and read each other's chunks. It also finds chunks that still hold erased content (Holding).
//
//	.engram/manifest.json           an index, an entry per line; rebuilt from the chunks if it does not fit
//	.engram/chunks/ID.jsonl.gz      one JSON object under gzip (encode.go); ID is a digest of it
//	.engram/chunks/ID.jsonl.gz.age  the same, encrypted for a team (seal.go)
//	.engram/memories.json           an export of an older program, read as a chunk (export.go)
//	.engram/recipients.txt          the keys that open sealed chunks
//	.engram/.gitattributes          how git merges these files; .gitignore excludes others
//
// Chunks never change, so two clones never edit the same one. Only the manifest is written by both,
// and git merges it by line (merge=union). It has an entry per line, newest on top, so the lines of
// both make a manifest again. If they do not, as with two separately created manifests, reading
// does not need it, and Settle rebuilds it. A merge driver would need configuration in every clone,
// which a repository cannot and must not set; without it, a clone would stop with a conflict.
//
// The content comes from anyone with push access. It is read with limits, links are not followed,
// and nothing of it is executed or trusted.
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

// Names in a repository.
const (
	folderName     = ".engram"
	chunksName     = "chunks"
	manifestName   = "manifest.json"
	recipientsName = "recipients.txt"
	plainSuffix    = ".jsonl.gz"
	sealedSuffix   = ".jsonl.gz.age"
)

// Options select a repository and its reader and writer.
type Options struct {
	Dir     string // root of the repository
	Project string // of chunks that do not name one
	// Recipients are the age recipients (age1…) that the user agreed to: chunks are written for
	// them alone. None means that everyone with the repository can read them. A different
	// .engram/recipients.txt is an error, because anyone with push access can change that file.
	Recipients []string
	// IdentityFile has the age identities that open sealed chunks, one per line; "" or a missing
	// file means none.
	IdentityFile string
	// Most is the largest chunk to read, packed or not, in bytes; 0 for the limit of the format.
	Most int64
	// Now is needed to remove the leftovers of killed writes; nil keeps them.
	Now func() time.Time
}

// Repository is the .engram folder of a repository. It is for one goroutine at a time; other
// processes may use the folder meanwhile.
type Repository struct {
	o     Options
	heads map[string]knownHead // by file name
	anew  []string             // rebuilt files beside the chunks
}

var _ engram.Remote = (*Repository)(nil)

// Open returns the memory in a repository. The first Write creates the folder. CodeInvalid for
// invalid recipients, CodeNotFound if there is no such repository.
func Open(o Options) (*Repository, error) {
	info, err := os.Stat(o.Dir)
	if err != nil || !info.IsDir() {
		return nil, engram.Errorf(engram.CodeNotFound, "%s is not a readable folder", o.Dir).WithCause(err)
	}
	if _, err := recipientsOf(o.Recipients); err != nil {
		return nil, err
	}
	return &Repository{o: o, heads: map[string]knownHead{}}, nil
}

// Name implements engram.Remote: the path of the folder.
func (r *Repository) Name() string { return filepath.Join(r.o.Dir, folderName) }

// Example returns the path, below Dir, of a possible new chunk.
func (r *Repository) Example() string {
	suffix := plainSuffix
	if len(r.o.Recipients) > 0 {
		suffix = sealedSuffix
	}
	return filepath.Join(folderName, chunksName, "00000000"+suffix)
}

// folder opens .engram or a folder in it, creating it if asked; nil if missing.
func (r *Repository) folder(create bool, path ...string) (*os.Root, error) {
	at, err := os.OpenRoot(r.o.Dir)
	if err != nil {
		return nil, failed("cannot read the repository", err)
	}
	for _, name := range path {
		next, err := within(at, name, create)
		_ = at.Close() // the opened folder stays open
		if err != nil || next == nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// within opens a folder in another one, creating it if asked; nil if missing. A link is
// rejected even inside the repository: it could name any other folder of it.
func within(at *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := at.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, failed("cannot create the folder of chunks", err)
		}
	}
	info, err := at.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, failed("cannot read the folder of chunks", err)
	case !info.IsDir():
		return nil, engram.Errorf(engram.CodeForbidden, "%s is not a folder, and links are not followed", filepath.Join(at.Name(), name)).
			WithHint("see git log for its author; remove it and run this again")
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, failed("cannot read the folder of chunks", err)
	}
	return next, nil
}

// failed reports a file system error, which may be temporary.
func failed(what string, err error) error {
	if _, known := errors.AsType[*engram.Error](err); known {
		return err
	}
	return engram.Errorf(engram.CodeUnavailable, "%s", what).WithCause(err)
}

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
