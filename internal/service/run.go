package service

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// runPatience is the time limit of the system's commands.
const runPatience = 30 * time.Second

// runAgain is the pause between two attempts of RunUntil.
const runAgain = 200 * time.Millisecond

// Has reports whether the programs of the commands are installed.
func Has(commands [][]string) bool {
	for _, c := range commands {
		if _, err := exec.LookPath(c[0]); err != nil {
			return false
		}
	}
	return true
}

// Run runs commands in order. The first failure is the error, CodeUnavailable, with its output.
func Run(ctx context.Context, commands [][]string) error {
	ctx, cancel := context.WithTimeout(ctx, runPatience)
	defer cancel()
	for _, c := range commands {
		var said bytes.Buffer
		cmd := exec.CommandContext(ctx, c[0], c[1:]...)
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Run(); err != nil {
			return engram.Errorf(engram.CodeUnavailable, "%s: %s", strings.Join(c, " "), strings.Join(strings.Fields(said.String()), " ")).WithCause(err)
		}
	}
	return nil
}

// RunUntil repeats Run until it succeeds or patience has passed.
func RunUntil(ctx context.Context, commands [][]string, patience time.Duration) error {
	again := time.NewTicker(runAgain)
	defer again.Stop()
	late := time.After(patience)
	for {
		err := Run(ctx, commands)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-late:
			return err
		case <-again.C:
		}
	}
}
