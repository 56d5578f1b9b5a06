//go:build !linux

package daemon

// machineName distinguishes systems with different loopback addresses; "" because there is no name
// that is stable while the system runs.
func machineName() string { return "" }
