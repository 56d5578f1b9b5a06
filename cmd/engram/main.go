// Command engram is the program. It holds nothing: internal/cli is the command line,
// and internal/app wires what is behind it. testdata/script specifies it.
package main

import (
	"context"
	"os"

	"github.com/alanbuscaglia/engram/internal/cli"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, end := context.WithCancelCause(context.Background())
	defer end(nil)
	endBySignal(end)
	return cli.Run(ctx, cli.Options{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: programVersion(), Built: sourceDay(),
	})
}
