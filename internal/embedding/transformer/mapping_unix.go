//go:build unix

package transformer

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile returns the content of a file without reading it: pages come when they are used, and may leave again. The function
// returned ends that.
func mapFile(file *os.File, size int64) ([]byte, func() error, error) {
	b, err := unix.Mmap(int(file.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return b, func() error { return unix.Munmap(b) }, nil
}

// release tells the system that pages of a mapped file which were read are not needed soon: most of them have been packed.
func release(b []byte) {
	_ = unix.Madvise(b, unix.MADV_DONTNEED) // advice: what is not taken costs memory and nothing else
}
