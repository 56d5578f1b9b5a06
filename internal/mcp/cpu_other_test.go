//go:build !unix

package mcp_test

import "time"

// cpuTime is not known here: benchmarks then report the clock alone.
func cpuTime() time.Duration { return 0 }
