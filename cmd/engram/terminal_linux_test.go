package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// The scripts under testdata/terminal run at a terminal: lists, questions and colours.
func TestTerminalScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/terminal",
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"code": code, "json": jsonField, "screen": screen},
	})
}

// screen COLUMNS COMMAND… runs a command on a terminal of that width. Its screen becomes the file "screen",
// with plain line ends.
func screen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: screen COLUMNS command [args...]")
	}
	columns, err := strconv.Atoi(args[0])
	ts.Check(err)
	out, err := onTerminal(columns, func(tty *os.File) error {
		cmd := exec.Command(args[1], args[2:]...)
		cmd.Env = environment(ts)
		cmd.Dir = ts.MkAbs(".")
		cmd.Stdout, cmd.Stderr = tty, tty
		return cmd.Run()
	})
	ts.Check(os.WriteFile(ts.MkAbs("screen"), out, 0o600))
	if err != nil {
		ts.Fatalf("%q: %v\n%s", args[1:], err, out)
	}
}

// environment is the environment of a script's commands; testscript has no list of it.
func environment(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "ENGRAM_TIMEZONE", "NO_COLOR", "TERM", "COLUMNS"} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// onTerminal opens a pseudo-terminal, runs something on it and returns its output.
//
// Source: pty(7); the requests are those of Linux.
func onTerminal(columns int, run func(tty *os.File) error) ([]byte, error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer master.Close()
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, err
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)}); err != nil {
		return nil, err
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	// Without OPOST, line ends stay as the program wrote them.
	attrs, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		return nil, err
	}
	attrs.Oflag &^= unix.OPOST
	if err := unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, attrs); err != nil {
		return nil, err
	}
	text := make(chan []byte)
	go func() {
		out, _ := io.ReadAll(master) // always an error, since the other side is closed
		text <- out
	}()
	err = run(tty)
	if closing := tty.Close(); err == nil {
		err = closing
	}
	return <-text, err
}
