package enginetest

import "testing"

// MeasureCPU runs a benchmark's loop and reports the CPU time that the process used for each of the things that an
// iteration makes, which other work of the machine does not change as it does the time on the clock.
func MeasureCPU(b *testing.B, things int, loop func()) {
	before := CPUTime()
	loop()
	if used := CPUTime() - before; used > 0 {
		b.ReportMetric(float64(used)/float64(b.N)/float64(things), "cpu-ns/op")
	}
}
