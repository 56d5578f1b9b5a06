package git

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// errNoFile is the error of what is there and is no file.
var errNoFile = errors.New("it is no plain file")

// openRegular opens a file. Anything else is errNoFile: a repository comes from anywhere, and to
// open a pipe that somebody put in the place of its index would wait for ever, whatever a context
// says. A symbolic link to a file is one.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNoFile // a device may do something when it is opened
	}
	return regular(os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)) // it may be exchanged meanwhile
}

// openRegularIn is openRegular below root. info is what a look at path said.
func openRegularIn(root *os.Root, path string, info fs.FileInfo) (*os.File, fs.FileInfo, error) {
	if !info.Mode().IsRegular() {
		return nil, nil, errNoFile
	}
	return regular(root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0))
}

// regular gives an open file back if it is one.
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

// readLimited returns at most so many bytes of a file; "" when it cannot be read.
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

// firstLine returns the first line of a small file, "" when it cannot be read.
func firstLine(path string) string {
	line, _, _ := strings.Cut(readLimited(path, 4<<10), "\n")
	return strings.TrimSpace(line)
}
