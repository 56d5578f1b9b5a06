package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alanbuscaglia/engram/internal/cli"
)

// endPatience is how long a command may take to end that was asked to: longer than a
// server, which finishes what is under way.
const endPatience = 20 * time.Second

// endBySignal has what a command was doing undone and its files removed when it is
// interrupted or told to end. A second signal ends it at once, as does the time.
func endBySignal(end context.CancelCauseFunc) {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if !signal.Ignored(s) { // as by a shell for what it runs in the background
			signal.Notify(signals, s)
		}
	}
	go func() {
		by, ok := (<-signals).(syscall.Signal)
		signal.Stop(signals)
		if !ok {
			by = syscall.SIGTERM
		}
		end(cli.Interrupted(by))
		<-time.After(endPatience)
		os.Exit(cli.Interrupted(by).ExitCode())
	}()
}
