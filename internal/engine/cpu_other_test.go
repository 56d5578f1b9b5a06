//go:build !unix

package engine_test

import "time"

// cpuTime is unknown here: benchmarks report only wall time.
func cpuTime() time.Duration { return 0 }
