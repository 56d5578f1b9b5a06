package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os/signal"
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
	c, err := p.config(cmd, serverFlags()...)
	if err != nil {
		return err
	}
	address, err := c.Address()
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
