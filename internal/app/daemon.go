package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/daemon/logfile"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/service"
)

// ClaimInput is what a server publishes about itself.
type ClaimInput struct {
	Background bool              // it runs detached from a terminal
	Log        string            // its log file; "" for standard error
	Flags      map[string]string // flags of its command, for a server that replaces it
}

// Claim registers this App as the server of its data directory until it is closed, so that commands
// find it. CodeConflict if another process is registered; this one may serve all the same,
// unregistered.
func (a *App) Claim(ctx context.Context, in ClaimInput) error {
	lock, err := daemon.Take(ctx, a.opts.Config.DataDir, daemon.Record{
		Version: a.opts.Version, Build: build(), Database: a.opts.Config.Place(), StartedAt: time.Now().UTC().Truncate(time.Millisecond),
		Background: in.Background, Log: in.Log, Flags: in.Flags,
	})
	if err != nil {
		return err
	}
	a.lock = lock
	return nil
}

// build distinguishes programs of the same version, such as two builds from source, by size and
// time of the executable; "" if unknown.
func build() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x-%x", info.Size(), info.ModTime().UnixNano())
}

// announce publishes the server's address to commands and returns the handler for their requests;
// nil if the App did not claim its directory. stop ends the server.
func (a *App) announce(at net.Addr, stop func()) (http.Handler, error) {
	if a.lock == nil {
		return nil, nil
	}
	opened, err := os.Stat(a.opts.Config.DBPath)
	if err != nil {
		opened = nil // then searches in the file are refused
	}
	verbs := map[string]daemon.Operation{
		daemon.OperationStatus: func(ctx context.Context, _ []byte) (any, error) {
			s, err := a.Engine.Stats(ctx, "")
			if err != nil {
				return nil, err
			}
			e, err := a.Engine.Embedded(ctx)
			return counted{s.Memories, e}, err
		},
		daemon.OperationStop: func(context.Context, []byte) (any, error) {
			stop()
			return struct{}{}, nil
		},
		daemon.OperationSearch:  func(ctx context.Context, in []byte) (any, error) { return a.answerSearch(ctx, opened, in) },
		daemon.OperationProject: func(ctx context.Context, in []byte) (any, error) { return a.answerProject(ctx, opened, in) },
	}
	handler := daemon.Handler(a.lock.Record().Key, verbs)
	return handler, a.lock.Announce("http://"+at.String(), daemon.AskAt(at))
}

type counted struct {
	Memories int             `json:"memories"`
	Embedded engram.Embedded `json:"embedded"`
}

type warmSearch struct {
	Settings string             `json:"settings"`
	In       search.SearchInput `json:"in"`
}

// answerSearch searches on behalf of a command: only with the same settings and the same file, and
// with a fresh engine without caches. The command counts the search.
func (a *App) answerSearch(ctx context.Context, opened os.FileInfo, in []byte) (any, error) {
	var q warmSearch
	if err := json.Unmarshal(in, &q); err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "the request is not a search")
	}
	if q.Settings != settingsOf(a.opts.Config, time.Now())+marksOf(a.inForce()) {
		return nil, engram.Errorf(engram.CodeConflict, "the server has other settings")
	}
	if err := a.stillOpen(opened); err != nil {
		return nil, err
	}
	return engine.New(a.engineOptions(a.store, time.Now)).Search(ctx, q.In)
}

// answerProject returns the canonical name of the project that a command names.
func (a *App) answerProject(ctx context.Context, opened os.FileInfo, in []byte) (any, error) {
	var name string
	if err := json.Unmarshal(in, &name); err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "the request is not a name")
	}
	if err := a.stillOpen(opened); err != nil {
		return nil, err
	}
	p, err := a.Engine.ProjectFor(ctx, projects.ProjectRequest{Explicit: name})
	return p.Name, err
}

// stillOpen fails if the server has opened another file than the one that is there now.
func (a *App) stillOpen(opened os.FileInfo) error {
	if a.opts.Config.OnServer() {
		return nil
	}
	now, err := os.Stat(a.opts.Config.DBPath)
	if err != nil || opened == nil || !os.SameFile(opened, now) {
		return engram.Errorf(engram.CodeConflict, "the server has another file open")
	}
	return nil
}

