package daemon

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/alanbuscaglia/engram"
)

// lookEvery is how often it is looked whether a lock was given up or taken.
const lookEvery = 20 * time.Millisecond

// End asks the holder of the lock of dir to end, by a signal or, where the system has none,
// by OperationStop; and waits until the lock is given up. When ctx is done before, or the process
// is not of this system, the error is CodeUnavailable.
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

// Kill ends the holder of the lock of dir without asking, and waits until the lock is
// given up. What it was writing is undone by the database; what it was answering breaks off.
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
	return engram.Errorf(engram.CodeUnavailable, "the process of the server is not known on this system").
		WithHint("it may run in a container: end it there")
}

// signalled sends a signal to the holder if it is still the holder.
func signalled(dir string, h Holder, send func(*os.Process) (bool, error)) (bool, error) {
	if h.Process <= 0 {
		return false, nil
	}
	p, err := os.FindProcess(h.Process)
	if err != nil {
		return false, nil // it is gone
	}
	defer func() { _ = p.Release() }()
	// Now that the process is held fast, its number cannot pass to another one unseen.
	again, held, err := Look(dir)
	if err != nil || !held || again.Process != h.Process {
		return err == nil && !held, err
	}
	sent, err := send(p)
	if errors.Is(err, os.ErrProcessDone) {
		return true, nil
	}
	if err != nil {
		return false, engram.Errorf(engram.CodeForbidden, "process %d may not be ended by this user", h.Process).WithCause(err)
	}
	return sent, nil
}

// Exited waits until nobody holds the lock of dir. When ctx is done before, the error is
// CodeUnavailable.
func Exited(ctx context.Context, dir string) error {
	return until(ctx, func() (bool, error) {
		_, held, err := Look(dir)
		return !held, err
	})
}

// Ready waits until the holder of the lock of dir says where it can be asked, and returns
// it; held is false when nobody holds it any more. When ctx is done before, the error is
// CodeUnavailable.
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
