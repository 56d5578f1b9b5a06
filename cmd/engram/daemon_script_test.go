package main

import (
	"os"
	"os/exec"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// stopped FOLDER stops the server of the folder when the script ends, whatever its result.
func stopped(ts *testscript.TestScript, _ bool, args []string) {
	dir, env := ts.MkAbs(args[0]), append(os.Environ(), "HOME="+ts.Getenv("HOME"))
	ts.Defer(func() {
		cmd := exec.Command("engram", "stop", "--force", "--wait", "5s", "--data-dir", dir)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			ts.Logf("stop: %v\n%s", err, out)
		}
	})
}

// running waits until a server of the data directory responds.
func running(ts *testscript.TestScript, _ bool, _ []string) {
	for range 500 {
		if ts.Exec("engram", "status") == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	ts.Fatalf("no server runs after ten seconds")
}