// settingsOf returns the settings that may affect a search, in a comparable form: all but those
// about serving, writing and other services.
func settingsOf(c config.Config, now time.Time) string {
	zone := ""
	if c.Timezone != nil {
		// Two processes may mean different zones by "Local".
		for _, month := range []time.Month{time.January, time.July, now.Month()} {
			zone += time.Date(now.Year(), month, 1, 0, 0, 0, 0, c.Timezone).Format(" MST-07:00")
		}
		zone = c.Timezone.String() + zone
	}
	c.Timezone, c.Origins, c.SleepAt, c.Host, c.Port, c.HTTPToken, c.Project = nil, nil, nil, "", 0, "", ""
	c.LLMBaseURL, c.LLMModel, c.LLMKey, c.EmbeddingKey, c.AgentCLI, c.JournalDays = "", "", "", "", "", 0
	c.ModelMirror, c.ModelToken = "", ""
	_, served, _ := config.ServedOf(c.EmbeddingModel)
	_, ranked, _ := config.ServedOf(c.RerankModel)
	c.Path, c.Metrics, c.Offline = "", false, c.Offline && (served || ranked) // it says what may be sent
	c.Store = c.Place()                                                       // without its password
	c.DataDir = ""                                                            // the lock identifies it; it may be spelled in two ways
	return fmt.Sprintf("%#v", c) + zone                                       // both are of one build, and as JSON it would take a command three times as long
}

// Control starts, ends and examines the server of a data directory.
type Control struct {
	Config  config.Config
	Version string // of this program
}

// Server describes the server of a data directory.
type Server struct {
	Running    bool
	PID        int    // 0 while it starts; in a container the number may be that of another system
	URL        string // http://HOST:PORT; "" while it starts
	Version    string
	Same       bool // it is this same build; a different one does not search for commands
	Since      time.Time
	Background bool
	Flags      map[string]string // the flags it was given, by name
	Answers    bool              // it answered; the following fields are known only then
	Memories   int               // live memories
	Embedded   engram.Embedded
	Database   string
	Log        string // its log file, "" for standard error; if no server runs, the file that one in the background would use
	LeftBehind int    // if no server runs: process of the last one if it crashed; else 0
}

// askWait limits the wait for a server's answer about its state.
const askWait = 2 * time.Second

// Status finds the server of the data directory and asks for its state. It changes nothing.
func (c Control) Status(ctx context.Context) (Server, error) {
	s, h, err := c.look()
	if err != nil || !s.Running {
		return s, err
	}
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	var n counted
	err = h.Ask(ctx, c.Config.HTTPToken, daemon.OperationStatus, struct{}{}, &n)
	s.Answers, s.Memories, s.Embedded = err == nil, n.Memories, n.Embedded
	return s, nil
}

// Look is Status without contacting the server or waiting.
func (c Control) Look() (Server, error) {
	s, _, err := c.look()
	return s, err
}

func (c Control) look() (Server, daemon.Holder, error) {
	dir := c.Config.DataDir
	s := Server{Log: daemon.FilesIn(dir).Log, Database: c.Config.Place()}
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

// StartInput configures a server in the background.
type StartInput struct {
	Args []string // arguments of the command serve
	Env  []string // NAME=value, in addition to this process's environment
}

// Start starts a server in the background and waits until it answers; if one runs already, started
// is false. If it fails within ctx, the error is CodeUnavailable, with the end of the log in lines.
func (c Control) Start(ctx context.Context, in StartInput) (s Server, started bool, lines []string, err error) {
	dir := c.Config.DataDir
	log := daemon.FilesIn(dir).Log
	_, held, err := daemon.Look(dir)
	if err == nil && !held {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return s, false, nil, engram.Errorf(engram.CodeUnavailable, "cannot create %s", dir).WithCause(err)
		}
		from := logfile.Size(log)
		started, err = c.spawn(ctx, in, log)
		if err != nil {
			return s, false, logfile.Tail(log, from, 5), err
		}
	}
	if err == nil {
		_, held, err = daemon.Ready(ctx, dir)
	}
	switch {
	case err != nil:
		return s, false, nil, err
	case !held:
		return s, false, logfile.Tail(log, 0, 5), engram.Errorf(engram.CodeUnavailable, "the server ended before it was ready").WithHint("its log is %s", log)
	}
	s, err = c.Status(ctx)
	return s, started, nil, err
}

