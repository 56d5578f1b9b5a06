//go:build unix

package sqlite_test

import (
	"syscall"
	"testing"
	"time"
)

// cpu is the processor time that this process has used: what a benchmark on a busy
// machine can be judged by.
func cpu(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatalf("getrusage: %v", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
