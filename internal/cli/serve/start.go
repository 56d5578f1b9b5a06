package serve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/render"
)

// warnEarlier warns of a database of an earlier Engram, which a server cannot serve.
func warnEarlier(ctx context.Context, p *command.Program) {
	if shut, earlier := errors.AsType[*app.Earlier](p.App.Ready(ctx)); earlier {
		p.Warn(command.MessageOf(shut))
	}
}

// startPatience is how long a server may take to start: after an update it may have to back up and migrate a
// large database.
const startPatience = 2 * time.Minute

// StartedDoc is the answer of `start` and `restart`.
type StartedDoc struct {
	Started bool      `json:"started"` // false: it was running already
	Server  serverDoc `json:"server"`
}

func startCommand(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Serve in the background",
		Long: `Start engram serve in the background and return when it answers. If a server of this data directory is already running,
nothing happens and the exit code is 0. The log is engram.log in the data directory. engram setup service starts the
server whenever you log in.`,
		Example: command.Examples("engram start", "engram start --port 7438", "engram start --json"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return start(p, cmd) },
	}
	addServerFlags(cmd)
	return cmd
}

// addServerFlags adds the flags of a server.
func addServerFlags(cmd *cobra.Command) {
	cmd.Flags().String("port", "", "`port` to listen on (default 7437)")
	cmd.Flags().String("host", "", "`address` to listen on (default 127.0.0.1)")
	cmd.Flags().Bool("metrics", false, "serve Prometheus metrics at /metrics")
}

// serverFlags names the flags that a restarted server keeps.
func serverFlags() []string { return []string{"port", "host", "metrics", "project"} }

// serverConfig returns the settings of a server, with the flags of addServerFlags, and the address to listen on.
func serverConfig(p *command.Program, cmd *cobra.Command) (c config.Config, address string, err error) {
	if c, err = p.Config(cmd, serverFlags()...); err == nil {
		address, err = c.Address()
	}
	return c, address, err
}

// flagsOf returns the values of the named flags that were given.
func flagsOf(cmd *cobra.Command, names []string) map[string]string {
	flags := map[string]string{}
	for _, name := range names {
		if f := cmd.Flag(name); f != nil && f.Changed {
			flags[name] = f.Value.String()
		}
	}
	return flags
}

func start(p *command.Program, cmd *cobra.Command) error {
	c, _, err := serverConfig(p, cmd)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), startPatience)
	defer cancel()
	s, started, lines, err := Control(p, c).Start(ctx, serveLike(cmd, c))
	for _, line := range lines {
		fmt.Fprintf(p.Stderr, "  %s\n", render.Plain(line))
	}
	if err != nil {
		return err
	}
	if _, err := p.Open(cmd); err != nil {
		return err
	}
	warnEarlier(ctx, p)
	doc := StartedDoc{started, serverOf(s)}
	return p.Answer(doc, func(b *strings.Builder) {
		what := "Engram %s is listening in the background on %s (process %d)\n"
		if !started {
			what = "Engram %s is already running on %s (process %d)\n"
		}
		fmt.Fprintf(b, what, s.Version, s.URL, s.PID)
		if !started {
			writeDifferences(p, b, c, s)
		}
		fmt.Fprintf(b, "  MCP endpoint   %s/mcp\n", s.URL)
		if s.Log != "" {
			fmt.Fprintf(b, "  Log            %s\n", s.Log)
		}
		fmt.Fprintf(b, "  engram status  show its state\n  engram stop    stop it\n")
	})
}

// Control returns the means to start, stop and examine the server of a data directory.
func Control(p *command.Program, c config.Config) app.Control {
	return app.Control{Config: c, Version: p.Version}
}

