package cli

import (
	"context"
	"errors"
	"io"
	"syscall"
)

// Interrupted is why a context ended: by a signal of this number.
type Interrupted syscall.Signal

// Error implements error.
func (Interrupted) Error() string { return "interrupted" }

// ExitCode is what a process ends with that a signal ended, as shells have it.
func (s Interrupted) ExitCode() int { return 128 + int(s) }

// exitAfter reports err and returns the exit code: of a command that failed because it was
// interrupted that of the signal, and a word instead of what was under way. One that ends
// by signals, such as a server, has not failed.
func (p *program) exitAfter(ctx context.Context, err error) int {
	by, interrupted := errors.AsType[Interrupted](context.Cause(ctx))
	if err == nil || !interrupted {
		return p.exit(err)
	}
	if errors.Is(err, context.Canceled) {
		err = by
	}
	p.exit(err)
	return by.ExitCode()
}

// input is standard input, of which nobody waits for more once ctx is done.
type input struct {
	ctx context.Context
	in  io.Reader
}

// Read implements io.Reader.
func (r input) Read(b []byte) (int, error) {
	type read struct {
		n   int
		err error
	}
	own := make([]byte, len(b)) // b belongs to the caller again when it is not waited for
	done := make(chan read, 1)
	go func() {
		n, err := r.in.Read(own)
		done <- read{n, err}
	}()
	select {
	case got := <-done:
		return copy(b, own[:got.n]), got.err
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}
