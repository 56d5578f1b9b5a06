// Package waittest waits in tests for what another process does, which no channel reports. It is the only place
// where a test sleeps by the real clock: goroutines of the test itself report through channels, and timers are
// tested within testing/synctest.
package waittest

import "time"

// patience is how long Until waits: longer than any process takes on a busy machine.
const patience = 30 * time.Second

// A Failer is a test: a testing.TB or a testscript.TestScript.
type Failer interface {
	// Fatalf ends the test.
	Fatalf(format string, args ...any)
}

// Until calls done every few milliseconds until it returns true. After thirty seconds it fails the test; event
// completes the message "30s passed before ".
func Until(t Failer, event string, done func() bool) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	for end := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%v passed before %s", patience, event)
			return
		}
	}
}

// Hang is for a process that its test kills. It returns after a minute, so that a broken test leaves no process.
func Hang() { time.Sleep(time.Minute) }
