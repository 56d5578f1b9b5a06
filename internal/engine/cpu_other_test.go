//go:build !unix

package engine_test

import "time"

// cpuTime is not known here: benchmarks then report the clock alone.
func cpuTime() time.Duration { return 0 }
