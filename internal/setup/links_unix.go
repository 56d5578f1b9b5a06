//go:build unix

package setup

import (
	"io/fs"
	"syscall"
)

// names returns the number of a file's names.
func names(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink) // its type differs between systems
	}
	return 1
}
