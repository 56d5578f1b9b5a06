//go:build unix

package gitchunks

import "syscall"

// openAtOnce has a pipe opened though nobody writes to it.
const openAtOnce = syscall.O_NONBLOCK
