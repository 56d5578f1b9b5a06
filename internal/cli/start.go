package cli

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/render"
)

// startPatience is how long a server may take to be ready: the first start after an update
// may have a large database to back up and to bring up to date.
const startPatience = 2 * time.Minute

// startedDoc is the answer of `start` and `restart`.
type startedDoc struct {
	Started bool      `json:"started"` // false: it was running already
	Server  serverDoc `json:"server"`
}

func (p *program) startCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Serve in the background",
		Long: `Start engram serve in the background and return when it answers. If a server of this data directory is already running,
nothing happens and the exit code is 0. The log is engram.log in the data directory. engram setup service starts the
server whenever you log in.`,
		Example: examples("engram start", "engram start --port 7438", "engram start --json"),
		Args:    between(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.start(cmd) },
	}
	addServerFlags(cmd)
	return cmd
}

// addServerFlags say how a server serves.
func addServerFlags(cmd *cobra.Command) {
	cmd.Flags().String("port", "", "`port` to listen on (default 7437)")
	cmd.Flags().String("host", "", "`address` to listen on (default 127.0.0.1)")
	cmd.Flags().Bool("metrics", false, "serve Prometheus metrics at /metrics")
}

// serverFlags names the flags of a server that another one in its place is given, too.
func serverFlags() []string { return []string{"port", "host", "metrics", "project"} }

// flagsOf are those of some flags that a command was given.
func flagsOf(cmd *cobra.Command, names []string) map[string]string {
	flags := map[string]string{}
	for _, name := range names {
		if f := cmd.Flag(name); f != nil && f.Changed {
			flags[name] = f.Value.String()
		}
	}
	return flags
}

func (p *program) start(cmd *cobra.Command) error {
	c, err := p.config(cmd, serverFlags()...)
	if err != nil {
		return err
	}
	if _, err := c.Address(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), startPatience)
	defer cancel()
	s, started, lines, err := p.control(c).Start(ctx, p.serveLike(cmd, c))
	for _, line := range lines {
		fmt.Fprintf(p.Stderr, "  %s\n", render.Plain(line))
	}
	if err != nil {
		return err
	}
	if _, err := p.open(cmd); err != nil {
		return err
	}
	p.warnEarlier(ctx)
	doc := startedDoc{started, p.serverOf(s)}
	return p.answer(doc, func(b *strings.Builder) {
		what := "Engram %s is listening in the background on %s (process %d)\n"
		if !started {
			what = "Engram %s is already running on %s (process %d)\n"
		}
		fmt.Fprintf(b, what, s.Version, s.URL, s.PID)
		if !started {
			p.writeDifferences(b, c, s)
		}
		fmt.Fprintf(b, "  MCP endpoint   %s/mcp\n", s.URL)
		if s.Log != "" {
			fmt.Fprintf(b, "  Log            %s\n", s.Log)
		}
		fmt.Fprintf(b, "  engram status  show its state\n  engram stop    stop it\n")
	})
}

// control is what starts, ends and looks at the server of a data directory.
func (p *program) control(c config.Config) app.Control {
	return app.Control{Config: c, Version: p.Version}
}

// serveLike passes on to a server in the background what this command was told. Paths are
// made absolute, because its working folder is another one; the environment goes along.
func (p *program) serveLike(cmd *cobra.Command, c config.Config) app.StartInput {
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

// writeDifferences tells how the server that runs differs from the one that was asked for.
func (p *program) writeDifferences(b *strings.Builder, c config.Config, s app.Server) {
	if !s.Same {
		fmt.Fprintf(b, "  It runs another program file (%s); to switch to this one: engram restart\n", p.Version)
	}
	if c.Origins["port"].Source != config.SourceDefault && c.Port != 0 && s.URL != "" && !strings.HasSuffix(s.URL, fmt.Sprintf(":%d", c.Port)) {
		fmt.Fprintf(b, "  It listens on a port other than %d; to change that: engram restart\n", c.Port)
	}
	if s.Database != c.DBPath {
		fmt.Fprintf(b, "  Its database is %s; to change that: engram restart\n", s.Database)
	}
}

func (p *program) restartCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restart",
		Short: "Restart the background server",
		Long: `Stop the server of this data directory, if one is running, and start one in the background. Use it after an update or after
changing settings. The new server keeps the flags of the old one, except those given now.`,
		Example: examples("engram restart", "engram restart --port 7438"),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.config(cmd, serverFlags()...)
			if err != nil {
				return err
			}
			if _, err := c.Address(); err != nil {
				return err
			}
			was, _, err := p.end(cmd, c, stopPatience, false)
			if err != nil {
				return err
			}
			if err := keepFlags(cmd, c, was); err != nil {
				return err
			}
			return p.start(cmd)
		},
	}
	addServerFlags(cmd)
	return cmd
}

// keepFlags gives a server the flags that the last one had, and has it listen where that
// did, unless settings say where. What this command was given stays.
func keepFlags(cmd *cobra.Command, c config.Config, was app.Server) error {
	keep := maps.Clone(was.Flags)
	if keep == nil {
		keep = map[string]string{}
	}
	// Where it listened at last: the port it was given may have been any.
	if host, port, err := net.SplitHostPort(strings.TrimPrefix(was.URL, "http://")); err == nil {
		for name, value := range map[string]string{"host": host, "port": port} {
			if _, told := was.Flags[name]; told || c.Origins[name].Source == config.SourceDefault {
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

// stopPatience is how long a server is waited for that was asked to end: it gives requests
// under way five seconds.
const stopPatience = 15 * time.Second

// end ends the server.
func (p *program) end(cmd *cobra.Command, c config.Config, patience time.Duration, force bool) (was app.Server, killed bool, err error) {
	if patience <= 0 {
		return was, false, engram.Errorf(engram.CodeInvalid, "--wait %s is out of range", patience).WithHint("use a time above 0, such as 15s")
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), patience)
	defer cancel()
	return p.control(c).Stop(ctx, force)
}
