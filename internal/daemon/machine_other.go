//go:build !linux

package daemon

// machineName tells apart systems whose loopback address is not the same; "" where there is
// no name that stays the same as long as the system runs.
func machineName() string { return "" }
