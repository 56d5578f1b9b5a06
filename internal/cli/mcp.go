package cli

import (
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/app"
)

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
