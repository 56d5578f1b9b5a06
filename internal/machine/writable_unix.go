//go:build unix

package machine

import "golang.org/x/sys/unix"

// writable returns why this user cannot create a file in dir.
func writable(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }
