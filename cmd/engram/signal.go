package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alanbuscaglia/engram/internal/cli"
)

// endPatience is how long an interrupted command may take to end: longer than a server needs to finish its
// requests.
const endPatience = 20 * time.Second

// endBySignal cancels the command on SIGINT or SIGTERM, so that it can roll back and remove its files. A
// second signal, or endPatience, ends the process at once.
//
// A shell starts background jobs with SIGINT ignored, and most commands leave it so. Those that run until they are
// ended call the returned function, after which both signals end them.
func endBySignal(end context.CancelCauseFunc) (always func()) {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if !signal.Ignored(s) {
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
	return func() { signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM) }
}
