package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/service"
)

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

// Put writes the file, and with now tells the system to start the server at once and at
// every login, in the place of one in the background; one in a terminal is a CodeConflict.
// dry does nothing of it.
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
