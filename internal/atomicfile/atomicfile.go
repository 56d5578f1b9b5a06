// Package atomicfile replaces files atomically: readers see the old or the new content, never a
// mix, even if a process is killed or the power fails. It writes a new file beside the old one,
// syncs it, and renames it.
//
// Links are followed and stay links. The content is safe after a power cut, but the new name may
// not be, since the old content is complete, too. Packages that write into folders of others (a
// vault, a repository) use os.Root instead, because there links must not be followed.
//
// The package of this kind among our modules, renameio of go-internal, is deprecated and follows no
// links; its suggested replacement does nothing on Windows.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrLeadsNowhere is the error for a link to a missing file. Such a link is kept: its target may be
// on a disk that is not mounted.
var ErrLeadsNowhere = errors.New("it is a link to a missing file")

// Options configure a write. The zero value suits a file that any process may write at any time.
type Options struct {
	// Mode of the file, whatever the umask; 0 keeps the mode, 0600 for a new file.
	Mode fs.FileMode
	// Alone means that no other process writes the file meanwhile, because the caller holds a
	// lock. The temporary file is then Beside, so a kill leaves at most one, which the next write
	// or Sweep removes. Otherwise its name is random.
	Alone bool
	// Hasty skips the sync, for data without value after a power cut.
	Hasty bool
}

// Resolve follows links from path, and returns the target and its info, nil if it does not exist.
// The error is ErrLeadsNowhere or from the system, such as fs.ErrPermission.
func Resolve(path string) (real string, there fs.FileInfo, err error) {
	real, err = filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return "", nil, &fs.PathError{Op: "follow", Path: path, Err: ErrLeadsNowhere}
		}
		return path, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	there, err = os.Stat(real)
	return real, there, err
}

// Write sets the content of the file at path, whose folder exists. Errors are those of Fill.
func Write(path string, content []byte, o Options) error {
	return Fill(path, o, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Fill sets the content of the file at path, whose folder exists, to what write writes. After an
// error the file is unchanged. It returns errors of write as they are, *fs.PathError for a failed
// write, and *os.LinkError if only the rename failed, as on Windows while the file is open.
func Fill(path string, o Options, write func(io.Writer) error) error {
	real, there, err := Resolve(path)
	if err != nil {
		return err
	}
	f, err := create(real, o.Alone)
	if err != nil {
		return err
	}
	err = write(f)
	if o.Mode == 0 && there != nil {
		o.Mode = there.Mode().Perm()
	}
	if err == nil && o.Mode != 0 {
		err = f.Chmod(o.Mode)
	}
	if err == nil && !o.Hasty {
		err = f.Sync() // a name without content after a power cut would be worse than the old file
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), real)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // its error would add nothing
	}
	return err
}

// create creates the temporary file, readable only by its owner.
func create(real string, alone bool) (*os.File, error) {
	if !alone {
		return os.CreateTemp(filepath.Dir(real), ".*"+besideSuffix)
	}
	if err := Sweep(real); err != nil {
		return nil, err
	}
	return os.OpenFile(Beside(real), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// besideSuffix ends the names of temporary files. It is a suffix because agents and others load any
// file with an extension that they know.
const besideSuffix = ".engram-new"

// Beside returns the temporary path for a write to path, which is not a link, with Options.Alone.
func Beside(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+besideSuffix)
}

// Of returns the path of the file that a temporary path belongs to; ok is false if it is not one.
func Of(beside string) (path string, ok bool) {
	name, ends := strings.CutSuffix(filepath.Base(beside), besideSuffix)
	name, hidden := strings.CutPrefix(name, ".")
	if !ends || !hidden || name == "" {
		return "", false
	}
	return filepath.Join(filepath.Dir(beside), name), true
}

// Sweep removes the temporary file that a kill left beside the file at path in a write with
// Options.Alone. path is not a link, and the caller holds the lock.
func Sweep(path string) error {
	if err := os.Remove(Beside(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
