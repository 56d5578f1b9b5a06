//go:build !unix

package transformer

import (
	"io"
	"os"
)

// mapFile reads the content of a file. A mapped file could be neither renamed nor removed on Windows.
func mapFile(file *os.File, size int64) ([]byte, func() error, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(file, b)
	return b, func() error { return nil }, err
}

// release has nothing to do for a file that was read.
func release([]byte) {}
