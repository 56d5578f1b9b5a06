package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cpuOf returns the CPU time that the threads of a process took so far, in nanoseconds' resolution. Its accuracy is that of
// threads that sleep: those of a server that has answered do.
func cpuOf(pid int) (time.Duration, error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("process %d has no threads: %v", pid, err)
	}
	var sum time.Duration
	for _, name := range files {
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // the thread has just ended
		}
		if err != nil {
			return 0, err
		}
		used, _, _ := strings.Cut(string(text), " ")
		ns, err := strconv.ParseInt(used, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", name, err)
		}
		sum += time.Duration(ns)
	}
	return sum, nil
}

// ownCPU returns the CPU time of this process, which runs the libraries.
func ownCPU() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// residentOf returns the memory of a process in MB: now, and the most it had.
func residentOf(pid int) (now, most float64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		kB, _ := strconv.ParseFloat(f[1], 64) // other lines have no number
		switch f[0] {
		case "VmRSS:":
			now = kB / 1024
		case "VmHWM:":
			most = kB / 1024
		}
	}
	return now, most, nil
}
