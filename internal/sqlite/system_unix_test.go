//go:build unix

package sqlite_test

import (
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// cpu returns the processor time of this process, which is comparable on a busy machine.
func cpu(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatalf("getrusage: %v", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// limitFiles limits the size of the files of this process, to simulate a full disk. 0 lifts the limit.
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
