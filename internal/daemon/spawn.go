package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/daemon/logfile"
)

// Command describes a server to start.
type Command struct {
	Path string   // absolute path of the program
	Args []string // without the program's name
	Env  []string // NAME=value, in addition to this process's environment
	Dir  string   // working folder
	Log  string   // file that its standard error is appended to
}

// maxFirstLine limits the output of a server before it is ready, in bytes.
const maxFirstLine = 1 << 20

// Spawn starts c in a session of its own, so that it outlives this process. It returns the JSON
// document that the server prints when it is ready; if the server ended instead, the error in that
// document. A server that is not ready when ctx ends is killed.
func Spawn(ctx context.Context, c Command) (doc []byte, err error) {
	log, err := logfile.Append(c.Log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	// Not CommandContext: the server must outlive ctx.
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.SysProcAttr = c.Dir, detached()
	cmd.Env = append(cmd.Environ(), c.Env...)
	if errorsToLog {
		cmd.Stderr = log
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	defer out.Close()
	cmd.Stdout = in
	if err := errors.Join(cmd.Start(), in.Close()); err != nil {
		return nil, engram.Errorf(engram.CodeUnavailable, "%s cannot be run", c.Path).WithCause(err)
	}
	said := make(chan []byte, 1)
	go func() {
		said <- firstDocument(out)
	}()
	select {
	case doc = <-said:
	case <-ctx.Done():
		// No client knows it yet, so it must not go on.
		err := cmd.Process.Kill()
		_ = out.Close() // ends firstDocument
		<-said
		return nil, errors.Join(engram.Errorf(engram.CodeUnavailable, "the server did not start in time").WithCause(ctx.Err()), err, ended(cmd))
	}
	var r refusal
	if json.Unmarshal(doc, &r) != nil {
		_ = ended(cmd) // it closed its output, which it does only when it ends
		return nil, engram.Errorf(engram.CodeUnavailable, "the server ended before it was ready")
	}
	if r.Error.Code != "" {
		_ = ended(cmd) // its document has the reason
		return nil, r.err()
	}
	return doc, cmd.Process.Release()
}

// firstDocument reads one JSON document, or what was written before the end.
func firstDocument(r io.Reader) []byte {
	var doc json.RawMessage
	d := json.NewDecoder(io.LimitReader(r, maxFirstLine))
	if err := d.Decode(&doc); err != nil {
		rest, _ := io.ReadAll(d.Buffered())
		return bytes.TrimSpace(rest)
	}
	return doc
}

// ended waits for a process to end; the exit status is reported elsewhere.
func ended(cmd *exec.Cmd) error {
	err := cmd.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		return nil
	}
	return err
}

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
