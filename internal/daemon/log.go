package daemon

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// LogOptions bound a log. The zero value is 10 MiB and three older files.
type LogOptions struct {
	MaxBytes int64 // of one file; 0 is 10 MiB
	Keep     int   // older files: PATH.1 is the latest of them; 0 is 3
}

// Log is a file that is written to line by line and set aside when it is full. Only the
// owner may read it and the older ones. Many goroutines may write.
type Log struct {
	path string
	o    LogOptions

	mu   sync.Mutex
	file *os.File
	size int64
}

// OpenLog opens a log, or goes on with the one that is there.
func OpenLog(path string, o LogOptions) (*Log, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = 10 << 20
	}
	if o.Keep == 0 {
		o.Keep = 3
	}
	l := &Log{path: path, o: o}
	if err := l.open(); err != nil {
		return nil, unwritable(path, err)
	}
	return l, nil
}

func (l *Log) open() error {
	f, err := appendTo(l.path)
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

// appendTo opens a file that only its owner may read, however it was made.
func appendTo(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o600); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Write appends p, in one piece, to a file that has room for it; what is longer than a
// whole file gets one of its own. A log that cannot be set aside goes on growing, and one
// that cannot be written drops what it is told: a server does not end for its log.
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

// rotate sets the file aside: PATH becomes PATH.1, that becomes PATH.2, the oldest goes.
// The file is closed first, for Windows moves none that is open.
func (l *Log) rotate() {
	_ = l.file.Close() // whatever it says, what was written is there
	l.file = nil
	for n := l.o.Keep; n > 0; n-- {
		from := l.older(n - 1)
		if n == 1 {
			from = l.path
		}
		_ = os.Rename(from, l.older(n)) // there may be none yet
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

// Size is the length of a file in bytes; 0 where there is none.
func Size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Tail returns the last lines of a log, at most so many, that were written after its
// first from bytes; nil where there are none.
func Tail(path string, from int64, most int) []string {
	const window = 8 << 10
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < from {
		from = 0 // it was set aside meanwhile
	}
	start := from
	if err == nil {
		start = max(from, info.Size()-window)
	}
	buf := make([]byte, window)
	n, _ := f.ReadAt(buf, start) // what could be read is what there is
	return lastLines(string(buf[:n]), most, start > from)
}
