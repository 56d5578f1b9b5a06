package app

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/daemon"
)

// Control starts, ends and looks at the server of a data directory.
type Control struct {
	Config  config.Config
	Version string // of this program
}

// Server is the server of a data directory as one finds it.
type Server struct {
	Running    bool
	PID        int    // 0 while it starts; the process may be another system's (a container's)
	URL        string // where it listens: http://HOST:PORT; "" while it starts
	Version    string
	Same       bool // it is this very program; an older one does not search for commands
	Since      time.Time
	Background bool
	Flags      map[string]string // that it was given, by their names
	Answers    bool              // it can be asked; what follows is known only then
	Memories   int               // live ones
	Database   string
	Log        string // file it logs to, "" for standard error; when none runs, where one in the background does
	LeftBehind int    // when none runs: process of the last one, if that ended without a word; else 0
}

// askPatience is how long a server is waited for that is asked how it is.
const askPatience = 2 * time.Second

// Status looks who serves the data directory, and asks it. It changes nothing.
func (c Control) Status(ctx context.Context) (Server, error) {
	s, h, err := c.look()
	if err != nil || !s.Running {
		return s, err
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	var n counted
	err = h.Ask(ctx, c.Config.HTTPToken, daemon.VerbStatus, struct{}{}, &n)
	s.Answers, s.Memories = err == nil, n.Memories
	return s, nil
}

// Look is Status that asks nobody and waits for nobody.
func (c Control) Look() (Server, error) {
	s, _, err := c.look()
	return s, err
}

func (c Control) look() (Server, daemon.Holder, error) {
	dir := c.Config.DataDir
	s := Server{Log: daemon.FilesIn(dir).Log, Database: c.Config.DBPath}
	h, held, err := daemon.Look(dir)
	if err != nil {
		return s, h, err
	}
	if !held {
		s.LeftBehind = daemon.LeftBehind(dir)
		return s, h, nil
	}
	s.Running, s.Flags = true, h.Flags
	s.PID, s.URL, s.Version, s.Since, s.Background, s.Log = h.PID, h.Listens, h.Version, h.StartedAt, h.Background, h.Log
	s.Same = h.Version == c.Version && h.Build == build()
	if h.Database != "" {
		s.Database = h.Database
	}
	return s, h, nil
}

// StartInput says how a server in the background is started.
type StartInput struct {
	Args []string // of serve, which is the command
	Env  []string // NAME=value, beside the environment of this process
}

// Start starts a server in the background and waits until it answers; one that runs
// already is left alone, and started is false. Of several at once one starts a server, and
// all return that one. The error is the server's own, or CodeUnavailable when it was not
// ready before ctx was done; lines are then the last that it wrote to its log.
func (c Control) Start(ctx context.Context, in StartInput) (s Server, started bool, lines []string, err error) {
	dir := c.Config.DataDir
	log := daemon.FilesIn(dir).Log
	_, held, err := daemon.Look(dir)
	if err == nil && !held {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return s, false, nil, engram.Errorf(engram.CodeUnavailable, "%s cannot be made", dir).WithCause(err)
		}
		from := daemon.Size(log)
		started, err = c.spawn(ctx, in, log)
		if err != nil {
			return s, false, daemon.Tail(log, from, 5), err
		}
	}
	if err == nil {
		_, held, err = daemon.Ready(ctx, dir)
	}
	switch {
	case err != nil:
		return s, false, nil, err
	case !held:
		return s, false, daemon.Tail(log, 0, 5), engram.Errorf(engram.CodeUnavailable, "the server ended before it was ready").WithHint("its log is %s", log)
	}
	s, err = c.Status(ctx)
	return s, started, nil, err
}

// spawn starts the server. Who loses a race for the lock has none started.
func (c Control) spawn(ctx context.Context, in StartInput, log string) (started bool, err error) {
	self, err := os.Executable()
	if err != nil {
		return false, engram.Errorf(engram.CodeUnavailable, "the program's own file is not known").WithCause(err)
	}
	dir := c.Config.DataDir
	_, err = daemon.Spawn(ctx, daemon.Command{Path: self, Args: append([]string{"serve"}, in.Args...), Env: in.Env, Dir: dir, Log: log})
	if engram.CodeOf(err) == engram.CodeConflict {
		// Another one was quicker; or the database is of a newer program, and then nobody
		// has the lock.
		if _, held, looking := daemon.Look(dir); looking == nil && held {
			return false, nil
		}
	}
	return err == nil, err
}

// Stop asks the server to end and waits until it has: it finishes the requests under way
// and closes the store. was is who it was; when nobody served, was.Running is false and
// that is fine. When ctx is done before, force ends it without asking, and without force
// the error is CodeUnavailable.
func (c Control) Stop(ctx context.Context, force bool) (was Server, killed bool, err error) {
	dir := c.Config.DataDir
	if was, err = c.Status(ctx); err != nil || !was.Running {
		if err == nil && was.LeftBehind != 0 {
			err = daemon.Forget(dir)
		}
		return was, false, err
	}
	h, held, err := daemon.Look(dir)
	if err != nil || !held {
		return was, false, err // it ended meanwhile
	}
	err = daemon.End(ctx, dir, h, c.Config.HTTPToken)
	if ctx.Err() == nil || err == nil {
		return was, false, err
	}
	if !force {
		return was, false, engram.Errorf(engram.CodeUnavailable, "the server (process %d) has not ended yet", h.PID).
			WithHint("it may be finishing something; {stop --force} ends it at once")
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), askPatience)
	defer cancel()
	return was, true, errors.Join(daemon.Kill(last, dir, h), daemon.Forget(dir))
}

// Beside says who has a port that cannot be listened on: another Engram with its version,
// or some other program.
func Beside(ctx context.Context, host string, port int) string {
	const patience = 500 * time.Millisecond // an Engram answers at once
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if version, is := daemon.Neighbour(ctx, net.JoinHostPort(host, strconv.Itoa(port))); is {
		return "another Engram (" + version + ")"
	}
	return "another program"
}

// LogFile is the path of the log of a server in the background.
func LogFile(c config.Config) string { return daemon.FilesIn(c.DataDir).Log }

// OpenLog opens the log of a server in the background.
func OpenLog(c config.Config) (*daemon.Log, error) {
	return daemon.OpenLog(LogFile(c), daemon.LogOptions{})
}