// serveLike returns the command line for a background server: the given flags, with absolute paths, since its
// working folder differs. The environment is inherited.
func serveLike(cmd *cobra.Command, c config.Config) app.StartInput {
	in := app.StartInput{Args: []string{"--background", "--data-dir=" + c.DataDir}}
	flags := flagsOf(cmd, serverFlags())
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		in.Args = append(in.Args, "--"+name+"="+flags[name])
	}
	if c.Origins["db_path"].Source != config.SourceDefault {
		in.Env = append(in.Env, "ENGRAM_DB_PATH="+c.DBPath)
	}
	return in
}

// writeDifferences lists how the running server differs from the requested one.
func writeDifferences(p *command.Program, b *strings.Builder, c config.Config, s app.Server) {
	if !s.Same {
		fmt.Fprintf(b, "  It runs another program file (%s); to switch to this one: engram restart\n", p.Version)
	}
	if c.Origins["port"].Source != config.SourceDefault && c.Port != 0 && s.URL != "" && !strings.HasSuffix(s.URL, fmt.Sprintf(":%d", c.Port)) {
		fmt.Fprintf(b, "  It listens on a port other than %d; to change that: engram restart\n", c.Port)
	}
	if s.Database != c.Place() {
		fmt.Fprintf(b, "  Its database is %s; to change that: engram restart\n", s.Database)
	}
}

func restartCommand(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restart",
		Short: "Restart the background server",
		Long: `Stop the server of this data directory, if one is running, and start one in the background. Use it after an update or after
changing settings. The new server keeps the flags of the old one, except those given now.`,
		Example: command.Examples("engram restart", "engram restart --port 7438"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, _, err := serverConfig(p, cmd)
			if err != nil {
				return err
			}
			was, _, err := end(p, cmd, c, stopPatience, false)
			if err != nil {
				return err
			}
			if err := keepFlags(cmd, c, was); err != nil {
				return err
			}
			return start(p, cmd)
		},
	}
	addServerFlags(cmd)
	return cmd
}

// keepFlags sets the flags of the previous server, and its address unless the settings choose one. Flags
// given now take precedence.
func keepFlags(cmd *cobra.Command, c config.Config, was app.Server) error {
	keep := maps.Clone(was.Flags)
	if keep == nil {
		keep = map[string]string{}
	}
	// The last address, since the given port may have been 0.
	if host, port, err := net.SplitHostPort(strings.TrimPrefix(was.URL, "http://")); err == nil {
		for name, value := range map[string]string{"host": host, "port": port} {
			if _, given := was.Flags[name]; given || c.Origins[name].Source == config.SourceDefault {
				keep[name] = value
			}
		}
	}
	for _, name := range serverFlags() {
		f := cmd.Flag(name)
		value, kept := keep[name]
		if f == nil || f.Changed || !kept {
			continue
		}
		if err := cmd.Flags().Set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// stopPatience is how long to wait for a server to stop; it gives open requests five seconds.
const stopPatience = 15 * time.Second

// end stops the server.
func end(p *command.Program, cmd *cobra.Command, c config.Config, patience time.Duration, force bool) (was app.Server, killed bool, err error) {
	if patience <= 0 {
		return was, false, engram.Errorf(engram.CodeInvalid, "--wait %s is out of range", patience).WithHint("use a time above 0, such as 15s")
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), patience)
	defer cancel()
	return Control(p, c).Stop(ctx, force)
}

// StoppedDoc is the answer of `stop`.
type StoppedDoc struct {
	Stopped bool `json:"stopped"` // false: none was running
	Killed  bool `json:"killed"`  // it did not stop by itself
	PID     int  `json:"pid"`     // of the stopped process; 0: none
}

func stopCommand(p *command.Program) *cobra.Command {
	var wait time.Duration
	var force bool
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Stop the background server",
		Long: `Ask the server of this data directory to stop, and wait until it has finished its requests. If none is running, the exit
code is 0. With --force the process is killed if it does not stop in time: open requests break off, but saved data is never
lost.`,
		Example: command.Examples("engram stop", "engram stop --wait 3s --force"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.Config(cmd)
			if err != nil {
				return err
			}
			was, killed, err := end(p, cmd, c, wait, force)
			if err != nil {
				return err
			}
			doc := StoppedDoc{was.Running, killed, was.PID}
			return p.Answer(doc, func(b *strings.Builder) {
				switch {
				case !was.Running:
					fmt.Fprintf(b, "No server of %s is running.\n", c.DataDir)
				case killed:
					fmt.Fprintf(b, "Killed: process %d, %s\n", was.PID, was.URL)
				default:
					fmt.Fprintf(b, "Stopped: process %d, %s\n", was.PID, was.URL)
				}
			})
		},
	}
	cmd.Flags().DurationVar(&wait, "wait", stopPatience, "`time` to wait for it to stop")
	cmd.Flags().BoolVar(&force, "force", false, "kill it if it does not stop in time")
	return cmd
}

