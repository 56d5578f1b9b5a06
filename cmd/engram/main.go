// Command engram is the program. internal/cli is the command line, internal/app wires the rest, and
// testdata/script specifies the behaviour.
package main

import (
	"context"
	"os"

	"github.com/alanbuscaglia/engram/internal/cli"
	"github.com/alanbuscaglia/engram/internal/cli/command"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, end := context.WithCancelCause(context.Background())
	defer end(nil)
	always := endBySignal(end)
	return cli.Run(ctx, command.Options{
		EndBySignal: always,
		Args:        os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: programVersion(), Built: sourceDay(),
	})
}
