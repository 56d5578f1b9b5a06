package markdown

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// found is an existing file.
type found struct {
	path string
	size int64
	time int64
}

// look lists Engram's folder. Links are noted, not followed.
func (n *notes) look(ctx context.Context) error {
	n.files, n.links = map[string]found{}, map[string]bool{}
	if n.root == nil {
		return nil
	}
	return fs.WalkDir(n.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil {
				return ctx.Err() // it disappeared meanwhile
			}
			return unread(name, err)
		}
		if !utf8.ValidString(name) { // not ours, and fs cannot open it
			n.remark(strings.ToValidUTF8(name, "\ufffd"), "its name is not UTF-8, so it was skipped")
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		hidden := strings.HasPrefix(d.Name(), ".") && name != "."
		switch {
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			n.links[sameFile(name)] = true
			if _, ours := n.holders[sameFile(name)]; !ours && !hidden { // Edits and Put report ours
				n.remark(name, "it is a link or not a file, so it was skipped")
			}
			return nil
		case hidden:
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return unread(name, err)
		}
		n.files[sameFile(name)] = found{name, info.Size(), info.ModTime().UnixNano()}
		return nil
	})
}

// file returns the file of that name; none for a link or a folder.
func (n *notes) file(name string) (found, bool) {
	f, is := n.files[sameFile(name)]
	return f, is
}

// taken reports whether a file or link has the name.
func (n *notes) taken(name string) bool {
	key := sameFile(name)
	_, is := n.files[key]
	return is || n.links[key]
}

// changedSince reports whether the content of a file changed since left; if only its time changed,
// it updates left.
func (n *notes) changedSince(f found, left *fileState) (bool, error) {
	if f.size == left.Size && f.time == left.Time {
		return false, nil
	}
	b, err := n.readFile(f.path, maxState)
	if err != nil {
		return false, err
	}
	if digest(b) != left.File {
		return true, nil
	}
	left.Size, left.Time, n.changed = f.size, f.time, true
	return false, nil
}

// write atomically replaces the file found at a name, or creates it, and returns its new state.
// still is false if another program wrote it meanwhile: then it is left alone.
func (n *notes) write(name string, text []byte) (left fileState, still bool, err error) {
	left = fileState{File: digest(text), Size: int64(len(text))}
	if n.barred(name) != "" {
		return left, false, nil
	}
	if n.how.DryRun {
		return left, true, nil
	}
	if err := n.makeFolders(path.Dir(name)); err != nil {
		return left, false, err
	}
	was, known := n.file(name)
	switch info, err := n.root.Lstat(filepath.FromSlash(name)); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return left, false, unwritten(shown(name), err)
	case !known || !info.Mode().IsRegular() || info.Size() != was.size || info.ModTime().UnixNano() != was.time:
		return left, false, nil
	}
	if left.Time, err = n.writeFile(name, text, false); err != nil {
		return left, false, err
	}
	n.files[sameFile(name)] = found{name, left.Size, left.Time}
	return left, true, nil
}

// barred returns a folder on the way to a file that is a link or a file; "" for none. Nothing is
// written through it.
func (n *notes) barred(name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if n.taken(dir) {
			return dir
		}
	}
	return ""
}

// makeFolders creates the folders of a file. A link is rejected.
func (n *notes) makeFolders(dir string) error {
	if dir == "." || n.folders[dir] {
		return nil
	}
	for i := 1; i <= len(dir); i++ {
		if i < len(dir) && dir[i] != '/' {
			continue
		}
		part := filepath.FromSlash(dir[:i])
		info, err := n.root.Lstat(part)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := n.root.Mkdir(part, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return unwritten(shown(dir[:i]), err)
			}
		case err != nil:
			return unwritten(shown(dir[:i]), err)
		case info.Mode()&fs.ModeSymlink != 0:
			return engram.Errorf(engram.CodeInvalid, "%s is a symbolic link", shown(dir[:i])).
				WithHint("replace it by a folder; links are not followed")
		case !info.IsDir():
			return engram.Errorf(engram.CodeInvalid, "%s is not a folder", shown(dir[:i])).WithHint("move it out of the way")
		}
	}
	n.folders[dir] = true
	return nil
}

// writeFile writes a file of Engram's folder and returns its time.
func (n *notes) writeFile(name string, text []byte, lasting bool) (written int64, err error) {
	return writeWhole(n.root, name, shown(name), text, lasting)
}

// writeWhole writes a file atomically, readable by the user alone. called is its name in errors.
func writeWhole(root *os.Root, name, called string, text []byte, lasting bool) (written int64, err error) {
	temp := ".engram-" + strings.ToLower(rand.Text()[:12]) + ".tmp"
	f, err := root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, unwritten(called, err)
	}
	_, err = f.Write(text)
	if err == nil && lasting {
		err = f.Sync()
	}
	info, statErr := f.Stat()
	if err = errors.Join(err, statErr, f.Close()); err == nil {
		err = root.Rename(temp, filepath.FromSlash(name))
	}
	if err != nil {
		return 0, unwritten(called, errors.Join(err, root.Remove(temp)))
	}
	return info.ModTime().UnixNano(), nil
}

// remove removes a file, and the folders that become empty.
func (n *notes) remove(name string) error {
	delete(n.files, sameFile(name))
	if n.how.DryRun {
		return nil
	}
	if err := n.root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritten(shown(name), err)
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if n.root.Remove(filepath.FromSlash(dir)) != nil {
			break // not empty
		}
		delete(n.folders, dir)
	}
	return nil
}

// rename gives a file an unused name.
func (n *notes) rename(from, to string) error {
	f := n.files[sameFile(from)]
	delete(n.files, sameFile(from))
	f.path = to
	n.files[sameFile(to)] = f
	if n.how.DryRun {
		return nil
	}
	if err := n.root.Rename(filepath.FromSlash(from), filepath.FromSlash(to)); err != nil {
		return unwritten(shown(to), err)
	}
	return nil
}
