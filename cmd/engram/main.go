// Command engram is the program. It holds nothing: internal/cli is the command line,
// and internal/app wires what is behind it. testdata/script specifies it.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/alanbuscaglia/engram/internal/cli"
)

// version is set by the release build: -ldflags "-X main.version=1.2.3".
var version string

// built is set by it too: the day of the source, 2006-01-02.
var built string

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

// sourceDay is the day of the commit that the program was built from.
func sourceDay() string {
	info, ok := debug.ReadBuildInfo()
	if built != "" || !ok {
		return built
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			day, _, _ := strings.Cut(s.Value, "T")
			return day
		}
	}
	return ""
}

// programVersion is the release's version, that of `go install …@v1.2.3`, or "dev".
func programVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || strings.HasPrefix(info.Main.Version, "(devel)") || strings.HasPrefix(info.Main.Version, "v0.0.0-") {
		return "dev"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}
