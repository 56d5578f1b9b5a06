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
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/service"
)

// ClaimInput is what others are told of a server.
type ClaimInput struct {
	Background bool              // nobody watches it in a terminal
	Log        string            // file it logs to; "" for standard error
	Flags      map[string]string // of the command, that another server in its place is to be given
}

// Claim makes this App the server of its data directory, which commands find, until it is closed.
// Where another process is, the error is CodeConflict; it may serve all the same, unknown to them.
func (a *App) Claim(ctx context.Context, in ClaimInput) error {
	lock, err := daemon.Take(ctx, a.opts.Config.DataDir, daemon.Record{
		Version: a.opts.Version, Build: build(), Database: a.opts.Config.DBPath, StartedAt: time.Now().UTC().Truncate(time.Millisecond),
		Background: in.Background, Log: in.Log, Flags: in.Flags,
	})
	if err != nil {
		return err
	}
	a.lock = lock
	return nil
}

// build tells apart programs of one version, such as two that were built from source: by
// the size and the time of the program's file, "" where it cannot be told.
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

// announce lets commands find the server at an address, and returns what answers them;
// nil where the App did not claim its directory. stop ends the server.
func (a *App) announce(at net.Addr, stop func()) (http.Handler, error) {
	if a.lock == nil {
		return nil, nil
	}
	opened, err := os.Stat(a.opts.Config.DBPath)
	if err != nil {
		opened = nil // then no search is answered
	}
	verbs := map[string]daemon.Operation{
		daemon.OperationStatus: a.answerStatus,
		daemon.OperationStop: func(context.Context, []byte) (any, error) {
			stop()
			return struct{}{}, nil
		},
		daemon.OperationSearch: func(ctx context.Context, in []byte) (any, error) { return a.answerSearch(ctx, opened, in) },
	}
	handler := daemon.Handler(a.lock.Record().Key, verbs)
	return handler, a.lock.Announce("http://"+at.String(), daemon.AskAt(at))
}

// counted is the answer of OperationStatus.
type counted struct {
	Memories int `json:"memories"`
}

func (a *App) answerStatus(ctx context.Context, _ []byte) (any, error) {
	s, err := a.Engine.Stats(ctx, "")
	return counted{s.Memories}, err
}

// warmSearch is what OperationSearch is asked.
type warmSearch struct {
	Settings string             `json:"settings"`
	In       engine.SearchInput `json:"in"`
}

// answerSearch searches for a command as it would itself: same settings, same file, and nothing of
// what an engine caches. The command counts it.
func (a *App) answerSearch(ctx context.Context, opened os.FileInfo, in []byte) (any, error) {
	var q warmSearch
	if err := json.Unmarshal(in, &q); err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "that is no search")
	}
	if q.Settings != settingsOf(a.opts.Config, time.Now()) {
		return nil, engram.Errorf(engram.CodeConflict, "the server has other settings")
	}
	now, err := os.Stat(a.opts.Config.DBPath)
	if err != nil || opened == nil || !os.SameFile(opened, now) {
		return nil, engram.Errorf(engram.CodeConflict, "the server has another file open")
	}
	return engine.New(a.engineOptions(a.store, time.Now)).Search(ctx, q.In)
}

// settingsOf are the settings that a search may depend on, in a form to compare: all but
// those that only say where to serve, how to write or what to ask of others.
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
	c.LLMBaseURL, c.LLMModel, c.LLMKey, c.AgentCLI, c.JournalDays = "", "", "", "", 0
	c.Path, c.Metrics, c.Offline = "", false, false
	c.DataDir = "" // that of the lock; it may be spelled in two ways
	text, err := json.Marshal(c)
	if err != nil {
		return "" // never equal: asked and asking both say so
	}
	return string(text) + zone
}

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
	err = h.Ask(ctx, c.Config.HTTPToken, daemon.OperationStatus, struct{}{}, &n)
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

// Start starts a server in the background and waits until it answers; a running one is left
// alone and started is false. On failure within ctx it is CodeUnavailable, with the log's end in lines.
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

// Stop asks the server to finish and waits for it; none running is fine. When ctx ends first,
// force kills it, and without force the error is CodeUnavailable.
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

// System is what starts a server when its user logs in.
type System string

// The systems.
const (
	Systemd System = "systemd" // Linux
	Launchd System = "launchd" // macOS
	Windows System = "windows" // a task, which is a command to copy
)

