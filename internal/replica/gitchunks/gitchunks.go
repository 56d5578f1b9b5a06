// Package gitchunks is memory that travels in a repository: a folder .engram whose chunks
// everybody who may push adds to (Repository, an engram.Remote), in the format of the mem_*
// programs, which read each other's chunks. It also tells which chunks still hold what was
// erased (Holding).
//
//	.engram/manifest.json           an index, an entry a line; made anew from the chunks whenever it does not fit
//	.engram/chunks/ID.jsonl.gz      one JSON object under gzip (chunk.go); ID is of its bytes
//	.engram/chunks/ID.jsonl.gz.age  the same for a team alone (seal.go)
//	.engram/memories.json           an export that an older program left there, read as a chunk (export.go)
//	.engram/recipients.txt          whose keys open those
//	.engram/.gitattributes          how git is to merge these files, .gitignore what is none of them
//
// A chunk is never changed once it is there, so two clones never edit the same one. Only the
// manifest is written by both, and git merges it line by line (merge=union). It has an entry a
// line with the new ones on top, so that the lines of both are a manifest again; where they are
// not, as of two manifests that were begun apart, nobody reads chunks by it, and Settle makes it
// anew. A merge driver would not do instead: it has to be configured in every clone, which a repository
// cannot and must not do, and a clone without it would stop with a conflict.
//
// What lies there came from anybody who may push. It is read with limits, never followed
// through links, and nothing of it is run or believed.
package gitchunks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/alanbuscaglia/engram"
)

// The names in a repository.
const (
	folderName     = ".engram"
	chunksName     = "chunks"
	manifestName   = "manifest.json"
	recipientsName = "recipients.txt"
	plainSuffix    = ".jsonl.gz"
	sealedSuffix   = ".jsonl.gz.age"
)

// Options say which repository, and who reads and writes it.
type Options struct {
	Dir     string // root of the repository
	Project string // that chunks of programs which do not tell are of
	// Recipients are the age recipients (age1…) that the person agreed to: what is written
	// is for them alone. None: everybody who has the repository may read it. What
	// .engram/recipients.txt says instead is not followed but refused, for anybody who may
	// push can change that file.
	Recipients []string
	// IdentityFile has the age identities that sealed chunks are opened with, a line each;
	// "" or a file that does not exist: none.
	IdentityFile string
	// Most is how many bytes a chunk may have to be read, packed or not; 0: what any may have.
	Most int64
	// Now tells leftovers of a write that was killed from what is being written; nil keeps
	// leftovers.
	Now func() time.Time
}

// Repository is the .engram folder of a repository. It may be used by one goroutine at a
// time, and by other processes meanwhile.
type Repository struct {
	o     Options
	heads map[string]knownHead // by file name
	anew  []string             // files beside the chunks that were made anew
}

var _ engram.Remote = (*Repository)(nil)

// Open returns the memory in a repository. The folder needs not be there yet: the first
// Write makes it. CodeInvalid for recipients that are none, CodeNotFound where there is no
// such repository.
func Open(o Options) (*Repository, error) {
	info, err := os.Stat(o.Dir)
	if err != nil || !info.IsDir() {
		return nil, engram.Errorf(engram.CodeNotFound, "%s is no folder that can be read", o.Dir).WithCause(err)
	}
	if _, err := recipientsOf(o.Recipients); err != nil {
		return nil, err
	}
	return &Repository{o: o, heads: map[string]knownHead{}}, nil
}

// Name implements engram.Remote: the path of the folder.
func (r *Repository) Name() string { return filepath.Join(r.o.Dir, folderName) }

// Example is the path, below Dir, that a chunk which is written now might have.
func (r *Repository) Example() string {
	suffix := plainSuffix
	if len(r.o.Recipients) > 0 {
		suffix = sealedSuffix
	}
	return filepath.Join(folderName, chunksName, "00000000"+suffix)
}

// folder opens .engram, or chunks in it, and makes it when it is to; nil when there is none.
func (r *Repository) folder(create bool, path ...string) (*os.Root, error) {
	at, err := os.OpenRoot(r.o.Dir)
	if err != nil {
		return nil, failed("the repository cannot be read", err)
	}
	for _, name := range path {
		next, err := within(at, name, create)
		_ = at.Close() // what was opened from it stays open
		if err != nil || next == nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// within opens a folder in another one; nil when there is none and none is made. A link is
// refused even where it stays inside of the repository: it could name any other folder of it.
func within(at *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := at.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, failed("the folder of chunks cannot be made", err)
		}
	}
	info, err := at.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, failed("the folder of chunks cannot be read", err)
	case !info.IsDir():
		return nil, engram.Errorf(engram.CodeForbidden, "%s is no folder, and links are not followed", filepath.Join(at.Name(), name)).
			WithHint("git log on it says who pushed it; remove it, and run this again")
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, failed("the folder of chunks cannot be read", err)
	}
	return next, nil
}

// failed is an error of the file system, which may be gone the next time.
func failed(what string, err error) error {
	if _, told := errors.AsType[*engram.Error](err); told {
		return err
	}
	return engram.Errorf(engram.CodeUnavailable, "%s", what).WithCause(err)
}
