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

// Command is a server to start.
type Command struct {
	Path string   // of the program, absolute
	Args []string // without the program's name
	Env  []string // NAME=value, beside the environment of this process
	Dir  string   // working folder
	Log  string   // file that what it writes to standard error is added to
}

// maxFirstLine bounds what a server may say before it is ready, in bytes.
const maxFirstLine = 1 << 20

// Spawn starts c apart from this process: without its terminal, in a session of its own,
// so that it outlives it. It returns what the server says of itself on standard output,
// one JSON document, when it is ready; where it ended instead, the error that the document
// has. What is not ready when ctx is done is ended.
func Spawn(ctx context.Context, c Command) (doc []byte, err error) {
	log, err := appendTo(c.Log)
	if err != nil {
		return nil, unwritable(c.Log, err)
	}
	defer log.Close()
	// Not CommandContext: the server must outlive ctx.
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.SysProcAttr = c.Dir, apart()
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
		// Nobody knows of it yet, so it must not go on.
		err := cmd.Process.Kill()
		_ = out.Close() // ends firstDocument
		<-said
		return nil, errors.Join(engram.Errorf(engram.CodeUnavailable, "the server did not start in time").WithCause(ctx.Err()), err, ended(cmd))
	}
	var r refusal
	if json.Unmarshal(doc, &r) != nil {
		_ = ended(cmd) // it closed its output, which it does not while it lives
		return nil, engram.Errorf(engram.CodeUnavailable, "the server ended before it was ready")
	}
	if r.Error.Code != "" {
		_ = ended(cmd) // what it says is why
		return nil, engram.Errorf(r.Error.Code, "%s", r.Error.Message).WithHint("%s", r.Error.Hint)
	}
	return doc, cmd.Process.Release()
}

// firstDocument reads one JSON document, or what there was until the writer ended.
func firstDocument(r io.Reader) []byte {
	var doc json.RawMessage
	d := json.NewDecoder(io.LimitReader(r, maxFirstLine))
	if err := d.Decode(&doc); err != nil {
		rest, _ := io.ReadAll(d.Buffered())
		return bytes.TrimSpace(rest)
	}
	return doc
}

// ended waits for a process that ends; how it did is said elsewhere.
func ended(cmd *exec.Cmd) error {
	err := cmd.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		return nil
	}
	return err
}
