package git

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// errNoFile means that a path is not a regular file.
var errNoFile = errors.New("it is not a regular file")

// openRegular opens a regular file, or a link to one; errNoFile for anything else. A repository may
// come from anywhere, and opening a pipe in place of its index would block forever.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNoFile // opening a device may have side effects
	}
	return regular(os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)) // it may be replaced meanwhile
}

// openRegularIn is openRegular below root. info is the result of Lstat of path.
func openRegularIn(root *os.Root, path string, info fs.FileInfo) (*os.File, fs.FileInfo, error) {
	if !info.Mode().IsRegular() {
		return nil, nil, errNoFile
	}
	return regular(root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0))
}

// regular returns an open file if it is a regular one, else closes it.
func regular(file *os.File, err error) (*os.File, fs.FileInfo, error) {
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNoFile
	}
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// readLimited returns at most so many bytes of a file; "" if it cannot be read.
func readLimited(path string, most int64) string {
	file, _, err := openRegular(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return ""
	}
	return string(b)
}

// firstLine returns the first line of a small file; "" if it cannot be read.
func firstLine(path string) string {
	line, _, _ := strings.Cut(readLimited(path, 4<<10), "\n")
	return strings.TrimSpace(line)
}
