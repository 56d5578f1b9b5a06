package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

const (
	// flushEvery is how often a server writes down what was counted: what is lost when it
	// is killed.
	flushEvery = 10 * time.Second
	// flushWait is how long writing it down may wait for other writers at the end of a
	// process: counters are worth no second of a person's.
	flushWait = 100 * time.Millisecond
	// maxLeft is how much commands leave in the file beside the database before one of
	// them writes it down, in bytes.
	maxLeft = 64 << 10
)

// counting brings what the verbs have counted into the store. A server does it beside its
// answers. A command would have to wait for the disk twice, to commit and to close, which
// costs more than most searches: it leaves its counters in a file beside the database,
// which is not synced, and the next server, look at the metrics, or command that finds
// much of it there, takes them in.
type counting struct {
	path  string // of that file
	tally *engine.Tally
	flush func(context.Context) error // engine.FlushTally
	serve func() bool                 // whether this is a server; asked at the end
	log   *slog.Logger
}

// run writes down what was counted, every now and then. What fails is tried again.
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

// write takes in what commands have left, and writes all of it down.
func (c counting) write(ctx context.Context, wait time.Duration) {
	c.collect()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := c.flush(ctx); err != nil {
		// A store that cannot be written is told by whoever has to write; counters can wait.
		c.log.Debug("what was asked could not be counted", "error", err)
	}
}

// end is for the end of the process, while the store is still open.
func (c counting) end() {
	left, err := os.Stat(c.path)
	if c.serve() || err == nil && left.Size() > maxLeft {
		c.write(context.Background(), flushWait)
	}
	if err := c.leave(c.tally.Take()); err != nil {
		c.log.Debug("what was asked could not be counted", "error", err)
	}
}

// leave adds counters to the file. One write appends all of them: those of two processes
// do not mix.
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
	f, err := os.OpenFile(c.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(lines.Bytes())
	return errors.Join(err, f.Close())
}

// collect takes in what is in the file. It is renamed first, so that of two who do
// it at once one gets it. Lines that are no counters are passed over.
func (c counting) collect() {
	mine := fmt.Sprintf("%s-%d", c.path, os.Getpid())
	err := os.Rename(c.path, mine)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	lines, readErr := os.ReadFile(mine)
	if err = errors.Join(err, readErr, os.Remove(mine)); err != nil {
		c.log.Debug("what commands have counted could not be read", "error", err)
	}
	var cs []engram.Counter
	for line := range bytes.Lines(lines) {
		var counter engram.Counter
		if json.Unmarshal(line, &counter) == nil && counter.Verb != "" && counter.Events > 0 {
			cs = append(cs, counter)
		}
	}
	c.tally.Put(cs)
}

// newCounting returns that of an App, before its engine is made.
func (a *App) newCounting() counting {
	return counting{path: a.opts.Config.DBPath + "-counts", tally: engine.NewTally(time.Now), log: a.opts.Log,
		flush: func(ctx context.Context) error { return a.Engine.FlushTally(ctx) },
		serve: func() bool { return a.jobs.begun }}
}
