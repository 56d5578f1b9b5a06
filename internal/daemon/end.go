package daemon

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/alanbuscaglia/engram"
)

// lookEvery is the interval for checking a lock.
const lookEvery = 20 * time.Millisecond

// End asks the holder of dir's lock to end, by a signal or, if the system has none, by
// OperationStop, and waits for the lock to be released. CodeUnavailable if ctx ends first or the
// process belongs to another system.
func End(ctx context.Context, dir string, h Holder, token string) error {
	asked, err := signalled(dir, h, askToEnd)
	if err != nil {
		return err
	}
	if !asked && !h.Here() {
		return elsewhere()
	}
	if !asked {
		short, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		var none struct{}
		if err := h.Ask(short, token, OperationStop, struct{}{}, &none); err != nil && !errors.Is(err, ErrNoAnswer) {
			return err
		}
	}
	return Exited(ctx, dir)
}

// Kill kills the holder of dir's lock and waits for the lock to be released. The database rolls
// back what it was writing; its requests break off.
func Kill(ctx context.Context, dir string, h Holder) error {
	killed, err := signalled(dir, h, func(p *os.Process) (bool, error) { return true, p.Kill() })
	if err != nil {
		return err
	}
	if !killed {
		return elsewhere()
	}
	return Exited(ctx, dir)
}

func elsewhere() error {
	return engram.Errorf(engram.CodeUnavailable, "the server's process is not on this system").
		WithHint("it may run in a container: end it there")
}

// signalled sends a signal to the holder if it still holds the lock.
func signalled(dir string, h Holder, send func(*os.Process) (bool, error)) (bool, error) {
	if h.Process <= 0 {
		return false, nil
	}
	p, err := os.FindProcess(h.Process)
	if err != nil {
		return false, nil // it has ended
	}
	defer func() { _ = p.Release() }()
	// The handle keeps the process number from being reused unnoticed.
	again, held, err := Look(dir)
	if err != nil || !held || again.Process != h.Process {
		return err == nil && !held, err
	}
	sent, err := send(p)
	if errors.Is(err, os.ErrProcessDone) {
		return true, nil
	}
	if err != nil {
		return false, engram.Errorf(engram.CodeForbidden, "this user may not end process %d", h.Process).WithCause(err)
	}
	return sent, nil
}

// Exited waits until the lock of dir is free; CodeUnavailable if ctx ends first.
func Exited(ctx context.Context, dir string) error {
	return until(ctx, func() (bool, error) {
		_, held, err := Look(dir)
		return !held, err
	})
}

// Ready waits until the holder of dir's lock publishes its address, and returns it; held is false
// if the lock becomes free. CodeUnavailable if ctx ends first.
func Ready(ctx context.Context, dir string) (h Holder, held bool, err error) {
	err = until(ctx, func() (bool, error) {
		var err error
		h, held, err = Look(dir)
		return !held || h.Listens != "", err
	})
	return h, held, err
}

func until(ctx context.Context, done func() (bool, error)) error {
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return engram.Errorf(engram.CodeUnavailable, "the server takes too long").WithCause(ctx.Err())
		case <-again.C:
		}
	}
}
