//go:build !unix

package enginetest

import "time"

// CPUTime is unknown here: benchmarks report only wall time.
func CPUTime() time.Duration { return 0 }
