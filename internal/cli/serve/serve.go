// Package serve holds the commands that serve agents and programs: serve, mcp and hook (serve.go), the background
// server and its service of the operating system (start.go), and the switch that turns agents off (off.go).
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/config"
)

// Commands returns the commands that serve agents, and switch them off.
func Commands() []command.Maker {
	return []command.Maker{
		command.In(command.GroupServe, "serve", serveCommand),
		command.In(command.GroupServe, "start", startCommand),
		command.In(command.GroupServe, "stop", stopCommand),
		command.In(command.GroupServe, "restart", restartCommand),
		command.In(command.GroupServe, "status", statusCommand),
		command.In(command.GroupServe, "mcp", mcpCommand),
		command.In(command.GroupServe, "hook", hookCommand),
		command.In(command.GroupServe, "off", offCommand),
		command.In(command.GroupServe, "on", onCommand),
	}
}

// ServingDoc is what `serve --json` prints when it is listening.
type ServingDoc struct {
	Version  string `json:"version"`
	Address  string `json:"address"` // http://HOST:PORT
	MCP      string `json:"mcp"`     // endpoint for agents
	Database string `json:"database"`
	Connect  string `json:"connect"` // command that connects Claude Code to this server
	Next     string `json:"next"`    // command to try
}

func serveCommand(p *command.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve [PORT]",
		Short: "Serve agents and programs over HTTP, MCP under /mcp",
		Long: `Serve agents and programs over HTTP on this machine until interrupted: the JSON API, and MCP under /mcp. Port 0 selects a
free port. Connections from other machines need ENGRAM_HTTP_TOKEN.`,
		Example: command.Examples("engram serve", "engram serve 7438", "engram serve --json 0"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if _, err := config.ParsePort(args[0]); err != nil {
					return command.Invalidf("%v", err).WithHint("usage: %s", cmd.UseLine())
				}
				if cmd.Flags().Changed("port") {
					return command.Invalidf("the port is given twice").WithHint("give %s or --port", args[0])
				}
				if err := cmd.Flags().Set("port", args[0]); err != nil {
					return err
				}
			}
			return serve(p, cmd)
		},
	}
	addServerFlags(cmd)
	backgroundFlags(cmd)
	return cmd
}

func serve(p *command.Program, cmd *cobra.Command) error {
	c, address, err := serverConfig(p, cmd)
	if err != nil {
		return err
	}
	command.CollectSteadily()
	ctx := p.UntilEnded(cmd)
	log, closeLog, err := serverLog(p, cmd, c)
	if err != nil {
		return err
	}
	defer closeLog()
	p.App = app.New(app.Options{Config: c, Actor: "http", Version: p.Version, Dir: p.Dir, Log: log})
	l, err := claimed(ctx, p, cmd, c, address)
	if inBackground(cmd) {
		logged(log, l, p.Version, err)
		defer log.Info("the server is stopping")
	}
	if err != nil {
		return err
	}
	doc := serving(p, c, l.Addr())
	if err := p.Answer(doc, func(b *strings.Builder) { writeServing(p, b, doc) }); err != nil {
		return errors.Join(err, l.Close())
	}
	return p.App.ServeHTTP(ctx, l)
}

// listen opens the port, and explains failures.
func listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err == nil {
		return l, nil
	}
	_, port, _ := net.SplitHostPort(address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		other := "7438"
		if n, err := strconv.Atoi(port); err == nil && n > 0 && n < 65535 {
			other = strconv.Itoa(n + 1)
		}
		return nil, engram.Errorf(engram.CodeUnavailable, "port %s is in use", port).
			WithHint("another Engram may already be running there; otherwise try: {serve %s}", other)
	case errors.Is(err, syscall.EACCES):
		return nil, engram.Errorf(engram.CodeForbidden, "this user may not use port %s", port).WithHint("try: {serve 7437}")
	}
	return nil, engram.Errorf(engram.CodeUnavailable, "cannot listen on %s", address).
		WithHint("check ENGRAM_HOST and ENGRAM_PORT").WithCause(err)
}

func serving(p *command.Program, c config.Config, addr net.Addr) ServingDoc {
	url := "http://" + addr.String()
	connect := "claude mcp add --transport http engram " + url + "/mcp"
	if c.HTTPToken != "" {
		// The variable, not the token, because terminals are photographed and logged.
		connect += ` --header "Authorization: Bearer $ENGRAM_HTTP_TOKEN"`
	}
	return ServingDoc{
		Version: p.Version, Address: url, MCP: url + "/mcp", Database: c.Place(), Connect: connect,
		Next: command.Self() + " demo",
	}
}

