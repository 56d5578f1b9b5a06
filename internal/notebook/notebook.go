// Package notebook records events of agents' sessions until they are no longer needed, in two files
// per session that only the user may read: notes of what happened, and pending items that
// are not yet in the store (notes.go). File names are hashes of session names.
//
// Private spans and secrets are removed before anything reaches the disk. Several processes may use
// a notebook at once: each locks a file while changing it, for less than a millisecond.
//
// Appended lines are not synced. They survive the end of the process, which is the usual danger
// here, and the synced store usually has them some milliseconds later; a sync would double the time
// of each prompt, and take far more while others write to the disk. A power cut may lose the last
// line. Rewritten files of pending items are synced before they replace the old ones, since items
// may be hours old.
package notebook

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// Options configure a notebook. Dir and Lock are required.
type Options struct {
	Dir string // created on first use with mode 0700
	// Lock locks an open file; held is false if the file is locked through another handle. Closing
	// the file unlocks it.
	Lock func(*os.File) (held bool, err error)
	// LockTimeout limits the wait for a lock; for pending items, which do not come again, it is
	// ten times as long. Default 50 ms.
	LockTimeout time.Duration
}

// Notebook holds the notes of all sessions. It may be used concurrently.
type Notebook struct {
	Options
	secrets func() *secret.Scanner
}

// New returns a notebook. It does not touch the disk.
func New(o Options) *Notebook {
	o.LockTimeout = cmp.Or(o.LockTimeout, 50*time.Millisecond)
	return &Notebook{o, secret.Shared}
}

// Suffixes of a session's files.
const (
	notesSuffix   = ".notes"
	pendingSuffix = ".wait"
)

func (n *Notebook) clean(s string) string { return n.unsecret(redact.Private(s)) }

// unsecret removes secrets from s, which has no private spans.
func (n *Notebook) unsecret(s string) string {
	if s == "" {
		return s
	}
	s, _ = n.secrets().Clean(s)
	return s
}

// path returns a file of a session. Agents may use any characters in session names.
func (n *Notebook) path(session, suffix string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(n.Dir, hex.EncodeToString(sum[:12])+suffix)
}

// errBusy means that another process holds a lock for too long.
var errBusy = errors.New("another process holds the notes")

// change opens a file, created if create is set, and calls do while it holds the lock. If the file
// is replaced or removed while waiting, it opens the new one. It does not open it for appending,
// because Windows cannot truncate such a file (take, write).
func (n *Notebook) change(path string, create bool, do func(*os.File) error) error {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
	}
	timeout := n.LockTimeout
	if strings.HasSuffix(path, pendingSuffix) {
		timeout *= 10
	}
	enough := time.NewTimer(timeout)
	defer enough.Stop()
	for {
		f, err := os.OpenFile(path, flags, 0o600)
		if err != nil {
			return err
		}
		held, err := n.Lock(f)
		if held && err == nil && isStill(f, path) {
			return errors.Join(do(f), f.Close())
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		select {
		case <-enough.C:
			return errBusy
		case <-time.After(time.Millisecond):
		}
	}
}

// isStill reports whether f still has the name path.
func isStill(f *os.File, path string) bool {
	mine, err := f.Stat()
	named, errNamed := os.Stat(path)
	return err == nil && errNamed == nil && os.SameFile(mine, named)
}

// append adds a line to a file of at most most bytes. If it would grow larger, room returns what to
// keep; nil rejects the line.
func (n *Notebook) append(path string, line []byte, most int64, room func([]byte) []byte) error {
	if err := n.makeFolder(); err != nil {
		return err
	}
	err := n.change(path, true, func(f *os.File) error { return add(f, path, line, most, room) })
	return explain(err, path)
}

// add is append for a caller that holds the lock.
func add(f *os.File, path string, line []byte, most int64, room func([]byte) []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if line, err = afterBreak(f, info.Size(), line); err != nil {
		return err
	}
	if info.Size()+int64(len(line)) <= most {
		return write(f, info.Size(), line)
	}
	if room == nil {
		return engram.Errorf(engram.CodeUnavailable, "the notes of this session are full")
	}
	all, err := io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return err
	}
	return replace(f, path, append(room(all), line...))
}

// afterBreak returns a line to append to a file of so many bytes, with a line break first if a
// killed process left an incomplete line.
func afterBreak(f *os.File, size int64, line []byte) ([]byte, error) {
	if size == 0 {
		return line, nil
	}
	end := make([]byte, 1)
	if _, err := f.ReadAt(end, size-1); err != nil || end[0] == '\n' {
		return line, err
	}
	return append([]byte{'\n'}, line...), nil
}

// replace replaces the contents of f, which is locked; empty text removes the file. If the process
// ends meanwhile, as hooks do at their time limit, the file is either old or new.
func replace(f *os.File, path string, text []byte) error {
	if len(text) == 0 {
		if os.Remove(path) == nil {
			return nil
		}
		return f.Truncate(0)
	}
	err := atomicfile.Write(path, text, atomicfile.Options{Mode: 0o600, Alone: true, Hasty: !strings.HasSuffix(path, pendingSuffix)})
	if _, named := errors.AsType[*os.LinkError](err); named {
		return take(f, text)
	}
	return err
}

// take is replace for systems that cannot rename or remove open files, such as Windows. It
// truncates last: a process that ends before leaves surplus lines, which are written twice or kept
// longer, but loses none.
func take(f *os.File, text []byte) error {
	if _, err := f.WriteAt(text, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(text)))
}

// write appends to a file of so many bytes. On a full disk it removes an incomplete line, which
// would swallow the next one.
func write(f *os.File, size int64, text []byte) error {
	_, err := f.WriteAt(text, size)
	if err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	return nil
}

// read returns a file's contents; nil if it does not exist. The last line may be incomplete.
func read(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(err, path)
	}
	defer f.Close()
	all, err := io.ReadAll(io.LimitReader(f, most))
	return all, explain(err, path)
}

// explain gives file errors a code.
func explain(err error, path string) error {
	if err == nil || engram.CodeOf(err) == engram.CodeUnavailable {
		return err
	}
	return engram.Errorf(engram.CodeUnavailable, "cannot write the notes of the session").WithHint("free space in %s, and make it writable for this user", filepath.Dir(path)).WithCause(err)
}

func (n *Notebook) makeFolder() error {
	return explain(os.MkdirAll(n.Dir, 0o700), filepath.Join(n.Dir, "notes"))
}