// serverDoc is a server of a data directory.
type serverDoc struct {
	Running    bool               `json:"running"`
	Answers    bool               `json:"answers"`    // it responds
	Background bool               `json:"background"` // it runs without a terminal
	PID        int                `json:"pid"`        // 0: none
	Address    string             `json:"address"`    // http://HOST:PORT; "" if none runs or it is starting
	Since      document.Timestamp `json:"since"`      // null: none runs
	Version    string             `json:"version"`    // of the server
	Same       bool               `json:"same"`       // it is the program file of this command
	Memories   *int               `json:"memories"`   // live memories; null if it does not respond
	Vectors    *document.Vectors  `json:"vectors"`    // of its embedding model; null if it does not respond
	Database   string             `json:"database"`
	Log        string             `json:"log"`         // log file; "" for standard error
	LeftBehind int                `json:"left_behind"` // process of the last server, if it crashed; else 0
}

// StatusDoc is the answer of `status`.
type StatusDoc struct {
	serverDoc
	Off      OffDoc   `json:"off"`      // where agents are switched off
	Settings []string `json:"settings"` // ignored values of settings, and what applies instead
}

func serverOf(s app.Server) serverDoc {
	d := serverDoc{Running: s.Running, Answers: s.Answers, Background: s.Background, PID: s.PID, Address: s.URL, Version: s.Version, Same: s.Same,
		Database: s.Database, Log: s.Log, LeftBehind: s.LeftBehind}
	if s.Running {
		d.Since = document.Timestamp(s.Since)
	}
	if s.Answers {
		d.Memories = &s.Memories
		d.Vectors = new(document.VectorsOf(s.Embedded))
	}
	return d
}

func statusCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show whether a server is running, and where",
		Long: `Show whether a server of this data directory is running, in the background or in a terminal: its address, start time and
number of memories, and whether Engram is switched off for agents. The exit code is 0 if a server is running, 3 if not,
and 5 if it does not answer.`,
		Example: command.Examples("engram status", "engram status --json"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.Config(cmd)
			if err != nil {
				return err
			}
			s, err := Control(p, c).Status(cmd.Context())
			if err != nil {
				return err
			}
			if _, err := p.Open(cmd); err != nil {
				return err
			}
			if s.Running && !s.Answers {
				warnEarlier(cmd.Context(), p) // a possible reason
			}
			off := OffOf(p.App.OffState())
			ignored := document.Each(c.Ignored(), config.Remark.String)
			if err := p.Answer(StatusDoc{serverOf(s), off, document.OrEmpty(ignored)}, func(b *strings.Builder) {
				writeServer(p, b, c.DataDir, s)
				if line := off.Line(); line != "" {
					fmt.Fprintln(b, "  "+line)
				}
				for _, line := range ignored {
					fmt.Fprintln(b, render.Fold("  Setting        "+render.Line(line, 0), strings.Repeat(" ", 17), p.Columns()))
				}
			}); err != nil {
				return err
			}
			switch {
			case !s.Running:
				return command.ExitWith(3)
			case !s.Answers:
				return command.ExitWith(5)
			}
			return nil
		},
	}
}