func writeServing(p *command.Program, b *strings.Builder, doc ServingDoc) {
	fmt.Fprintf(b, "Engram %s is listening on %s\n", doc.Version, doc.Address)
	fmt.Fprintf(b, "  MCP endpoint   %s\n", doc.MCP)
	fmt.Fprintf(b, "  Database       %s\n", doc.Database)
	fmt.Fprintf(b, "\nConnect an agent:\n  %s\n", doc.Connect)
	fmt.Fprintf(b, "  %s setup      (connects all installed agents; they do not need this server)\n", command.Self())
	fmt.Fprintf(b, "\nNext, in another terminal: watch two agent sessions share one memory\n  %s\n", doc.Next)
}

// newLog returns the log of servers, on stderr; with MCP, stdout is the protocol.
func newLog(p *command.Program) *slog.Logger {
	return slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
}

// backgroundFlags adds hidden flags for servers without a terminal: engram start and system services.
func backgroundFlags(cmd *cobra.Command) {
	cmd.Flags().Bool("background", false, "log to engram.log in the data directory; print the result, errors included, on standard output")
	// Without it, a service manager would restart forever while another server runs.
	cmd.Flags().Bool("unless-running", false, "exit without an error if a server of the data directory is already running")
	_, _ = cmd.Flags().MarkHidden("background"), cmd.Flags().MarkHidden("unless-running") // both exist
}

func inBackground(cmd *cobra.Command) bool {
	background, _ := cmd.Flags().GetBool("background") // false without such a flag
	return background
}

// serverLog returns the log of a server: stderr in a terminal, a file in the background. A background server
// reports its result, errors included, on stdout.
func serverLog(p *command.Program, cmd *cobra.Command, c config.Config) (log *slog.Logger, done func(), err error) {
	if !inBackground(cmd) {
		return newLog(p), func() {}, nil
	}
	p.JSON, p.Stderr = true, p.Stdout
	file, err := app.OpenLog(c)
	if err != nil {
		return nil, nil, err
	}
	// An error of Close could not be reported.
	return slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelInfo})), func() { _ = file.Close() }, nil
}

// claimed makes this process the server of its data directory, and opens the store and the port. In a
// terminal, a second server may run on another port.
func claimed(ctx context.Context, p *command.Program, cmd *cobra.Command, c config.Config, address string) (net.Listener, error) {
	log := ""
	if inBackground(cmd) {
		log = app.LogFile(c)
	}
	unwatched := !terminal.Is(p.Stdin) && !terminal.Is(p.Stdout) && !terminal.Is(p.Stderr)
	unclaimed := p.App.Claim(ctx, app.ClaimInput{Background: unwatched, Log: log, Flags: flagsOf(cmd, serverFlags())})
	if once, _ := cmd.Flags().GetBool("unless-running"); once && engram.CodeOf(unclaimed) == engram.CodeConflict {
		if !inBackground(cmd) { // unread in the background
			p.Warn(command.MessageOf(unclaimed))
		}
		return nil, command.ExitWith(0)
	}
	if unclaimed != nil && inBackground(cmd) {
		return nil, unclaimed
	}
	err := p.App.Ready(ctx)
	if _, earlier := errors.AsType[*app.Earlier](err); earlier {
		// Another command upgrades the database; until then each answer says so. In the background, stdout is
		// reserved for the result.
		if !inBackground(cmd) {
			p.Warn(command.MessageOf(err))
		}
		err = nil
	}
	if err != nil {
		return nil, err
	}
	l, err := listen(ctx, address)
	switch {
	case err == nil && unclaimed != nil:
		p.Warn(command.MessageOf(unclaimed) + ": engram status, stop and restart refer to that one")
	case engram.CodeOf(err) == engram.CodeUnavailable && c.Port != 0:
		err = occupiedBy(ctx, err, c)
	}
	return l, err
}

// occupiedBy names the process that uses the port.
func occupiedBy(ctx context.Context, err error, c config.Config) error {
	e, ok := errors.AsType[*engram.Error](err)
	if !ok || e.Err != nil {
		return err // another error
	}
	return engram.Errorf(e.Code, "%s by %s", e.Msg, app.Beside(ctx, c.Host, c.Port)).WithHintOf(e)
}

// logged logs how a server started.
func logged(log *slog.Logger, l net.Listener, version string, err error) {
	switch {
	case err == nil:
		log.Info("listening", "address", l.Addr().String(), "version", version, "process", os.Getpid())
	case errors.Is(err, command.ExitWith(0)), engram.CodeOf(err) == engram.CodeConflict: // a server that is running already is expected
	default:
		log.Error("the server did not start", "error", err)
	}
}

