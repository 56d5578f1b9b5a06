//go:build unix

package sqlite_test

import (
	"os/signal"
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

// limitFiles lets no file of this process grow beyond so many bytes: as near to a
// full disk as a test comes without a disk of its own. 0 lifts the limit.
func limitFiles(bytes uint64) error {
	signal.Ignore(syscall.SIGXFSZ) // the write fails instead
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = min(bytes, limit.Max)
	if bytes == 0 {
		limit.Cur = limit.Max
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}
