// Package daemon makes the server of a data directory discoverable: the lock that shows whether one
// runs, its record, its log, how it is started in the background, and how commands talk to it.
//
// The lock decides, not the existence of a file: the system releases it when a process ends in any
// way, and on Unix tells who holds it. So leftover files are recognised, and an unrelated process
// with a reused number is never signalled. The operations themselves come from app.
package daemon

import "path/filepath"

// Files are a server's files in its data directory. Only their owner may read them.
type Files struct {
	// Lock is held while the server runs, and contains its record. It is never removed: otherwise
	// two processes could each lock a file of that name.
	Lock string
	PID  string // process number, for people and scripts only
	Log  string // of a server in the background, with older logs beside it
}

// FilesIn returns the files in a data directory.
func FilesIn(dir string) Files {
	return Files{Lock: filepath.Join(dir, "engram.lock"), PID: filepath.Join(dir, "engram.pid"), Log: filepath.Join(dir, "engram.log")}
}
