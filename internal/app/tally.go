package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
)

const (
	// flushEvery is the interval at which a server stores counters: a killed one loses that much.
	flushEvery = 10 * time.Second
	// flushWait limits how long storing counters waits for other writers at the end of a process:
	// counters are not worth a second of a person's time.
	flushWait = 100 * time.Millisecond
	// maxLeft is the size in bytes of the file of counters at which a command stores them.
	maxLeft = 64 << 10
)

// counting moves the counters of operations into the store. A server does that in the background. A
// command leaves them in a file beside the database, since waiting for the disk twice would cost
// more than most searches; the next server, `metrics`, or a command that finds the file full takes
// them in.
type counting struct {
	path  string // of the file of counters
	tally *exposure.Tally
	flush func(context.Context) error // engine.FlushTally
	serve func() bool                 // whether this is a server; called at the end
	log   *slog.Logger
}

// run stores counters periodically, and retries failures.
func (c counting) run(ctx context.Context) {
	again := time.NewTicker(flushEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return // end does the rest
		case <-again.C:
			c.write(ctx, flushEvery)
		}
	}
}

// write takes in what commands left, and stores everything.
func (c counting) write(ctx context.Context, wait time.Duration) {
	c.collect()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := c.flush(ctx); err != nil {
		// Writers report a store that cannot be written; counters can wait.
		c.log.Debug("cannot store the counters", "error", err)
	}
}

// end is for the end of the process, while the store is still open.
func (c counting) end() {
	left, err := os.Stat(c.path)
	if c.serve() || err == nil && left.Size() > maxLeft {
		c.write(context.Background(), flushWait)
	}
	if err := c.leave(c.tally.Take()); err != nil {
		c.log.Debug("cannot store the counters", "error", err)
	}
}

// leave appends counters to the file.
func (c counting) leave(cs []engram.Counter) error {
	if len(cs) == 0 {
		return nil
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, counter := range cs {
		if err := enc.Encode(counter); err != nil {
			return err
		}
	}
	return c.locked(os.O_CREATE, func(f *os.File) error {
		_, err := f.Write(lines.Bytes())
		return err
	})
}

// collect takes in and empties the file. Invalid lines are skipped.
func (c counting) collect() {
	var lines []byte
	err := c.locked(0, func(f *os.File) (err error) {
		if lines, err = io.ReadAll(f); err == nil {
			err = f.Truncate(0)
		}
		if err != nil {
			lines = nil // they stay in the file, to be counted once
			return err
		}
		_ = os.Remove(c.path) // some systems cannot remove an open file; it stays, empty
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.log.Debug("cannot read the counters of commands", "error", err)
	}
	var cs []engram.Counter
	for line := range bytes.Lines(lines) {
		var counter engram.Counter
		if json.Unmarshal(line, &counter) == nil && counter.Operation != "" && counter.Events > 0 {
			cs = append(cs, counter)
		}
	}
	c.tally.Put(cs)
}

// locked opens the file and calls do while no other process has it: lines appended between
// another's reading and removing it would be lost. It waits up to flushWait.
func (c counting) locked(create int, do func(*os.File) error) error {
	until := time.Now().Add(flushWait)
	for {
		f, err := os.OpenFile(c.path, os.O_RDWR|os.O_APPEND|create, 0o600)
		if err != nil {
			return err
		}
		held, err := daemon.TryLock(f)
		if held && hasName(f, c.path) {
			return errors.Join(do(f), f.Close()) // closing unlocks it
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if time.Now().After(until) {
			return errors.New("another process holds " + c.path)
		}
		<-time.After(time.Millisecond)
	}
}

// newCounting returns an App's counting, before its engine exists.
func (a *App) newCounting() counting {
	return counting{path: a.opts.Config.DBPath + "-counts", tally: exposure.NewTally(time.Now), log: a.opts.Log,
		flush: func(ctx context.Context) error { return a.Engine.FlushTally(ctx) },
		serve: func() bool { return a.jobs.begun }}
}