// spawn starts the server; started is false if another process won the race for the lock.
func (c Control) spawn(ctx context.Context, in StartInput, log string) (started bool, err error) {
	self, err := os.Executable()
	if err != nil {
		return false, engram.Errorf(engram.CodeUnavailable, "cannot find the program's own file").WithCause(err)
	}
	dir := c.Config.DataDir
	_, err = daemon.Spawn(ctx, daemon.Command{Path: self, Args: append([]string{"serve"}, in.Args...), Env: in.Env, Dir: dir, Log: log})
	if engram.CodeOf(err) == engram.CodeConflict {
		// Another server was quicker; or the database is of a newer program, and then no process
		// has the lock.
		if _, held, looking := daemon.Look(dir); looking == nil && held {
			return false, nil
		}
	}
	return err == nil, err
}

// Stop asks the server to finish and waits for it; it succeeds if none runs. When ctx ends first,
// force kills it; without force the error is CodeUnavailable.
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
			WithHint("it may be finishing its work; {stop --force} ends it at once")
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), askWait)
	defer cancel()
	return was, true, errors.Join(daemon.Kill(last, dir, h), daemon.Forget(dir))
}

// Beside returns who occupies a port: another Engram with its version, or some other program.
func Beside(ctx context.Context, host string, port int) string {
	const patience = 500 * time.Millisecond // an Engram answers at once
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if version, is := daemon.Neighbour(ctx, net.JoinHostPort(host, strconv.Itoa(port))); is {
		return "another Engram (" + version + ")"
	}
	return "another program"
}

// LogFile returns the path of the log of a server in the background.
func LogFile(c config.Config) string { return daemon.FilesIn(c.DataDir).Log }

// OpenLog opens the log of a server in the background.
func OpenLog(c config.Config) (*logfile.Log, error) {
	return logfile.Open(LogFile(c), logfile.Options{})
}

// System starts a server when its user logs in.
type System string

// Supported systems.
const (
	Systemd System = "systemd" // Linux
	Launchd System = "launchd" // macOS
	Windows System = "windows" // a task; the user runs a command to create it
)

// SystemOf returns the system of an operating system, as runtime.GOOS names it.
func SystemOf(goos string) System {
	switch goos {
	case "darwin":
		return Launchd
	case "windows":
		return Windows
	}
	return Systemd
}

// Service is a server started by the system.
type Service struct {
	System  System
	Config  config.Config
	Home    string // of the user
	XDGHome string // XDG_CONFIG_HOME; "" if not set
}

// ServiceFile is a service's file, or a command in its place.
type ServiceFile struct {
	Path string   // "" if Text is a command to copy
	Text string   // contents of the file
	Not  []string // secret settings of the environment that are not in the file
	// Use are the commands that activate the file, Leave those that deactivate it.
	Use, Leave [][]string

	control Control
	reload  bool // Use fails while the system has an earlier file loaded: run Leave first
}

// File returns the service file. Settings from config.toml are not repeated; those from the
// environment and flags are included, except secrets.
func (s Service) File() (f ServiceFile, err error) {
	program, err := os.Executable()
	if err != nil {
		return f, engram.Errorf(engram.CodeUnavailable, "cannot find the program's own file").WithCause(err)
	}
	if s.Home == "" && s.System != Windows {
		return f, engram.Errorf(engram.CodeInvalid, "the home directory is unknown").WithHint("set HOME")
	}
	run := service.Server{Program: program, Args: []string{"serve", "--unless-running"}}
	f.control = Control{Config: s.Config}
	run.Env, f.Not = s.settings()
	switch s.System {
	case Launchd: // it keeps no log of its own
		run.Args, f.reload = append(run.Args, "--background"), true
		f.Path, f.Use, f.Leave = service.LaunchdPath(s.Home), service.LaunchdUse(service.LaunchdPath(s.Home), os.Getuid()), service.LaunchdLeave(os.Getuid())
		f.Text, err = service.Launchd(run)
	case Windows:
		run.Args = []string{"start", "--data-dir=" + s.Config.DataDir}
		f.Text, err = service.Task(run)
	default:
		f.Path, f.Use, f.Leave = service.SystemdPath(s.Home, s.XDGHome), service.SystemdUse(), service.SystemdLeave()
		f.Text, err = service.Systemd(run)
	}
	return f, err
}

