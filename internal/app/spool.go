package app

import (
	"errors"
	"io"
	"os"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// spool keeps what an import has looked through in a file that only the user may read,
// among the temporary ones. Where the system lets an open file go without its name, nothing
// stays of it however the program ends.
type spool struct {
	file  *os.File
	named bool // it has to be removed at the end
}

// newSpool makes one; without room for it the error is CodeUnavailable.
func newSpool() (engine.Spool, error) {
	f, err := os.CreateTemp("", "engram-import-")
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "no place for what is imported").
			WithHint("set TMPDIR to a folder that can be written").WithCause(err)
	}
	return spool{f, os.Remove(f.Name()) != nil}, nil // Windows removes no open file
}

// Write implements engine.Spool.
func (s spool) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	if err != nil {
		err = engram.Errorf(engram.CodeUnavailable, "what is imported cannot be kept").WithHint("make room in %s; nothing was changed", os.TempDir()).WithCause(err)
	}
	return n, err
}

// Rewind implements engine.Spool.
func (s spool) Rewind() (io.Reader, error) {
	_, err := s.file.Seek(0, io.SeekStart)
	return s.file, err
}

// Close implements engine.Spool.
func (s spool) Close() error {
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}
