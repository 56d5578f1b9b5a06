package app

import (
	"errors"
	"io"
	"os"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// spool keeps what an import has looked through in a file that only the user may read,
// among the temporary ones.
type spool struct{ file *os.File }

// newSpool makes one; without room for it the error is CodeUnavailable.
func newSpool() (engine.Spool, error) {
	f, err := os.CreateTemp("", "engram-import-")
	if err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "no place for what is imported").
			WithHint("set TMPDIR to a folder that can be written").WithCause(err)
	}
	return spool{f}, nil
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
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}