// settings returns the settings that would be lost, because the system passes on no environment.
func (s Service) settings() (env []service.Setting, not []string) {
	for _, v := range s.Config.Values() {
		given := v.Origin.Source == config.SourceEnv || v.Origin.Source == config.SourceFlag
		switch {
		case v.Name == "data_dir":
			env = append(env, service.Setting{Name: v.Env[0], Value: filepath.Clean(s.Config.DataDir)})
		case !given || !v.Set || len(v.Env) == 0:
		case v.Secret:
			not = append(not, v.Env[0])
		default:
			env = append(env, service.Setting{Name: v.Env[0], Value: v.Text})
		}
	}
	return env, not
}

// Set is the result of changing a service, or of a dry run.
type Set struct {
	service.Change
	Used  bool // the system was notified
	Ended int  // process of a server that was stopped to make room; 0: none ran
}

// Next returns the commands that notify the system of a Put without now.
func (f ServiceFile) Next(done Set) [][]string {
	if f.reload && (done.Action == service.Updated || done.Action == service.Replaced) {
		return slices.Concat(f.Leave, f.Use)
	}
	return f.Use
}

// Put writes the file. With now, the system also starts the server at once and at every login, in
// place of one in the background (CodeConflict for one in a terminal). dry changes nothing.
func (f ServiceFile) Put(ctx context.Context, now, dry bool) (Set, error) {
	c, err := service.Put(f.Path, f.Text, dry)
	done := Set{Change: c}
	if err != nil || !now || dry {
		return done, err
	}
	if !service.Has(f.Use) {
		return done, engram.Errorf(engram.CodeUnavailable, "%s is not installed", f.Use[0][0]).
			WithHint("%s is written; {start} serves until the machine is shut down", c.Path)
	}
	if done.Ended, err = f.makeRoom(ctx); err != nil {
		return done, err
	}
	if f.reload && service.Run(ctx, f.Leave) == nil {
		err = service.RunUntil(ctx, f.Use, leaveWait) // the old service takes a moment to leave
	} else {
		err = service.Run(ctx, f.Use)
	}
	done.Used = err == nil
	return done, err
}

const (
	// endWait limits the wait for a server to end that makes room for another.
	endWait = 15 * time.Second
	// leaveWait limits the wait for the system to unload a service.
	leaveWait = 5 * time.Second
)

// makeRoom stops a server in the background, which would prevent the system's from serving. A
// server in a terminal is left to its user.
func (f ServiceFile) makeRoom(ctx context.Context) (ended int, err error) {
	is, err := f.control.Look()
	if err != nil || !is.Running {
		return 0, err
	}
	if !is.Background {
		return 0, engram.Errorf(engram.CodeConflict, "a server of this data directory runs in a terminal (process %d)", is.PID).
			WithHint("end it there, and try again")
	}
	ctx, cancel := context.WithTimeout(ctx, endWait)
	defer cancel()
	was, _, err := f.control.Stop(ctx, false)
	return was.PID, err
}

// TakeAway removes the file after telling the system to stop the server, if possible; stopErr is the
// error if that fails.
func (f ServiceFile) TakeAway(ctx context.Context, dry bool) (done Set, stopErr error, err error) {
	c, err := service.TakeAway(f.Path, true)
	if err != nil || dry || c.Action == service.Nothing {
		return Set{Change: c}, nil, err
	}
	if service.Has(f.Leave) {
		stopErr = service.Run(ctx, f.Leave)
		done.Used = stopErr == nil
	}
	done.Change, err = service.TakeAway(f.Path, false)
	return done, stopErr, err
}