func mcpCommand(p *command.Program) *cobra.Command {
	var tools string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve one agent over standard input and output (MCP)",
		Long: `Serve one agent over standard input and output with the Model Context Protocol. Agents start this command themselves, as
engram setup configures them. The project is that of the folder unless --project names one.

--tools selects the tools: agent, for everyday work (the default); core, three tools for small models; admin, to
maintain a store; mem, memory and recall, all tools of one dialect; all; or single tools by name.`,
		Example: command.Examples("engram mcp --tools=core", "engram mcp --tools=all --project shop"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.Config(cmd)
			if err != nil {
				return err
			}
			// A vanished client is an error of the next answer; it must not end the process during a save.
			signal.Ignore(syscall.SIGPIPE)
			p.App = app.New(app.Options{Config: c, Actor: "mcp", Version: p.Version, Dir: p.Dir, Log: newLog(p)})
			err = p.App.ServeMCP(p.UntilEnded(cmd), p.Stdin, p.Stdout, tools)
			if cmd.Context().Err() != nil {
				return nil // stopped on request
			}
			return err
		},
	}
	cmd.Flags().StringVar(&tools, "tools", "", "`list` of profiles and tools: agent, core, admin, mem, memory, recall, all (default agent)")
	return cmd
}

// hookCommand provides help, and handles flags before the name. Agents' calls go straight to RunHook.
func hookCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT EVENT",
		Short: "Handle one hook event of an agent",
		Long: `Handle one hook event of an agent. Agents run this command themselves, as engram setup configures them. It reads the event
as JSON from standard input and writes the response in the agent's format to standard output; most events have none. It
takes less than 200 ms and always exits with 0; what cannot be written in time is written by the next event.

AGENT is claude-code, codex, gemini-cli, antigravity, cursor, vscode, windsurf, cline, kiro, opencode, pi or any other
name. EVENT is session-start, prompt, before-tool, after-tool, before-compact, after-compact, subagent-stop, stop or
session-end, or the agent's own name for it. hook.log in the data directory records errors and missed events.`,
		Example: command.Examples(`echo '{"session_id":"s1","cwd":"."}' | engram hook claude-code session-start`,
			`echo '{"session_id":"s1","prompt":"why do logins expire?"}' | engram hook claude-code prompt`),
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && terminal.Is(p.Stdin) {
				return cmd.Help() // a person, who would wait forever
			}
			for name, value := range map[string]string{"--data-dir": p.DataDir, "--project": p.Project} {
				if value != "" {
					args = append(args, name, value)
				}
			}
			RunHook(cmd.Context(), p, args)
			return nil
		},
	}
}

// HookArgs returns the arguments of the command line of a hook, which bypasses the command tree: it must be fast and must
// not fail.
func HookArgs(args []string) (of []string, is bool) {
	words, _, _ := hookArgs(args)
	if len(words) < 2 || words[0] != "hook" || slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		return nil, false
	}
	at := slices.Index(args, "hook")
	return slices.Concat(args[:at], args[at+1:]), true
}

// RunHook handles one event. Unknown arguments are ignored.
func RunHook(ctx context.Context, p *command.Program, args []string) {
	signal.Ignore(syscall.SIGPIPE) // an agent may not wait for the answer
	words, flags, unknown := hookArgs(args)
	if p.Dir == "" {
		if p.Dir, _ = os.Getwd(); p.Dir == "" {
			p.Dir = string(filepath.Separator) // the folder is gone; events name theirs, and settings do not depend on it
		}
	}
	c, err := config.Load(config.Sources{Flags: flags, Env: p.Env, Dir: p.Dir})
	if err != nil {
		app.NoHook(p.Stdin)
		return
	}
	words = append(words, "", "") // missing words are empty
	for _, r := range c.Ignored() {
		p.Warn(r.String())
	}
	app.HookFlags(c, words[0], unknown)
	command.CollectLate()
	_, _ = p.Stdout.Write(app.Hook(ctx, c, p.Version, p.Dir, words[0], words[1], p.Stdin))
}

// hookArgs returns the words of a hook's command line, its settings, and the names of unknown flags.
func hookArgs(args []string) (words []string, flags map[string]string, unknown []string) {
	flags = map[string]string{}
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		if !strings.HasPrefix(name, "-") {
			words = append(words, args[i])
			continue
		}
		key := strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_")
		if key != "data_dir" && key != "project" {
			if key != "" { // "--" has no name
				unknown = append(unknown, strings.TrimLeft(name, "-"))
			}
			continue
		}
		if !given && i+1 < len(args) {
			i++
			value = args[i]
		}
		if value != "" {
			flags[key] = value
		}
	}
	return words, flags, unknown
}