func writeServer(p *command.Program, b *strings.Builder, dir string, s app.Server) {
	if !s.Running {
		fmt.Fprintf(b, "No server of %s is running.\n", dir)
		if s.LeftBehind != 0 {
			fmt.Fprintf(b, "  The last one (process %d) ended unexpectedly; its log is %s\n", s.LeftBehind, s.Log)
		}
		fmt.Fprintf(b, "  %s start       start one in the background\n", command.Self())
		return
	}
	where := "in a terminal"
	if s.Background {
		where = "in the background"
	}
	switch {
	case s.URL == "":
		fmt.Fprintf(b, "Engram %s is starting %s (process %d)\n", s.Version, where, s.PID)
	case !s.Answers:
		fmt.Fprintf(b, "Engram %s is running %s on %s (process %d), but does not answer\n", s.Version, where, s.URL, s.PID)
	default:
		fmt.Fprintf(b, "Engram %s is running %s on %s (process %d)\n", s.Version, where, s.URL, s.PID)
	}
	if !s.Since.IsZero() {
		fmt.Fprintf(b, "  Since          %s\n", render.Time(s.Since, p.Zone()))
	}
	if s.Answers {
		fmt.Fprintf(b, "  Memories       %d\n", s.Memories)
		if !s.Embedded.Complete() {
			fmt.Fprintf(b, "  Vectors        %s\n", document.VectorsOf(s.Embedded).Line())
		}
	}
	fmt.Fprintf(b, "  Database       %s\n", s.Database)
	if s.Log != "" {
		fmt.Fprintf(b, "  Log            %s\n", s.Log)
	}
	if !s.Same && s.Version != "" {
		fmt.Fprintf(b, "  It runs another program file (%s); to switch to this one: engram restart\n", p.Version)
	}
}

// ServiceDoc is the answer of `setup service`.
type ServiceDoc struct {
	System string   `json:"system"` // systemd, launchd or windows
	Action string   `json:"action"` // created, updated, replaced, unchanged, removed, restored, nothing, printed; manual: the text is a command to copy
	DryRun bool     `json:"dry_run"`
	Path   string   `json:"path"`    // path of the file; "" on Windows
	Text   string   `json:"text"`    // content of the file, or the command
	Backup string   `json:"backup"`  // copy of the previous file; "" if there was nothing to keep
	Used   bool     `json:"used"`    // the service was registered with the system
	Ended  int      `json:"ended"`   // process of the server that was stopped first; 0 if none was running
	Next   []string `json:"next"`    // commands that register it
	NotSet []string `json:"not_set"` // secret environment variables that are not in the file
}

type serviceFlags struct {
	dry, undo, show, now bool
	system               string
}

// ServiceCommand returns the subcommand service of setup.
func ServiceCommand(p *command.Program) *cobra.Command {
	var o serviceFlags
	cmd := &cobra.Command{
		Use:   "service",
		Short: "Start the server when you log in",
		Long: `Start engram serve when you log in, and again after a failure: by a systemd user unit on Linux, a launchd agent on macOS;
on Windows the command to create a task is shown. The file contains the path of this program, the data directory and other
settings from the environment and flags, but no secrets: put those into config.toml. If a different file already exists,
a copy is kept beside it. With --now a server running in the background is replaced, and later changes take effect at
once.`,
		Example: command.Examples("engram setup service --now", "engram setup service --print", "engram setup service --undo"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := command.OnlyOne(cmd, "print", "undo", "now"); err != nil {
				return err
			}
			return setupService(p, cmd, o)
		},
	}
	addServerFlags(cmd)
	cmd.Flags().BoolVar(&o.now, "now", false, "register it with the system: start it now and at every login")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "preview without changing anything")
	cmd.Flags().BoolVar(&o.show, "print", false, "print the file to standard output only")
	cmd.Flags().BoolVar(&o.undo, "undo", false, "stop it, remove the file and restore the file that was there before")
	cmd.Flags().StringVar(&o.system, "system", "", "with --print: target `system`: systemd, launchd or windows (default: this one)")
	return cmd
}

