// Package daemon is what makes a server of one data directory findable: the lock that
// says whether there is one, the record that says where, the log it writes, how it is
// started apart from the terminal, and how the program's own commands speak with it.
//
// The lock decides, never the existence of a file: the system takes it from a process
// that ends, however it ends, and on Unix tells who has it. So a file that was left
// behind is recognised, and a stranger who got the number of a process that ended is
// never signalled. What the server does is not known here; app hands it in.
package daemon

import "path/filepath"

// Files are the files of a server in its data directory. Only their owner may read them.
type Files struct {
	// Lock is held while the server runs, and has the record of it. It is never removed:
	// two processes could otherwise each hold one of that name.
	Lock string
	PID  string // number of the process, for people and scripts; nothing relies on it
	Log  string // of a server in the background, and older ones beside it
}

// FilesIn are the files in a data directory.
func FilesIn(dir string) Files {
	return Files{Lock: filepath.Join(dir, "engram.lock"), PID: filepath.Join(dir, "engram.pid"), Log: filepath.Join(dir, "engram.log")}
}
