package service

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// runPatience is how long one command of the system may take.
const runPatience = 30 * time.Second

// runAgain is the pause between two tries of RunUntil.
const runAgain = 200 * time.Millisecond

// Has reports whether the program of the commands is on this machine.
func Has(commands [][]string) bool {
	for _, c := range commands {
		if _, err := exec.LookPath(c[0]); err != nil {
			return false
		}
	}
	return true
}

// Run runs commands of the system, one after the other. The first that fails is the
// error, CodeUnavailable, with what it said.
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

// RunUntil is Run that tries again until nothing fails, or some time has passed.
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
