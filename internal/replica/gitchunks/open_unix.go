//go:build unix

package gitchunks

import "syscall"

// openAtOnce keeps opening a pipe without a writer from blocking.
const openAtOnce = syscall.O_NONBLOCK