func setupService(p *command.Program, cmd *cobra.Command, o serviceFlags) error {
	c, _, err := serverConfig(p, cmd)
	if err != nil {
		return err
	}
	own := app.SystemOf(runtime.GOOS)
	s := app.Service{System: own, Config: c}
	s.Home, _ = p.Env("HOME")
	s.XDGHome, _ = p.Env("XDG_CONFIG_HOME")
	switch app.System(o.system) {
	case "":
	case app.Systemd, app.Launchd, app.Windows:
		if s.System = app.System(o.system); !o.show && s.System != own {
			return command.Invalidf("%s is not available on this system", s.System).WithHint("use --print to show the file")
		}
	default:
		return command.Invalidf("--system %q is unknown", o.system).WithHint("use systemd, launchd or windows")
	}
	f, err := s.File()
	if err != nil {
		return err
	}
	doc := ServiceDoc{System: string(s.System), Action: "printed", DryRun: o.dry, Path: f.Path, Text: f.Text, Next: shellLines(f.Use), NotSet: document.OrEmpty(f.Not)}
	if s.System == app.Windows {
		doc.Action = "manual"
	}
	if o.show || s.System == app.Windows {
		return p.Answer(doc, func(b *strings.Builder) { b.WriteString(strings.TrimSuffix(f.Text, "\n") + "\n") })
	}
	return setService(p, cmd, f, o, doc)
}

func setService(p *command.Program, cmd *cobra.Command, f app.ServiceFile, o serviceFlags, doc ServiceDoc) error {
	var done app.Set
	var failed, err error
	if o.undo {
		done, failed, err = f.TakeAway(cmd.Context(), o.dry)
		doc.Next = shellLines(f.Leave)
	} else {
		for _, name := range f.Not {
			p.Warn(name + " is a secret and is not written to the file: put it into config.toml (engram config set)")
		}
		done, err = f.Put(cmd.Context(), o.now, o.dry)
		doc.Next = shellLines(f.Next(done))
	}
	doc.Action, doc.Path, doc.Backup, doc.Used, doc.Ended = string(done.Action), done.Path, done.Backup, done.Used, done.Ended
	if done.Action == "" {
		return err // nothing was done
	}
	if failed != nil {
		p.Warn(failed.Error())
	}
	return errors.Join(p.Answer(doc, func(b *strings.Builder) { writeService(b, doc) }), err)
}

func writeService(b *strings.Builder, doc ServiceDoc) {
	what := map[string]string{"created": "Wrote %s\n", "updated": "Updated %s\n", "replaced": "Replaced %s\n", "unchanged": "%s is already up to date\n",
		"removed": "Removed %s\n", "restored": "Restored %s\n", "nothing": "There is no %s\n"}[doc.Action]
	if doc.DryRun {
		what = strings.NewReplacer("Wrote", "Would write", "Updated", "Would update", "Replaced", "Would replace", "Removed", "Would remove",
			"Restored", "Would restore").Replace(what)
	}
	fmt.Fprintf(b, what, doc.Path)
	if doc.Backup != "" && doc.Action == "replaced" {
		fmt.Fprintf(b, "  The previous file is kept in %s\n", doc.Backup)
	}
	if doc.Ended != 0 {
		fmt.Fprintf(b, "  The running server (process %d) was stopped first\n", doc.Ended)
	}
	switch {
	case doc.Used && doc.Action != "removed" && doc.Action != "restored":
		fmt.Fprintln(b, "  It is running now and starts whenever you log in: engram status")
	case !doc.Used && doc.Action != "nothing":
		fmt.Fprintln(b, "  To register it with the system:")
		for _, line := range doc.Next {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}

func shellLines(commands [][]string) []string {
	return document.Each(commands, func(words []string) string { return strings.Join(document.Each(words, engram.Quoted), " ") })
}
