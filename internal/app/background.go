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
	"path/filepath"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/agentcli"
	"github.com/alanbuscaglia/engram/internal/chat"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
)

// background is a server's work besides answering. It begins when the store is first used, since
// there may be no store before, and ends with Close.
type background struct {
	work []func(context.Context) // each runs until its context ends

	once  sync.Once
	begun bool // work was begun; read only after close
	ctx   context.Context
	stop  context.CancelFunc
	done  sync.WaitGroup
}

func newBackground(work ...func(context.Context)) *background {
	b := &background{work: work}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

func (b *background) start() {
	b.once.Do(func() {
		b.begun = true
		for _, work := range b.work {
			b.done.Go(func() { work(b.ctx) })
		}
	})
}

func (b *background) close() {
	b.once.Do(func() {}) // it must not begin any more
	b.stop()
	b.done.Wait()
}

// embedEvery is the interval at which a server looks for memories without a vector.
const embedEvery = time.Minute

// embedMissing embeds memories without a vector of the current models, and retries failures. It reports one that lasts
// once.
func (a *App) embedMissing(ctx context.Context) {
	last := ""
	every(ctx, embedEvery, func() {
		res, err := a.Engine.Reembed(ctx, consolidate.ReembedInput{Background: true})
		if ctx.Err() != nil {
			return
		}
		before := last
		if last = ""; err != nil {
			last = err.Error()
		}
		switch {
		case err != nil && last != before:
			a.opts.Log.Warn("cannot embed memories", "error", err, "hint", engram.HintOf(err))
		case res.Embedded > 0:
			a.opts.Log.Info("memories were embedded", "count", res.Embedded, "model", res.Model.Name)
		}
	})
}

// every calls do now and at each interval until ctx ends.
func every(ctx context.Context, interval time.Duration, do func()) {
	again := time.NewTicker(interval)
	defer again.Stop()
	for {
		do()
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

// nightEvery is the interval at which a server checks the time. A single timer would be late after
// the machine was suspended.
const nightEvery = time.Minute

// nights runs the nightly sleep of a server.
type nights struct {
	at    config.TimeOfDay
	zone  *time.Location
	now   func() time.Time
	sleep func(ctx context.Context, due time.Time) (consolidate.Slept, bool, error)
	log   *slog.Logger
}

// sleepNightly sleeps every night at the configured time, if there is one. Of several processes
// that serve one store, only one does.
func (a *App) sleepNightly(ctx context.Context) {
	at := a.opts.Config.SleepAt
	if at == nil {
		return
	}
	nights{at: *at, zone: a.opts.Config.Timezone, now: time.Now, sleep: a.Engine.As(a.Engine.Caller().By("nightly")).SleepNight, log: a.opts.Log}.run(ctx)
}

// run checks once a minute. It retries a night only if it failed, or if another process began it
// and may not have finished.
func (n nights) run(ctx context.Context) {
	var over time.Time // the last night that is done
	every(ctx, nightEvery, func() {
		now := n.now()
		if over.After(now) {
			over = time.Time{} // the clock was ahead, so an earlier night is due
		}
		if due := n.at.LastBefore(now.In(n.zone)); due.After(over) && n.night(ctx, due) {
			over = due
		}
	})
}

// night sleeps, and reports whether this night is done. It logs no text of memories.
func (n nights) night(ctx context.Context, due time.Time) (over bool) {
	begun := n.now()
	res, slept, err := n.sleep(ctx, due)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		n.log.Warn("cannot consolidate memories", "error", err)
		return false
	case slept:
		n.log.Info("memories were consolidated", "memories", res.Memories, "steps", len(res.Plan), "applied", res.Applied,
			"skipped", len(res.Skipped), "patterns", len(res.Made), "degraded", len(res.Degraded), "took", n.now().Sub(begun).Round(time.Millisecond))
		return true
	}
	// Another process sleeps or has slept; ask until its lease ends, in case it failed.
	return n.now().Sub(due) > 2*time.Hour
}

func extractorOf(c config.Config) engram.Extractor {
	if !c.LLM() {
		return nil
	}
	if err := c.MayAsk(); err != nil {
		return refused{c.LLMModel, err}
	}
	x, err := chat.New(chat.Options{BaseURL: c.LLMBaseURL, Model: c.LLMModel, Key: c.LLMKey})
	if err != nil {
		return refused{c.LLMModel, err}
	}
	return x
}

func judgeOf(c config.Config) engram.Judge {
	j, known := agentcli.Named(c.AgentCLI)
	if !known {
		return nil
	}
	if err := c.MayRun(); err != nil {
		return refused{j.Name(), err}
	}
	return j
}

// refused replaces an extractor or judge that cannot or may not be used: the reason is reported when
// it is asked, and does not prevent searches.
type refused struct {
	name string
	err  error // an *engram.Error
}

// Model implements engram.Extractor.
func (r refused) Model() string { return r.name }

// Extract implements engram.Extractor.
func (r refused) Extract(context.Context, []engram.Memory) (engram.Pattern, bool, error) {
	return engram.Pattern{}, false, r.err
}

// Name implements engram.Judge.
func (r refused) Name() string { return r.name }

// Judge implements engram.Judge.
func (r refused) Judge(context.Context, engram.Memory, engram.Memory) (engram.Opinion, error) {
	return engram.Opinion{}, r.err
}

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
	if err := c.collect(); err != nil {
		c.log.Debug("cannot read the counters of commands", "error", err)
	}
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

// collect takes in and empties the file, if it exists. Invalid lines are skipped.
func (c counting) collect() error {
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
		return err
	}
	var cs []engram.Counter
	for line := range bytes.Lines(lines) {
		var counter engram.Counter
		if json.Unmarshal(line, &counter) == nil && counter.Operation != "" && counter.Events > 0 {
			cs = append(cs, counter)
		}
	}
	c.tally.Put(cs)
	return nil
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
			return engram.Errorf(engram.CodeUnavailable, "another process holds %s", c.path).WithHint("try again")
		}
		<-time.After(time.Millisecond)
	}
}

// newCounting returns an App's counting, before its engine exists.
func (a *App) newCounting() counting {
	path := a.opts.Config.DBPath + "-counts"
	if a.opts.Config.OnServer() { // what was counted in one store is not for another
		path = filepath.Join(a.opts.Config.DataDir, "space-"+a.opts.Config.Space+"-counts")
	}
	return counting{path: path, tally: exposure.NewTally(time.Now), log: a.opts.Log,
		flush: func(ctx context.Context) error { return a.Engine.FlushTally(ctx) },
		serve: func() bool { return a.jobs.begun }}
}
