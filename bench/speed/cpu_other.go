//go:build !linux

package main

import (
	"errors"
	"time"
)

var errLinux = errors.New("the CPU time of a server is read from /proc, which only Linux has")

func cpuOf(int) (time.Duration, error) { return 0, errLinux }

func ownCPU() (time.Duration, error) { return 0, errLinux }

func residentOf(int) (now, most float64, err error) { return 0, 0, errLinux }