// SystemOf is the one of an operating system, as runtime.GOOS names it.
func SystemOf(goos string) System {
	switch goos {
	case "darwin":
		return Launchd
	case "windows":
		return Windows
	}
	return Systemd
}

// Service is a server that the system starts.
type Service struct {
	System  System
	Config  config.Config
	Home    string // of the user
	XDGHome string // XDG_CONFIG_HOME; "" where it is not set
}

// ServiceFile is the file of a service, or the command that stands for it.
type ServiceFile struct {
	Path string   // "" where Text is a command to copy
	Text string   // of the file
	Not  []string // settings of the environment that are secret and not in the file
	// Use are the commands that put the file to use, Leave those before it is taken away.
	Use, Leave [][]string

	control Control
	reload  bool // Use fails while the system still has a file of before: Leave comes first
}

// File says what the system is to be told. Settings that stand in config.toml stay there;
// those of the environment and of flags are written into the file, but for secrets.
func (s Service) File() (f ServiceFile, err error) {
	program, err := os.Executable()
	if err != nil {
		return f, engram.Errorf(engram.CodeUnavailable, "the program's own file is not known").WithCause(err)
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

// settings are those that would be lost, for the system hands no environment on.
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

// Set is what was done about a service, or would be.
type Set struct {
	Action string // created, updated, replaced, unchanged, removed, restored, nothing
	Path   string // of the file; what a link leads to
	Backup string // what stood there before; "" when nothing had to be kept
	Used   bool   // the system was told, too
	Ended  int    // process of a server that had to make room; 0: none ran
}

func setOf(c service.Change) Set {
	return Set{Action: string(c.Action), Path: c.Path, Backup: c.Backup}
}

// Next are the commands that tell the system what a Put without now did.
func (f ServiceFile) Next(done Set) [][]string {
	if f.reload && (done.Action == string(service.Updated) || done.Action == string(service.Replaced)) {
		return slices.Concat(f.Leave, f.Use)
	}
	return f.Use
}

// Put writes the file, and with now has the system start the server at once and at every login, in
// place of one in the background (CodeConflict for one in a terminal). dry changes nothing.
func (f ServiceFile) Put(ctx context.Context, now, dry bool) (Set, error) {
	c, err := service.Put(f.Path, f.Text, dry)
	done := setOf(c)
	if err != nil || !now || dry {
		return done, err
	}
	if !service.Has(f.Use) {
		return done, engram.Errorf(engram.CodeUnavailable, "%s is not on this machine", f.Use[0][0]).
			WithHint("%s is written; {start} serves until the machine is shut down", c.Path)
	}
	if done.Ended, err = f.makeRoom(ctx); err != nil {
		return done, err
	}
	if f.reload && service.Run(ctx, f.Leave) == nil {
		err = service.RunUntil(ctx, f.Use, leavePatience) // what leaves is still there for a moment
	} else {
		err = service.Run(ctx, f.Use)
	}
	done.Used = err == nil
	return done, err
}

const (
	// endPatience is how long a server may take to end that makes room for another one.
	endPatience = 15 * time.Second
	// leavePatience is how long a system may take to let go of what it was told to leave.
	leavePatience = 5 * time.Second
)

// makeRoom ends a server in the background, which keeps what the system starts from
// serving. Whoever watches one in a terminal is to end it.
func (f ServiceFile) makeRoom(ctx context.Context) (ended int, err error) {
	is, err := f.control.Look()
	if err != nil || !is.Running {
		return 0, err
	}
	if !is.Background {
		return 0, engram.Errorf(engram.CodeConflict, "a server of this data directory runs in a terminal (process %d)", is.PID).
			WithHint("end it there, and try again")
	}
	ctx, cancel := context.WithTimeout(ctx, endPatience)
	defer cancel()
	was, _, err := f.control.Stop(ctx, false)
	return was.PID, err
}

// TakeAway removes the file, after it has told the system to stop the server, where that
// can be told; told is what it says when it cannot.
func (f ServiceFile) TakeAway(ctx context.Context, dry bool) (done Set, told error, err error) {
	c, err := service.TakeAway(f.Path, true)
	if err != nil || dry || c.Action == service.Nothing {
		return setOf(c), nil, err
	}
	used := false
	if service.Has(f.Leave) {
		told = service.Run(ctx, f.Leave)
		used = told == nil
	}
	c, err = service.TakeAway(f.Path, false)
	done = setOf(c)
	done.Used = used
	return done, told, err
}
