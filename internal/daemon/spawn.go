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

	"github.com/alanbuscaglia/engram"
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
	log, err := appendTo(c.Log)
	if err != nil {
		return nil, unwritable(c.Log, err)
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
