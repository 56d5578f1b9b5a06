// Package logfile is the log of a server without a terminal: a file for its owner alone that is rotated when full,
// and the last lines of it, which a command shows when the server does not start.
package logfile

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// Options limit a log. The zero value is 10 MiB and three older files.
type Options struct {
	MaxBytes int64 // per file; 0 is 10 MiB
	Keep     int   // older files, PATH.1 being the latest; 0 is 3
}

// Log is a log file for its owner that is rotated when full. Writes may be concurrent.
type Log struct {
	path string
	o    Options

	mu   sync.Mutex
	file *os.File
	size int64
}

// Open opens a log, appending to an existing file. CodeUnavailable if it cannot be written.
func Open(path string, o Options) (*Log, error) {
	o.MaxBytes, o.Keep = cmp.Or(o.MaxBytes, 10<<20), cmp.Or(o.Keep, 3)
	l := &Log{path: path, o: o}
	if err := l.open(); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *Log) open() error {
	f, err := Append(l.path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Append opens a file for appending and makes it readable only by its owner. CodeUnavailable if it cannot be written.
func Append(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, Unwritable(path, err)
	}
	if err := f.Chmod(0o600); err != nil {
		return nil, errors.Join(Unwritable(path, err), f.Close())
	}
	return f, nil
}

// Unwritable is the error of a file in the data directory that cannot be written.
func Unwritable(path string, err error) error {
	return engram.Errorf(engram.CodeUnavailable, "%s cannot be written", path).
		WithHint("check that the folder can be written, or choose another with --data-dir").WithCause(err)
}

// Write appends p in one piece, rotating if necessary; text longer than a file gets its own. If
// rotation fails the file grows, and if writing fails the text is dropped: a server does not end
// because of its log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil && l.size > 0 && l.size+int64(len(p)) > l.o.MaxBytes {
		l.rotate()
	}
	if l.file == nil {
		if err := l.open(); err != nil {
			return 0, fmt.Errorf("write to the log: %w", err)
		}
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

// rotate renames PATH to PATH.1, that to PATH.2, and drops the oldest. It closes the file first,
// because Windows cannot rename open files.
func (l *Log) rotate() {
	_ = l.file.Close() // the data is written, whatever it returns
	l.file = nil
	for n := l.o.Keep; n > 0; n-- {
		from := l.older(n - 1)
		if n == 1 {
			from = l.path
		}
		_ = os.Rename(from, l.older(n)) // there may be no such file yet
	}
}

func (l *Log) older(n int) string { return fmt.Sprintf("%s.%d", l.path, n) }

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}

// Size returns the length of a file in bytes, without opening it; 0 if it does not exist.
func Size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Tail returns at most so many of the last lines written to a log after its first from bytes, or nil.
func Tail(path string, from int64, most int) []string {
	const window = 8 << 10
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < from {
		from = 0 // it was rotated meanwhile
	}
	start := from
	if err == nil {
		start = max(from, info.Size()-window)
	}
	buf := make([]byte, window)
	n, _ := f.ReadAt(buf, start) // whatever could be read
	return lastLines(string(buf[:n]), most, start > from)
}

// lastLines returns the last nonempty lines; cut means that the first line may be incomplete.
func lastLines(text string, most int, cut bool) []string {
	if cut {
		_, text, _ = strings.Cut(text, "\n")
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-most):]
}
