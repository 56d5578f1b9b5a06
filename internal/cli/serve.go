package cli

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
	"github.com/alanbuscaglia/engram/internal/config"
)

// servingDoc is what `serve --json` prints once it listens.
type servingDoc struct {
	Version  string `json:"version"`
	Address  string `json:"address"` // http://HOST:PORT
	MCP      string `json:"mcp"`     // endpoint for agents
	Database string `json:"database"`
	Connect  string `json:"connect"` // command that connects Claude Code to this server
	Next     string `json:"next"`    // command to try
}

func (p *program) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve [PORT]",
		Short: "Serve agents and programs over HTTP, MCP under /mcp",
		Long: `Serve agents and programs over HTTP on this machine until interrupted: the JSON API, and MCP under /mcp. Port 0 selects a
free port. Connections from other machines need ENGRAM_HTTP_TOKEN.`,
		Example: examples("engram serve", "engram serve 7438", "engram serve --json 0"),
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if _, err := config.ParsePort(args[0]); err != nil {
					return invalidf("%v", err).WithHint("usage: %s", cmd.UseLine())
				}
				if cmd.Flags().Changed("port") {
					return invalidf("the port is given twice").WithHint("give %s or --port", args[0])
				}
				if err := cmd.Flags().Set("port", args[0]); err != nil {
					return err
				}
			}
			return p.serve(cmd)
		},
	}
	addServerFlags(cmd)
	backgroundFlags(cmd)
	return cmd
}

func (p *program) serve(cmd *cobra.Command) error {
	c, address, err := p.serverConfig(cmd)
	if err != nil {
		return err
	}
	// Signals are caught before the address is told: whoever reads it may stop us at once.
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	log, closeLog, err := p.serverLog(cmd, c)
	if err != nil {
		return err
	}
	defer closeLog()
	p.app = app.New(app.Options{Config: c, Actor: "http", Version: p.Version, Dir: p.Dir, Log: log})
	l, err := p.claimed(ctx, cmd, c, address)
	if inBackground(cmd) {
		logged(log, l, p.Version, err)
		defer log.Info("the server is stopping")
	}
	if err != nil {
		return err
	}
	doc := p.serving(c, l.Addr())
	if err := p.answer(doc, func(b *strings.Builder) { p.writeServing(b, doc) }); err != nil {
		return errors.Join(err, l.Close())
	}
	return p.app.ServeHTTP(ctx, l)
}

// listen opens the port, or says what is in the way.
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

func (p *program) serving(c config.Config, addr net.Addr) servingDoc {
	url := "http://" + addr.String()
	connect := "claude mcp add --transport http engram " + url + "/mcp"
	if c.HTTPToken != "" {
		// The name, not the token: terminals are photographed and logged.
		connect += ` --header "Authorization: Bearer $ENGRAM_HTTP_TOKEN"`
	}
	return servingDoc{
		Version: p.Version, Address: url, MCP: url + "/mcp", Database: c.DBPath, Connect: connect,
		Next: p.self() + " demo",
	}
}

func (p *program) writeServing(b *strings.Builder, doc servingDoc) {
	fmt.Fprintf(b, "Engram %s is listening on %s\n", doc.Version, doc.Address)
	fmt.Fprintf(b, "  MCP endpoint   %s\n", doc.MCP)
	fmt.Fprintf(b, "  Database       %s\n", doc.Database)
	fmt.Fprintf(b, "\nConnect an agent:\n  %s\n", doc.Connect)
	fmt.Fprintf(b, "  %s setup      (all installed agents, without this server)\n", p.self())
	fmt.Fprintf(b, "\nNext, in another terminal: watch two agent sessions share one memory\n  %s\n", doc.Next)
}

// log is where servers report what went wrong: stderr, because stdout is the protocol.
func (p *program) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
}

