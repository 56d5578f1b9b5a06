package main

import (
	"os"
	"os/exec"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/alanbuscaglia/engram/internal/waittest"
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
	waittest.Until(ts, "a server runs", func() bool { return ts.Exec("engram", "status") == nil })
}