// backgroundFlags are for whoever starts a server that nobody watches: engram start, and
// the system's services.
func backgroundFlags(cmd *cobra.Command) {
	cmd.Flags().Bool("background", false, "log to engram.log in the data directory; print the result, errors included, on standard output")
	// A system would start again and again what fails because another one serves.
	cmd.Flags().Bool("unless-running", false, "exit without an error if a server of the data directory is already running")
	_, _ = cmd.Flags().MarkHidden("background"), cmd.Flags().MarkHidden("unless-running") // they exist
}

func inBackground(cmd *cobra.Command) bool {
	background, _ := cmd.Flags().GetBool("background") // false where there is no such flag
	return background
}

// serverLog is where a server reports what went wrong: stderr in a terminal; in the
// background a file, and then whoever started it reads standard output alone.
func (p *program) serverLog(cmd *cobra.Command, c config.Config) (log *slog.Logger, done func(), err error) {
	if !inBackground(cmd) {
		return p.log(), func() {}, nil
	}
	p.json, p.Stderr = true, p.Stdout
	file, err := app.OpenLog(c)
	if err != nil {
		return nil, nil, err
	}
	// What it drops at its end nobody could be told.
	return slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelInfo})), func() { _ = file.Close() }, nil
}

// claimed makes this process the server of its data directory and opens store and port. In
// a terminal a second server may run beside the first one, on another port.
func (p *program) claimed(ctx context.Context, cmd *cobra.Command, c config.Config, address string) (net.Listener, error) {
	log := ""
	if inBackground(cmd) {
		log = app.LogFile(c)
	}
	unwatched := !isTerminal(p.Stdin) && !isTerminal(p.Stdout) && !isTerminal(p.Stderr)
	unclaimed := p.app.Claim(ctx, app.ClaimInput{Background: unwatched, Log: log, Flags: flagsOf(cmd, serverFlags())})
	if once, _ := cmd.Flags().GetBool("unless-running"); once && engram.CodeOf(unclaimed) == engram.CodeConflict {
		if !inBackground(cmd) { // there nobody reads it
			p.warn(messageOf(unclaimed))
		}
		return nil, exitWith(0)
	}
	if unclaimed != nil && inBackground(cmd) {
		return nil, unclaimed
	}
	err := p.app.Ready(ctx)
	if _, earlier := errors.AsType[*app.Earlier](err); earlier {
		// It is taken over beside: until then each answer says so. In the background standard
		// output is for the one answer.
		if !inBackground(cmd) {
			p.warn(messageOf(err))
		}
		err = nil
	}
	if err != nil {
		return nil, err
	}
	l, err := listen(ctx, address)
	switch {
	case err == nil && unclaimed != nil:
		p.warn(messageOf(unclaimed) + ": engram status, stop and restart refer to that one")
	case engram.CodeOf(err) == engram.CodeUnavailable && c.Port != 0:
		err = occupiedBy(ctx, err, c)
	}
	return l, err
}

// occupiedBy says who has the port that could not be listened on.
func occupiedBy(ctx context.Context, err error, c config.Config) error {
	e, ok := errors.AsType[*engram.Error](err)
	if !ok || e.Err != nil {
		return err // that was not it
	}
	return engram.Errorf(e.Code, "%s by %s", e.Msg, app.Beside(ctx, c.Host, c.Port)).WithHintOf(e)
}

// logged says in a log how a server began.
func logged(log *slog.Logger, l net.Listener, version string, err error) {
	switch {
	case err == nil:
		log.Info("listening", "address", l.Addr().String(), "version", version, "process", os.Getpid())
	case errors.Is(err, exitWith(0)), engram.CodeOf(err) == engram.CodeConflict: // that one is running already is no news
	default:
		log.Error("the server did not start", "error", err)
	}
}

func (p *program) mcpCommand() *cobra.Command {
	var tools string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve one agent over standard input and output (MCP)",
		Long: `Serve one agent over standard input and output with the Model Context Protocol. Agents start this command themselves, as
engram setup configures them. The project is that of the folder unless --project names one.

--tools selects the tools: agent, for everyday work (the default); core, three tools for small models; admin, to
maintain a store; mem, memory and recall, all tools of one dialect; all; or single tools by name.`,
		Example: examples("engram mcp --tools=core", "engram mcp --tools=all --project shop"),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.config(cmd)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			// A client that vanished is an error of its next answer, not the end in mid-save.
			signal.Ignore(syscall.SIGPIPE)
			p.app = app.New(app.Options{Config: c, Actor: "mcp", Version: p.Version, Dir: p.Dir, Log: p.log()})
			err = p.app.ServeMCP(ctx, p.Stdin, p.Stdout, tools)
			if ctx.Err() != nil {
				return nil // asked to stop
			}
			return err
		},
	}
	cmd.Flags().StringVar(&tools, "tools", "", "`list` of profiles and tools: agent, core, admin, mem, memory, recall, all (default agent)")
	return cmd
}

// hookCommand is for help, and for who writes flags before it: what agents run takes
// runHook at once.
func (p *program) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT EVENT",
		Short: "Handle one hook event of an agent",
		Long: `Handle one hook event of an agent. Agents run this command themselves, as engram setup configures them. It reads the event
as JSON from standard input and writes the response in the agent's format to standard output; most events have none. It
takes less than 200 ms and always exits with 0; what cannot be written in time is written by the next event.

AGENT is claude-code, codex, gemini-cli, antigravity, cursor, vscode, windsurf, cline, kiro, opencode, pi or any other
name. EVENT is session-start, prompt, before-tool, after-tool, before-compact, after-compact, subagent-stop, stop or
session-end, or the agent's own name for it. hook.log in the data directory records errors and missed events.`,
		Example: examples(`echo '{"session_id":"s1","cwd":"."}' | engram hook claude-code session-start`,
			`echo '{"session_id":"s1","prompt":"why do logins expire?"}' | engram hook claude-code prompt`),
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && isTerminal(p.Stdin) {
				return cmd.Help() // a person, who would wait for ever
			}
			for name, value := range map[string]string{"--data-dir": p.dataDir, "--project": p.project} {
				if value != "" {
					args = append(args, name, value)
				}
			}
			p.runHook(cmd.Context(), args)
			return nil
		},
	}
}

// isHook reports the command line of a hook, which must neither fail nor wait until all other
// commands are made. Help is for people.
func isHook(args []string) bool {
	return len(args) > 1 && args[0] == "hook" && !slices.Contains(args, "--help") && !slices.Contains(args, "-h")
}

// runHook serves one event. What it is told that it does not know it passes over.
func (p *program) runHook(ctx context.Context, args []string) {
	signal.Ignore(syscall.SIGPIPE) // an agent that does not wait for the answer
	words, flags, strange := hookArgs(args)
	if p.Dir == "" {
		if p.Dir, _ = os.Getwd(); p.Dir == "" {
			p.Dir = string(filepath.Separator) // it is gone; events tell theirs, and settings are where they were
		}
	}
	c, err := config.Load(config.Sources{Flags: flags, Env: p.Env, Dir: p.Dir})
	if err != nil {
		app.NoHook(p.Stdin)
		return
	}
	words = append(words, "", "") // what is not named is what nobody knows
	for _, r := range c.Ignored() {
		p.warn(r.String())
	}
	app.HookFlags(c, words[0], strange)
	collectLate()
	_, _ = p.Stdout.Write(app.Hook(ctx, c, p.Version, p.Dir, words[0], words[1], p.Stdin))
}

// hookArgs are the words of a hook's command line, the settings among its flags, and the names
// of flags that it has not.
func hookArgs(args []string) (words []string, flags map[string]string, strange []string) {
	flags = map[string]string{}
	for i := 0; i < len(args); i++ {
		name, value, told := strings.Cut(args[i], "=")
		if !strings.HasPrefix(name, "-") {
			words = append(words, args[i])
			continue
		}
		key := strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_")
		if key != "data_dir" && key != "project" {
			if key != "" { // "--" is none
				strange = append(strange, strings.TrimLeft(name, "-"))
			}
			continue
		}
		if !told && i+1 < len(args) {
			i++
			value = args[i]
		}
		if value != "" {
			flags[key] = value
		}
	}
	return words, flags, strange
}
